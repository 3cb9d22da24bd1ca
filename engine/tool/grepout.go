package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agentstudio/engine"
	"agentstudio/engine/workspace"
)

// checkEvery is how many lines are searched between two looks at the context.
const checkEvery = 256

// lines searches a document and shows what matches, with the lines around it.
func (s *search) lines(ctx context.Context, loc workspace.Location, doc document) error {
	path := loc.String()
	var before []line // not shown yet, at most args.Context
	after, last := 0, 0
	for l := range doc.each() {
		if l.number%checkEvery == 0 {
			if err := workspace.Stopped(ctx); err != nil {
				return err
			}
		}
		at := firstMatch(ctx, s.re, l.text)
		if len(l.text) >= longLine {
			if err := workspace.Stopped(ctx); err != nil {
				return err // at may stand for what was searched until then only
			}
		}
		switch {
		case at != nil:
			s.gap(last, l.number-len(before))
			for _, b := range before {
				s.around(path, b)
			}
			s.match(path, l, at, doc.notes)
			before, after, last = before[:0], s.args.Context, l.number
		case after > 0:
			s.around(path, l)
			after, last = after-1, l.number
		case s.args.Context > 0:
			if len(before) == s.args.Context {
				before = slices.Delete(before, 0, 1)
			}
			before = append(before, l)
		}
	}
	return nil
}

// match counts a line that matches and shows it while there is room.
func (s *search) match(path string, l line, at []int, notes []string) {
	s.data.MatchCount++
	if len(s.data.Matches) >= maxMatches {
		s.out.full = true
	}
	m := GrepMatch{Path: path, Line: l.number, Column: utf8.RuneCountInString(l.text[:at[0]]) + 1, Text: piece(l.text, at[0], at[1])}
	text := fmt.Sprintf("%s:%d:%d: %s", path, m.Line, m.Column, m.Text)
	if longer := utf8.RuneCountInString(l.text); longer > maxWindow {
		text += " " + note("a piece of a line of %d characters", longer)
	}
	if !s.out.add(text, m) {
		return
	}
	s.data.Matches = append(s.data.Matches, m)
	for _, n := range append(slices.Clone(notes), controlNote(l.text)) {
		if n = strings.TrimSpace(n); n != "" && !slices.Contains(s.notes, n) {
			s.notes = append(s.notes, n)
		}
	}
}

func controlNote(text string) string {
	if strings.ContainsFunc(text, isControl) {
		return "control characters are shown as marks such as ␛"
	}
	return ""
}

// around shows a line of context.
func (s *search) around(path string, l line) {
	s.out.add(fmt.Sprintf("%s-%d- %s", path, l.number, piece(l.text, 0, 0)), nil)
}

// gap separates groups of lines that do not follow each other.
func (s *search) gap(last, first int) {
	if s.args.Context > 0 && s.out.items > 0 && first > last+1 {
		s.out.add("--", nil)
	}
}

// piece is the line, or at most 500 characters of it around the match from byte start to end, cut
// at characters, with … where something is missing.
func piece(text string, start, end int) string {
	if len(text) <= maxWindow || utf8.RuneCountInString(text) <= maxWindow {
		return mark(text)
	}
	const room = maxWindow - 2 // for the marks
	from := start
	spare := max(0, room-utf8.RuneCountInString(text[start:min(end, start+4*room)]))
	for range spare / 2 {
		if from == 0 {
			break
		}
		_, size := utf8.DecodeLastRuneInString(text[:from])
		from -= size
	}
	to := from
	for range room {
		if to == len(text) {
			break
		}
		_, size := utf8.DecodeRuneInString(text[to:])
		to += size
	}
	shown := mark(text[from:to])
	if from > 0 {
		shown = "…" + shown
	}
	if to < len(text) {
		shown += "…"
	}
	return shown
}

func (s *search) result() (engine.Result, error) {
	res := engine.Result{}
	var notes []string
	head := count(s.data.MatchCount, "line matches", "lines match") + ":\n"
	switch {
	case s.data.MatchCount == 0 && s.searched == 0:
		head = ""
		notes = append(notes, fmt.Sprintf("Could not search: no text file in %s.", s.start))
		if s.glob != nil {
			notes = append(notes, note("only files that fit the glob %s were looked at", mark(s.args.Glob)))
		}
	case s.data.MatchCount == 0:
		head = ""
		notes = append(notes, fmt.Sprintf("No line matches; %s searched in %q.", count(s.searched, "file", "files"), s.start))
	}
	if left := s.data.MatchCount - len(s.data.Matches); left > 0 {
		res.LeftOut = &engine.LeftOut{Matches: left}
		notes = append(notes, note("%d of %d matches shown, %d left out; use a narrower pattern, path or glob", len(s.data.Matches), s.data.MatchCount, left))
	}
	for _, n := range s.notes {
		notes = append(notes, note("%s", n))
	}
	notes = append(notes, s.skippedNotes()...)
	notes = append(notes, walkNotes(s.stats)...)
	data, err := json.Marshal(s.data)
	res.Content, res.Data = withNotes(head+s.out.text.String(), notes), data
	return res, err
}

func (s *search) skippedNotes() []string {
	var notes []string
	for _, k := range []struct {
		n         int
		one, many string
	}{
		{s.data.Skipped.Binary, "binary file skipped", "binary files skipped"},
		{s.data.Skipped.Large, "file over 32 MiB skipped", "files over 32 MiB skipped"},
		{s.data.Skipped.Special, "special file skipped", "special files skipped"},
		{s.data.Skipped.Links, "link not followed", "links not followed"},
		{s.data.Skipped.Protected, "protected entry not read", "protected entries not read"},
		{s.data.Skipped.Unreadable - s.stats.Unreadable, "file could not be read", "files could not be read"},
	} {
		if k.n > 0 {
			notes = append(notes, note("%s", count(k.n, k.one, k.many)))
		}
	}
	return notes
}
