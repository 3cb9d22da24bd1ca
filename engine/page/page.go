// Package page is the browser's side: one HTML, one CSS and one JavaScript file, and an icon, which
// the mirror serves as they are. The script is written as several short files and joined here in a
// fixed order; there is no build step, no framework, and nothing is loaded from elsewhere.
package page

import (
	"bytes"
	"embed"
	"io/fs"
	"time"
)

//go:embed index.html page.css favicon.svg js/*.js
var embedded embed.FS

// parts are the script's files in the order in which they are joined. A later one may use names of
// an earlier one while it is read, and of any other once it runs.
func parts() []string {
	return []string{"base", "words", "markdown", "inbox", "rows", "draw", "link", "order", "card", "upload", "files", "signal", "settings", "pair", "start"}
}

// Files gives index.html, page.css, page.js and favicon.svg. It may be used by any goroutine.
func Files() fs.FS { return files{} }

// files is embedded, with the script's parts as page.js.
type files struct{}

// Open implements fs.FS.
func (files) Open(name string) (fs.File, error) {
	if name != "page.js" {
		return embedded.Open(name)
	}
	b, err := script()
	if err != nil {
		return nil, err
	}
	return &joined{Reader: bytes.NewReader(b), size: int64(len(b))}, nil
}

// script joins the parts into one scope of its own, without comments and indentation, which a phone
// need not load. No text of the script goes over more than one line.
func script() ([]byte, error) {
	var b bytes.Buffer
	b.WriteString("\"use strict\";\n(() => {\n")
	for _, name := range parts() {
		part, err := embedded.ReadFile("js/" + name + ".js")
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(part) {
			if line = bytes.TrimLeft(line, " "); len(line) > 1 && !bytes.HasPrefix(line, []byte("//")) {
				b.Write(line)
			}
		}
	}
	b.WriteString("})();\n")
	return b.Bytes(), nil
}

// joined is page.js as a file.
type joined struct {
	*bytes.Reader
	size int64
}

func (j *joined) Close() error               { return nil }
func (j *joined) Stat() (fs.FileInfo, error) { return info(j.size), nil }

// info is that of page.js, by its size.
type info int64

func (i info) Name() string     { return "page.js" }
func (i info) Size() int64      { return int64(i) }
func (info) Mode() fs.FileMode  { return 0o444 }
func (info) ModTime() time.Time { return time.Time{} }
func (info) IsDir() bool        { return false }
func (info) Sys() any           { return nil }
