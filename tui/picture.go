package tui

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/image/draw"

	"agentstudio/engine"
	"agentstudio/engine/safe"
	"agentstudio/engine/view"
)

// pictureView shows a picture over the whole screen, in cells, with its name, pixels and size in words;
// where the terminal shows too few colours, in words alone.
type pictureView struct {
	ids   []string
	at    int
	shown string       // the id that img or why is of
	img   *image.NRGBA // as it came, brought to a size that no terminal exceeds
	why   string       // it can't be shown

	size  image.Point // the cells that lines were drawn for
	lines []string
	cells image.Point // that the terminal itself draws it in, at size; none where it doesn't
}

// longest is what a picture is reduced to once: more pixels than a terminal has.
const longest = 640

// openPicture shows one of the pictures named, the first one that there is from at on.
func (m *Model) openPicture(ids []string, at int) tea.Cmd {
	p := &pictureView{ids: ids, at: at}
	m.cover(p)
	return p.load(m)
}

func (p *pictureView) spacious() bool { return true }

// attachment is the one shown now; false if it has been removed meanwhile.
func (p *pictureView) attachment(m *Model) (view.Attachment, bool) {
	if len(p.ids) == 0 {
		return view.Attachment{}, false
	}
	p.at = clamp(p.at, 0, len(p.ids)-1)
	return m.state.Attachment(p.ids[p.at])
}

// load reads and decodes the picture away from the screen's goroutine.
func (p *pictureView) load(m *Model) tea.Cmd {
	a, ok := p.attachment(m)
	if !ok || !m.theme.drawsPictures() {
		return nil
	}
	p.shown, p.img, p.why, p.lines = "", nil, "", nil
	ctx, s, size, kitten := m.ctx, m.o.Session, p.room(m.frame(p)), speaksKitty(m.env)
	return func() tea.Msg {
		img, err := readPicture(ctx, s, a)
		var cells image.Point
		var show string
		if err == nil && kitten {
			cells = kittyCells(img.Rect.Size(), size.X, size.Y)
			if show, err = kittyShow(img, cells); err != nil {
				cells, err = image.Point{}, nil // in half blocks then
			}
		}
		return later(func(m *Model) tea.Cmd {
			now, ok := p.attachment(m)
			if m.o.Session != s || !ok || now.ID != a.ID {
				return nil
			}
			p.shown, p.img, p.cells = a.ID, img, cells
			if err != nil {
				p.why = m.text("ui.viewUnread", "why", m.errorText(err))
			}
			if show == "" {
				return nil
			}
			p.size, p.lines = size, m.theme.inPlaceholders(cells, size.X)
			return tea.Raw(show)
		})
	}
}

// room is what is left for the picture in a frame of so many cells: the edges, two lines of words above
// and one below go off.
func (p *pictureView) room(w, h int) image.Point { return image.Pt(max(w-4, 1), max(h-2-5, 1)) }

// close ends the view; a picture that the terminal draws itself is forgotten.
func (p *pictureView) close(m *Model) tea.Cmd {
	m.uncover()
	if p.cells == (image.Point{}) {
		return nil
	}
	return kittyGone()
}

// readPicture gives a picture of the session, reduced.
func readPicture(ctx context.Context, s Session, a view.Attachment) (*image.NRGBA, error) {
	const most = 8 << 20
	r, err := s.Read(ctx, engine.Ref{Attachment: a.ID})
	if err != nil {
		return nil, err
	}
	defer r.Close() //nolint:errcheck // read only
	content, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil {
		return nil, err
	}
	decode := jpeg.Decode
	if a.MIME == "image/png" {
		decode = png.Decode
	}
	img, err := decode(bytes.NewReader(content))
	if err != nil {
		return nil, engine.Errorf(engine.ReadFailed, "the picture cannot be read")
	}
	size := fitInto(img.Bounds().Size(), longest, longest)
	out := image.NewNRGBA(image.Rectangle{Max: size})
	draw.CatmullRom.Scale(out, out.Rect, img, img.Bounds(), draw.Src, nil)
	return out, nil
}

// fitInto is the largest size of the same shape that has at most w by h pixels and no more than it had.
func fitInto(size image.Point, w, h int) image.Point {
	x, y := size.X, size.Y
	if x > w {
		x, y = w, max(y*w/x, 1)
	}
	if y > h {
		x, y = max(x*h/y, 1), h
	}
	return image.Pt(max(x, 1), max(y, 1))
}

// drawsPictures tells whether the terminal has the colours for it.
func (t *theme) drawsPictures() bool { return !t.plain && !t.ascii }

func (p *pictureView) key(m *Model, k tea.KeyPressMsg) tea.Cmd {
	switch name := k.String(); name {
	case "esc", "q", "enter":
		return p.close(m)
	case "left", "up":
		return p.turn(m, -1)
	case "right", "down", "space", "tab":
		return p.turn(m, 1)
	case "x", "delete":
		a, ok := p.attachment(m)
		if ok && a.Message == "" {
			return tea.Batch(p.close(m), m.do(engine.Detach{Attachment: a.ID, By: m.me()}))
		}
	}
	return nil
}

func (p *pictureView) turn(m *Model, by int) tea.Cmd {
	if n := len(p.ids); n > 1 {
		p.at = (p.at + n + by) % n
		return p.load(m)
	}
	return nil
}

func (p *pictureView) render(m *Model, w, h int) []string {
	t, g := m.theme, m.theme.Panel
	a, ok := p.attachment(m)
	if !ok {
		return []string{g.Quiet.of(t.cut(m.label("ui.pictureGone"), w)), "", g.Quiet.of(t.cut(m.label("ui.pictureClose"), w))}
	}
	right := safe.Text(m.pictureSize(a), safe.Inline)
	if len(p.ids) > 1 {
		right = m.label("ui.pictureAt", "at", strconv.Itoa(p.at+1), "n", strconv.Itoa(len(p.ids))) + "  " + right
	}
	title := g.Bold.of(t.cut(safe.Text(a.Name, safe.Inline), max(w-safe.Width(right)-2, 8)))
	out := []string{g.ends(title, g.Quiet.of(right), w), g.fit(g.Quiet.of(t.cut(safe.Text(m.pictureAbout(a), safe.Inline), w)), w), ""}
	out = append(out, p.body(m, a, w, max(h-5, 1))...)
	return append(out, "", g.Quiet.of(t.cut(safe.Text(p.keys(m, a), safe.Inline), w)))[:min(len(out)+2, max(h, 0))]
}

// keys are those that do something to what is shown.
func (p *pictureView) keys(m *Model, a view.Attachment) string {
	var all []string
	if a.Message == "" {
		all = append(all, m.text("ui.pictureRemove"))
	}
	if len(p.ids) > 1 {
		all = append(all, m.text("ui.pictureTurn"))
	}
	return strings.Join(append(all, m.text("ui.pictureClose")), " "+m.theme.Sep+" ")
}

// pictureAbout says what has become of a picture, and who handed it in.
func (m *Model) pictureAbout(a view.Attachment) string {
	state := m.text("ui.pictureSent")
	switch {
	case a.LeftOut != "":
		state = m.text("ui.pictureLeftOut." + string(a.LeftOut))
	case a.Message == "":
		state = m.text("ui.pictureWaits")
	}
	return state + " " + m.theme.Sep + " " + m.pictureBy(a) + " " + m.theme.Sep + " " + strings.TrimPrefix(a.MIME, "image/")
}

// body is the picture, or why there is none.
func (p *pictureView) body(m *Model, a view.Attachment, w, h int) []string {
	t, g := m.theme, m.theme.Panel
	say := func(text safe.Safe) (out []string) {
		for _, l := range safe.Wrap(text, max(w, 1)) {
			out = append(out, g.fit(g.Text.of(l), w))
		}
		return out[:min(len(out), h)]
	}
	switch {
	case !t.drawsPictures():
		return say(m.label("ui.pictureInWords", "name", a.Name, "w", strconv.Itoa(a.Width), "h", strconv.Itoa(a.Height)))
	case p.why != "":
		return say(safe.Text(p.why, safe.Inline))
	case p.img == nil || p.shown != a.ID:
		return say(m.label("ui.viewReading"))
	}
	if size := image.Pt(w, h); p.lines == nil || p.size != size {
		p.size, p.lines = size, t.inCells(p.img, w, h)
	}
	return p.lines
}
