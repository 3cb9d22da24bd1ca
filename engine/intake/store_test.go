package intake_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/intake"
	"agentstudio/engine/workspace"
)

func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("att_%04d", n) }
}

func store(files engine.AttachmentFiles) *intake.Store {
	return intake.NewStore(intake.New(intake.DefaultLimits()), files, ids())
}

func picture(t *testing.T, name string) engine.Picture {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	p, err := store(nil).Take(t.Context(), engine.Upload{Name: name, Body: &b})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func files(t *testing.T, dir string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, filepath.Base(p))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A picture is one private file under an id of ours, whatever it is called; it is read as it was put,
// and removed.
func TestStore(t *testing.T) {
	top := t.TempDir()
	dir := filepath.Join(top, "ses_1", "attachments")
	for kind, f := range map[string]engine.AttachmentFiles{"disk": workspace.NewArtifacts(dir, workspace.ArtifactOptions{}), "memory": workspace.NewMemArtifacts()} {
		s := store(f)
		p := picture(t, "../../evil\x1b[2J.png")
		a, err := s.Put(t.Context(), p)
		if err != nil {
			t.Fatal(kind, err)
		}
		want := engine.Attachment{ID: "att_0001", Name: "evil [2J.png", MIME: "image/png", Bytes: int64(len(p.Content)), Width: 4, Height: 3, Kind: "image", SHA256: p.SHA256}
		if a != want {
			t.Errorf("%s: %+v, want %+v", kind, a, want)
		}
		got, err := s.Read(t.Context(), a)
		if err != nil || !bytes.Equal(got, p.Content) {
			t.Errorf("%s: %v", kind, err)
		}
		if kind == "disk" {
			checkFile(t, top, dir)
		}
		for range 2 {
			if err := s.Remove(t.Context(), a); err != nil {
				t.Errorf("%s: %v", kind, err)
			}
		}
		if _, err := s.Read(t.Context(), a); !errors.Is(err, engine.RefNotFound) {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if left := files(t, top); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}

func checkFile(t *testing.T, top, dir string) {
	t.Helper()
	if all := files(t, top); len(all) != 1 || all[0] != "att_0001.png" {
		t.Errorf("files: %v", all)
	}
	info, err := os.Stat(filepath.Join(dir, "att_0001.png"))
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Whatever step of writing fails, no file is left.
func TestStoreOnABrokenDisk(t *testing.T) {
	p := picture(t, "a.png")
	for _, broken := range []string{"mkdir", "create", "write", "sync", "close", "rename", "syncdir"} {
		dir := t.TempDir()
		f := workspace.NewArtifacts(dir, workspace.ArtifactOptions{Fail: func(step string) error {
			if step == broken {
				return errors.New("broken disk")
			}
			return nil
		}})
		if _, err := store(f).Put(t.Context(), p); !errors.Is(err, engine.WriteFailed) {
			t.Errorf("%s: %v", broken, err)
		}
		if left := files(t, dir); len(left) != 0 {
			t.Errorf("%s: left %v", broken, left)
		}
	}
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := store(workspace.NewArtifacts(dir, workspace.ArtifactOptions{})).Put(stopped, p); !errors.Is(err, engine.RunCancelled) || len(files(t, dir)) != 0 {
		t.Error(err, files(t, dir))
	}
}

// A file that was changed since is not given out, nor is one outside the folder.
func TestStoreChecksWhatItReads(t *testing.T) {
	dir := t.TempDir()
	s := store(workspace.NewArtifacts(filepath.Join(dir, "attachments"), workspace.ArtifactOptions{}))
	a, err := s.Put(t.Context(), picture(t, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "attachments", a.ID+".png"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := s.Read(t.Context(), a); !errors.Is(err, engine.ReadFailed) || b != nil {
		t.Errorf("%q, %v", b, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x.png"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.ID = "../x"
	if _, err := s.Read(t.Context(), a); !errors.Is(err, engine.RefNotFound) {
		t.Error(err)
	}
	if err := s.Remove(t.Context(), a); err != nil || len(files(t, dir)) != 2 {
		t.Error(err, files(t, dir))
	}
}

// What no event tells of goes, and what has lost its file is named.
func TestSweep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "attachments")
	for kind, f := range map[string]engine.AttachmentFiles{"disk": workspace.NewArtifacts(dir, workspace.ArtifactOptions{}), "memory": workspace.NewMemArtifacts()} {
		s := store(f)
		var all []engine.Attachment
		for range 3 {
			a, err := s.Put(t.Context(), picture(t, "a.png"))
			if err != nil {
				t.Fatal(kind, err)
			}
			all = append(all, a)
		}
		lost := engine.Attachment{ID: "att_lost", MIME: "image/jpeg"}
		missing, err := s.Sweep(t.Context(), []engine.Attachment{all[1], lost})
		if err != nil || len(missing) != 1 || missing[0] != lost {
			t.Errorf("%s: %v, %v", kind, missing, err)
		}
		if names, err := f.Names(t.Context()); err != nil || len(names) != 1 || names[0] != all[1].ID+".png" {
			t.Errorf("%s: %v, %v", kind, names, err)
		}
	}
	if missing, err := store(workspace.NewArtifacts(filepath.Join(dir, "none"), workspace.ArtifactOptions{})).Sweep(t.Context(), nil); err != nil || missing != nil {
		t.Error(missing, err)
	}
}
