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
	"strings"
	"testing"

	"agentstudio/engine"
	"agentstudio/engine/intake"
	"agentstudio/engine/workspace"
)

func ids() func() string {
	n := 0
	return func() string { n++; return fmt.Sprintf("att_%04d", n) }
}

func picture(t *testing.T, name string) intake.Picture {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 4, 3))); err != nil {
		t.Fatal(err)
	}
	p, err := intake.New(intake.DefaultLimits()).Image(t.Context(), intake.Source{Name: name, Body: &b})
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
	for kind, f := range map[string]intake.Files{"disk": workspace.NewArtifacts(dir, workspace.ArtifactOptions{}), "memory": workspace.NewMemArtifacts()} {
		s := intake.NewStore(f, ids())
		p := picture(t, "../../evil\x1b[2J.png")
		a, err := s.Put(t.Context(), p)
		if err != nil {
			t.Fatal(kind, err)
		}
		want := engine.Attachment{ID: "att_0001", Name: "evil [2J.png", MIME: "image/png", Bytes: int64(len(p.Bytes)), Width: 4, Height: 3, Kind: "image", SHA256: p.SHA256}
		if a != want {
			t.Errorf("%s: %+v, want %+v", kind, a, want)
		}
		got, err := s.Read(t.Context(), a)
		if err != nil || !bytes.Equal(got, p.Bytes) {
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
		if _, err := intake.NewStore(f, ids()).Put(t.Context(), p); !errors.Is(err, engine.WriteFailed) {
			t.Errorf("%s: %v", broken, err)
		}
		if left := files(t, dir); len(left) != 0 {
			t.Errorf("%s: left %v", broken, left)
		}
	}
	dir := t.TempDir()
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := intake.NewStore(workspace.NewArtifacts(dir, workspace.ArtifactOptions{}), ids()).Put(stopped, p); !errors.Is(err, engine.RunCancelled) || len(files(t, dir)) != 0 {
		t.Error(err, files(t, dir))
	}
}

// A file that was changed since is not given out, nor is one outside the folder.
func TestStoreChecksWhatItReads(t *testing.T) {
	dir := t.TempDir()
	s := intake.NewStore(workspace.NewArtifacts(filepath.Join(dir, "attachments"), workspace.ArtifactOptions{}), ids())
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

func TestQuotas(t *testing.T) {
	for n, want := range map[int]engine.Code{0: "", 4: "", 5: engine.ImageTooMany} {
		if err := intake.CheckMessage(n); engine.CodeOf(err) != want {
			t.Errorf("%d pictures: %v", n, err)
		}
	}
	if err := intake.CheckSession(intake.MaxPerSession-5, 5); err != nil {
		t.Error(err)
	}
	if err := intake.CheckSession(intake.MaxPerSession-5, 6); !errors.Is(err, engine.ImageTooLarge) || !strings.Contains(err.Error(), "50 MiB") {
		t.Error(err)
	}
}
