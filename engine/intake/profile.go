package intake

import (
	"bytes"
	"encoding/binary"

	"github.com/kovidgoyal/imaging/prism/meta/icc"
)

// turn brings one colour of a profile's space to sRGB. Colours run from 0 to 1; those that sRGB
// cannot show lie beyond. A space has one, three or four channels, sRGB the first three.
type turn func([4]float64) [3]float64

// openProfile reads an ICC profile (ICC.1) for pictures of this many channels. It goes by relative
// colorimetric intent with black point compensation. A damaged profile may make it, or the turn, panic.
func openProfile(profile []byte, channels int) (turn, error) {
	if !soundProfile(profile) {
		return nil, errProfile
	}
	p, err := icc.DecodeProfile(bytes.NewReader(profile))
	if err != nil {
		return nil, err
	}
	const compensate, clamp, mapGamut, optimise = true, false, false, true
	pipe, err := p.CreateTransformerToSRGB(icc.RelativeColorimetricRenderingIntent, compensate, channels, clamp, mapGamut, optimise)
	if err != nil {
		return nil, err
	}
	return func(in [4]float64) [3]float64 {
		if channels == 3 {
			r, g, b := pipe.Transform(in[0], in[1], in[2])
			return [3]float64{r, g, b}
		}
		var out [4]float64
		pipe.TransformGeneral(out[:], in[:])
		return [3]float64(out[:3])
	}, nil
}

// soundProfile checks the sizes in a profile that the library believes: it makes room for as many
// bytes as they say.
func soundProfile(p []byte) bool {
	const head, entry, maxTags = 132, 12, 100
	if len(p) < head || len(p) > maxProfile {
		return false
	}
	tags := binary.BigEndian.Uint32(p[128:])
	if tags == 0 || tags > maxTags || head+entry*int(tags) > len(p) {
		return false
	}
	start := head + entry*int(tags)
	for i := range int(tags) {
		e := p[head+entry*i:]
		at, size := chunkSize(binary.BigEndian, e[4:]), chunkSize(binary.BigEndian, e[8:])
		if at < start || at > len(p) || size > len(p)-at || !soundTable(p[at:at+size]) {
			return false
		}
	}
	return soundCurves(p)
}

// soundCurves checks every tag of type curveType, those inside others included: a curve has no more
// points than there are bytes behind it (ICC.1 10.6).
func soundCurves(p []byte) bool {
	const name, head, point = "curv", 12, 2
	for at := 0; ; {
		i := bytes.Index(p[at:], []byte(name))
		if i < 0 {
			return true
		}
		at += i
		if len(p)-at >= head {
			if n := chunkSize(binary.BigEndian, p[at+8:]); n > (len(p)-at-head)/point {
				return false
			}
		}
		at += len(name)
	}
}

// soundTable checks that a tag of type lutAToBType has one or two bytes a value (ICC.1 10.12.3):
// with none, its table would be of any size.
func soundTable(tag []byte) bool {
	if len(tag) < 32 || string(tag[:4]) != "mAB " && string(tag[:4]) != "mBA " {
		return true
	}
	at := chunkSize(binary.BigEndian, tag[24:])
	if at == 0 {
		return true
	}
	return at <= len(tag)-20 && (tag[at+16] == 1 || tag[at+16] == 2)
}
