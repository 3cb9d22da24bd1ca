package workspace

import (
	"path"
	"path/filepath"
	"strings"

	"agentstudio/engine"
)

// fate is where a link ends.
type fate string

const (
	fateInside   fate = "inside"
	fateOutside  fate = "outside"
	fateDevice   fate = "device" // spelled as a path below /dev
	fateLoop     fate = "loop"
	fateDangling fate = "dangling"
)

// maxLinks is how many links a chain may have before it counts as a loop, as in most systems.
const maxLinks = 40

// fateOf follows a chain of links by what they spell, looking only below the root. Where it leads
// out, nothing is asked of the place it leads to.
func fateOf(r *openRoot, rel string) fate {
	var done []string
	left := strings.Split(rel, "/")
	for links := 0; len(left) > 0; {
		element := left[0]
		left = left[1:]
		switch element {
		case "", ".":
			continue
		case "..":
			if len(done) == 0 {
				return fateOutside
			}
			done = done[:len(done)-1]
			continue
		}
		at := path.Join(append(done, element)...)
		info, err := r.top.lstatAt(at)
		if err != nil {
			return fateDangling
		}
		if kindOf(info.Mode()) != KindLink {
			done = append(done, element)
			continue
		}
		links++
		target, err := r.top.readlink(at)
		if err != nil || links > maxLinks {
			return fateLoop
		}
		if filepath.IsAbs(target) || strings.HasPrefix(target, "/") {
			rest, ok := r.inside(filepath.Clean(target))
			if !ok {
				return beyond(target)
			}
			done, target = nil, rest
		}
		left = append(strings.Split(filepath.ToSlash(target), "/"), left...)
	}
	return fateInside
}

// inside gives the rest of an absolute path below one of the root's spellings.
func (r *openRoot) inside(abs string) (string, bool) {
	for _, base := range r.bases {
		if rest, ok := below(base, abs); ok {
			return rest, true
		}
	}
	return "", false
}

func beyond(target string) fate {
	if strings.HasPrefix(path.Clean(filepath.ToSlash(target)), "/dev/") {
		return fateDevice
	}
	return fateOutside
}

// linkError says why the link at loc is not followed. The target is never named.
func linkError(r *openRoot, loc Location) error {
	switch fateOf(r, loc.Rel()) {
	case fateOutside:
		return located(engine.PathOutsideWorkspace, loc, " is a link that leads out of the workspace; links are not followed", nil)
	case fateDevice:
		return located(engine.NotARegularFile, loc, " is not a regular file but a link to a device", nil)
	case fateDangling:
		return located(engine.PathNotFound, loc, " is a link to something that is not there", nil)
	case fateLoop:
		return located(engine.SymlinkNotAllowed, loc, " is a link that leads to itself: too many links", nil)
	}
	return located(engine.SymlinkNotAllowed, loc,
		" is a link, and links are not followed, also when they stay inside; read what it points to by its own path", nil)
}
