package main

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"

	"agentstudio/engine"
	"agentstudio/engine/words"
)

const (
	keyFileFlag = "--key-file"
	maxKeyFile  = 64 << 10
)

// ownedKey is a key with the only origin that it is ever sent to.
type ownedKey struct {
	name   string // where it comes from
	origin string // as engine.OriginOf has it; "" is nowhere
	apis   string // beginning of the APIs that it is for, "" for all
	read   func(context.Context) (engine.Secret, error)
}

// known makes a key whose text is at hand.
func known(name, origin, apis, text string) ownedKey {
	s := engine.NewSecret(text)
	return ownedKey{name, origin, apis, func(context.Context) (engine.Secret, error) { return s, nil }}
}

// pick gives the first key that belongs to an origin and is for an API; none is no error.
func pick(ctx context.Context, keys []ownedKey, origin, api string) (engine.Secret, string, error) {
	for _, k := range keys {
		if k.origin == "" || k.origin != origin || !strings.HasPrefix(api, k.apis) {
			continue
		}
		s, err := k.read(ctx)
		if err != nil || !s.Empty() {
			return s, k.name, err
		}
	}
	return engine.Secret{}, "", nil
}

// elsewhere says whose the keys are that could not be used.
func elsewhere(keys []ownedKey, api string) string {
	var all []string
	for _, k := range keys {
		if k.origin != "" && strings.HasPrefix(api, k.apis) {
			all = append(all, k.name+" → "+shownOrigin(k.origin))
		}
	}
	return strings.Join(all, ", ")
}

// shownOrigin is an origin as people write it.
func shownOrigin(origin string) string {
	u, err := url.Parse(origin)
	if err != nil {
		return ""
	}
	if u.Scheme == "https" && u.Port() == "443" || u.Scheme == "http" && u.Port() == "80" {
		return strings.TrimSuffix(origin, ":"+u.Port())
	}
	return origin
}

// keyless tells whether a connection may do without a key.
func keyless(c engine.Connection) bool {
	u, err := url.Parse(c.BaseURL)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(u.Hostname())
	return c.Provider == engine.ProviderOther || strings.EqualFold(u.Hostname(), "localhost") || err == nil && ip.Unmap().IsLoopback()
}

// environmentKeys are those of the environment. The makers' own variables mean another server when
// LLM_BASE_URL names one, as people set them who use a gateway; then they never go to the maker.
func environmentKeys(vars map[string]string) (all []ownedKey) {
	base := engine.OriginOf(vars["LLM_BASE_URL"])
	if key := vars["LLM_API_KEY"]; key != "" {
		all = append(all, known("LLM_API_KEY", base, "", key))
	}
	for _, v := range []struct{ name, provider, apis string }{
		{"OPENAI_API_KEY", engine.ProviderOpenAI, "openai-"}, {"ANTHROPIC_API_KEY", engine.ProviderAnthropic, "anthropic-"},
	} {
		origin := engine.OriginOf(homeOf(v.provider))
		if vars["LLM_BASE_URL"] != "" {
			origin = base
		}
		if key := vars[v.name]; key != "" {
			all = append(all, known(v.name, origin, v.apis, key))
		}
	}
	return all
}

// fileKey is the key of --key-file. It belongs to --base-url, else to the servers of the provider.
func fileKey(path, baseURL, provider string) ownedKey {
	if baseURL == "" {
		baseURL = homeOf(provider)
	}
	return ownedKey{keyFileFlag, engine.OriginOf(baseURL), "", func(context.Context) (engine.Secret, error) { return readKey(path) }}
}

// readKey takes the first line of a file.
func readKey(path string) (engine.Secret, error) {
	unusable := func(err error) error {
		return &engine.Error{Code: engine.ConfigInvalid, Message: "the file of --key-file cannot be read (" + cause(err).Error() + "); give one whose first line is the key", Err: err}
	}
	if i, err := os.Stat(path); err != nil {
		return engine.Secret{}, unusable(err)
	} else if !i.Mode().IsRegular() || i.Size() > maxKeyFile {
		return engine.Secret{}, unusable(errors.New("it is no file of at most 64 KiB"))
	}
	f, err := os.Open(path)
	if err != nil {
		return engine.Secret{}, unusable(err)
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, maxKeyFile)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return engine.Secret{}, unusable(err)
	}
	key := engine.NewSecret(strings.TrimPrefix(line, "\ufeff"))
	if key.Empty() {
		return key, unusable(errors.New("its first line is empty"))
	}
	return key, nil
}

// openToOthers tells whether other people of this computer can read a file, as far as its mode says.
func openToOthers(path string) bool {
	i, err := os.Stat(path)
	return err == nil && runtime.GOOS != "windows" && i.Mode().Perm()&0o077 != 0
}

// keyWarnings are about files with keys that others can read.
func keyWarnings(lang words.Lang, paths ...string) (all []string) {
	for _, at := range paths {
		if at != "" && openToOthers(at) {
			all = append(all, words.Text(lang, "connection.openFile", map[string]string{"path": ownPath(at)}))
		}
	}
	return all
}

// hideKeys takes the variables with secrets out of this process's environment, once they have been
// read, so that no child has them: the clipboard's helper is started where nobody can be asked.
func hideKeys() {
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		for _, end := range []string{"_API_KEY", "_TOKEN", "_SECRET"} {
			if strings.HasSuffix(strings.ToUpper(name), end) {
				_ = os.Unsetenv(name)
			}
		}
	}
}
