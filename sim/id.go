package sim

import (
	"crypto/sha256"
	"encoding/binary"
)

// ID is a pseudo-random function of seed, process, life and a count. Not the count itself: ids that grow hide bugs
// of order.
func (p *Process) ID() [16]byte {
	p.ids++
	b := make([]byte, 0, 64)
	b = append(b, "id\x00"...)
	b = binary.BigEndian.AppendUint64(b, p.k.config.Seed)
	b = append(b, p.host.name...)
	b = append(b, 0)
	b = binary.BigEndian.AppendUint64(b, uint64(p.life))
	b = binary.BigEndian.AppendUint64(b, p.ids)
	sum := sha256.Sum256(b)
	return [16]byte(sum[:16])
}
