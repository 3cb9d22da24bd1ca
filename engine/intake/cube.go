package intake

import "math"

// nodes is how many values of each colour a cube knows. Between them it interpolates.
const nodes = 33

// cube is a function of three colours as a table (a three-dimensional lookup table).
type cube struct {
	values [nodes * nodes * nodes * 3]int16 // 64 a step of 255; what lies beyond is cut after interpolating
	place  [256]int32                       // the node at or below a value, times 256, and the rest of 255
}

// newCube asks f for its values at all nodes; colours run from 0 to 1. changes tells whether f moves
// any of them visibly.
func newCube(f func(r, g, b float64) (float64, float64, float64)) (c *cube, changes bool) {
	c = new(cube)
	for v := range c.place {
		at := v * (nodes - 1)
		c.place[v] = int32(at/255<<8 | at%255)
	}
	const last = nodes - 1
	at := 0
	for i := range nodes {
		for j := range nodes {
			for k := range nodes {
				r, g, b := f(float64(i)/last, float64(j)/last, float64(k)/last)
				changes = changes || differs(r, float64(i)/last) || differs(g, float64(j)/last) || differs(b, float64(k)/last)
				for n, v := range [3]float64{r, g, b} {
					c.values[at+n] = int16(math.Round(min(max(v, -2), 2) * 255 * 64))
				}
				at += 3
			}
		}
	}
	return c, changes
}

func (c *cube) apply(pix []byte) {
	for ; len(pix) >= 4; pix = pix[4:] {
		pix[0], pix[1], pix[2] = c.at(pix[0], pix[1], pix[2])
	}
}

// at interpolates in the one of six tetrahedra in which the colour lies.
func (c *cube) at(r, g, b byte) (byte, byte, byte) {
	pr, pg, pb := c.place[r], c.place[g], c.place[b]
	fr, fg, fb := pr&255, pg&255, pb&255
	base := ((pr>>8*nodes+pg>>8)*nodes + pb>>8) * 3
	// From the nearest corner to the farthest, along the colour with the largest rest first.
	stepR, stepG, stepB := int32(3*nodes*nodes), int32(3*nodes), int32(3)
	if fr < fg {
		fr, fg, stepR, stepG = fg, fr, stepG, stepR
	}
	if fg < fb {
		fg, fb, stepG, stepB = fb, fg, stepB, stepG
	}
	if fr < fg {
		fr, fg, stepR, stepG = fg, fr, stepG, stepR
	}
	// A rest of 0 must not step beyond the table.
	one, two, three := base, base, base
	if fr > 0 {
		one += stepR
		two = one
	}
	if fg > 0 {
		two += stepG
	}
	three = two
	if fb > 0 {
		three += stepB
	}
	w0, w1, w2, w3 := 255-fr, fr-fg, fg-fb, fb
	v := &c.values
	mix := func(n int32) byte {
		sum := int32(v[base+n])*w0 + int32(v[one+n])*w1 + int32(v[two+n])*w2 + int32(v[three+n])*w3
		return byte(min(max((sum+255*32)/(255*64), 0), 255))
	}
	return mix(0), mix(1), mix(2)
}
