package mirror_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
)

// page is what docs/mirror.md says a client has to do with patches, and nothing more.
type page struct {
	sequence uint64
	order    map[string][]string // ids by pane
	rows     map[string]map[string]any

	approvals []approval
}

func newPage() page {
	return page{order: map[string][]string{}, rows: map[string]map[string]any{}}
}

// clone is the page with nothing shared.
func (p *page) clone() page {
	c := newPage()
	c.sequence, c.approvals = p.sequence, slices.Clone(p.approvals)
	for pane, ids := range p.order {
		c.order[pane] = slices.Clone(ids)
	}
	for id, r := range p.rows {
		c.rows[id] = maps.Clone(r)
	}
	return c
}

// errHole is a patch that does not follow what is held.
type errHole struct{ after, held uint64 }

func (e errHole) Error() string {
	return fmt.Sprintf("a patch after %d, but %d is held", e.after, e.held)
}

func (p *page) take(m message) error {
	switch m.Type {
	case "reset":
		*p = newPage()
	case "patch":
		if m.After != p.sequence {
			return errHole{m.After, p.sequence}
		}
		p.patch(m)
		p.sequence = m.Sequence
	}
	return nil
}

func (p *page) patch(m message) {
	for _, id := range m.Gone {
		delete(p.rows, id)
		for pane := range p.order {
			p.order[pane] = slices.DeleteFunc(p.order[pane], func(x string) bool { return x == id })
		}
	}
	if m.Approvals != nil {
		p.approvals = *m.Approvals
	}
	for pane, rows := range m.Rows {
		for _, r := range rows {
			p.put(pane, r)
		}
	}
}

func (p *page) put(pane string, r map[string]any) {
	id := r["id"].(string)
	_, whole := r["kind"]
	held := p.rows[id]
	if whole {
		if held == nil {
			at := len(p.order[pane])
			if i := slices.Index(p.order[pane], text(r["before"])); i >= 0 {
				at = i
			}
			p.order[pane] = slices.Insert(p.order[pane], at, id)
		}
		p.rows[id] = r
		return
	}
	for k, v := range r {
		switch k {
		case "append":
			held["text"] = text(held["text"]) + text(v)
		case "appendThinking":
			held["thinking"] = text(held["thinking"]) + text(v)
		default:
			held[k] = v
		}
	}
}

func text(v any) string {
	s, _ := v.(string)
	return s
}

// hash is the page's own, by the words of docs/mirror.md.
func (p *page) hash() string {
	h := fnv.New32a()
	add := func(s string) { _, _ = h.Write(append([]byte(s), 0)) }
	for _, pane := range []string{"chat", "timeline", "skills"} {
		for _, id := range p.order[pane] {
			r := p.rows[id]
			add(id)
			for _, k := range []string{"kind", "state", "text", "thinking"} {
				add(text(r[k]))
			}
			args, _ := r["args"].(map[string]any)
			var names []string
			for k := range args {
				names = append(names, k)
			}
			slices.Sort(names)
			for _, k := range names {
				add(k)
				add(text(args[k]))
			}
		}
	}
	return fmt.Sprintf("%08x", h.Sum32())
}
