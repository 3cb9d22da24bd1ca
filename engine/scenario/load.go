package scenario

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"agentstudio/engine"
)

const extension = ".yaml"

// Names lists the bundled scenarios, sorted.
func Names(bundled fs.FS) []string {
	files, err := fs.Glob(bundled, "*"+extension)
	if err != nil {
		return []string{}
	}
	names := make([]string, 0, len(files))
	for _, f := range files {
		names = append(names, strings.TrimSuffix(path.Base(f), extension))
	}
	slices.Sort(names)
	return names
}

// Load reads the bundled scenario of this name, else the file at this path. A bare name is never
// looked for on disk without its extension, so a file cannot stand in for a bundled scenario.
// Errors: SCENARIO_UNKNOWN (naming the bundled ones), SCENARIO_INVALID (see Parse).
func Load(name string, bundled fs.FS) (*Scenario, error) {
	if slices.Contains(Names(bundled), name) {
		b, err := fs.ReadFile(bundled, name+extension)
		if err != nil {
			return nil, engine.At("scenario.load", err)
		}
		return Parse(name+extension, b)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, unknown(name, bundled, err)
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return nil, unknown(name, bundled, errors.New("not a regular file"))
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, unknown(name, bundled, err)
	}
	return Parse(filepath.Base(name), b)
}

func unknown(name string, bundled fs.FS, cause error) error {
	names := Names(bundled)
	hint := ""
	if n := engine.Near(name, names); n != "" {
		hint = " Did you mean " + n + "?"
	}
	e := engine.Errorf(engine.ScenarioUnknown, "there is no scenario or file %q.%s Bundled: %s.", name, hint, strings.Join(names, ", "))
	e.Err = cause
	return e.With("names", names)
}
