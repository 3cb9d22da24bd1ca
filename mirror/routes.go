package mirror

import (
	"compress/gzip"
	"encoding/json"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

const (
	noBody     = 0
	smallBody  = 16 << 10
	mostUpload = 32 << 20
)

// routes is every way in, with the role it needs and how much it takes.
func routes() []route {
	return []route{
		{"GET", "/{$}", anybody, noBody, static("index.html")},
		{"GET", "/page.css", anybody, noBody, static("page.css")},
		{"GET", "/page.js", anybody, noBody, static("page.js")},
		{"GET", "/favicon.svg", anybody, noBody, static("favicon.svg")},
		{"GET", "/words/{lang}", anybody, noBody, (*Mirror).words},
		{"POST", "/api/pair", anybody, smallBody, (*Mirror).pair},
		{"POST", "/api/pair/wait", anybody, smallBody, (*Mirror).wait},
		{"GET", "/ws", anybody, noBody, (*Mirror).socket}, // the token comes in the first frame, or is asked for there
		{"GET", "/api/frames", follow, noBody, (*Mirror).frames},
		{"POST", "/api/hash", follow, smallBody, (*Mirror).postHash},
		{"GET", "/api/events", follow, noBody, (*Mirror).events},
		{"GET", "/api/health", follow, noBody, (*Mirror).health},
		{"GET", "/api/session", follow, noBody, (*Mirror).snapshot},
		{"GET", "/api/skills", follow, noBody, (*Mirror).skills},
		{"POST", "/api/leave", follow, smallBody, (*Mirror).goodbye},
		{"POST", "/api/approvals/{id}", decide, smallBody, (*Mirror).postDecision},
		{"POST", "/api/cancel", decide, smallBody, (*Mirror).postCancel},
		{"POST", "/api/messages", operate, mostText, (*Mirror).postMessage},
		{"POST", "/api/approvals/{id}/extend", operate, smallBody, (*Mirror).postExtend},
		{"POST", "/api/attachments", decide, mostUpload, (*Mirror).upload},
		{"POST", "/api/attachments/{id}/remove", decide, smallBody, (*Mirror).postRemove},
		{"GET", "/api/attachments/{id}", follow, noBody, (*Mirror).picture},
		{"GET", "/api/artifacts/{id}", follow, noBody, (*Mirror).artifact},
	}
}

// mostText leaves room for a message's escapes.
const mostText = 2 * 256 << 10

func static(name string) func(*Mirror, *visit) error {
	return func(m *Mirror, v *visit) error {
		if m.o.Page == nil {
			return engine.Errorf(engine.RefNotFound, "this mirror has no page; its API is all there is")
		}
		b, err := fs.ReadFile(m.o.Page, name)
		if err != nil {
			return engine.Errorf(engine.RefNotFound, "the page has no %s", name)
		}
		v.w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
		v.w.Header().Set("Vary", "Accept-Encoding")
		if !strings.Contains(v.r.Header.Get("Accept-Encoding"), "gzip") {
			_, _ = v.w.Write(b)
			return nil
		}
		// Only these files are packed, which hold no secret whose size could tell of it.
		v.w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(v.w)
		_, _ = z.Write(b)
		_ = z.Close()
		return nil
	}
}

// words is every text that the page needs, in one language.
func (m *Mirror) words(v *visit) error {
	lang, ok := strings.CutSuffix(v.r.PathValue("lang"), ".json")
	for _, l := range words.Languages() {
		if ok && string(l) == lang {
			v.json(http.StatusOK, words.Page(l))
			return nil
		}
	}
	return engine.Errorf(engine.RefNotFound, "the page speaks en and zh")
}

func (m *Mirror) health(v *visit) error {
	seq, ended, err := m.folder(v.share).sequence()
	v.json(http.StatusOK, struct {
		OK       bool             `json:"ok"`
		Server   string           `json:"server"`
		Session  engine.SessionID `json:"sessionId"`
		Sequence engine.Seq       `json:"sequence"`
		Ended    bool             `json:"ended"`
		Role     Role             `json:"role"`
		Share    Share            `json:"share"`
		Now      engine.Instant   `json:"now"`
	}{err == nil, m.id, m.current().ID(), seq, ended, v.role, v.share, engine.Instant{Time: m.now()}})
	return nil
}

// snapshot is the whole view as one patch from nothing.
func (m *Mirror) snapshot(v *visit) error {
	if !v.device.snapshots.AllowN(m.now(), 1) {
		return engine.Errorf(engine.RateLimited, "more than the %d whole views a minute that a device may have", m.o.Limits.Snapshots)
	}
	f := m.folder(v.share)
	frame, sum := f.view()
	v.json(http.StatusOK, struct {
		Session engine.SessionID `json:"sessionId"`
		Share   Share            `json:"share"`
		Hash    string           `json:"hash"`
		View    json.RawMessage  `json:"view"`
	}{f.session, v.share, sum.String(), frame})
	return nil
}

func (m *Mirror) skills(v *visit) error {
	rows := m.folder(v.share).skillRows()
	v.json(http.StatusOK, struct {
		Skills []skillRow `json:"skills"`
	}{rows})
	return nil
}

// goodbye is Leave: the device's token ends.
func (m *Mirror) goodbye(v *visit) error {
	m.revoke(v.device, m.actor(v.device))
	v.w.WriteHeader(http.StatusNoContent)
	return nil
}

// post does a command that came by POST, with the status of its code.
func (m *Mirror) post(v *visit, o order, accepted int) error {
	r := m.do(v.r.Context(), v.device, v.seat, o)
	if !r.OK {
		v.json(statusOf(r.Code), struct {
			Error      wireError                `json:"error"`
			Resolution *engine.ApprovalResolved `json:"resolution,omitempty"`
			RequestID  string                   `json:"requestId"`
		}{wireError{r.Code, r.Message, r.Details}, r.Decided, v.id})
		return nil
	}
	v.json(accepted, r)
	return nil
}

func (m *Mirror) postDecision(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	o.Type, o.Approval = "decide", engine.ApprovalID(v.r.PathValue("id"))
	return m.post(v, o, http.StatusOK)
}

func (m *Mirror) postExtend(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	o.Type, o.Approval = "extend", engine.ApprovalID(v.r.PathValue("id"))
	return m.post(v, o, http.StatusOK)
}

func (m *Mirror) postCancel(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	o.Type = "cancel"
	return m.post(v, o, http.StatusAccepted)
}

func (m *Mirror) postRemove(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	o.Type, o.Attachment = "remove", v.r.PathValue("id")
	return m.post(v, o, http.StatusOK)
}

func (m *Mirror) postMessage(v *visit) error {
	var o order
	if err := v.read(&o); err != nil {
		return err
	}
	o.Type = "message"
	return m.post(v, o, http.StatusAccepted)
}
