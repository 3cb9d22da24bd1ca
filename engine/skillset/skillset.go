// Package skillset finds and checks skills: folders with a SKILL.md in the Agent Skills format.
//
// It has two modes. Lenient is for running: what can be understood is loaded, with warnings.
// Strict is for `agentstudio skills check`: what the specification doesn't allow is an error.
// Nothing here ever fails as a whole: a bad folder or skill becomes a diagnostic (codes.go).
package skillset

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// Where a skill comes from.
const (
	SourceProject = "project"
	SourceExtra   = "extra"
	SourceUser    = "user"
	SourceBundled = "bundled"
)

// Options say where to look. Empty ones are not looked at.
type Options struct {
	// Project is the workspace given, else the folder the studio was started in.
	Project string
	// Start is the folder the studio was started in; relative extra folders begin there.
	Start string
	// Home is the home folder: for ~, for display, and with User for the skills below it.
	Home string
	// User looks below Home as well.
	User bool
	// Environment is the value of AGENT_SKILLS_DIRS, parted by the system's list separator.
	Environment string
	// Extra are the values of --skills, each parted likewise.
	Extra []string
	// Bundled has one folder a skill.
	Bundled fs.FS
	// StateDir is the studio's state directory, which is never read.
	StateDir string
}

// source is one folder of skills. The order of sources is the order of precedence.
type source struct {
	kind   string
	dir    string // on disk, or
	fsys   fs.FS
	show   string // its display path
	folder string // its own name, for a source that is itself a skill
}

// standardFolders are where projects and homes keep skills, the first winning.
func standardFolders() []string {
	return []string{".agents/skills", ".pi/skills", ".claude/skills"}
}

func (o Options) sources() []source {
	var all []source
	standard := func(kind, base, shown string) {
		for _, f := range standardFolders() {
			all = append(all, source{kind: kind, dir: filepath.Join(base, filepath.FromSlash(f)), show: shown + f})
		}
	}
	if o.Project != "" {
		standard(SourceProject, o.Project, "")
	}
	for _, list := range append([]string{o.Environment}, o.Extra...) {
		for _, dir := range filepath.SplitList(list) {
			if dir = o.expand(dir); dir != "" {
				all = append(all, source{kind: SourceExtra, dir: dir, show: workspace.Display(o.Home, dir)})
			}
		}
	}
	if o.User && o.Home != "" {
		standard(SourceUser, o.Home, "~/")
	}
	if o.Bundled != nil {
		all = append(all, source{kind: SourceBundled, fsys: o.Bundled, show: "skills"})
	}
	return all
}

// expand makes an entry of a list absolute: ~ is the home folder, relative is from the start.
func (o Options) expand(dir string) string {
	if strings.TrimSpace(dir) == "" {
		return ""
	}
	if rest, ok := strings.CutPrefix(dir, "~"); ok && o.Home != "" && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(o.Home, rest)
	}
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(o.Start, dir)
	}
	return filepath.Clean(dir)
}

// Load finds the skills of a session, in order of precedence, and the roots to read them by: one
// for each skill that can be read, named "skill:NAME". It reads the disk, changes nothing and
// never fails; when ctx ends, what was found so far is given. Safe for concurrent use.
func Load(ctx context.Context, o Options) (engine.Catalog, []workspace.Root) {
	s := newScanner(ctx, o, false)
	for _, src := range o.sources() {
		s.source(src)
	}
	return s.catalog()
}

// Check checks a skill's folder, or every skill in a folder of skills, by the specification. What
// the specification forbids has the severity error; a warning is only advice. A folder without
// any skill is the error NO_SKILLS. Of the options only Start, Home and StateDir count; a relative
// folder is shown as it is given.
func Check(ctx context.Context, o Options, dir string) []engine.Diagnostic {
	src := source{kind: SourceExtra, dir: o.expand(dir), show: workspace.Escape(filepath.ToSlash(filepath.Clean(dir)))}
	if filepath.IsAbs(dir) {
		src.show = workspace.Display(o.Home, dir)
	}
	return check(ctx, o, src)
}

// CheckFS is Check for bundled skills.
func CheckFS(ctx context.Context, fsys fs.FS) []engine.Diagnostic {
	return check(ctx, Options{}, source{kind: SourceBundled, fsys: fsys, show: "skills"})
}

func check(ctx context.Context, o Options, src source) []engine.Diagnostic {
	s := newScanner(ctx, o, true)
	s.source(src)
	c, _ := s.catalog()
	if len(c.Skills) == 0 && len(c.Diagnostics) == 0 {
		s.note(severityError, NoSkills, src.show, "there is no SKILL.md in %s nor in a folder below it", src.show)
		c.Diagnostics = s.diagnostics
	}
	all := append([]engine.Diagnostic{}, c.Diagnostics...)
	for _, skill := range c.Skills {
		all = append(all, skill.Diagnostics...)
	}
	return all
}
