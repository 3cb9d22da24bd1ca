package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/zalando/go-keyring"

	"agentstudio/engine"
)

// secretStore is the operating system's place for secrets. Get and Delete say keyring.ErrNotFound for
// what is not there; any other error means that there is no keyring to use.
type secretStore interface {
	Get(account string) (string, error)
	Set(account, secret string) error
	Delete(account string) error
}

// systemKeyring is the real one.
type systemKeyring struct{}

const keyringService = "agentstudio"

func (systemKeyring) Get(a string) (string, error) { return keyring.Get(keyringService, a) }
func (systemKeyring) Set(a, secret string) error   { return keyring.Set(keyringService, a, secret) }
func (systemKeyring) Delete(a string) error        { return keyring.Delete(keyringService, a) }

// maxKeyring is how long one call of the keyring may take: some wait for a password dialog.
const maxKeyring = 2 * time.Second

var errSlowKeyring = errors.New("the keyring did not answer in time")

// keeping is the connection that is kept in a state directory: connection.json, and its key in the
// keyring where there is one. root is "" where nothing can be kept.
type keeping struct {
	root string
	ring secretStore
	wait time.Duration
}

// keptConnection is the file. Key is there only without a keyring.
type keptConnection struct {
	Provider      string `json:"provider"`
	API           string `json:"api"`
	BaseURL       string `json:"baseUrl"`
	Model         string `json:"modelId"`
	Images        *bool  `json:"supportsImages,omitempty"`
	ContextWindow int    `json:"contextWindow,omitempty"`
	Thinking      string `json:"thinking,omitempty"`
	KeyIn         string `json:"keyIn,omitempty"` // keyring, file
	KeyOrigin     string `json:"keyOrigin,omitempty"`
	Key           string `json:"key,omitempty"`
}

const (
	keptName  = "connection.json"
	inKeyring = "keyring"
	inFile    = "file"
	isSaved   = "saved"
)

func (k keeping) path() string { return filepath.Join(k.root, keptName) }

// ask makes one call of the keyring. One that takes too long is left alone: nothing can end it.
func (k keeping) ask(ctx context.Context, do func() (string, error)) (string, error) {
	type answer struct {
		text string
		err  error
	}
	got := make(chan answer, 1)
	go func() {
		text, err := do()
		got <- answer{text, err}
	}()
	timer := time.NewTimer(k.wait)
	defer timer.Stop()
	select {
	case a := <-got:
		return a.text, a.err
	case <-timer.C:
		return "", errSlowKeyring
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// load reads the file strictly; there may be none. The keyring is not asked.
func (k keeping) load() (c keptConnection, there bool, err error) {
	if k.root == "" {
		return c, false, nil
	}
	if i, err := os.Stat(k.root); err == nil && !i.IsDir() {
		return c, false, nil // what needs the folder says so
	}
	f, err := os.Open(k.path())
	if errors.Is(err, fs.ErrNotExist) {
		return c, false, nil
	}
	if err == nil {
		var b []byte
		b, err = io.ReadAll(io.LimitReader(f, maxKeyFile))
		if err = errors.Join(err, f.Close()); err == nil {
			err = strict(b, &c)
		}
	}
	if err != nil {
		return keptConnection{}, true, engine.Errorf(engine.ModelNotConfigured, "the saved connection in %s cannot be used: %s; choose a connection anew, or remove the file", ownPath(k.path()), cause(err))
	}
	return c, true, nil
}

// strict reads one JSON object without unknown fields. Its error repeats no value.
func strict(b []byte, c *keptConnection) error {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	err := d.Decode(c)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		return errors.New("the field " + kind.Field + " has a wrong kind of value")
	case err != nil && strings.HasPrefix(err.Error(), "json: unknown field "):
		return errors.New("there is no field " + strings.TrimPrefix(err.Error(), "json: unknown field "))
	case err != nil:
		return errors.New("it is no JSON object")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows its object")
	}
	switch {
	case c.KeyIn != "" && c.KeyIn != inKeyring && c.KeyIn != inFile:
		return errors.New("keyIn is keyring or file")
	case (c.KeyIn == inFile) != (c.Key != ""):
		return errors.New("key and keyIn do not fit")
	case c.ContextWindow < 0:
		return errors.New("contextWindow is not above zero")
	}
	return nil
}

// statement is what the file says, for places.
func (c keptConnection) statement() statement {
	s := statement{provider: stated{c.Provider, isSaved}, api: stated{c.API, isSaved}, baseURL: stated{c.BaseURL, isSaved}, model: stated{c.Model, isSaved}}
	if c.Images != nil {
		s.images = stated{strconv.FormatBool(*c.Images), isSaved}
	}
	if c.ContextWindow > 0 {
		s.window = stated{strconv.Itoa(c.ContextWindow), isSaved}
	}
	s.thinking = stated{c.Thinking, isSaved}
	return s
}

// key is the saved key with its origin. The keyring is asked only when the key is wanted, and says
// itself whose the key is: a changed file sends it nowhere else.
func (k keeping) key(c keptConnection) ownedKey {
	o := ownedKey{name: isSaved, origin: c.KeyOrigin}
	o.read = func(ctx context.Context) (engine.Secret, error) {
		if c.KeyIn != inKeyring {
			return engine.NewSecret(c.Key), nil
		}
		text, err := k.ask(ctx, func() (string, error) { return k.ring.Get(k.root) })
		if err != nil {
			return engine.Secret{}, engine.Errorf(engine.ModelNotConfigured, "the saved key could not be taken from the keyring; unlock it and try again, or enter the key anew")
		}
		if origin, key, ok := strings.Cut(text, "\n"); ok && origin == c.KeyOrigin {
			return engine.NewSecret(key), nil
		}
		return engine.Secret{}, nil
	}
	return o
}

// save keeps a connection. The key goes to the keyring, and into the file only where there is none.
func (k keeping) save(ctx context.Context, c chosen, key engine.Secret) error {
	if k.root == "" {
		return engine.Errorf(engine.WriteFailed, "nothing is kept on this computer with --no-save; leave “remember” off")
	}
	f := keptConnection{Provider: c.Provider, API: c.API, BaseURL: c.BaseURL, Model: c.Model, Thinking: c.Thinking}
	if c.from["images"] != byDefault && c.from["images"] != "" {
		f.Images = &c.Images
	}
	if c.from["contextWindow"] != byDefault {
		f.ContextWindow = c.ContextWindow
	}
	was, _, _ := k.load() // what can't be read is replaced
	if !key.Empty() {
		f.KeyIn, f.KeyOrigin = inKeyring, c.Origin()
		if _, err := k.ask(ctx, func() (string, error) { return "", k.ring.Set(k.root, f.KeyOrigin+"\n"+key.Reveal()) }); err != nil {
			f.KeyIn, f.Key = inFile, key.Reveal()
		}
	}
	if was.KeyIn == inKeyring && f.KeyIn != inKeyring {
		_, _ = k.ask(ctx, func() (string, error) { return "", k.ring.Delete(k.root) }) // it is replaced, or can't be reached anyway
	}
	b, err := json.MarshalIndent(f, "", "  ")
	if err == nil {
		err = replaceFile(k.path(), append(b, '\n'))
	}
	if err != nil {
		return &engine.Error{Code: engine.WriteFailed, Message: "the connection could not be saved in " + ownPath(k.root) + ": " + cause(err).Error(), Err: err}
	}
	return nil
}

// forget removes the file, what an interrupted saving left, and the key in the keyring. The file
// goes last, so that a keyring that can't be reached now can be asked again.
func (k keeping) forget(ctx context.Context) error {
	if k.root == "" {
		return nil
	}
	c, there, err := k.load()
	if there {
		_, rerr := k.ask(ctx, func() (string, error) { return "", k.ring.Delete(k.root) })
		if rerr != nil && !errors.Is(rerr, keyring.ErrNotFound) && (c.KeyIn == inKeyring || err != nil && errors.Is(rerr, errSlowKeyring)) {
			return engine.Errorf(engine.WriteFailed, "the key could not be removed from the keyring; unlock it and clear again")
		}
	}
	left, _ := filepath.Glob(filepath.Join(k.root, "."+keptName+"-*"))
	for _, at := range append(left, k.path()) {
		if err := os.Remove(at); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &engine.Error{Code: engine.WriteFailed, Message: "the saved connection could not be removed: " + cause(err).Error(), Err: err}
		}
	}
	return nil
}

// keeper is where a key would be kept. To find out costs a call of the keyring.
func (k keeping) keeper(ctx context.Context) string {
	if k.root == "" {
		return ""
	}
	if _, err := k.ask(ctx, func() (string, error) { return k.ring.Get(k.root) }); err == nil || errors.Is(err, keyring.ErrNotFound) {
		return inKeyring
	}
	return inFile
}

// replaceFile puts content in the place of path, whole or not at all, for its owner alone.
func replaceFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	t, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // 0600
	if err != nil {
		return err
	}
	_, err = t.Write(content)
	if err == nil {
		err = t.Sync()
	}
	if err = errors.Join(err, t.Close()); err == nil {
		err = os.Rename(t.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(t.Name()))
	}
	return nil
}
