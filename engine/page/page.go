// Package page is the browser's side: one HTML, one CSS and one JavaScript file, and an icon, which
// the mirror serves. The script is written as several short files, which are joined here in a fixed
// order and made small when they are first asked for; there is no build step, no framework, and nothing
// is loaded from elsewhere.
package page

import (
	"bytes"
	"embed"
	"io/fs"
	"sync"
	"time"

	"github.com/tdewolff/minify/v2"
	"github.com/tdewolff/minify/v2/js"
)

//go:embed index.html page.css favicon.svg js/*.js
var embedded embed.FS

// parts are the script's files in the order in which they are joined. A later one may use names of
// an earlier one while it is read, and of any other once it runs.
func parts() []string {
	return []string{"base", "words", "markdown", "inbox", "rows", "draw", "link", "order", "card", "upload", "files", "signal", "settings", "pair", "start"}
}

// Files gives index.html, page.css, page.js and favicon.svg. It may be used by any goroutine. The script
// is made small once for each value, when it is first opened, which takes some ten milliseconds.
func Files() fs.FS { return &files{script: sync.OnceValues(script)} }

// files is embedded, with the script's parts as page.js.
type files struct {
	script func() ([]byte, error)
}

// Open implements fs.FS.
func (f *files) Open(name string) (fs.File, error) {
	var b []byte
	var err error
	switch name {
	case "page.js":
		b, err = f.script()
	case "page.css":
		b, err = embedded.ReadFile(name)
		b = bytes.ReplaceAll(b, []byte("\n"), nil) // each line is a whole rule
	default:
		return embedded.Open(name)
	}
	if err != nil {
		return nil, err
	}
	return &joined{bytes.NewReader(b), info{name, int64(len(b))}}, nil
}

// script is the source without comments and blanks, and with short names for what is local, which a
// phone need not load. Nothing newer than the source has is put into it.
func script() ([]byte, error) {
	const kind, edition = "text/javascript", 2021
	b, err := source()
	if err != nil {
		return nil, err
	}
	m := minify.New()
	m.Add(kind, &js.Minifier{Version: edition})
	return m.Bytes(kind, b)
}

// source joins the parts into one scope of its own.
func source() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range parts() {
		part, err := embedded.ReadFile("js/" + name + ".js")
		if err != nil {
			return nil, err
		}
		b.Write(part)
	}
	b.WriteString("})();\n")
	return b.Bytes(), nil
}

// joined is a file that is not served as it was written.
type joined struct {
	*bytes.Reader
	info info
}

func (j *joined) Close() error               { return nil }
func (j *joined) Stat() (fs.FileInfo, error) { return j.info, nil }

type info struct {
	name string
	size int64
}

func (i info) Name() string     { return i.name }
func (i info) Size() int64      { return i.size }
func (info) Mode() fs.FileMode  { return 0o444 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
