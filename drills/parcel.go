package drills

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/gob"
	"io"
)

// parcel is a value in one word, for the JSON lines between the campaign and its members: a history or a map of points
// is a megabyte as JSON, and mostly the same again.
type parcel string

func pack(value any) (parcel, error) {
	var out bytes.Buffer
	words := base64.NewEncoder(base64.RawStdEncoding, &out)
	small, err := flate.NewWriter(words, flate.BestSpeed)
	if err != nil {
		return "", err
	}
	if err := gob.NewEncoder(small).Encode(value); err != nil {
		return "", err
	}
	if err := small.Close(); err != nil {
		return "", err
	}
	if err := words.Close(); err != nil {
		return "", err
	}
	return parcel(out.String()), nil
}

// unpack fills what pack was given. An empty parcel leaves it as it is.
func (p parcel) unpack(into any) error {
	if p == "" {
		return nil
	}
	words := base64.NewDecoder(base64.RawStdEncoding, bytes.NewReader([]byte(p)))
	small := flate.NewReader(words)
	defer small.Close() // only read
	return gob.NewDecoder(io.Reader(small)).Decode(into)
}
