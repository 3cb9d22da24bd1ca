package intake

import "image"

// reduce brings a decoded picture to a canvas whose longest side is at most side, in sRGB. A large
// picture is first averaged by a whole factor while its rows are read, then resampled: resampling
// all of it costs several times as much and looks the same.
func reduce(img image.Image, side int, c colours) canvas {
	size := img.Bounds().Size()
	longest := max(size.X, size.Y)
	factor := max(1, longest/side)
	out := average(img, factor, c)
	if longest > side {
		scaled := func(n int) int { return max(1, (2*n*side+longest)/(2*longest)) }
		out = out.resampled(float64(size.X)/float64(factor), float64(size.Y)/float64(factor), scaled(size.X), scaled(size.Y))
	}
	c.convert(out)
	return out
}

// average makes each square of factor × factor pixels one. Colours count by their alpha. At the
// right and lower edge a square may be cut.
func average(img image.Image, factor int, c colours) canvas {
	read, opaque := rowsOf(img)
	if c.read != nil {
		read = c.read
	}
	size := img.Bounds().Size()
	out := newCanvas((size.X+factor-1)/factor, (size.Y+factor-1)/factor, opaque)
	inBands(out.h, func(from, to int) {
		row := make([]byte, 4*size.X)
		sums := make([]uint32, 5*out.w) // red, green, blue (each times alpha), alpha, pixels
		for y := from; y < to; y++ {
			if factor == 1 {
				read(y, out.row(y))
				continue
			}
			clear(sums)
			for sy := y * factor; sy < min((y+1)*factor, size.Y); sy++ {
				read(sy, row)
				if opaque {
					addOpaque(sums, row, factor)
				} else {
					addAlpha(sums, row, factor)
				}
			}
			means(out.row(y), sums, opaque)
		}
	})
	return out
}

func addOpaque(sums []uint32, row []byte, factor int) {
	for ; len(row) > 0; sums = sums[5:] {
		n := min(4*factor, len(row))
		var r, g, b uint32
		for p := row[:n]; len(p) >= 4; p = p[4:] {
			r, g, b = r+uint32(p[0]), g+uint32(p[1]), b+uint32(p[2])
		}
		s := sums[:5:5]
		s[0], s[1], s[2], s[4] = s[0]+r, s[1]+g, s[2]+b, s[4]+uint32(n/4)
		row = row[n:]
	}
}

func addAlpha(sums []uint32, row []byte, factor int) {
	for ; len(row) > 0; sums = sums[5:] {
		n := min(4*factor, len(row))
		for p := row[:n]; len(p) >= 4; p = p[4:] {
			a := uint32(p[3])
			sums[0] += uint32(p[0]) * a
			sums[1] += uint32(p[1]) * a
			sums[2] += uint32(p[2]) * a
			sums[3] += a
		}
		sums[4] += uint32(n / 4)
		row = row[n:]
	}
}

func means(dst []byte, sums []uint32, opaque bool) {
	for ; len(dst) > 0; dst, sums = dst[4:], sums[5:] {
		weight := sums[3]
		dst[3] = byte((sums[3] + sums[4]/2) / sums[4])
		if opaque {
			weight, dst[3] = sums[4], 255
		}
		if weight == 0 {
			continue
		}
		for i := range 3 {
			dst[i] = byte((sums[i] + weight/2) / weight)
		}
	}
}
