package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"agentstudio/engine"
)

// tell-tales of a picture's metadata, which may not be anywhere but in the file that was attached.
var telltales = []string{"PLANTED-GPS", "PLANTED-XMP", "PLANTED-COMMENT", "PLANTED-TAIL"}

// photo writes a JPEG that says more than it shows.
func photo(t *testing.T, dir, name string) string {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 90, 60))
	for y := range 60 {
		for x := range 90 {
			img.Set(x, y, color.RGBA{uint8(2 * x), uint8(4 * y), uint8(x * y), 255})
		}
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, nil); err != nil {
		t.Fatal(err)
	}
	segment := func(marker byte, content string) string {
		n := len(content) + 2
		return string([]byte{0xff, marker, byte(n >> 8), byte(n)}) + content
	}
	file := b.String()[:2] + segment(0xe1, "Exif\x00\x00MM\x00*\x00\x00\x00\x08\x00\x00"+telltales[0]) +
		segment(0xe1, "http://ns.adobe.com/xap/1.0/\x00"+telltales[1]) + segment(0xfe, telltales[2]) + b.String()[2:] + telltales[3]
	at := filepath.Join(dir, name)
	if err := os.WriteFile(at, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

func drawing(t *testing.T, dir, name string) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewNRGBA(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	at := filepath.Join(dir, name)
	if err := os.WriteFile(at, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return at
}

// stored are the files of attachments below a state directory.
func stored(t *testing.T, state string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(state, "sessions", "*", "attachments", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// spoken answers with a word in each API's own way.
func spoken(api string, w http.ResponseWriter) {
	switch api {
	case engine.APIChat:
		chat(w, text("fine"), stopped)
		return
	case engine.APIResponses:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `event: response.output_item.done
data: {"type":"response.output_item.done","output_index":0,"item":{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"fine","annotations":[]}]}}

event: response.completed
data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":1,"output_tokens":1}}}

`)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, `event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":1,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"fine"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}

event: message_stop
data: {"type":"message_stop"}

`)
	}
}

// How a picture stands in a request of each API.
var inRequest = map[string]*regexp.Regexp{
	engine.APIChat:      regexp.MustCompile(`"image_url":\{"url":"data:image/(?:png|jpeg);base64,([^"]+)"\}`),
	engine.APIResponses: regexp.MustCompile(`"type":"input_image","image_url":"data:image/(?:png|jpeg);base64,([^"]+)"`),
	engine.APIAnthropic: regexp.MustCompile(`"type":"base64","media_type":"image/(?:png|jpeg)","data":"([^"]+)"`),
}

const badImage = `{"type":"error","error":{"type":"invalid_request_error","message":"messages.2.content.1.image.source.base64.data: Could not process image"}}`

// A picture goes to each API as it is kept, without what its file told beside; one that was refused
// goes nowhere again, also after reopening: case i-poisoned-history.
func TestPoisonedHistoryOverHTTP(t *testing.T) {
	for api, pictures := range inRequest {
		t.Run(api, func(t *testing.T) {
			server := record(t, func(n int, w http.ResponseWriter, _ *http.Request) {
				if n == 1 {
					w.WriteHeader(http.StatusBadRequest)
					_, _ = io.WriteString(w, badImage)
					return
				}
				spoken(api, w)
			})
			state, pics := t.TempDir(), t.TempDir()
			talk := func(args ...string) (int, string, string) {
				return asked(t, append([]string{"run", "--state", state, "--approve", "never", "--provider", "other", "--api", api, "--base-url", server.URL + "/v1",
					"--model", "m", "--images", "true", "--allow-localhost-models"}, args...)...)
			}
			if status, out, said := talk("--attach", photo(t, pics, "beach.jpg"), "where is this?"); status != exitDone || out != "fine\n" {
				t.Fatalf("status %d %s\n%s", status, out, said)
			}
			status, _, said := talk("--resume", "last", "--attach", drawing(t, pics, "bad.png"), "what is this?")
			if status != exitFailed || !strings.Contains(said, "Could not process image") || !strings.Contains(said, "bad.png") {
				t.Errorf("status %d\n%s", status, said)
			}
			for _, words := range []string{"never mind", "still there?"} {
				if status, out, said := talk("--resume", "last", words); status != exitDone {
					t.Errorf("%s: status %d %s\n%s", words, status, out, said)
				}
			}
			sent, _ := server.seen()
			if len(sent) != 5-1 {
				t.Fatalf("%d requests", len(sent))
			}
			for i, want := range []int{1, 2, 1, 1} {
				found := pictures.FindAllSubmatch(sent[i], -1)
				if len(found) != want {
					t.Fatalf("request %d holds %d pictures, want %d", i, len(found), want)
				}
				checkStored(t, state, found[0][1])
				removed := bytes.Contains(sent[i], []byte("[picture removed: provider refused it (bad.png)]"))
				if removed != (i > 1) || bytes.Contains(sent[i], []byte("what is this?")) != (i > 0) {
					t.Errorf("request %d: %s", i, sent[i])
				}
			}
			for at, content := range filesIn(t, state) {
				for _, tale := range telltales {
					if strings.Contains(content, tale) {
						t.Errorf("%s holds %s", at, tale)
					}
				}
			}
		})
	}
}

// checkStored wants what was sent to be a file of the state directory, without its tell-tales.
func checkStored(t *testing.T, state string, sent []byte) {
	t.Helper()
	content, err := base64.StdEncoding.DecodeString(string(sent))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(stored(t, state), func(at string) bool {
		b, err := os.ReadFile(at)
		return err == nil && bytes.Equal(b, content)
	}) {
		t.Error("what was sent is not what is kept")
	}
	for _, tale := range telltales {
		if bytes.Contains(content, []byte(tale)) {
			t.Errorf("%s was sent", tale)
		}
	}
}

// A model without eyes, a file that is no picture, and one too many end run before anything is sent,
// and leave no picture behind.
func TestRunRefusesAttachments(t *testing.T) {
	server := record(t, func(_ int, w http.ResponseWriter, _ *http.Request) { chat(w, text("fine"), stopped) })
	pics := t.TempDir()
	good, fake := drawing(t, pics, "good.png"), filepath.Join(pics, "fake.png")
	if err := os.WriteFile(fake, []byte("GIF89a\x01\x00\x01\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		args     []string
		code     engine.Code
		rejected string
	}{
		"blind":   {[]string{"--images", "false", "--attach", good}, engine.ModelTakesNoImages, ""},
		"fake":    {[]string{"--images", "true", "--attach", good, "--attach", fake}, engine.ImageSignatureMismatch, "fake.png"},
		"missing": {[]string{"--images", "true", "--attach", good, "--attach", filepath.Join(pics, "none.png")}, engine.PathNotFound, ""},
		"five":    {[]string{"--images", "true", "--attach", good, "--attach", good, "--attach", good, "--attach", good, "--attach", good}, engine.ImageTooMany, "good.png"},
	} {
		state := t.TempDir()
		status, out, said := asked(t, append([]string{"run", "--json", "--state", state, "--approve", "never", "--base-url", server.URL + "/v1", "--model", "m",
			"--allow-localhost-models", "hello"}, c.args...)...)
		if status != exitFailed || !strings.Contains(said, string(c.code)) {
			t.Errorf("%s: status %d\n%s", name, status, said)
		}
		var rejected engine.AttachmentRejected
		for line := range strings.Lines(out) {
			var e engine.Event
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatal(err)
			}
			if p, ok := e.Payload.(engine.AttachmentRejected); ok {
				rejected = p
			}
		}
		if rejected.Name != c.rejected || c.rejected != "" && rejected.Code != c.code {
			t.Errorf("%s: %+v", name, rejected)
		}
		if left := stored(t, state); len(left) != 0 {
			t.Errorf("%s: left %v", name, left)
		}
	}
	if sent, _ := server.seen(); len(sent) != 0 {
		t.Errorf("%d requests", len(sent))
	}
}

// Whatever a killed process left in a session's attachments goes when it is opened again, unless the
// log tells of it.
func TestReopeningSweepsAttachments(t *testing.T) {
	state, pics := t.TempDir(), t.TempDir()
	flags := []string{"run", "--state", state, "--approve", "never"}
	if status, _, said := asked(t, append(flags, "--attach", drawing(t, pics, "a.png"), "--attach", photo(t, pics, "b.jpg"))...); status != exitDone {
		t.Fatal(said)
	}
	before := stored(t, state)
	if len(before) != 2 {
		t.Fatalf("%v", before)
	}
	for _, orphan := range []string{"att_orphan.png", ".att_torn.jpg.123.tmp", "att_other.jpg"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(before[0]), orphan), []byte("orphan"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if status, _, said := asked(t, append(flags, "--resume", "last", "go on")...); status != exitDone {
		t.Fatal(said)
	}
	entries, err := os.ReadDir(filepath.Dir(before[0]))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
	if after := stored(t, state); !slices.Equal(after, before) {
		t.Errorf("%v, want %v", after, before)
	}
}

func TestPlainStudioAttaches(t *testing.T) {
	pics := t.TempDir()
	good := drawing(t, pics, "a cat.png")
	var out bytes.Buffer
	lines := "/attach " + good + "\n/attach " + good + "x\n/attach " + good + "\n/detach a cat.png\n/attach " + good + "\nlook\n"
	if status := run(t.Context(), []string{"--plain", "--no-save"}, stdio{in: strings.NewReader(lines), out: &out, err: io.Discard}); status != exitDone {
		t.Fatalf("status %d\n%s", status, out.String())
	}
	for text, n := range map[string]int{"attached a cat.png · 30×20": 3, "there is no file a cat.pngx": 1, "attachment removed": 2,
		"you: with the picture a cat.png, 30×20": 1, "agent: - **a cat.png**: 30 × 20 pixels": 1} {
		if got := strings.Count(out.String(), text); got != n {
			t.Errorf("%q stands there %d times, want %d, in\n%s", text, got, n, out.String())
		}
	}
}

func TestLocalFiles(t *testing.T) {
	home := t.TempDir()
	state := filepath.Join(home, "state")
	for _, dir := range []string{".ssh", "pics", "state", "pics/sub"} {
		if err := os.MkdirAll(filepath.Join(home, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".ssh/shot.png", "pics/a.png", "pics/id_card.png", "pics/b.JPG", "pics/c.txt", "state/x.png"} {
		if err := os.WriteFile(filepath.Join(home, name), []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l := localFiles{home: home, state: state}
	want := map[string]engine.Code{"~/pics/a.png": "", "~/.ssh/shot.png": engine.ProtectedPath, "~/pics/id_card.png": engine.ProtectedPath, "~/state/x.png": engine.ProtectedPath,
		"~/pics": engine.IsAFolder, "~/pics/none.png": engine.PathNotFound, "~/pics/a.png/x": engine.PathNotFound}
	if runtime.GOOS != "windows" {
		if err := errors.Join(os.Symlink(filepath.Join(home, ".ssh", "shot.png"), filepath.Join(home, "pics", "link.png"))); err != nil {
			t.Fatal(err)
		}
		want["~/pics/link.png"] = engine.ProtectedPath
		want["/dev/null"] = engine.NotARegularFile
	}
	for path, code := range want {
		f, err := l.Open(t.Context(), path)
		if engine.CodeOf(err) != code || l.Picture(t.Context(), path) != (code == "") {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil {
			if strings.Contains(err.Error(), home) {
				t.Errorf("%s: %v shows the machine", path, err)
			}
			continue
		}
		if b, err := io.ReadAll(f); err != nil || fmt.Sprint("~/", string(b)) != path {
			t.Errorf("%s: %q, %v", path, b, err)
		}
		_ = f.Close()
	}
	names, err := l.List(t.Context(), "~/pics/")
	if err != nil || !slices.Equal(names, []string{"a.png", "b.JPG", "sub/"}) && !slices.Equal(names, []string{"a.png", "b.JPG", "link.png", "sub/"}) {
		t.Errorf("%q, %v", names, err)
	}
}
