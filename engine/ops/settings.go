package ops

import "math"

// Settings bound what one person may do. The zero value is the production default.
type Settings struct {
	// FourEyes: approving a correction of more than this, in minor units of whatever currency, takes two persons;
	// 500,000. Below zero: one person approves everything.
	FourEyes int64
}

const fourEyes = 500_000

// noFourEyes is for acts that one person may do whatever the amount.
const noFourEyes = math.MaxInt64

func (s Settings) fourEyes() int64 {
	switch {
	case s.FourEyes < 0:
		return noFourEyes
	case s.FourEyes == 0:
		return fourEyes
	default:
		return s.FourEyes
	}
}
