package tui

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// A paste of many lines stands in the field as one letter, so that it is moved over and deleted as
// a whole; the screen shows a label in its place, and sending puts the text there. The letters are
// of a private range which nothing that comes from outside may hold.
const (
	firstBlock = '\U0010F000'
	maxBlocks  = 256
	longLines  = 6 // a paste from so many lines on is a block
	longRunes  = 1000
)

// block is what a paste becomes in the field: itself, or the letter of a block.
func (c *composer) block(text string) string {
	text = unmarked(text)
	long := strings.Count(text, "\n")+1 >= longLines || utf8.RuneCountInString(text) >= longRunes
	if !long || len(c.blocks) == maxBlocks {
		return text
	}
	c.blocks = append(c.blocks, text)
	return string(firstBlock + rune(len(c.blocks)-1))
}

// unmarked takes letters out that would be read as blocks.
func unmarked(text string) string {
	if !strings.Contains(text, "\xf4\x8f") { // how each of them begins
		return text
	}
	return strings.Map(func(r rune) rune {
		if r >= firstBlock && r < firstBlock+maxBlocks {
			return -1
		}
		return r
	}, text)
}

// expand puts the blocks into their places.
func (c *composer) expand(text string) string {
	return c.blockwise(text, func(block string) string { return block })
}

// label puts a few words in the places of blocks.
func (c *composer) label(m *Model, text string) string {
	return c.blockwise(text, func(block string) string {
		return m.text("ui.pasted", "lines", strconv.Itoa(strings.Count(block, "\n")+1), "size", sizeText(int64(len(block))))
	})
}

func (c *composer) blockwise(text string, as func(block string) string) string {
	if len(c.blocks) == 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if n := int(r - firstBlock); n >= 0 && n < len(c.blocks) {
			b.WriteString(as(c.blocks[n]))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
