package intake

import (
	"encoding/binary"
	"math"

	"github.com/kovidgoyal/imaging/prism/meta/icc"
)

// colourSpace is a space of red, green and blue as PNG describes one without a profile.
type colourSpace struct {
	primaries [4][2]float64         // x and y of red, green, blue and white
	linear    func(float64) float64 // from the coded value to light; nil is a space this cannot bring to sRGB
}

// rec709 are the primaries of sRGB (ITU-R BT.709).
func rec709() [4][2]float64 {
	return [4][2]float64{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}}
}

// cicpSpace is what a cICP chunk says, by the code points of ITU-T H.273; nil for sRGB. The transfers
// of high dynamic range, PQ and HLG, need more than a change of space and are left as they are.
func cicpSpace(c [4]byte) *colourSpace {
	s := &colourSpace{primaries: rec709()}
	const identity, fullRange = 0, 1
	if c[2] != identity || c[3] != fullRange {
		return s
	}
	switch c[0] {
	case 1:
	case 9: // BT.2020
		s.primaries = [4][2]float64{{0.708, 0.292}, {0.170, 0.797}, {0.131, 0.046}, {0.3127, 0.3290}}
	case 12: // Display P3
		s.primaries = [4][2]float64{{0.680, 0.320}, {0.265, 0.690}, {0.150, 0.060}, {0.3127, 0.3290}}
	default:
		return s
	}
	switch c[1] {
	case 13:
		if c[0] == 1 {
			return nil
		}
		s.linear = srgbToLight
	case 1, 6, 14, 15: // BT.709 and its kin, shown on a display of BT.1886
		s.linear = power(2.4)
	case 4:
		s.linear = power(2.2)
	case 5:
		s.linear = power(2.8)
	case 8:
		s.linear = power(1)
	}
	return s
}

// gammaSpace is what gAMA and cHRM say, nil for sRGB: without a gAMA that is taken for granted.
func gammaSpace(gamma, chroma []byte) *colourSpace {
	if len(gamma) != 4 {
		return nil
	}
	g := float64(binary.BigEndian.Uint32(gamma)) / 100_000
	s := &colourSpace{primaries: rec709()}
	if len(chroma) == 32 {
		for i, place := range []int{3, 0, 1, 2} { // white comes first there
			for j := range 2 {
				s.primaries[place][j] = float64(binary.BigEndian.Uint32(chroma[8*i+4*j:])) / 100_000
			}
		}
	}
	switch {
	case math.Abs(g-1/2.2) < 0.01: // what sRGB's curve is written as
		s.linear = srgbToLight
	case g >= 0.1 && g <= 10:
		s.linear = power(1 / g)
	}
	return s
}

// table is the way from this space to sRGB, and whether it changes anything visibly.
func (s *colourSpace) table() (t table, changes bool, err error) {
	here, err := toXYZ(s.primaries)
	if err != nil || s.linear == nil {
		return nil, false, errProfile
	}
	srgb, err := toXYZ(rec709())
	if err != nil {
		return nil, false, err
	}
	back, err := srgb.Inverted()
	if err != nil {
		return nil, false, err
	}
	m := back.Multiply(here)
	if r, g, b := m.Transform(1, 1, 1); differs(r, 1) || differs(g, 1) || differs(b, 1) {
		return nil, false, errProfile // of another white, which would tint the picture
	}
	t, changes = newTable(func(r, g, b float64) (float64, float64, float64) {
		r, g, b = m.Transform(s.linear(r), s.linear(g), s.linear(b))
		return lightToSRGB(r), lightToSRGB(g), lightToSRGB(b)
	})
	return t, changes, nil
}

// toXYZ is the matrix from light of these primaries to CIE XYZ.
func toXYZ(primaries [4][2]float64) (icc.Matrix3, error) {
	var m icc.Matrix3
	var white [3]float64
	for i, p := range primaries {
		if !(p[0] >= 0 && p[0] <= 1 && p[1] > 0.001 && p[1] <= 1) {
			return m, errProfile
		}
		xyz := [3]float64{p[0] / p[1], 1, (1 - p[0] - p[1]) / p[1]}
		for j := range 3 {
			if i == 3 {
				white[j] = xyz[j]
			} else {
				m[j][i] = xyz[j]
			}
		}
	}
	back, err := m.Inverted()
	if err != nil {
		return m, err
	}
	r, g, b := back.Transform(white[0], white[1], white[2])
	return m.Multiply(icc.Matrix3{{r, 0, 0}, {0, g, 0}, {0, 0, b}}), nil
}

func power(exponent float64) func(float64) float64 {
	return func(v float64) float64 { return math.Pow(v, exponent) }
}

// srgbToLight and lightToSRGB are the curve of IEC 61966-2-1. Both go on
// beyond 0 and 1, straight on the dark side.
func srgbToLight(v float64) float64 {
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

func lightToSRGB(v float64) float64 {
	if v <= 0.0031308 {
		return v * 12.92
	}
	return 1.055*math.Pow(v, 1/2.4) - 0.055
}
