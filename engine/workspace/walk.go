package workspace

import (
	"context"
	"errors"
	"io/fs"

	"agentstudio/engine"
)

// WalkOptions bound a walk. Zero values mean the defaults: 64 folders deep, 200,000 entries.
type WalkOptions struct {
	// Ignore honours .gitignore files: those of the folders walked and of those above them up to
	// the root. .git itself is left out then.
	Ignore     bool
	MaxDepth   int
	MaxEntries int
}

// WalkStats counts what a walk met but did not go into.
type WalkStats struct {
	Links      int // symbolic links but those counted as special
	Special    int // devices, FIFOs, sockets and links to devices
	Protected  int
	Unreadable int // folders that could not be opened
	Ignored    int // entries left out because of .gitignore
	// Truncated says that a bound ended the walk early.
	Truncated bool
}

const (
	defaultDepth   = 64
	defaultEntries = 200_000
)

// Walk calls fn for everything below a folder, depth first, sorted by name in each folder, or once
// for a path that is not a folder. The folder itself is not among them. Links are never followed
// and protected folders never entered, but both are told of. fn may return fs.SkipDir to leave a
// folder (or the rest of a file's folder) out and fs.SkipAll to end the walk; any other error ends
// it and is returned. Entries that vanish meanwhile are left out. Errors about the path itself:
// those of Resolve and OpenFile. A cancelled ctx ends the walk with RUN_CANCELLED.
func (w *Workspace) Walk(ctx context.Context, path string, opts WalkOptions, fn func(Entry) error) (WalkStats, error) {
	loc, err := w.Resolve(path)
	if err != nil {
		return WalkStats{}, err
	}
	k := &walker{w: w, ctx: ctx, opts: opts, fn: fn, state: w.stateInfo()}
	if k.opts.MaxDepth <= 0 {
		k.opts.MaxDepth = defaultDepth
	}
	if k.opts.MaxEntries <= 0 {
		k.opts.MaxEntries = defaultEntries
	}
	err = k.start(loc)
	if errors.Is(err, fs.SkipAll) || errors.Is(err, fs.SkipDir) {
		err = nil
	}
	return k.stats, err
}

type walker struct {
	w     *Workspace
	ctx   context.Context
	opts  WalkOptions
	fn    func(Entry) error
	state fs.FileInfo
	seen  int
	stats WalkStats
	rules ignoreRules // of the folders from the root down to the current one
}

func (k *walker) start(loc Location) error {
	r := k.w.root(loc.root)
	parent, name, done, err := k.w.parent(k.ctx, loc)
	if err != nil {
		return err
	}
	if name != "" {
		info, err := parent.lstat(name)
		if err != nil {
			done()
			return osError(loc, err)
		}
		if kindOf(info.Mode()) == KindLink {
			done()
			return linkError(r, loc)
		}
		if !info.IsDir() {
			defer done()
			return k.visit(parent, loc, info, 0)
		}
	}
	done()
	// The rules of the start folder itself are read by folder, as for every other one.
	above := func(in folder, at Location) {
		if k.opts.Ignore && at != loc {
			k.rules = k.rules.with(k.ctx, k.w, in, at)
		}
	}
	in, done, err := k.w.descend(k.ctx, r, loc.elements(), above)
	if err != nil {
		return err
	}
	defer done()
	return k.folder(in, loc, 1)
}

// folder visits what is in an open folder.
func (k *walker) folder(in folder, loc Location, depth int) error {
	if depth > k.opts.MaxDepth {
		k.stats.Truncated = true
		return nil
	}
	names, err := names(k.ctx, in, loc)
	if err != nil {
		return k.unreadable(err, depth)
	}
	if k.opts.Ignore {
		before := k.rules
		k.rules = k.rules.with(k.ctx, k.w, in, loc)
		defer func() { k.rules = before }()
	}
	for _, name := range names {
		if err := Stopped(k.ctx); err != nil {
			return err
		}
		at := loc.child(name)
		info, err := in.lstat(name)
		if err != nil {
			continue // gone since, or the system will not say
		}
		if k.opts.Ignore && (k.rules.ignored(at.Rel(), info.IsDir()) || name == ".git") {
			k.stats.Ignored++
			continue
		}
		err = k.visit(in, at, info, depth)
		if errors.Is(err, fs.SkipDir) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// visit tells fn of one entry and goes into it if it is a folder.
func (k *walker) visit(in folder, at Location, info fs.FileInfo, depth int) error {
	if k.seen++; k.seen > k.opts.MaxEntries {
		k.stats.Truncated = true
		return fs.SkipAll
	}
	e := k.w.entry(at, info, k.state)
	e.in = in
	switch {
	case e.Protected:
		k.stats.Protected++
	case e.Special:
		k.stats.Special++
	case e.Kind == KindLink:
		k.stats.Links++
	}
	err := k.fn(e)
	if e.Kind != KindFolder || e.Protected {
		return err
	}
	if errors.Is(err, fs.SkipDir) {
		return nil
	}
	if err != nil {
		return err
	}
	elements := at.elements()
	sub, err := k.w.enter(k.ctx, in, elements[len(elements)-1], at, k.state)
	if err != nil {
		return k.unreadable(err, depth+1)
	}
	defer sub.close() //nolint:errcheck // a handle for reading
	return k.folder(sub, at, depth+1)
}

// unreadable counts a folder that could not be opened; the one that was asked for is an error, and
// so is a walk that was stopped.
func (k *walker) unreadable(err error, depth int) error {
	code := engine.CodeOf(err)
	if depth <= 1 || code == engine.RunCancelled || code == engine.ToolTimeout {
		return err
	}
	k.stats.Unreadable++
	return nil
}
