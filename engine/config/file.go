package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// maxFile is how large a config file may be.
const maxFile = 64 << 10

// File is what a config file says. The zero File says nothing, as one that is missing.
type File struct {
	name   string // as faults give it
	values map[string]value
}

// value is what the file has for a key, and where.
type value struct {
	text         string
	list         []string // of keys.ID
	line, column int
}

// Fault is one thing wrong with a file, with its place counted from 1.
type Fault struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// String gives the fault as file:line:column: message.
func (f Fault) String() string {
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, f.Message)
}

// Read reads the file at a path; name is what faults call it. A file that is missing says nothing.
// Errors: CONFIG_INVALID with every fault and its place, or why the file cannot be read.
func Read(path, name string) (*File, error) {
	b, err := content(path)
	if err != nil {
		return nil, unreadable(name, err)
	}
	return Parse(name, b)
}

func unreadable(name string, err error) error {
	var p *fs.PathError
	why := err
	if errors.As(err, &p) {
		why = p.Err
	}
	return &engine.Error{Code: engine.ConfigInvalid, Message: "the config file " + name + " cannot be read: " + why.Error(), Err: err}
}

// content is the bytes of the file, a little more than the limit at most; none if it is missing.
func content(path string) ([]byte, error) {
	if path == "" {
		return nil, nil
	}
	i, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !i.Mode().IsRegular():
		return nil, errors.New("it is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// origin names the place of a key for people, as in config.yaml:3.
func (f *File) origin(key string) string {
	return filepath.Base(f.name) + ":" + strconv.Itoa(f.values[key].line)
}

// Complaint is what somebody else has against a key of the file.
type Complaint struct{ Key, Message string }

// Refuse makes complaints an error that gives their places (CONFIG_INVALID); nil for none.
func (f *File) Refuse(all []Complaint) error {
	faults := make([]Fault, len(all))
	for i, c := range all {
		at := f.values[c.Key]
		faults[i] = Fault{f.name, max(at.line, 1), max(at.column, 1), c.Message}
	}
	return refusal(faults)
}

// CheckTools finds rules for tools that do not exist, and those that would loosen a tool's own policy.
func (f *File) CheckTools(tools []engine.Spec) (all []Complaint) {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	for _, r := range f.policy() {
		i := slices.Index(names, r.Tool)
		switch {
		case i < 0:
			all = append(all, Complaint{"policy." + r.Tool, fmt.Sprintf("there is no tool %q%s; the tools are %s", clip(r.Tool), didYouMean(r.Tool, names), orList(names))})
		case tools[i].Policy == engine.Deny && r.Verdict == engine.Ask:
			all = append(all, Complaint{"policy." + r.Tool, fmt.Sprintf("a rule can only tighten, and %s is denied already", r.Tool)})
		}
	}
	return all
}

// refusal gives all faults as one CONFIG_INVALID, in the order of their places; nil for none.
func refusal(faults []Fault) error {
	if len(faults) == 0 {
		return nil
	}
	slices.SortStableFunc(faults, func(a, b Fault) int {
		if a.Line != b.Line {
			return a.Line - b.Line
		}
		return a.Column - b.Column
	})
	rows := make([]string, len(faults))
	for i, f := range faults {
		rows[i] = f.String()
	}
	return engine.Errorf(engine.ConfigInvalid, "%s", strings.Join(rows, "\n")).With("faults", faults)
}
