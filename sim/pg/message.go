package pg

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
)

// message is one message of the PostgreSQL protocol: a letter, a length, a body.
type message struct {
	kind byte
	body []byte
	raw  []byte // letter, length and body
}

// messageBytesMax bounds a length that was read from outside; a longer one means that we lost the thread.
const messageBytesMax = 1 << 28

// nextMessage cuts the first message off b; whole is false while b holds only a part of it.
func nextMessage(b []byte) (m message, rest []byte, whole bool, err error) {
	if len(b) < 5 {
		return message{}, b, false, nil
	}
	n := int(binary.BigEndian.Uint32(b[1:5]))
	if n < 4 || n > messageBytesMax {
		return message{}, b, false, fmt.Errorf("protocol message %q says it is %d bytes long; accepted are 4 to %d", b[0], n, messageBytesMax)
	}
	if len(b) < 1+n {
		return message{}, b, false, nil
	}
	return message{kind: b[0], body: b[5 : 1+n], raw: b[:1+n]}, b[1+n:], true, nil
}

// cutText reads a text that ends in a zero byte.
func cutText(b []byte) (text string, rest []byte, err error) {
	i := bytes.IndexByte(b, 0)
	if i < 0 {
		return "", nil, fmt.Errorf("protocol message: text of %d bytes has no end", len(b))
	}
	return string(b[:i]), b[i+1:], nil
}

// parseMessage is the body of Parse: a statement gets a name and its text.
type parseMessage struct{ name, sql, types string } // types: the raw parameter types the client asked for

func readParse(body []byte) (p parseMessage, err error) {
	if p.name, body, err = cutText(body); err != nil {
		return p, err
	}
	if p.sql, body, err = cutText(body); err != nil {
		return p, err
	}
	p.types = string(body)
	return p, nil
}

// bindMessage is the body of Bind: a portal is a statement with its parameters.
type bindMessage struct {
	portal, statement string
	digest            [6]byte // of the parameters and formats
	formats           []byte  // result formats: raw 16-bit codes, none = all text, one = for all
}

var errBindShort = errors.New("protocol message Bind is cut short")

func readBind(body []byte) (b bindMessage, err error) {
	if b.portal, body, err = cutText(body); err != nil {
		return b, err
	}
	if b.statement, body, err = cutText(body); err != nil {
		return b, err
	}
	sum := sha256.Sum256(body)
	copy(b.digest[:], sum[:])
	count := func() (int, bool) {
		if len(body) < 2 {
			return 0, false
		}
		n := int(binary.BigEndian.Uint16(body))
		body = body[2:]
		return n, true
	}
	n, ok := count()
	if !ok || len(body) < 2*n {
		return b, errBindShort
	}
	body = body[2*n:]
	if n, ok = count(); !ok {
		return b, errBindShort
	}
	for ; n > 0; n-- {
		if len(body) < 4 {
			return b, errBindShort
		}
		size := int(int32(binary.BigEndian.Uint32(body)))
		body = body[4:]
		if size > len(body) {
			return b, errBindShort
		}
		body = body[max(size, 0):]
	}
	if n, ok = count(); !ok || len(body) < 2*n {
		return b, errBindShort
	}
	b.formats = append([]byte(nil), body[:2*n]...)
	return b, nil
}

// binary says whether the result column is asked for in the binary format.
func (b bindMessage) binary(column int) bool {
	switch n := len(b.formats) / 2; {
	case n == 0:
		return false
	case n == 1:
		return b.formats[1] == 1
	default:
		return column < n && b.formats[2*column+1] == 1
	}
}

// readField finds one field of an ErrorResponse or NoticeResponse; "" when it is not there.
func readField(body []byte, field byte) string {
	for len(body) > 1 {
		kind := body[0]
		text, rest, err := cutText(body[1:])
		if err != nil {
			return ""
		}
		if kind == field {
			return text
		}
		body = rest
	}
	return ""
}

// firstColumnType is the type of the first column of a RowDescription, 0 where there is none.
func firstColumnType(body []byte) uint32 {
	if len(body) < 2 || binary.BigEndian.Uint16(body) == 0 {
		return 0
	}
	_, rest, err := cutText(body[2:])
	if err != nil || len(rest) < 10 {
		return 0
	}
	return binary.BigEndian.Uint32(rest[6:10])
}

// firstColumnBinary says whether a RowDescription announces the first column in the binary format.
func firstColumnBinary(body []byte) bool {
	if firstColumnType(body) == 0 {
		return false
	}
	_, rest, err := cutText(body[2:])
	return err == nil && len(rest) >= 18 && rest[17] == 1
}

// firstColumn is the value of the first column of a DataRow; ok is false for NULL and for a row without columns.
func firstColumn(body []byte) (value []byte, ok bool) {
	if len(body) < 6 || binary.BigEndian.Uint16(body) == 0 {
		return nil, false
	}
	n := int(int32(binary.BigEndian.Uint32(body[2:6])))
	if n < 0 || len(body) < 6+n {
		return nil, false
	}
	return body[6 : 6+n], true
}

// The makers append one message to dst.

func appendMessage(dst []byte, kind byte, parts ...string) []byte {
	n := 4
	for _, p := range parts {
		n += len(p)
	}
	dst = append(dst, kind)
	dst = binary.BigEndian.AppendUint32(dst, uint32(n))
	for _, p := range parts {
		dst = append(dst, p...)
	}
	return dst
}

func appendQuery(dst []byte, sql string) []byte { return appendMessage(dst, 'Q', sql, "\x00") }

func appendParse(dst []byte, p parseMessage) []byte {
	types := p.types
	if types == "" {
		types = "\x00\x00"
	}
	return appendMessage(dst, 'P', p.name, "\x00", p.sql, "\x00", types)
}

func appendCloseStatement(dst []byte, name string) []byte {
	return appendMessage(dst, 'C', "S", name, "\x00")
}

func appendDescribeStatement(dst []byte, name string) []byte {
	return appendMessage(dst, 'D', "S", name, "\x00")
}

func appendSync(dst []byte) []byte { return appendMessage(dst, 'S') }

func appendReady(dst []byte, status byte) []byte { return append(dst, 'Z', 0, 0, 0, 5, status) }

// cancelRequest is not a message but a start-up packet of its own.
func cancelRequest(pid int, secret []byte) []byte {
	const cancelCode = 80877102
	b := binary.BigEndian.AppendUint32(nil, uint32(12+len(secret)))
	b = binary.BigEndian.AppendUint32(b, cancelCode)
	b = binary.BigEndian.AppendUint32(b, uint32(pid))
	return append(b, secret...)
}
