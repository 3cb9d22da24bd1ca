package provider

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"strconv"

	"agentstudio/engine"
)

// writer turns the transcript into turns. Results go first in the message of their user, one message
// holds all that a side says without the other's speaking in between, and the last word is a user's.
type writer struct {
	model *messages
	out   *messagesRequest
	ids   map[engine.CallID]string // what the server accepts in their place
	used  map[string]bool
	shown *gallery
	seen  hash.Hash // of all that stands in the request so far
}

func newWriter(m *messages, out *messagesRequest, r engine.Request) *writer {
	w := &writer{model: m, out: out, ids: map[engine.CallID]string{}, used: map[string]bool{}, shown: newGallery(r, m.info), seen: sha256.New()}
	w.see(out.System)
	w.see(out.Tools)
	return w
}

func (w *writer) all(ctx context.Context, all []engine.Message) error {
	for _, msg := range all {
		var err error
		switch msg.Role {
		case engine.RoleTool:
			w.push(engine.RoleUser, block{Type: blockResult, Reply: w.id(msg.Reply), Content: msg.Text, IsError: msg.Failed})
		case engine.RoleAssistant:
			w.push(engine.RoleAssistant, w.model.answered(msg, w)...)
		default:
			err = w.user(ctx, msg)
		}
		if err != nil {
			return err
		}
	}
	if n := len(w.out.Messages); n == 0 || w.out.Messages[n-1].Role != engine.RoleUser {
		w.push(engine.RoleUser, block{Type: blockText, Text: "Go on."}) // an answer at the end would be taken for the beginning of the next
	}
	return nil
}

// user writes a message of a person: its images, then its text.
func (w *writer) user(ctx context.Context, msg engine.Message) error {
	var blocks []block
	err := w.shown.give(ctx, msg, func(p picture) {
		if p.instead != "" {
			blocks = append(blocks, block{Type: blockText, Text: p.instead})
			return
		}
		blocks = append(blocks, block{Type: "image", Source: &imageSource{"base64", p.mime, p.base64}})
	})
	if err != nil {
		return err
	}
	if !blank(msg.Text) {
		blocks = append(blocks, block{Type: blockText, Text: msg.Text})
	}
	if len(blocks) == 0 {
		blocks = []block{{Type: blockText, Text: "[An empty message.]"}}
	}
	w.push(engine.RoleUser, blocks...)
	return nil
}

func (w *writer) push(role engine.Role, blocks ...block) {
	if len(blocks) == 0 {
		return
	}
	for _, b := range blocks {
		w.see(role)
		w.see(b)
	}
	if n := len(w.out.Messages); n > 0 && w.out.Messages[n-1].Role == role {
		last := &w.out.Messages[n-1]
		last.Content = append(last.Content, blocks...)
		return
	}
	w.out.Messages = append(w.out.Messages, turn{role, blocks})
}

// id is the call's id as the server accepts it, the same wherever it stands in a request.
func (w *writer) id(id engine.CallID) string {
	const most = 64
	if s, ok := w.ids[id]; ok {
		return s
	}
	plain := plainName(string(id), most)
	s := plain
	for n := 2; w.used[s]; n++ {
		tail := "_" + strconv.Itoa(n)
		s = plain[:min(len(plain), most-len(tail))] + tail
	}
	w.used[s] = true
	w.ids[id] = s
	return s
}

// plainName is s with only what the server takes in names and ids, at most so many bytes.
func plainName(s string, most int) string {
	b := []byte(s)
	for i, c := range b {
		plain := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
		if !plain {
			b[i] = '_'
		}
	}
	if len(b) == 0 {
		return "_"
	}
	return string(b[:min(len(b), most)])
}

// digest names all that stands in the request so far: newer models take their thinking back only if
// nothing before it has changed. Source: platform.claude.com/docs/en/build-with-claude/preserved-thinking.
func (w *writer) digest() string { return hex.EncodeToString(w.seen.Sum(nil)) }

func (w *writer) see(v any) {
	b, err := encode(v)
	if err != nil {
		return // the request itself will fail of it
	}
	w.seen.Write(append(b, '\n'))
}
