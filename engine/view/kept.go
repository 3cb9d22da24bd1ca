package view

import (
	"slices"
	"strconv"
	"strings"

	"agentstudio/engine"
)

// kept folds what the session has and is.
func (f *folding) kept() {
	switch p := f.e.Payload.(type) {
	case engine.SessionStarted:
		f.Session = Session{ID: f.e.Session, Title: p.Title, Workspace: p.Workspace, Version: p.Version}
		f.p.Session, _ = &f.Session, f.status()
	case engine.SessionResumed:
		f.Session.Closed = false
		f.p.Session = &f.Session
	case engine.SessionClosed:
		f.Session.Closed = true
		f.p.Session = &f.Session
	case engine.SessionRenamed:
		f.Session.Title = p.Title
		f.p.Session = &f.Session
	case engine.JournalDamage:
		f.Session.Damaged = true
		f.p.Session = &f.Session
		f.put(Message{ID: "hole" + strconv.FormatUint(uint64(p.From), 10), Kind: OfNotice, State: Complete,
			Code: engine.JournalDamaged, Pieces: []string{p.Reason}})
	case engine.ModelConfigured:
		m := p.ModelInfo
		f.Model, f.p.Model = &m, &m
	case engine.ModelCleared:
		f.Model, f.p.Model = nil, &engine.ModelInfo{}
	case engine.CatalogLoaded:
		f.catalog(p)
	case engine.SkillRequested:
		f.light(p.Name, Requested)
	case engine.SkillLoaded:
		f.light(p.Name, Loaded)
	case engine.AttachmentAdded:
		f.Attachments = append(f.Attachments, Attachment{Attachment: p.Attachment, By: p.By})
		f.p.Attachments = &f.Attachments
	case engine.AttachmentRemoved:
		f.Attachments = without(f.Attachments, func(a Attachment) bool { return a.ID == p.ID })
		f.p.Attachments = &f.Attachments
	case engine.ArtifactReady:
		f.Artifacts = append(without(f.Artifacts, func(a engine.Artifact) bool { return a.Name == p.Name }), p.Artifact)
		f.p.Artifacts = &f.Artifacts
	}
}

func (f *folding) catalog(p engine.CatalogLoaded) {
	was := map[string]Skill{}
	for _, s := range f.Skills {
		was[s.Path] = s
	}
	f.Skills = make([]Skill, 0, len(p.Skills))
	for _, s := range p.Skills {
		n := Skill{Skill: s, Light: Available}
		switch {
		case s.State == engine.SkillBroken:
			n.Light = Broken
		case s.State == engine.SkillShadowed:
			n.Light = Shadowed
		case was[s.Path].At != 0:
			n.Light, n.At = was[s.Path].Light, was[s.Path].At
		}
		f.Skills = append(f.Skills, n)
	}
	calls := map[string]int{}
	for _, t := range f.Tools {
		calls[t.Name] = t.Calls
	}
	f.Tools = make([]Tool, 0, len(p.Tools))
	for _, t := range p.Tools {
		f.Tools = append(f.Tools, Tool{t, calls[t.Name]})
	}
	f.Diagnostics = p.Diagnostics
	f.p.Skills, f.p.Tools, f.p.Diagnostics = slices.Clone(f.Skills), slices.Clone(f.Tools), &f.Diagnostics
}

// light sets the light of the skill that is offered under a name. A loaded skill stays loaded.
func (f *folding) light(name string, l Light) {
	for i := range f.Skills {
		s := &f.Skills[i]
		if s.Name == name && s.Light != Shadowed && s.Light != Broken && !(s.Light == Loaded && l == Requested) {
			s.Light, s.At = l, f.e.Seq
			f.p.Skills = append(f.p.Skills, *s)
		}
	}
}

// title is what a session is called by its first message: its words, or what came without any.
func title(p engine.UserMessage) string {
	if p.Text == "" && len(p.Attachments) > 0 {
		return p.Attachments[0].Name
	}
	return p.Text
}

// noticed folds a notice; one about attachments names them.
func (f *folding) noticed(p engine.Notice) {
	m := Message{Code: p.Code, Pieces: []string{p.Message}}
	if len(p.Attachments) > 0 {
		var names []string
		f.attached(p.Attachments, func(a *Attachment) {
			a.LeftOut = p.Code
			names = append(names, a.Name)
		})
		m.Args = map[string]string{"names": strings.Join(names, ", "), "said": p.Said}
	}
	f.note(m)
}

// attached changes attachments; those that have been removed stay so.
func (f *folding) attached(ids []string, how func(*Attachment)) {
	f.Attachments = slices.Clone(f.Attachments) // patches hold the list as it was
	for i := range f.Attachments {
		if slices.Contains(ids, f.Attachments[i].ID) {
			how(&f.Attachments[i])
			f.p.Attachments = &f.Attachments
		}
	}
}
