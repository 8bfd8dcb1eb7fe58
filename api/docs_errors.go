package api

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
)

// docsGroup is the codes that share a status.
type docsGroup struct {
	Status int
	Text   string
	Codes  []docsCode
}

type docsCode struct {
	code
	Type string
}

// errorsPage is made of the table of codes.
func errorsPage() docsContent {
	return docsContent{path: "/docs/errors", title: "Errors", section: "errors", content: "docs_errors.html",
		what: map[string]any{"Groups": docsGroups(), "Declines": declines}}
}

func docsGroups() []docsGroup {
	var out []docsGroup
	for _, c := range codes {
		d := c.dress()
		at := slices.IndexFunc(out, func(g docsGroup) bool { return g.Status == d.Status })
		if at < 0 {
			at, out = len(out), append(out, docsGroup{Status: d.Status, Text: http.StatusText(d.Status)})
		}
		out[at].Codes = append(out[at].Codes, docsCode{c, d.Type})
	}
	slices.SortFunc(out, func(a, b docsGroup) int { return cmp.Compare(a.Status, b.Status) })
	return out
}

// groupsOfFour prints a card number as people read it.
func groupsOfFour(number string) string {
	var groups []string
	for group := range slices.Chunk([]byte(number), 4) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, " ")
}
