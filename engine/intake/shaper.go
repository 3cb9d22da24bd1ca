package intake

import "math"

// lights is into how many steps light is parted on its way to sRGB: at the dark end, where the curve
// is steepest, one is less than half a step of 255.
const lights = 8192

// shaper is a space in which each colour adds its own light (a matrix and curves, in the words of
// ICC). It is exact, and quicker than a cube. Nearly all profiles of screens and cameras are such.
type shaper struct {
	light [3][256][3]float32 // what each value of each colour adds to red, green and blue of sRGB
	curve [lights + 1]byte   // from light to sRGB
}

// newShaper finds out by asking whether f, whose results may lie beyond 0 and 1, is a shaper; nil if
// it isn't. changes tells whether f moves any colour visibly.
func newShaper(f func(r, g, b float64) (float64, float64, float64)) (s *shaper, changes bool) {
	light := func(c [3]float64) (l [3]float64) {
		l[0], l[1], l[2] = f(c[0], c[1], c[2])
		for i, v := range l {
			l[i] = srgbToLight(v)
		}
		return l
	}
	s = new(shaper)
	black := light([3]float64{})
	for c := range 3 {
		for v := range 256 {
			var in [3]float64
			in[c] = float64(v) / 255
			for i, l := range light(in) {
				s.light[c][v][i] = float32(l - black[i]*2/3) // it is in each of the three
			}
		}
	}
	const points = 6 // 255 parted by 5
	for n := range points * points * points {
		v := [3]int{n % points * 51, n / points % points * 51, n / points / points * 51}
		in := [3]float64{float64(v[0]) / 255, float64(v[1]) / 255, float64(v[2]) / 255}
		for i, want := range light(in) {
			if sum := float64(s.light[0][v[0]][i] + s.light[1][v[1]][i] + s.light[2][v[2]][i]); math.Abs(sum-want) > 0.001 {
				return nil, false
			}
			changes = changes || differs(lightToSRGB(want), in[i])
		}
	}
	for i := range s.curve {
		s.curve[i] = clamp(float32(lightToSRGB(float64(i)/lights) * 255))
	}
	return s, changes
}

func (s *shaper) apply(pix []byte) {
	for ; len(pix) >= 4; pix = pix[4:] {
		r, g, b := &s.light[0][pix[0]], &s.light[1][pix[1]], &s.light[2][pix[2]]
		for i := range 3 {
			light := int((r[i]+g[i]+b[i])*lights + 0.5)
			pix[i] = s.curve[min(max(light, 0), lights)]
		}
	}
}
