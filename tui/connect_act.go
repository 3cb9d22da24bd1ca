package tui

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"agentstudio/engine"
)

// test makes the smallest real call with what stands in the form.
func (c *connect) test(m *Model) tea.Cmd {
	port, d := m.o.Connections, c.stated()
	return c.ask(m, "connect.testing", func(ctx context.Context) func(*Model) {
		r := port.Test(ctx, d)
		return func(*Model) {
			kind := badNews
			if r.OK {
				kind = goodNews
			}
			c.say(kind, r.Says)
		}
	})
}

// stated is the draft without a thinking level that its model does not have.
func (c *connect) stated() ConnectionDraft {
	d := c.draft
	if !slices.Contains(c.levels(), d.Thinking) {
		d.Thinking = ""
	}
	return d
}

// use gives the session the model of the form. As long as that can't be, the form stays and says why.
func (c *connect) use(m *Model) tea.Cmd {
	session := m.o.Session
	switch {
	case m.state.Status.Active():
		c.say(badNews, m.text("connect.busy"))
		return nil
	case session.ReadOnly() != nil:
		c.say(badNews, m.text("ui.hintReadOnly"))
		return nil
	}
	port, d, by := m.o.Connections, c.stated(), m.me()
	return c.ask(m, "connect.using", func(ctx context.Context) func(*Model) {
		made, err := port.Use(ctx, d)
		if err == nil {
			_, err = session.Do(ctx, engine.Configure{Connection: &made, By: by})
		}
		return func(m *Model) { c.used(m, made.Model, err) }
	})
}

// used tells what became of using.
func (c *connect) used(m *Model, model string, err error) {
	switch {
	case engine.CodeOf(err) == engine.SessionBusy:
		c.say(badNews, m.text("connect.busy"))
	case err != nil:
		c.say(badNews, m.faultText(err))
	default:
		if m.top() == c {
			m.uncover()
		}
		m.say(m.text("connect.used", "model", model))
	}
}

// answerForget removes what is kept if the answer is yes, and leaves all as it is for any other key.
func (c *connect) answerForget(m *Model, name string) tea.Cmd {
	c.sure = false
	if name != "y" && name != "Y" {
		return nil
	}
	port := m.o.Connections
	return c.ask(m, "connect.forgetting", func(ctx context.Context) func(*Model) {
		err := port.Forget(ctx)
		var form ConnectionForm
		if err == nil {
			form, err = port.Load(ctx)
		}
		return func(m *Model) {
			if err != nil {
				c.say(badNews, m.faultText(err))
				return
			}
			c.form, c.draft.Key, c.draft.Remember = form, engine.Secret{}, false
			c.form.Draft.Key = engine.Secret{}
			c.say(goodNews, m.text("connect.forgotten"))
		}
	})
}
