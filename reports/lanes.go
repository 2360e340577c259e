package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"
)

// The drawing's measures, in pixels.
const (
	lanesWidth  = 1080 // aimed at; many marks make it wider
	labelWidth  = 210
	rowHeight   = 22
	laneGap     = 10
	headHeight  = 46
	stepMin     = 5
	stepMax     = 16
	gapMin      = 14.0
	rowsMax     = 14  // of one lane; what is further goes into one row
	marksMax    = 600 // of one run
	timeLabelAt = 64  // the least distance of two time labels
)

// lanes is a run's timeline laid out: time runs to the right, and is squeezed where nothing happened, because a
// simulated clock stands still while a hundred things happen and then jumps by an hour.
type lanes struct {
	Width, Height int
	Rows          []laneRow
	Bars          []laneBar
	Points        []lanePoint
	Faults        []laneFault
	Times         []laneTime
	Marks         []Mark // as a table, in order
	Left          int    // marks that were left out
	Label         int
}

type (
	laneRow struct {
		Lane        string // only in the lane's first row
		Name, Title string
		Y           int
	}
	laneBar struct {
		X, Y, W      int
		Class, Title string
	}
	lanePoint struct {
		X, Y         int
		Class, Title string
	}
	laneFault struct {
		Number, X  int
		Name, Text string
		At         string
	}
	laneTime struct {
		X    int
		Text string
	}
)

// lasting are the kinds that are drawn as bars, however short.
var lasting = []string{"lease", "life", "stall"}

// drawLanes lays marks out. Nil where there is nothing to draw.
func drawLanes(marks []Mark) *lanes {
	if len(marks) == 0 {
		return nil
	}
	marks = slices.Clone(marks)
	slices.SortStableFunc(marks, func(a, b Mark) int { return cmp.Compare(a.AtMS, b.AtMS) })
	l := &lanes{Label: labelWidth}
	if len(marks) > marksMax {
		l.Left = len(marks) - marksMax
		marks = marks[:marksMax]
	}
	l.Marks = marks
	rowOf := l.placeRows(marks)
	at, end := l.placeTimes(marks)
	for i, m := range marks {
		y := rowOf(m)
		title := fmt.Sprintf("%s %s: %s", offset(m.AtMS), m.Row, m.Text)
		if m.UntilMS > m.AtMS || slices.Contains(lasting, m.Kind) {
			l.Bars = append(l.Bars, laneBar{X: at[i], Y: y + 4, W: max(end(m.UntilMS)-at[i], 6), Class: barClass(m), Title: title})
		} else {
			l.Points = append(l.Points, lanePoint{X: at[i], Y: y + rowHeight/2, Class: pointClass(m), Title: title})
		}
		if m.Fault != "" {
			l.Faults = append(l.Faults, laneFault{Number: len(l.Faults) + 1, X: at[i], Name: m.Fault, Text: m.Row + ": " + m.Text, At: offset(m.AtMS)})
		}
	}
	return l
}

// placeRows gives each row its height, lane by lane in their order, rows as they first appear.
func (l *lanes) placeRows(marks []Mark) func(Mark) int {
	order := Lanes()
	for _, m := range marks {
		if !slices.Contains(order, m.Lane) {
			order = append(order, m.Lane)
		}
	}
	type key struct{ lane, row string }
	y := headHeight
	placed := map[key]int{}
	overflow := map[string]int{}
	for _, lane := range order {
		rows := 0
		for _, m := range marks {
			if m.Lane != lane {
				continue
			}
			if _, ok := placed[key{lane, m.Row}]; ok {
				continue
			}
			if rows >= rowsMax {
				placed[key{lane, m.Row}] = overflow[lane]
				continue
			}
			row := laneRow{Name: shorten(m.Row, 27), Title: m.Row, Y: y}
			if rows == 0 {
				row.Lane = lane
			}
			if rows == rowsMax-1 {
				row.Name, row.Title = "others", "rows that had no room of their own"
				overflow[lane] = y
			}
			placed[key{lane, m.Row}] = y
			l.Rows = append(l.Rows, row)
			y += rowHeight
			rows++
		}
		if rows > 0 {
			y += laneGap
		}
	}
	l.Height = y
	return func(m Mark) int { return placed[key{m.Lane, m.Row}] }
}

// placeTimes gives each mark its place: one step after the one before it, and further by the logarithm of the time
// that passed between. The second result places the end of an interval.
func (l *lanes) placeTimes(marks []Mark) (at []int, end func(ms int64) int) {
	var instants []int64
	for _, m := range marks {
		instants = append(instants, m.AtMS)
		if m.UntilMS > m.AtMS {
			instants = append(instants, m.UntilMS)
		}
	}
	slices.Sort(instants)
	instants = slices.Compact(instants)
	squeezed := func(i int) float64 { return 1 + math.Log10(1+float64(instants[i]-instants[i-1])/1000) }
	gaps := 0.0
	for i := 1; i < len(instants); i++ {
		gaps += squeezed(i)
	}
	room := lanesWidth - labelWidth - 70
	step := min(max((room-int(gaps*gapMin))/len(marks), stepMin), stepMax)
	unit := max(gapMin, float64(room-step*len(marks))/max(gaps, 1)) // one unit of squeezed time, in pixels

	starts := map[int64]int{}
	x, next := labelWidth+12, 0
	lastLabel := -timeLabelAt
	for i, t := range instants {
		if i > 0 {
			x += int(squeezed(i) * unit)
		}
		starts[t] = x
		if x-lastLabel >= timeLabelAt {
			l.Times = append(l.Times, laneTime{X: x, Text: offset(t)})
			lastLabel = x
		}
		for ; next < len(marks) && marks[next].AtMS == t; next++ {
			at = append(at, x)
			x += step
		}
	}
	l.Width = max(x+60, lanesWidth)
	return at, func(ms int64) int { return starts[ms] }
}

// Classes come from here only: what a mark says never reaches an attribute as a name.
func barClass(m Mark) string {
	class := "bar"
	if slices.Contains(lasting, m.Kind) {
		class += " " + m.Kind
	}
	if m.Fault != "" {
		class += " struck"
	}
	return class
}

func pointClass(m Mark) string {
	class := "point"
	switch m.Kind {
	case "tick", "fired", "admission", "call", "effect", "commit", "write", "killed", "fault", "missed", "unknown":
		class += " " + m.Kind
	}
	if m.Fault != "" {
		class += " struck"
	}
	return class
}

// offset prints simulated milliseconds since the run's epoch: 0, 1.5s, 1:30, 26:00:00.
func offset(ms int64) string {
	s, rest := ms/1000, ms%1000
	switch {
	case ms < 60_000 && rest == 0:
		return fmt.Sprintf("%ds", s)
	case ms < 60_000:
		return fmt.Sprintf("%d.%03ds", s, rest)
	case ms < 3_600_000:
		return fmt.Sprintf("%d:%02d", s/60, s%60)
	default:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
}

// shorten keeps the end: names of records differ there.
func shorten(s string, most int) string {
	if utf8.RuneCountInString(s) <= most {
		return s
	}
	runes := []rune(s)
	return "…" + string(runes[len(runes)-most+1:])
}

// At prints when a mark is, for tables.
func (m Mark) At() string {
	if m.UntilMS > m.AtMS {
		return offset(m.AtMS) + " – " + offset(m.UntilMS)
	}
	return offset(m.AtMS)
}
