package intake

import (
	"errors"
	"fmt"
	"image"
)

// colours is how a picture's colours become sRGB. The zero value leaves them as they are.
type colours struct {
	table table                   // of red, green and blue
	gray  *[256][3]byte           // of grey
	read  func(y int, dst []byte) // reads rows of CMYK; without it they are read as they are
}

// table brings the colours of pixels to sRGB, in place; alpha stays.
type table interface{ apply(pix []byte) }

// newTable makes the table of a function of red, green and blue from 0 to 1.
func newTable(f func(r, g, b float64) (float64, float64, float64)) (t table, changes bool) {
	if s, changes := newShaper(f); s != nil {
		return s, changes
	}
	return newCube(f)
}

// coloursOf is how the decoded picture becomes sRGB, and what has to be said about that: a profile
// that was used, or one that could not be. A profile that changes next to nothing, as the many
// spellings of sRGB do, is left out in silence.
func coloursOf(h header, img image.Image) (colours, []Notice) {
	var c colours
	var changes bool
	var err error
	switch {
	case h.colour != nil:
		c.table, changes, err = h.colour.table()
	case h.badProfile:
		err = errProfile
	case h.packed != nil:
		var profile []byte
		if profile, err = unpackProfile(h.packed); err == nil {
			c, changes, err = profileColours(profile, img)
		}
	case h.icc != nil:
		c, changes, err = profileColours(h.icc, img)
	}
	switch {
	case err != nil:
		return colours{}, []Notice{{ProfileIgnored, "the picture's colour profile could not be used; its colours may look different"}}
	case !changes:
		return colours{}, nil
	}
	return c, []Notice{{ProfileConverted, "the picture's colours were converted to sRGB"}}
}

// errProfile is why colours are left as they are.
var errProfile = errors.New("the colour profile cannot be used")

// profileColours is how a profile's colours become sRGB, if it is one for this kind of picture. All
// that is asked of the profile is asked here, where a panic of its reader is caught.
func profileColours(icc []byte, img image.Image) (c colours, changes bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			c, changes, err = colours{}, false, fmt.Errorf("%w: %v", errProfile, r)
		}
	}()
	switch m := img.(type) {
	case *image.CMYK:
		turn, err := openProfile(icc, 4)
		if err != nil {
			return colours{}, false, err
		}
		return colours{read: cmykRows(m, turn)}, true, nil
	case *image.Gray, *image.Gray16:
		if turn, err := openProfile(icc, 1); err == nil {
			c.gray, changes = grayTable(turn)
			return c, changes, nil
		} // some cameras give grey a profile of colours
	}
	turn, err := openProfile(icc, 3)
	if err != nil {
		return colours{}, false, err
	}
	c.table, changes = newTable(func(r, g, b float64) (float64, float64, float64) {
		out := turn([4]float64{r, g, b})
		return out[0], out[1], out[2]
	})
	return c, changes, nil
}

// convert brings a canvas to sRGB.
func (c colours) convert(to canvas) {
	if c.table == nil && c.gray == nil {
		return
	}
	inBands(to.h, func(from, end int) {
		pix := to.pix[4*to.w*from : 4*to.w*end]
		if c.gray == nil {
			c.table.apply(pix)
			return
		}
		for ; len(pix) > 0; pix = pix[4:] {
			copy(pix, c.gray[pix[0]][:])
		}
	})
}

// grayTable holds sRGB for each grey.
func grayTable(turn turn) (table *[256][3]byte, changes bool) {
	table = new([256][3]byte)
	for v := range table {
		out := turn([4]float64{float64(v) / 255})
		for i := range 3 {
			table[v][i] = clamp(float32(out[i] * 255))
			changes = changes || differs(out[i], float64(v)/255)
		}
	}
	return table, changes
}

// differs tells whether a colour's change would be seen: more than two steps of 255.
func differs(a, b float64) bool { return max(a-b, b-a) > 2.5/255 }

// cmykRows reads rows of CMYK as sRGB: between cubes of cyan, magenta and yellow, one for each of a
// few amounts of black.
func cmykRows(m *image.CMYK, turn turn) func(y int, dst []byte) {
	const levels = 9
	var cubes [levels]*cube
	for k := range levels {
		cubes[k], _ = newCube(func(c, m, y float64) (float64, float64, float64) {
			out := turn([4]float64{c, m, y, float64(k) / (levels - 1)})
			return out[0], out[1], out[2]
		})
	}
	b := m.Bounds()
	return func(y int, dst []byte) {
		row := m.Pix[m.PixOffset(b.Min.X, b.Min.Y+y):]
		for x := 0; x < len(dst); x += 4 {
			k := int(row[x+3]) * (levels - 1)
			low, part := k/255, k%255
			r, g, bl := cubes[low].at(row[x], row[x+1], row[x+2])
			if part > 0 {
				r2, g2, b2 := cubes[low+1].at(row[x], row[x+1], row[x+2])
				r, g, bl = between(r, r2, part), between(g, g2, part), between(bl, b2, part)
			}
			dst[x], dst[x+1], dst[x+2], dst[x+3] = r, g, bl, 255
		}
	}
}

// between is what lies part 255ths of the way from a to b.
func between(a, b byte, part int) byte {
	return byte((int(a)*(255-part) + int(b)*part + 127) / 255)
}
