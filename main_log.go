package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"agentstudio/engine"
)

// logFile is agentstudio.log in the state directory: what must be in no event. It holds at most as many
// bytes, and the file before it, agentstudio.log.1, as many again.
type logFile struct {
	path string // "" keeps nothing
	most int64

	mu sync.Mutex // of this program; another that puts the same file aside at once may lose the one before
}

// logMost is how large the log file may become.
const logMost = 4 << 20

// line appends a text with the time before it and without anything that looks like a key. A text over
// 64 KiB is cut. What can't be written is lost: nowhere is left to say it. Any goroutine.
func (l *logFile) line(text string) {
	if l.path == "" {
		return
	}
	const most = 64 << 10
	text = engine.NewRedactor().Text(text)
	if len(text) > most {
		text = text[:most] + " … (cut)"
	}
	text = time.Now().UTC().Format(time.RFC3339) + " " + text + "\n"
	l.mu.Lock()
	defer l.mu.Unlock()
	if i, err := os.Stat(l.path); err == nil && i.Size()+int64(len(text)) > l.most {
		if os.Rename(l.path, l.path+".1") != nil {
			return // rather nothing than a file without end
		}
	}
	f, err := os.OpenFile(l.path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	_, _ = io.WriteString(f, text)
	_ = f.Close()
}

// logs gives everybody in the program the same log file, whose lock keeps two from putting it aside at
// once, which would lose the one before.
type logs struct {
	mu   sync.Mutex
	file *logFile // of the state directory; nil until it was asked for
}

// log is the log file of the state directory; with --no-save nothing is kept. Any goroutine.
func (o *options) log(root string) *logFile {
	o.logs.mu.Lock()
	defer o.logs.mu.Unlock()
	if o.logs.file == nil {
		o.logs.file = &logFile{most: logMost}
		if !o.noSave {
			o.logs.file.path = filepath.Join(root, "agentstudio.log")
		}
	}
	return o.logs.file
}

// logLine writes a line to the log file of the state directory.
func (o *options) logLine(root string) func(string) { return o.log(root).line }

// fault writes what went wrong in the program itself to the log file of the state directory.
func (o *options) fault(root string) func(string, any, []byte) {
	l := o.log(root)
	return func(where string, p any, stack []byte) {
		l.line(fmt.Sprintf("fault in %s: %v\n%s", where, p, stack))
	}
}
