package workspace

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"agentstudio/engine"
)

// store is what both kinds of artifacts offer.
type store interface {
	engine.ArtifactWriter
	Read(ctx context.Context, id string) ([]byte, error)
	FindArtifact(ctx context.Context, name string) (engine.Artifact, bool, error)
	Remove(ctx context.Context, id string) error
}

func stores(t *testing.T) map[string]store {
	return map[string]store{
		"disk":   NewArtifacts(filepath.Join(t.TempDir(), "s", "artifacts"), ArtifactOptions{}),
		"memory": NewMemArtifacts(),
	}
}

func TestArtifacts(t *testing.T) {
	ctx := context.Background()
	for kind, s := range stores(t) {
		_, err := s.Read(ctx, "report.md")
		wantCode(t, err, engine.RefNotFound)
		if _, ok, err := s.FindArtifact(ctx, "report.md"); ok || err != nil {
			t.Errorf("%s: found before it was there: %v", kind, err)
		}
		for _, content := range []string{"one", "", "two 中文"} {
			a, err := s.WriteArtifact(ctx, "report.md", "text/markdown; charset=utf-8", []byte(content))
			must(t, err)
			sum := sha256.Sum256([]byte(content))
			if a.Name != "report.md" || a.Bytes != int64(len(content)) || a.SHA256 != hex.EncodeToString(sum[:]) || a.ID == "" {
				t.Errorf("%s: %+v", kind, a)
			}
			got, err := s.Read(ctx, a.ID)
			if err != nil || string(got) != content {
				t.Errorf("%s: read %q, %v", kind, got, err)
			}
			if found, ok, err := s.FindArtifact(ctx, "report.md"); !ok || err != nil || found != a {
				t.Errorf("%s: found %+v, %v", kind, found, err)
			}
		}
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		_, err = s.WriteArtifact(stopped, "report.md", "", []byte("three"))
		wantCode(t, err, engine.RunCancelled)
		if got, _ := s.Read(ctx, "report.md"); string(got) != "two 中文" {
			t.Errorf("%s: cancelled, but now %q", kind, got)
		}
	}
}

func TestArtifactNames(t *testing.T) {
	for _, s := range stores(t) {
		for _, name := range []string{
			"", ".", "..", "a/b", `a\b`, "../a", "a\x00", "a\n", ".hidden", "a.", "a ", " a", "con", "NUL.txt", "com1.md", "a:b", "a*", "\xff", "a\u202eb", strings.Repeat("a", 201),
		} {
			_, err := s.WriteArtifact(context.Background(), name, "", nil)
			wantCode(t, err, engine.PathMalformed)
			_, err = s.Read(context.Background(), name)
			wantCode(t, err, engine.RefNotFound)
		}
		for _, name := range []string{"report.md", "2026-11-30-campaign-triage.docx", "报告.md", "console.md"} {
			if _, err := s.WriteArtifact(context.Background(), name, "", nil); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

// Whatever step fails, the old file or the new one is there, whole, and no temporary file.
func TestArtifactFailpoints(t *testing.T) {
	for _, step := range []string{"mkdir", "create", "write", "write 2", "sync", "close", "rename", "syncdir"} {
		dir := t.TempDir()
		_, err := NewArtifacts(dir, ArtifactOptions{}).WriteArtifact(context.Background(), "report.md", "", []byte("old"))
		must(t, err)
		seen := map[string]int{}
		failing := NewArtifacts(dir, ArtifactOptions{Fail: func(at string) error {
			seen[at]++
			if at == step || (at == "write" && step == "write 2" && seen[at] == 2) {
				return errDisk
			}
			return nil
		}})
		_, err = failing.WriteArtifact(context.Background(), "report.md", "", []byte("the new one"))
		wantCode(t, err, engine.WriteFailed, dir, "/secret")
		want := "old"
		if step == "syncdir" {
			want = "the new one"
		}
		got, err := os.ReadFile(filepath.Join(dir, "report.md"))
		if err != nil || string(got) != want {
			t.Errorf("%s failed: %q, %v", step, got, err)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 1 {
			t.Errorf("%s failed: left %v", step, entries)
		}
	}
}

func TestArtifactsOnDisk(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "artifacts")
	must(t, os.MkdirAll(dir, 0o700))
	write(t, filepath.Join(dir, ".report.md.123.tmp"), "half")
	write(t, filepath.Join(t.TempDir(), "elsewhere"), "untouched")
	target := filepath.Join(t.TempDir(), "target")
	write(t, target, "untouched")
	link(t, target, filepath.Join(dir, "report.md"))
	a := NewArtifacts(dir, ArtifactOptions{})
	_, err := a.Read(context.Background(), "report.md")
	wantCode(t, err, engine.RefNotFound) // links are not followed here either
	_, err = a.WriteArtifact(context.Background(), "report.md", "", []byte("new"))
	must(t, err)
	if got, _ := os.ReadFile(target); string(got) != "untouched" {
		t.Errorf("wrote through the link: %q", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("what a crash left is still there: %v, %v", entries, err)
	}
	info, err := os.Lstat(filepath.Join(dir, "report.md"))
	must(t, err)
	if runtime.GOOS != "windows" && info.Mode() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
	must(t, os.Mkdir(filepath.Join(dir, "taken.md"), 0o700))
	_, err = a.WriteArtifact(context.Background(), "taken.md", "", nil)
	wantCode(t, err, engine.WriteFailed, dir)
}

func TestNewFolderIsPrivate(t *testing.T) {
	needsUnix(t)
	dir := filepath.Join(t.TempDir(), "artifacts")
	_, err := NewArtifacts(dir, ArtifactOptions{}).WriteArtifact(context.Background(), "a.md", "", nil)
	must(t, err)
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestArtifactsAtOnce(t *testing.T) {
	for kind, s := range stores(t) {
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				content := bytes.Repeat([]byte{byte('a' + i)}, 5000)
				for range 10 {
					if _, err := s.WriteArtifact(context.Background(), "report.md", "", content); err != nil {
						t.Error(err)
					}
					got, err := s.Read(context.Background(), "report.md")
					if err != nil || len(got) != 5000 || bytes.Count(got, got[:1]) != 5000 {
						t.Error(kind, "half a file", errors.Join(err))
					}
				}
			})
		}
		all.Wait()
	}
}

// What has been removed is gone; to remove it again, or what was never there, is no error.
func TestArtifactsAreRemoved(t *testing.T) {
	ctx := context.Background()
	for kind, s := range stores(t) {
		must(t, s.Remove(ctx, "report.md"))
		for _, name := range []string{"report.md", "other.md"} {
			_, err := s.WriteArtifact(ctx, name, "", []byte(name))
			must(t, err)
		}
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		wantCode(t, s.Remove(stopped, "report.md"), engine.RunCancelled)
		for range 2 {
			must(t, s.Remove(ctx, "report.md"))
		}
		must(t, s.Remove(ctx, "../artifacts/other.md"))
		_, err := s.Read(ctx, "report.md")
		wantCode(t, err, engine.RefNotFound)
		if got, err := s.Read(ctx, "other.md"); err != nil || string(got) != "other.md" {
			t.Errorf("%s: the other one: %q, %v", kind, got, err)
		}
	}
}

// What could not be removed says so, and is still there.
func TestArtifactThatCannotBeRemoved(t *testing.T) {
	ctx := context.Background()
	broken := false
	s := NewArtifacts(t.TempDir(), ArtifactOptions{Fail: func(step string) error {
		if broken && step == "remove" {
			return errors.New("broken disk")
		}
		return nil
	}})
	_, err := s.WriteArtifact(ctx, "a.png", "image/png", []byte("x"))
	must(t, err)
	broken = true
	wantCode(t, s.Remove(ctx, "a.png"), engine.WriteFailed)
	if got, err := s.Read(ctx, "a.png"); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
