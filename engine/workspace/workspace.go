// Package workspace is confined reading: a session's tools see the files below a few named roots
// and nothing else, whatever a model asks for and whatever the files do meanwhile.
//
// # Roots
//
// A root is a name and a folder. The workspace itself has the name "" and its paths no prefix; a
// skill has the name "skill:NAME" and its paths that prefix, as in skill:ads-analysis/SKILL.md.
// Roots on disk are os.Root handles, bundled ones an fs.FS; both refuse alike.
//
// # Paths
//
// A path is taken apart by its spelling alone. Absolute paths and ".." work while they stay inside
// a root; everything else is refused with the same words, whether or not something is there. There
// is no expansion (~, $VAR) and no decoding (%2e). The one exception is the escaped spelling of
// strange names, see Escape.
//
// # What is never read
//
// Links of any kind (but for the root itself, which is made canonical when it is opened), devices,
// FIFOs and sockets, and protected names (see protected.go). The checks are made on the opened
// file, so swapping an entry between check and open gains nothing. Hard links cannot be told from
// files and are read.
//
// A Workspace may be used by many goroutines at once.
package workspace

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"unicode"
	"unicode/utf8"

	"agentstudio/engine"
)

// Root is a named folder: on disk (Dir), bundled (FS), or, with neither, an empty one.
type Root struct {
	// Name is "" for the workspace, "skill:NAME" for a skill. It is one path element: valid UTF-8
	// without separators or control characters, and a name other than "" has a colon.
	Name string
	// Dir is a folder on disk. It may be reached through a link.
	Dir string
	// FS is used when Dir is "".
	FS fs.FS
}

// Options are what is true of all roots.
type Options struct {
	// Home is the home folder, for the ~ in error messages; "" for none.
	Home string
	// StateDir is the studio's state directory. Whatever lies in it is protected, below whichever
	// root it is reached; "" for none.
	StateDir string
}

// Workspace is the roots of one session, open until Close.
type Workspace struct {
	opts  Options
	state []string // spellings of the state directory: as given and canonical
	roots []*openRoot
}

// openRoot is a root in use. bases are the absolute spellings that lead to it, canonical first.
type openRoot struct {
	name  string
	top   folder
	bases []string
}

// Open opens the roots. Without a root of the name "" the workspace is an empty folder.
// A root that cannot be used is an error that names it and says what to do: PATH_NOT_FOUND,
// NOT_A_FOLDER, ACCESS_DENIED, READ_FAILED, or CONFIG_INVALID for a bad or repeated name. The
// caller closes the Workspace.
func Open(opts Options, roots ...Root) (*Workspace, error) {
	w := &Workspace{opts: opts, state: spellings(opts.StateDir)}
	if !hasRoot(roots, "") {
		roots = append([]Root{{}}, roots...)
	}
	for _, r := range roots {
		if !validRootName(r.Name) || w.root(r.Name) != nil {
			return nil, errors.Join(w.Close(), engine.Errorf(engine.ConfigInvalid,
				"the root name %q is not usable or is there twice; rename the skill", r.Name))
		}
		o, err := openOne(opts, r)
		if err != nil {
			return nil, errors.Join(w.Close(), err)
		}
		w.roots = append(w.roots, o)
	}
	return w, nil
}

// Close gives the folders back to the system. Calls that still run end with READ_FAILED.
// Closing again does nothing.
func (w *Workspace) Close() error {
	var errs []error
	for _, r := range w.roots {
		errs = append(errs, r.top.close())
	}
	return errors.Join(errs...)
}

func openOne(opts Options, r Root) (*openRoot, error) {
	if r.Dir == "" {
		if r.FS == nil {
			r.FS = emptyFS{}
		}
		return &openRoot{name: r.Name, top: &bundledFolder{fsys: r.FS, at: "."}}, nil
	}
	bases := spellings(r.Dir)
	info, err := os.Stat(bases[0])
	switch {
	case err != nil:
		return nil, rootError(opts, r, err)
	case !info.IsDir():
		return nil, engine.Errorf(engine.NotAFolder, "%s is not a folder; name a folder instead", Display(opts.Home, r.Dir)).
			With("root", r.Name).With("path", Display(opts.Home, r.Dir))
	}
	top, err := os.OpenRoot(bases[0])
	if err != nil {
		return nil, rootError(opts, r, err)
	}
	return &openRoot{name: r.Name, top: &diskFolder{root: top}, bases: bases}, nil
}

func rootError(opts Options, r Root, err error) error {
	shown := Display(opts.Home, r.Dir)
	code := codeOfOS(err)
	message := "the folder " + shown + " cannot be opened; choose another one"
	switch code {
	case engine.PathNotFound:
		message = "there is no folder " + shown + "; make it first or name another one"
	case engine.AccessDenied:
		message = "the system does not let us open the folder " + shown + "; change its permissions or name another one"
	}
	return &engine.Error{Code: code, Message: message, Details: map[string]any{"root": r.Name, "path": shown}, Err: err}
}

// spellings gives the absolute spellings of a folder, the canonical one first.
func spellings(dir string) []string {
	if dir == "" {
		return nil
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		abs = filepath.Clean(dir)
	}
	canonical, err := filepath.EvalSymlinks(abs)
	if err != nil || canonical == abs {
		return []string{abs}
	}
	return []string{canonical, abs}
}

func (w *Workspace) root(name string) *openRoot {
	for _, r := range w.roots {
		if r.name == name {
			return r
		}
	}
	return nil
}

func hasRoot(roots []Root, name string) bool {
	for _, r := range roots {
		if r.Name == name {
			return true
		}
	}
	return false
}

func validRootName(name string) bool {
	if name == "" {
		return true
	}
	return len(name) <= maxElement && utf8.ValidString(name) && strings.Contains(name, ":") &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}
