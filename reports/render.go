package reports

import "io"

// Renderer turns a journal's events into one file.
type Renderer struct {
	File   string
	Render func(w io.Writer, events []Event) error
}

// Renderers is THE list.
func Renderers() []Renderer {
	return []Renderer{
		{"report.html", HTML},
		{"junit.xml", JUnit},
		{"summary.md", Markdown},
	}
}
