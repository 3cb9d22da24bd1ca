package workspace

import (
	"path/filepath"
	"runtime"
	"strings"

	"agentstudio/engine"
)

// Limits of a path's spelling, in bytes.
const (
	maxPath    = 4096
	maxElement = 255
)

// Location is where a path leads: a root and a name below it. It is comparable, and two paths that
// lead to the same place by their spelling have equal locations.
type Location struct {
	root string
	rel  string
}

// Root is the name of the root: "" for the workspace, "skill:NAME" for a skill.
func (l Location) Root() string { return l.root }

// Rel is the true name below the root, slash-separated and not escaped; "." for the root itself.
func (l Location) Rel() string {
	if l.rel == "" {
		return "."
	}
	return l.rel
}

// String is the canonical spelling, which is also the display path: relative to its root, with the
// root's name in front where it has one, strange names escaped (see Escape). Every function that
// takes a path takes it back.
func (l Location) String() string {
	shown := Escape(l.Rel())
	switch {
	case l.root != "" && l.Rel() == ".":
		return l.root
	case l.root != "":
		return l.root + "/" + shown
	case strings.Contains(firstElement(shown), ":"):
		return "./" + shown // else it could be taken for a root's name
	}
	return shown
}

// child is the location of an entry of l, which is a folder.
func (l Location) child(name string) Location {
	if l.Rel() == "." {
		return Location{l.root, name}
	}
	return Location{l.root, l.rel + "/" + name}
}

func (l Location) elements() []string {
	if l.Rel() == "." {
		return nil
	}
	return strings.Split(l.rel, "/")
}

// Resolve says where a path leads, by its spelling only: it never looks at the disk, so it tells
// nothing about what is there. Errors: PATH_MALFORMED (empty, over 4,096 bytes, an element over
// 255, a NUL), PATH_OUTSIDE_WORKSPACE, PATH_NOT_FOUND (a skill that is not in the catalogue),
// PROTECTED_PATH. A path into a root that lies inside another one gets the inner root's location.
func (w *Workspace) Resolve(path string) (Location, error) {
	loc, err := w.locate(path)
	if err != nil {
		return Location{}, err
	}
	if w.protects(loc) {
		return Location{}, protectedError(loc)
	}
	return loc, nil
}

// locate is Resolve without the protected names.
func (w *Workspace) locate(path string) (Location, error) {
	if err := wellFormed(path); err != nil {
		return Location{}, err
	}
	given := path
	if runtime.GOOS == "windows" {
		path = strings.ReplaceAll(path, `\`, "/")
	}
	if first := firstElement(path); first != "" && w.root(first) != nil {
		return w.relative(w.root(first), strings.TrimPrefix(path[len(first):], "/"))
	} else if strings.HasPrefix(first, "skill:") {
		return Location{}, engine.Errorf(engine.PathNotFound,
			"there is no skill %q; the catalogue lists those there are", strings.TrimPrefix(first, "skill:"))
	}
	if filepath.IsAbs(given) {
		return w.absolute(filepath.Clean(filepath.FromSlash(Unescape(path))))
	}
	if strings.HasPrefix(path, "/") {
		return Location{}, outsideError() // rooted without a drive: Windows only
	}
	return w.relative(w.root(""), path)
}

// relative resolves a path below a root. It may never climb above it, not even to come back.
func (w *Workspace) relative(r *openRoot, path string) (Location, error) {
	var elements []string
	for element := range strings.SplitSeq(path, "/") {
		switch element {
		case "", ".":
		case "..":
			if len(elements) == 0 {
				return Location{}, outsideError()
			}
			elements = elements[:len(elements)-1]
		default:
			elements = append(elements, Unescape(element))
		}
	}
	return w.innermost(r, elements)
}

func (w *Workspace) absolute(abs string) (Location, error) {
	var found *openRoot
	var rest, by string
	for _, r := range w.roots {
		for _, base := range r.bases {
			if rel, ok := below(base, abs); ok && len(base) > len(by) {
				found, rest, by = r, rel, base
			}
		}
	}
	if found == nil {
		return Location{}, outsideError()
	}
	return w.relativeTrue(found, rest)
}

func (w *Workspace) relativeTrue(r *openRoot, rel string) (Location, error) {
	if rel == "." {
		return w.innermost(r, nil)
	}
	return w.innermost(r, strings.Split(rel, "/"))
}

// innermost hands a path over to the root that lies deepest on its way, so that a skill's file has
// one location however it is reached.
func (w *Workspace) innermost(r *openRoot, elements []string) (Location, error) {
	for _, element := range elements {
		if err := wellFormedElement(element); err != nil {
			return Location{}, err
		}
	}
	loc := Location{r.name, strings.Join(elements, "/")}
	if loc.rel == "" {
		loc.rel = "."
	}
	if len(r.bases) == 0 {
		return loc, nil
	}
	abs := filepath.Join(r.bases[0], filepath.FromSlash(loc.rel))
	deepest := r.bases[0]
	for _, other := range w.roots {
		if len(other.bases) == 0 || other == r {
			continue
		}
		rel, ok := below(other.bases[0], abs)
		deeper := len(other.bases[0]) > len(deepest)
		if ok && (deeper || (samePath(other.bases[0], deepest) && loc.root == "")) {
			loc, deepest = Location{other.name, rel}, other.bases[0]
		}
	}
	return loc, nil
}

// protects tells whether the location is protected by its spelling.
func (w *Workspace) protects(loc Location) bool {
	if protected(loc.Rel()) {
		return true
	}
	r := w.root(loc.root)
	return r != nil && len(r.bases) > 0 && w.inState(filepath.Join(r.bases[0], filepath.FromSlash(loc.Rel())))
}

func wellFormed(path string) error {
	switch {
	case path == "":
		return engine.Errorf(engine.PathMalformed, `the path is empty; "." is the workspace itself`)
	case len(path) > maxPath:
		return engine.Errorf(engine.PathMalformed, "the path is longer than %d bytes", maxPath)
	case strings.ContainsRune(path, 0):
		return engine.Errorf(engine.PathMalformed, "the path holds a NUL character")
	}
	return nil
}

func wellFormedElement(element string) error {
	if len(element) > maxElement {
		return engine.Errorf(engine.PathMalformed, "a name in the path is longer than %d bytes", maxElement)
	}
	if runtime.GOOS == "windows" && strings.Contains(element, ":") {
		return engine.Errorf(engine.PathMalformed, "a name in the path holds a colon")
	}
	return nil
}

func firstElement(path string) string {
	first, _, _ := strings.Cut(path, "/")
	return first
}
