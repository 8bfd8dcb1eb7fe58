// Package ui is the portal's component library: small typed components that pages are made of. They take plain values
// and know nothing of requests. /portal/_kit shows all of them in all states; docs/portal.md says how pages use them.
//
// Components that many pages use are marked go:noinline: inlined, a button's whole text would be repeated sixty times,
// and the program would be 5 % larger.
package ui

// Tone says what a message or a status means; its color never says it alone.
type Tone string

// The tones.
const (
	Neutral Tone = "neutral"
	Info    Tone = "info"
	Success Tone = "success"
	Warning Tone = "warning"
	Danger  Tone = "danger"
)

// icon returns the sign that goes with a tone.
func (t Tone) icon() IconName {
	switch t {
	case Success:
		return IconDone
	case Warning:
		return IconWarning
	case Danger:
		return IconProblem
	}
	return IconInfo
}
