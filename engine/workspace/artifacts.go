package workspace

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"agentstudio/engine"
)

// maxArtifactName leaves room for what the temporary file adds to the name.
const maxArtifactName = 200

// ArtifactOptions are for tests.
type ArtifactOptions struct {
	// Fail is a failpoint: called before each step of writing (mkdir, create, write, sync, close,
	// rename, remove, syncdir), its error makes that step fail. write is called twice, before each half.
	Fail func(step string) error
}

// Artifacts keeps the files that a session's tools produce in one folder, made with the first one:
// the folder 0700, files 0600. An artifact's id is its name: there is one file of a name, and the
// digest tells its versions apart. After a crash the old file is there or the new one, never half
// a file. It may be used by many goroutines at once, but not by two processes.
type Artifacts struct {
	dir  string
	fail func(step string) error
	mu   sync.Mutex
}

var _ engine.ArtifactWriter = (*Artifacts)(nil)

// NewArtifacts makes a store of the folder dir. It touches nothing until the first write.
func NewArtifacts(dir string, opts ArtifactOptions) *Artifacts {
	if opts.Fail == nil {
		opts.Fail = func(string) error { return nil }
	}
	return &Artifacts{dir: dir, fail: opts.Fail}
}

// WriteArtifact replaces the file name by content: a temporary file in the same folder, synced,
// renamed, the folder synced. It returns when the file is durable. Errors: PATH_MALFORMED for a
// name that is not a plain file name, RUN_CANCELLED (nothing changed), WRITE_FAILED. After
// WRITE_FAILED the old file is untouched, but for a folder that could not be synced: then the new
// one is there, and may be lost with the power; details.replaced says so.
func (a *Artifacts) WriteArtifact(ctx context.Context, name, mime string, content []byte) (engine.Artifact, error) {
	if err := artifactName(name); err != nil {
		return engine.Artifact{}, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	temp, err := a.writeTemp(ctx, name, content)
	if err != nil {
		return engine.Artifact{}, writeError(name, false, err)
	}
	if err := a.step("rename", func() error { return os.Rename(temp, filepath.Join(a.dir, name)) }); err != nil {
		return engine.Artifact{}, writeError(name, false, errors.Join(err, os.Remove(temp)))
	}
	if err := a.step("syncdir", func() error { return syncFolder(a.dir) }); err != nil {
		return engine.Artifact{}, writeError(name, true, err)
	}
	return artifactOf(name, mime, content), nil
}

// Read gives the content of the newest artifact of this id. Errors: REF_NOT_FOUND, READ_FAILED.
func (a *Artifacts) Read(ctx context.Context, id string) ([]byte, error) {
	if artifactName(id) != nil {
		return nil, noArtifact(id)
	}
	if err := Stopped(ctx); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(a.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noArtifact(id)
	}
	if err != nil {
		return nil, readArtifactError(id, err)
	}
	defer root.Close() //nolint:errcheck // a handle for reading
	in := &diskFolder{root: root}
	seen, err := in.lstat(id)
	if err != nil || !seen.Mode().IsRegular() {
		return nil, noArtifact(id)
	}
	content, err := root.ReadFile(id)
	if err != nil {
		return nil, readArtifactError(id, err)
	}
	return content, nil
}

// FindArtifact describes the newest artifact of this name; ok is false when there is none. The MIME
// type is guessed from the name. Errors: READ_FAILED.
func (a *Artifacts) FindArtifact(ctx context.Context, name string) (found engine.Artifact, ok bool, err error) {
	return findArtifact(ctx, a.Read, name)
}

// Remove removes an artifact and returns when that is durable; it is no error that there is none.
// Errors: RUN_CANCELLED, WRITE_FAILED.
func (a *Artifacts) Remove(ctx context.Context, id string) error {
	if artifactName(id) != nil {
		return nil
	}
	if err := Stopped(ctx); err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	err := a.step("remove", func() error { return os.Remove(filepath.Join(a.dir, id)) })
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = a.step("syncdir", func() error { return syncFolder(a.dir) })
	}
	if err != nil {
		return &engine.Error{Code: engine.WriteFailed, Message: id + " could not be removed; try again", Err: err}
	}
	return nil
}

// Names are those of all files, sorted. What a write in progress, or one that was killed, has left does
// not count. Errors: READ_FAILED.
func (a *Artifacts) Names(context.Context) ([]string, error) {
	entries, err := os.ReadDir(a.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, &engine.Error{Code: engine.ReadFailed, Message: "the files of this session could not be listed", Err: err}
	}
	var names []string
	for _, e := range entries {
		if artifactName(e.Name()) == nil {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// step runs one step of writing behind its failpoint.
func (a *Artifacts) step(name string, do func() error) error {
	if err := a.fail(name); err != nil {
		return err
	}
	return do()
}

// writeTemp writes a synced temporary file and names it; on an error none is left.
func (a *Artifacts) writeTemp(ctx context.Context, name string, content []byte) (path string, err error) {
	if err := a.step("mkdir", a.makeFolder); err != nil {
		return "", err
	}
	if err := a.sweep(name); err != nil {
		return "", err
	}
	var f *os.File
	err = a.step("create", func() error {
		f, err = os.CreateTemp(a.dir, "."+name+".*.tmp") // 0600
		return err
	})
	if err != nil {
		return "", err
	}
	if err := a.fill(ctx, f, content); err != nil {
		f.Close() //nolint:errcheck // closed already, or of no use
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// fill writes, syncs and closes the temporary file.
func (a *Artifacts) fill(ctx context.Context, f *os.File, content []byte) error {
	half := len(content) / 2
	write := func(part []byte) func() error {
		return func() error { _, err := f.Write(part); return err }
	}
	for _, s := range []struct {
		name string
		do   func() error
	}{
		{"write", write(content[:half])},
		{"write", write(content[half:])},
		{"sync", f.Sync},
		{"close", f.Close},
	} {
		if err := Stopped(ctx); err != nil {
			return err
		}
		if err := a.step(s.name, s.do); err != nil {
			return err
		}
	}
	return Stopped(ctx)
}

// makeFolder makes the folder durable, too, when it is new.
func (a *Artifacts) makeFolder() error {
	if _, err := os.Stat(a.dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(a.dir))
}

// sweep removes what a crash has left of earlier writes of this name.
func (a *Artifacts) sweep(name string) error {
	entries, err := os.ReadDir(a.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "."+name+".") && strings.HasSuffix(e.Name(), ".tmp") {
			err = errors.Join(err, os.Remove(filepath.Join(a.dir, e.Name())))
		}
	}
	return err
}

func artifactOf(name, mime string, content []byte) engine.Artifact {
	sum := sha256.Sum256(content)
	return engine.Artifact{ID: name, Name: name, MIME: mime, Bytes: int64(len(content)), SHA256: hex.EncodeToString(sum[:])}
}

func findArtifact(ctx context.Context, read func(context.Context, string) ([]byte, error), name string) (engine.Artifact, bool, error) {
	content, err := read(ctx, name)
	if errors.Is(err, engine.RefNotFound) {
		return engine.Artifact{}, false, nil
	}
	if err != nil {
		return engine.Artifact{}, false, err
	}
	return artifactOf(name, mimeOf(name), content), true, nil
}

func mimeOf(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".md":
		return "text/markdown; charset=utf-8"
	case ".docx":
		return "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	}
	return "application/octet-stream"
}

// artifactName refuses what is not one plain file name on every system.
func artifactName(name string) error {
	bad := func(r rune) bool { return strings.ContainsRune(`/\:*?"<>|`, r) || strange(r) }
	reserved := regexp.MustCompile(`(?i)^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)`)
	switch {
	case name == "", len(name) > maxArtifactName, !utf8.ValidString(name), strings.ContainsFunc(name, bad),
		strings.HasPrefix(name, "."), strings.TrimRight(name, ". ") != name, unicode.IsSpace([]rune(name)[0]),
		reserved.MatchString(name):
		return engine.Errorf(engine.PathMalformed, "%q cannot be a file's name; use letters, digits, - and _", name)
	}
	return nil
}

func writeError(name string, replaced bool, err error) error {
	var stopped *engine.Error
	if errors.As(err, &stopped) {
		return stopped
	}
	message := name + " could not be written; the old file, if there was one, is untouched"
	if replaced {
		message = name + " was written, but the disk could not be told to keep it; save it again"
	}
	return &engine.Error{Code: engine.WriteFailed, Message: message,
		Details: map[string]any{"name": name, "replaced": replaced}, Err: err}
}

func noArtifact(id string) error {
	return engine.Errorf(engine.RefNotFound, "there is no artifact %q in this session", id)
}

func readArtifactError(id string, err error) error {
	return &engine.Error{Code: engine.ReadFailed, Message: id + " could not be read", Err: err}
}
