package world

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// prf draws by name: the same (seed, name) is the same number, whatever else is drawn.
type prf uint64

func (s prf) sum(name string) [32]byte {
	b := binary.BigEndian.AppendUint64(make([]byte, 0, 8+len(name)), uint64(s))
	return sha256.Sum256(append(b, name...))
}

// n is a number from 0 to below m. The bias of the remainder is below 2^-40 for the sizes used here.
func (s prf) n(name string, m int) int {
	sum := s.sum(name)
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(m))
}

// chance holds per10k times in 10,000.
func (s prf) chance(name string, per10k int) bool { return s.n(name, 10_000) < per10k }

// id is an identifier as outside services make them: unordered, of the prefix's kind.
func (s prf) id(prefix, name string) string {
	sum := s.sum("id/" + prefix + "/" + name)
	return prefix + "_" + hex.EncodeToString(sum[:5])
}

func pick[T any](s prf, name string, from []T) T { return from[s.n(name, len(from))] }
