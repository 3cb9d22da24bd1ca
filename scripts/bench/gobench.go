//go:build !windows

package main

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
)

// goBench runs the benchmark BenchmarkNAME and its floor BenchmarkNAMEFloor of a package for as long
// as benchtime says, five times, and compares their medians.
func goBench(title, pkg, name, benchtime string, most float64) {
	out, err := exec.Command("go", "test", "-run", "^$", "-bench", "^Benchmark"+name+"(Floor)?$", "-benchtime", benchtime, "-count", "5", pkg).CombinedOutput()
	if err != nil {
		fail(fmt.Errorf("%s: %w\n%s", pkg, err, out))
	}
	ours, floor := medianOf(string(out), name), medianOf(string(out), name+"Floor")
	result{name: title, ours: ours / 1e3, floor: floor / 1e3, unit: "µs", most: most}.print()
}

func medianOf(out, name string) float64 {
	var all []float64
	for _, m := range regexp.MustCompile(`(?m)^Benchmark`+name+`(?:-\d+)?\s+\d+\s+([0-9.]+) ns/op`).FindAllStringSubmatch(out, -1) {
		ns, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			fail(err)
		}
		all = append(all, ns)
	}
	if len(all) == 0 {
		fail(fmt.Errorf("no figures of Benchmark%s in:\n%s", name, out))
	}
	return median(all)
}

func median(all []float64) float64 {
	slices.Sort(all)
	return all[len(all)/2]
}
