package search

import (
	"crypto/sha256"
	"encoding/binary"
	"strings"
)

// draw is a number drawn by what it is for: the same words give the same number, and no draw moves another.
func draw(seed uint64, words ...string) uint64 {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 128), seed)
	b = append(b, strings.Join(words, "\x00")...)
	sum := sha256.Sum256(b)
	return binary.BigEndian.Uint64(sum[:8])
}
