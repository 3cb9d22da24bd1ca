package mirror

import (
	"encoding/base64"
	"encoding/hex"
	"os"
	"runtime"
	"strings"

	"agentstudio/engine"
)

// Token lets a program in without pairing.
type Token struct {
	Role  Role
	Name  string
	Token string
}

// ReadTokens reads a token file: lines of role, name and token, empty ones and those that begin with
// # left out. The file must be the user's alone (0600), and a token at least 32 random bytes in hex or
// base64. It fails with CONFIG_INVALID, never naming a token.
func ReadTokens(path string) ([]Token, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, &engine.Error{Code: engine.ConfigInvalid, Message: "the file of --mirror-token-file cannot be read", Err: err}
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, engine.Errorf(engine.ConfigInvalid, "the file of --mirror-token-file can be read by others; chmod 600 it")
	}
	const most = 64 << 10
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, engine.Errorf(engine.ConfigInvalid, "the file of --mirror-token-file is no file of at most 64 KiB")
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, &engine.Error{Code: engine.ConfigInvalid, Message: "the file of --mirror-token-file cannot be read", Err: err}
	}
	return parseTokens(string(b))
}

func parseTokens(text string) (all []Token, err error) {
	seen := map[string]bool{}
	n := 0
	for line := range strings.Lines(text) {
		n++
		words := strings.Fields(line)
		if len(words) == 0 || strings.HasPrefix(words[0], "#") {
			continue
		}
		if len(words) != 3 || !Role(words[0]).valid() {
			return nil, engine.Errorf(engine.ConfigInvalid, "line %d of the token file is not: role name token, with role viewer, approver, presenter or operator", n)
		}
		if randomBytes(words[2]) < 32 {
			return nil, engine.Errorf(engine.ConfigInvalid, "the token on line %d is not 32 random bytes or more in hex or base64; openssl rand -hex 32 makes one", n)
		}
		if seen[words[2]] {
			return nil, engine.Errorf(engine.ConfigInvalid, "the token on line %d stands in the file twice", n)
		}
		seen[words[2]] = true
		all = append(all, Token{Role(words[0]), words[1], words[2]})
	}
	if len(all) == 0 {
		return nil, engine.Errorf(engine.ConfigInvalid, "the token file lets nobody in; it has lines of role, name and token")
	}
	return all, nil
}

// randomBytes is how many bytes a token stands for; 0 for one that is too uniform to be random.
func randomBytes(token string) int {
	b, err := hex.DecodeString(token)
	if err != nil {
		if b, err = base64.RawURLEncoding.DecodeString(strings.TrimRight(strings.NewReplacer("+", "-", "/", "_").Replace(token), "=")); err != nil {
			return 0
		}
	}
	different := map[byte]bool{}
	for _, c := range b {
		different[c] = true
	}
	if len(different) < 12 {
		return 0
	}
	return len(b)
}
