package tui

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// Files are the files of this computer, for whoever attaches one by its path. ~ is the home folder; a
// path that begins nowhere is from the folder of the start. Its methods are called on goroutines of
// their own.
type Files interface {
	// Open opens a regular file that may be read (PATH_NOT_FOUND, PROTECTED_PATH, NOT_A_REGULAR_FILE,
	// IS_A_FOLDER, ACCESS_DENIED).
	Open(ctx context.Context, path string) (io.ReadCloser, error)
	// Picture tells whether Open would open a file there.
	Picture(ctx context.Context, path string) bool
	// List gives the folders and pictures of a folder, sorted, folders with a slash behind.
	List(ctx context.Context, folder string) ([]string, error)
}

// canAttach tells whether a picture can be taken in.
func canAttach(m *Model) bool { return m.o.Files != nil && m.o.Session.ReadOnly() == nil }

// attachTyped attaches the file that a command names; the command comes back if it is refused.
func (m *Model) attachTyped(path string) tea.Cmd {
	return m.attach(literalPath(path), func(m *Model) {
		if !m.composer.filled() {
			m.composer.set("/attach " + path)
		}
	})
}

// attach hands a file to the session. What is refused is said in the footer, after which undo is done.
func (m *Model) attach(path string, undo func(*Model)) tea.Cmd {
	ctx, files, s, by := m.ctx, m.o.Files, m.o.Session, m.me()
	m.attaching++
	return func() tea.Msg {
		err := handOver(ctx, files, s, path, by)
		return later(func(m *Model) tea.Cmd {
			if m.o.Session != s {
				return nil
			}
			m.attaching--
			if err != nil {
				undo(m)
				m.say(fileSays(filepath.Base(path), m.errorText(err)))
			}
			return nil
		})
	}
}

// fileSays puts a file's name before what is said of it, unless it is in there.
func fileSays(name, text string) string {
	if strings.Contains(text, name) {
		return text
	}
	return name + ": " + text
}

func handOver(ctx context.Context, files Files, s Session, path string, by engine.Actor) error {
	f, err := files.Open(ctx, path)
	if err != nil {
		return err
	}
	_, err = s.Do(ctx, engine.Attach{Name: filepath.Base(path), Body: f, By: by})
	return errors.Join(err, f.Close())
}

// drafted tells whether pictures wait to go with the next message.
func (m *Model) drafted() bool {
	for i := range m.state.Attachments {
		if m.waits(m.state.Attachments[i]) {
			return true
		}
	}
	return false
}

// waits tells whether a picture goes with the next message: one that is on its way already doesn't.
func (m *Model) waits(a view.Attachment) bool { return a.Message == "" && !m.inFlight[a.ID] }

// waiting are the pictures that go with the next message.
func (m *Model) waiting() (list []view.Attachment) {
	for _, a := range m.state.Attachments {
		if m.waits(a) {
			list = append(list, a)
		}
	}
	return list
}

// enclosed are the ids of the pictures that go with a message being sent now.
func (m *Model) enclosed() (ids []string) {
	for _, a := range m.waiting() {
		ids = append(ids, a.ID)
	}
	if m.inFlight == nil {
		m.inFlight = map[string]bool{}
	}
	for _, id := range ids {
		m.inFlight[id] = true
	}
	return ids
}

// landed forgets which pictures are on their way: those of a refused message, for nil those of which
// the State knows the message.
func (m *Model) landed(refused []string) {
	for _, id := range refused {
		delete(m.inFlight, id)
	}
	for id := range m.inFlight {
		if a, ok := m.state.Attachment(id); refused == nil && (!ok || a.Message != "") {
			delete(m.inFlight, id)
		}
	}
}

// held tells that a picture is still being taken in, so that it would miss the message: it is said.
func (m *Model) held() bool {
	if m.attaching > 0 {
		m.say(m.text("ui.attachingWait"))
	}
	return m.attaching > 0
}

const maxDraftRows = engine.MaxPictures

// draftRows are the pictures that wait, above the text field, at most so many rows.
func (m *Model) draftRows(w, most int) (out []string) {
	t := m.theme
	waiting := m.waiting()
	shown := min(len(waiting), most)
	for i, a := range waiting[:max(shown, 0)] {
		line, right := t.pad(2)+m.pictureLine(t.ground, a), ""
		switch key := t.Quiet.of(m.label("ui.picturesKey")) + t.pad(2); {
		case i == shown-1 && len(waiting) > shown:
			right = t.Quiet.of(m.label("ui.morePictures", "n", strconv.Itoa(len(waiting)-shown))) + t.pad(2)
		case i == 0 && m.focus == onComposer && ansi.StringWidth(line)+ansi.StringWidth(key) < w:
			right = key
		}
		out = append(out, t.ends(line, right, w))
	}
	if m.attaching > 0 && len(out) < most {
		out = append(out, t.fit(t.pad(2)+t.Quiet.of(safe.Safe(t.Running+" ")+m.label("ui.attaching")), w))
	}
	if len(waiting) > 0 && m.state.Model != nil && !m.state.Model.Images && len(out) > 0 {
		blind := t.Amber.of(safe.Safe(t.Broken+" ") + t.cut(m.label("ui.blindModel", "model", m.state.Model.ID), w-6))
		out = append(out[:min(len(out), max(most-1, 0))], t.fit(t.pad(2)+blind, w))
	}
	return out
}

// pictureLine names a picture: name, pixels, size, and who it is from.
func (m *Model) pictureLine(g ground, a view.Attachment) string {
	t := m.theme
	name := t.cut(safe.Text(a.Name, safe.Inline), 40)
	line := g.Accent.of(safe.Safe(t.Picture)) + g.pad(1) + g.Text.of(name) + g.pad(2) + g.Quiet.of(safe.Text(m.pictureSize(a), safe.Inline))
	if a.By != m.me() {
		line += g.pad(2) + g.Quiet.of(safe.Text(m.pictureBy(a), safe.Inline))
	}
	if a.LeftOut != "" {
		line += g.pad(2) + g.Amber.of(m.label("ui.pictureLeftOut."+string(a.LeftOut)))
	}
	return line
}

// pictureBy says who handed a picture in.
func (m *Model) pictureBy(a view.Attachment) string {
	if a.By == m.me() {
		return m.text("ui.pictureByYou")
	}
	return m.text("ui.pictureBy", "who", m.who(a.By))
}

// pictureSize is a picture's pixels and bytes.
func (m *Model) pictureSize(a view.Attachment) string {
	args := []string{"size", sizeText(a.Bytes)}
	if a.Width > 0 {
		args = append(args, "w", strconv.Itoa(a.Width), "h", strconv.Itoa(a.Height))
	}
	return m.text("ui.pictureSize", args...)
}

// pictureRows are the pictures of a message, below its text.
func (m *Model) pictureRows(ids []string, w int) (out []string) {
	t := m.theme
	for _, id := range ids {
		if a, ok := m.state.Attachment(id); ok {
			line := m.pictureLine(t.ground, a)
			if ansi.StringWidth(line) > w && a.LeftOut != "" { // why it is not sent stands below then
				why := m.label("ui.pictureLeftOut." + string(a.LeftOut))
				a.LeftOut = ""
				out = append(out, t.fit(m.pictureLine(t.ground, a), w), t.fit(t.pad(2)+t.Amber.of(t.cut(why, w-2)), w))
				continue
			}
			out = append(out, t.fit(line, w))
		}
	}
	return out
}

// literalPath is a path as it was typed after a command: bare, quoted, escaped, or as a file: address.
func literalPath(typed string) string {
	typed = strings.TrimSpace(typed)
	if strings.HasPrefix(typed, "file:") || strings.HasPrefix(typed, `"`) || strings.HasPrefix(typed, "'") || strings.Contains(typed, `\ `) {
		if paths := splitPaths(typed); len(paths) == 1 {
			return paths[0]
		}
	}
	return typed
}
