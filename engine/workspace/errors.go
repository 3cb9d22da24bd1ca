package workspace

import (
	"context"
	"errors"
	"io/fs"
	"syscall"

	"agentstudio/engine"
)

// Stopped is nil while ctx lasts, then an error that carries RUN_CANCELLED or, for a deadline,
// TOOL_TIMEOUT, and wraps ctx's own.
func Stopped(ctx context.Context) error {
	err := ctx.Err()
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return &engine.Error{Code: engine.ToolTimeout, Message: "stopped: the time for this call ran out", Err: err}
	}
	return &engine.Error{Code: engine.RunCancelled, Message: "stopped: the call was cancelled", Err: err}
}

// outsideError is the same whatever was asked for, so that it tells nothing about what is there.
func outsideError() error {
	return engine.Errorf(engine.PathOutsideWorkspace,
		"the path leads out of the workspace and the skills; give a path inside, such as one that find or ls lists")
}

func protectedError(loc Location) error {
	return located(engine.ProtectedPath, loc, " is protected: files that hold secrets are listed but never read", nil)
}

func changedError(loc Location) error {
	return located(engine.ReadFailed, loc, " was changed while it was being opened; try again", nil)
}

// located makes an error about a place: its message is the display path and what is wrong.
func located(code engine.Code, loc Location, wrong string, cause error) error {
	return &engine.Error{Code: code, Message: loc.String() + wrong,
		Details: map[string]any{"path": loc.String()}, Err: cause}
}

// osError gives an error of the system its code, and words that do not show the machine's layout.
func osError(loc Location, err error) error {
	code := codeOfOS(err)
	wrong := " cannot be read"
	switch code {
	case engine.PathNotFound:
		wrong = ": there is nothing at this path; ls and find show what there is"
	case engine.AccessDenied:
		wrong = ": the system does not let us read it"
	case engine.NotAFolder:
		wrong = ": a name in the middle of this path is not a folder"
	case engine.SymlinkNotAllowed:
		wrong = ": too many links"
	case engine.PathMalformed:
		wrong = ": a name in this path is too long or not allowed"
	}
	return located(code, loc, wrong, err)
}

func codeOfOS(err error) engine.Code {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return engine.PathNotFound
	case errors.Is(err, fs.ErrPermission):
		return engine.AccessDenied
	case errors.Is(err, syscall.ENOTDIR):
		return engine.NotAFolder
	case errors.Is(err, syscall.ELOOP):
		return engine.SymlinkNotAllowed
	case errors.Is(err, syscall.ENAMETOOLONG), errors.Is(err, fs.ErrInvalid):
		return engine.PathMalformed
	}
	return engine.ReadFailed
}
