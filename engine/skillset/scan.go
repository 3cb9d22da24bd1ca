package skillset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// Bounds of the search: a wrong entry (a whole disk, say) must cost little.
const (
	skillFile  = "SKILL.md"
	maxDepth   = 5
	maxFolders = 2000
	maxEntries = 5000 // of one folder
	maxFile    = 256 << 10
)

// scanner gathers skills and diagnostics of one search.
type scanner struct {
	ctx         context.Context
	options     Options
	strict      bool
	folders     int
	roots       map[string]bool // canonical folders searched
	seen        map[string]bool // canonical folders of skills
	found       []found
	diagnostics []engine.Diagnostic
}

// found is a skill with the root it would be read by.
type found struct {
	skill engine.Skill
	root  workspace.Root
}

func newScanner(ctx context.Context, o Options, strict bool) *scanner {
	return &scanner{ctx: ctx, options: o, strict: strict, roots: map[string]bool{}, seen: map[string]bool{}, diagnostics: []engine.Diagnostic{}}
}

func (s *scanner) note(severity string, code engine.Code, shown, format string, args ...any) {
	s.diagnostics = append(s.diagnostics, engine.Diagnostic{Severity: severity, Code: string(code), Path: shown, Message: fmt.Sprintf(format, args...)})
}

// source searches one folder of skills. A standard folder that isn't there is no fault.
func (s *scanner) source(src source) {
	root := workspace.Root{FS: src.fsys}
	if src.dir != "" {
		info, err := os.Stat(src.dir)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if src.kind == SourceExtra {
				s.note(severityError, RootNotFound, src.show, "there is no folder %s; correct the list of skill folders", src.show)
			}
			return
		case err == nil && !info.IsDir():
			s.note(severityError, RootNotAFolder, src.show, "%s is not a folder; name the folder that holds the skills", src.show)
			return
		}
		canonical, err := filepath.EvalSymlinks(src.dir)
		if err != nil {
			s.note(severityError, RootUnreadable, src.show, "the system does not let us open %s", src.show)
			return
		}
		if s.roots[canonical] {
			return
		}
		s.roots[canonical] = true
		root.Dir, src.dir, src.folder = canonical, canonical, filepath.Base(src.dir)
	}
	w, err := workspace.Open(workspace.Options{Home: s.options.Home, StateDir: s.options.StateDir}, root)
	if err != nil {
		s.note(severityError, RootUnreadable, src.show, "%s", engine.MessageOf(err))
		return
	}
	defer w.Close() //nolint:errcheck // nothing was written
	s.folder(w, src, ".", 0)
}

// folder looks for a skill in a folder, else below it.
func (s *scanner) folder(w *workspace.Workspace, src source, at string, depth int) {
	if s.folders++; s.folders > maxFolders {
		if s.folders == maxFolders+1 {
			s.note(severityWarning, ScanLimit, src.show, "the search for skills stopped after %d folders; point to a folder that holds skills only", maxFolders)
		}
		return
	}
	shown := join(src.show, at)
	entries, total, err := w.ReadDir(s.ctx, at, maxEntries)
	if err != nil {
		if s.ctx.Err() == nil {
			s.note(severityWarning, FolderUnreadable, shown, "%s", engine.MessageOf(err))
		}
		return
	}
	if total > maxEntries {
		s.note(severityWarning, ScanLimit, shown, "%s has %d entries; only the first %d were looked at", shown, total, maxEntries)
	}
	if s.hasSkill(w, src, at, entries) {
		return // what is below a skill belongs to it
	}
	for _, e := range entries {
		if e.Kind == workspace.KindFolder && !skipped(e.Name) && depth < maxDepth {
			s.folder(w, src, e.Location.String(), depth+1)
		}
	}
	for _, e := range entries { // after the folders, so that a skill is known by its own name first
		if e.Kind == workspace.KindLink && !skipped(e.Name) && depth == 0 && src.dir != "" {
			s.link(src, e)
		}
	}
}

// skipped folders hold no skills of their own: hidden ones and vendored ones.
func skipped(name string) bool { return strings.HasPrefix(name, ".") || name == "node_modules" }

// hasSkill reads the folder's SKILL.md, if there is one. The name is compared with the entry's
// own letters, since a disk that folds case would find skill.md as well.
func (s *scanner) hasSkill(w *workspace.Workspace, src source, at string, entries []workspace.Entry) bool {
	for _, e := range entries {
		if e.Name == skillFile {
			s.skill(w, src, at, skillFile)
			return true
		}
	}
	for _, e := range entries {
		if strings.EqualFold(e.Name, skillFile) && e.Kind == workspace.KindFile {
			shown := join(src.show, at, e.Name)
			s.note(severityWarning, SkillFileCase, shown, "%s is not looked for; rename it to %s", e.Name, skillFile)
			if s.strict {
				s.skill(w, src, at, e.Name)
			}
			return true
		}
	}
	return false
}

// link follows a link directly in a folder of skills, as is common use, but only to a skill: the
// root that is opened is the link's target, so nothing below it can lead out again.
func (s *scanner) link(src source, e workspace.Entry) {
	shown := join(src.show, e.Name)
	target, err := filepath.EvalSymlinks(filepath.Join(src.dir, filepath.FromSlash(e.Location.Rel())))
	if err != nil {
		s.note(severityWarning, LinkBroken, shown, "the link %s leads nowhere; remove or correct it", shown)
		return
	}
	if info, err := os.Stat(target); err != nil || !info.IsDir() {
		return
	}
	if s.folders++; s.folders > maxFolders {
		return
	}
	w, err := workspace.Open(workspace.Options{Home: s.options.Home, StateDir: s.options.StateDir}, workspace.Root{Dir: target})
	if err != nil {
		s.note(severityWarning, FolderUnreadable, shown, "%s", engine.MessageOf(err))
		return
	}
	defer w.Close() //nolint:errcheck // nothing was written
	entries, _, err := w.ReadDir(s.ctx, ".", maxEntries)
	if err != nil {
		return
	}
	s.hasSkill(w, source{kind: src.kind, dir: target, show: shown, folder: e.Name}, ".", entries)
}

// skill reads and parses one SKILL.md in the folder at.
func (s *scanner) skill(w *workspace.Workspace, src source, at, file string) {
	root, folder := rootOf(src, at)
	if root.Dir != "" {
		if s.seen[root.Dir] {
			return // the same folder by another way
		}
		s.seen[root.Dir] = true
	}
	shown := join(src.show, at, file)
	p := newParser(shown, folder, s.strict)
	content, _, err := w.ReadFile(s.ctx, path.Join(at, file), maxFile)
	switch {
	case err == nil:
		p.parse(content)
	case s.ctx.Err() != nil:
		return
	case errors.Is(err, engine.FileTooLarge):
		p.fatal(0, 0, SkillFileTooLarge, "%s is over %d KiB; move parts of it to files of their own", skillFile, maxFile>>10)
	case errors.Is(err, engine.SymlinkNotAllowed), errors.Is(err, engine.PathOutsideWorkspace):
		p.fatal(0, 0, SkillFileLink, "%s is a link, and links inside a skill are not followed; put the file itself there", skillFile)
	default:
		p.fatal(0, 0, SkillFileUnreadable, "%s", engine.MessageOf(err))
	}
	skill := p.skill()
	skill.Source = src.kind
	root.Name = "skill:" + skill.Name
	s.found = append(s.found, found{skill, root})
}

// rootOf gives the root to read a skill by, still without name, and its folder's name.
func rootOf(src source, at string) (workspace.Root, string) {
	rel, folder := workspace.Unescape(at), path.Base(at)
	if at == "." {
		folder = src.folder // "" for a bundle: there is nothing to compare the name with
	}
	if src.dir != "" {
		return workspace.Root{Dir: filepath.Join(src.dir, filepath.FromSlash(rel))}, folder
	}
	sub, err := fs.Sub(src.fsys, rel)
	if err != nil {
		sub = src.fsys // rel comes from a listing: it is a valid path
	}
	return workspace.Root{FS: sub}, folder
}

func join(parts ...string) string { return path.Join(parts...) }

// catalog settles who wins on equal names: the first that is not broken.
func (s *scanner) catalog() (engine.Catalog, []workspace.Root) {
	c := engine.Catalog{Skills: []engine.Skill{}, Diagnostics: s.diagnostics}
	roots := []workspace.Root{}
	winners := map[string]engine.Skill{}
	for _, f := range s.found {
		skill := f.skill
		winner, taken := winners[skill.Name]
		switch {
		case skill.State == engine.SkillBroken:
		case taken:
			skill.State = engine.SkillShadowed
			skill.Diagnostics = append(skill.Diagnostics, engine.Diagnostic{Severity: severityWarning, Code: string(SkillShadowed), Path: skill.Path,
				Message: fmt.Sprintf("%s is not used: %s has the same name and comes first", skill.Path, winner.Path)})
			if skill.Source == SourceBundled {
				c.Diagnostics = append(c.Diagnostics, engine.Diagnostic{Severity: severityWarning, Code: string(BundledHidden), Path: winner.Path,
					Message: fmt.Sprintf("%s hides the bundled skill %s", winner.Path, skill.Path)})
			}
		default:
			winners[skill.Name] = skill
			skill.Location = f.root.Name + "/" + skillFile
			roots = append(roots, f.root)
		}
		c.Skills = append(c.Skills, skill)
	}
	return c, roots
}
