package workspace

import (
	"context"
	"maps"
	"slices"
	"sync"

	"agentstudio/engine"
)

// MemArtifacts is Artifacts in memory, for a session that saves nothing. It may be used by many
// goroutines at once.
type MemArtifacts struct {
	mu    sync.Mutex
	files map[string][]byte
}

var _ engine.ArtifactWriter = (*MemArtifacts)(nil)

// NewMemArtifacts makes an empty store.
func NewMemArtifacts() *MemArtifacts { return &MemArtifacts{files: map[string][]byte{}} }

// WriteArtifact keeps a copy of content. Errors: PATH_MALFORMED, RUN_CANCELLED.
func (m *MemArtifacts) WriteArtifact(ctx context.Context, name, mime string, content []byte) (engine.Artifact, error) {
	if err := artifactName(name); err != nil {
		return engine.Artifact{}, err
	}
	if err := Stopped(ctx); err != nil {
		return engine.Artifact{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[name] = slices.Clone(content)
	return artifactOf(name, mime, content), nil
}

// Read gives a copy of the newest content of this id. Errors: REF_NOT_FOUND.
func (m *MemArtifacts) Read(ctx context.Context, id string) ([]byte, error) {
	if err := Stopped(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	content, ok := m.files[id]
	if !ok {
		return nil, noArtifact(id)
	}
	return append([]byte{}, content...), nil
}

// Remove removes an artifact; it is no error that there is none. Errors: RUN_CANCELLED.
func (m *MemArtifacts) Remove(ctx context.Context, id string) error {
	if err := Stopped(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, id)
	return nil
}

// Names are those of all files, sorted.
func (m *MemArtifacts) Names(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Sorted(maps.Keys(m.files)), nil
}

// FindArtifact is that of Artifacts.
func (m *MemArtifacts) FindArtifact(ctx context.Context, name string) (found engine.Artifact, ok bool, err error) {
	return findArtifact(ctx, m.Read, name)
}
