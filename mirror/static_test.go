package mirror_test

import (
	"io/fs"
	"net/http"
	"testing"

	files "agentstudio/engine/page"
	"agentstudio/mirror"
)

// The page's files come packed to who takes that and as they are to anybody else; packed they are less
// than 60 KiB in all.
func TestThePagesFilesArePacked(t *testing.T) {
	s := open(t, func(o *mirror.Options) { o.Page = files.Files() })
	all := 0
	for path, name := range map[string]string{"/": "index.html", "/page.css": "page.css", "/page.js": "page.js", "/favicon.svg": "favicon.svg"} {
		want, err := fs.ReadFile(files.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		status, _, body := s.request("GET", path, "", "") // the client unpacks what it asked to be packed
		if status != http.StatusOK || body != string(want) {
			t.Errorf("%s: %d, %d bytes of %d", path, status, len(body), len(want))
		}
		for _, takes := range []string{"gzip, br", "identity"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", takes)
			res, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for buf := make([]byte, 4096); ; {
				k, err := res.Body.Read(buf)
				if n += k; err != nil {
					break
				}
			}
			_ = res.Body.Close()
			packed := res.Header.Get("Content-Encoding") == "gzip"
			if packed != (takes != "identity") || !packed && n != len(want) {
				t.Errorf("%s for %s: packed %v, %d bytes", path, takes, packed, n)
			}
			if packed {
				all += n
			}
		}
	}
	if all > 60<<10 {
		t.Errorf("the page has %d bytes", all)
	}
}
