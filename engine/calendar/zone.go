package calendar

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"fmt"
	"io"
	"sync"
	"time"
)

// ZonesVersion is the release of the tz database in zoneinfo.zip; TestZones_AreTheReleaseTheyClaim holds it.
const ZonesVersion = "2025c"

//go:embed zoneinfo.zip
var zoneinfo []byte

// zoneFiles is the archive's directory, read once and never changed.
var zoneFiles = sync.OnceValue(func() map[string]*zip.File {
	archive, err := zip.NewReader(bytes.NewReader(zoneinfo), int64(len(zoneinfo)))
	if err != nil {
		panic("calendar: zoneinfo.zip is damaged in this build: " + err.Error())
	}
	files := make(map[string]*zip.File, len(archive.File))
	for _, f := range archive.File {
		files[f.Name] = f
	}
	return files
})

// Zone finds an IANA zone. "Local" and the empty name, which would mean the host's, are refused, and an unknown zone
// never becomes UTC.
func Zone(name string) (*time.Location, error) {
	file, ok := zoneFiles()[name]
	if !ok || file.FileInfo().IsDir() {
		return nil, fmt.Errorf("zone %q: not in the tz database %s; accepted: an IANA name like Europe/Vienna or UTC", name,
			ZonesVersion)
	}
	r, err := file.Open()
	if err != nil {
		return nil, fmt.Errorf("zone %q: %w", name, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("zone %q: %w", name, err)
	}
	return time.LoadLocationFromTZData(name, data)
}

// instant is when the wall clock of a zone shows date and sinceMidnight: in a gap its end, in an overlap the first.
// time.Date promises neither, and Time.ZoneBounds also ends at turns of the year where nothing changes. It relies on
// the clocks changing at most once in 30 hours.
func instant(d Date, sinceMidnight time.Duration, zone *time.Location) time.Time {
	wall := d.utc().Add(sinceMidnight)
	low, high := wall.Add(-15*time.Hour), wall.Add(15*time.Hour) // no zone is 15 hours from UTC
	before, after := offset(low, zone), offset(high, zone)
	for _, o := range [...]time.Duration{max(before, after), min(before, after)} { // the larger offset is earlier
		if at := wall.Add(-o); offset(at, zone) == o {
			return at
		}
	}
	for high.Sub(low) > time.Second { // the clocks jump over it: find when, changes are on whole seconds
		middle := low.Add(high.Sub(low) / 2).Truncate(time.Second)
		if offset(middle, zone) == before {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

func offset(at time.Time, zone *time.Location) time.Duration {
	_, seconds := at.In(zone).Zone()
	return time.Duration(seconds) * time.Second
}
