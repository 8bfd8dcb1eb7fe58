package merchant

import (
	"strings"
	"unicode"

	"svcpay/internal/platform/safehttp"
)

// Sighting is what a website answered when a domain was looked at.
type Sighting struct {
	Status   int    `json:"status"`
	Location string `json:"location,omitempty"` // where a redirect leads
	Type     string `json:"type,omitempty"`     // of the content, as the website says
	Start    string `json:"start,omitempty"`    // the first characters of the content
}

// Bounds of what is kept of an answer, in characters.
const (
	maxSeen  = 300 // of a header
	maxStart = 120 // of the content
)

// sightingOf is what is kept of an answer.
func sightingOf(a safehttp.Answer) *Sighting {
	return &Sighting{
		Status: a.Status, Location: readable(a.Header.Get("Location"),
			maxSeen), Type: readable(a.Header.Get("Content-Type"), maxSeen),
		Start: readable(string(a.Body[:min(len(a.Body), 4*maxStart)]), maxStart),
	}
}

// readable is the beginning of a text that someone else wrote, as a line.
func readable(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r), r == unicode.ReplacementChar:
			return '·'
		}
		return r
	}, text)
	characters := []rune(strings.Join(strings.Fields(text), " "))
	if len(characters) > most {
		return string(characters[:most]) + "…"
	}
	return string(characters)
}
