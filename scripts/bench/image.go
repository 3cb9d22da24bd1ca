//go:build !windows

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// sharpVersion is the version of sharp (npm) that pictures are measured beside. It is fetched for the
// bench only.
const sharpVersion = "0.35.5"

// sharpScript makes a photo of twelve megapixels, orientation 6, in Display P3 (make FILE), or does
// with one what the studio does (FILE TIMES) and prints the milliseconds of each time but the first.
const sharpScript = `const sharp = require('sharp'), fs = require('fs');
const [what, more] = process.argv.slice(2);
async function make(file) {
  const w = 4032, h = 3024, b = Buffer.alloc(w * h * 3);
  for (let y = 0, s = 7, i = 0; y < h; y++) for (let x = 0; x < w; x++) {
    s = (Math.imul(s, 1103515245) + 12345) & 0x7fffffff;
    const n = (s >> 16) % 17 - 8, at = v => Math.max(0, Math.min(255, 128 + 100 * v + n));
    b[i++] = at(Math.sin(x / 97)); b[i++] = at(Math.sin(y / 131 + x / 700)); b[i++] = at(Math.cos((x + y) / 211));
  }
  await sharp(b, {raw: {width: w, height: h, channels: 3}}).withMetadata({orientation: 6}).withIccProfile('p3').jpeg({quality: 88}).toFile(file);
}
async function measure(file, times) {
  const body = fs.readFileSync(file);
  for (let i = 0; i <= times; i++) {
    const start = performance.now();
    await sharp(body).rotate().resize(2000, 2000, {fit: 'inside', withoutEnlargement: true}).toColourspace('srgb').jpeg({quality: 85}).toBuffer();
    if (i > 0) console.log((performance.now() - start).toFixed(1));
  }
}
what === 'make' ? make(more) : measure(what, +more);
`

// images measures the normalising of a phone's photo beside sharp, in turn. Without npm it says that
// it skips.
func images(dir string) {
	if err := fetchSharp(dir); err != nil {
		fmt.Printf("a photo normalised: skipped, since sharp could not be fetched (%v)\n", err)
		return
	}
	photo := filepath.Join(dir, "photo.jpg")
	sharp := func(args ...string) string { return output(dir, "node", append([]string{"sharp.js"}, args...)...) }
	sharp("make", photo)
	picture := build(dir, "picture", "./scripts/bench/picture")
	var ours, theirs []float64
	var peak float64
	for range 5 { // in turn, so that both meet the same machine
		times, most := figures(output(dir, picture, photo, "3"))
		ours, peak = append(ours, times...), max(peak, most)
		times, _ = figures(sharp(photo, "3"))
		theirs = append(theirs, times...)
	}
	result{name: "a photo of 12 megapixels", ours: median(ours), floor: median(theirs), unit: "ms", most: 4, note: "floor: sharp " + sharpVersion}.print()
	fmt.Printf("memory for it: %.0f MiB at most; at most 160\n", peak)
}

// fetchSharp installs sharp into dir, beside the script.
func fetchSharp(dir string) error {
	if err := os.WriteFile(filepath.Join(dir, "sharp.js"), []byte(sharpScript), 0o600); err != nil {
		return err
	}
	c := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", dir, "sharp@"+sharpVersion)
	c.Dir = dir
	return c.Run()
}

func output(dir, name string, args ...string) string {
	c := exec.Command(name, args...)
	c.Dir, c.Stderr = dir, os.Stderr
	out, err := c.Output()
	if err != nil {
		fail(fmt.Errorf("%s: %w", name, err))
	}
	return string(out)
}

// figures reads lines of milliseconds and the line of the peak.
func figures(out string) (times []float64, peak float64) {
	for line := range strings.Lines(out) {
		text, isPeak := strings.CutPrefix(strings.TrimSpace(line), "peak ")
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			fail(err)
		}
		if isPeak {
			peak = v
		} else {
			times = append(times, v)
		}
	}
	return times, peak
}
