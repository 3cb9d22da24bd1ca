// Package skills embeds the skills that ship with the studio, one folder each. A new skill needs
// nothing here: its folder is found by the pattern.
package skills

import (
	"embed"
	"io/fs"
)

//go:embed */*
var folders embed.FS

// FS holds one folder a skill, as NAME/SKILL.md. It is read-only and safe for concurrent use.
func FS() fs.FS { return folders }
