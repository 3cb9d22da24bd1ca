package intake

import (
	"encoding/binary"
	"image"
	"runtime"
	"sync"
)

// canvas is a picture on its way through: 8 bits of red, green, blue and alpha, not premultiplied,
// rows without gaps.
type canvas struct {
	pix    []byte
	w, h   int
	opaque bool // no alpha below 255
}

func newCanvas(w, h int, opaque bool) canvas {
	return canvas{make([]byte, 4*w*h), w, h, opaque}
}

func (c canvas) row(y int) []byte { return c.pix[4*c.w*y : 4*c.w*(y+1)] }

func (c canvas) bounds() image.Rectangle { return image.Rect(0, 0, c.w, c.h) }

// turned brings a picture upright by its Exif orientation, 1 to 8.
func (c canvas) turned(orientation int) canvas {
	last, top := c.w-1, (c.h-1)*c.w
	// In the picture that comes out, a step to the right is right pixels on in c, a step down is down
	// ones, from start.
	var start, right, down int
	switch orientation {
	case 2:
		start, right, down = last, -1, c.w
	case 3:
		start, right, down = top+last, -1, -c.w
	case 4:
		start, right, down = top, 1, -c.w
	case 5:
		start, right, down = 0, c.w, 1
	case 6:
		start, right, down = top, -c.w, 1
	case 7:
		start, right, down = top+last, -c.w, -1
	case 8:
		start, right, down = last, c.w, -1
	default:
		return c
	}
	out := newCanvas(c.w, c.h, c.opaque)
	if orientation >= 5 {
		out.w, out.h = c.h, c.w
	}
	inBands(out.h, func(from, to int) {
		for y := from; y < to; y++ {
			at := start + y*down
			row := out.row(y)
			for x := 0; x < len(row); x += 4 {
				binary.NativeEndian.PutUint32(row[x:], binary.NativeEndian.Uint32(c.pix[4*at:]))
				at += right
			}
		}
	})
	return out
}

// inBands shares the numbers below n out among the processors, each a run of its own, and waits.
func inBands(n int, do func(from, to int)) {
	workers := max(1, min(n, runtime.GOMAXPROCS(0)))
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() { do(i*n/workers, (i+1)*n/workers) })
	}
	all.Wait()
}
