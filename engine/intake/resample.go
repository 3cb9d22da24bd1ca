package intake

import (
	"math"

	"golang.org/x/image/draw"
)

// taps are the source pixels, from first on, and their weights for one pixel that comes out.
type taps struct {
	first   int
	weights []float32
}

// tapsOf makes the taps of x/image's CatmullRom for n pixels made from length ones, of which have
// exist (length may end within the last).
func tapsOf(length float64, have, n int) []taps {
	kernel := draw.CatmullRom
	scale := length / float64(n)
	wide := max(1, scale)
	all := make([]taps, n)
	for i := range all {
		centre := (float64(i)+0.5)*scale - 0.5
		first := max(0, int(math.Ceil(centre-kernel.Support*wide)))
		last := min(have-1, int(math.Floor(centre+kernel.Support*wide)))
		first = min(first, last)
		weights := make([]float32, last-first+1)
		var sum float64
		for j := range weights {
			w := kernel.At(math.Abs(float64(first+j)-centre) / wide)
			weights[j] = float32(w)
			sum += w
		}
		if sum == 0 { // one pixel, far off at the edge
			weights[0], sum = 1, 1
		}
		for j := range weights {
			weights[j] /= float32(sum)
		}
		all[i] = taps{first, weights}
	}
	return all
}

// resampled makes w × h pixels of the first width × height ones. Each processor makes a few rows at
// a time, so that little is kept between the two passes.
func (c canvas) resampled(width, height float64, w, h int) canvas {
	const block = 32
	columns, lines := tapsOf(width, c.w, w), tapsOf(height, c.h, h)
	out := newCanvas(w, h, c.opaque)
	inBands((h+block-1)/block, func(from, to int) {
		var narrow []float32
		for y := from * block; y < min(to*block, h); y += block {
			some := lines[y:min(y+block, h)]
			top := some[0].first
			last := some[len(some)-1]
			narrow = c.narrowed(narrow, columns, top, last.first+len(last.weights))
			for i, line := range some {
				gather(out.row(y+i), narrow[4*w*(line.first-top):], line.weights, c.opaque)
			}
		}
	})
	return out
}

// narrowed resamples the rows from top to below bottom along x, into space if it is large enough.
// Colours are premultiplied by alpha, which runs from 0 to 1.
func (c canvas) narrowed(space []float32, columns []taps, top, bottom int) []float32 {
	need := 4 * len(columns) * (bottom - top)
	if cap(space) < need {
		space = make([]float32, need)
	}
	space = space[:need]
	for y := top; y < bottom; y++ {
		row := c.row(y)
		out := space[4*len(columns)*(y-top) : 4*len(columns)*(y-top+1)]
		for i, t := range columns {
			var r, g, b, a float32
			p := row[4*t.first:]
			for _, w := range t.weights {
				if !c.opaque {
					w *= float32(p[3]) / 255
				}
				r, g, b, a = r+w*float32(p[0]), g+w*float32(p[1]), b+w*float32(p[2]), a+w
				p = p[4:]
			}
			o := out[4*i : 4*i+4 : 4*i+4]
			o[0], o[1], o[2], o[3] = r, g, b, a
		}
	}
	return space
}

// gather makes one row of narrow ones that lie below each other.
func gather(dst []byte, narrow []float32, weights []float32, opaque bool) {
	for x := 0; x < len(dst); x += 4 {
		var r, g, b, a float32
		at := x
		for _, w := range weights {
			p := narrow[at : at+4 : at+4]
			r, g, b, a = r+w*p[0], g+w*p[1], b+w*p[2], a+w*p[3]
			at += len(dst)
		}
		switch {
		case opaque:
			a = 1
		case a <= 0.5/255:
			continue // transparent
		default:
			r, g, b = r/a, g/a, b/a
		}
		dst[x], dst[x+1], dst[x+2], dst[x+3] = clamp(r), clamp(g), clamp(b), clamp(a*255)
	}
}
