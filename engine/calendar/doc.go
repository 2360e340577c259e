// Package calendar says which window and which slot an instant belongs to: pure functions over local dates in a
// zone. Windows are [start, end) between local midnights, counted from a stored anchor and never from the last
// result, so that a month that begins on the 31st comes back to it. Slots are the canonical instants of a schedule:
// whichever way an interval is cut, each slot is found once.
//
// A local time that a zone skips is the end of the gap; one that comes twice is the first. Time zones are embedded
// (zoneinfo.zip, as Go ships it, public domain), because time.LoadLocation asks the host first and hosts differ.
//
// It promises nothing about rules that change later: a window is stored when it is made, and what is stored stands.
package calendar
