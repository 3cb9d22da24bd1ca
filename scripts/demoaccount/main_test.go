package main

import (
	"bytes"
	"os"
	"testing"
)

// The fixture is what this program prints, byte for byte.
func TestFixtureIsThisProgramsOutput(t *testing.T) {
	want, err := os.ReadFile("../../fixtures/ads-account.json")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := write(&got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n")), got.Bytes()) {
		t.Error("run: go run ./scripts/demoaccount > fixtures/ads-account.json")
	}
}
