package ui_test

import (
	"strings"
	"testing"

	"github.com/a-h/templ"

	"svcpay/views/ui"
)

// Every state has a dot: a state without a tone of its own has the neutral one.
func TestEveryStatusHasADot(t *testing.T) {
	t.Parallel()
	for tone, want := range map[ui.Tone]string{"": "neutral", ui.Neutral: "neutral", ui.Info: "info",
		ui.Success: "success", ui.Warning: "warning", ui.Danger: "danger"} {
		var b strings.Builder
		if err := ui.Status(tone, "Canceled").Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if html := b.String(); !strings.Contains(html, `data-tone="`+want+`"`) || !strings.Contains(html, "Canceled") {
			t.Errorf("%q: %s", tone, html)
		}
	}
}

// A table of sums stays one in half a page; what also has a time or words needs more room.
func TestTablesNeedRoomForWhatTheyHold(t *testing.T) {
	t.Parallel()
	lead, amount := ui.Column{Title: "Fee", Place: ui.PlaceLead}, ui.Column{Title: "Cost", Right: true}
	for want, columns := range map[string][]ui.Column{
		"sums": {lead, amount, amount, {Title: "Difference", Right: true, Place: ui.PlaceAmount}},
		"few":  {lead, amount, {Title: "Created", Right: true, Place: ui.PlaceTime}},
		"many": {lead, amount, amount, amount, amount},
		"most": {lead, amount, amount, amount, amount, amount, amount},
	} {
		var b strings.Builder
		if err := (ui.Table{Caption: "Fees", Columns: columns,
			Rows: []ui.Row{{Cells: make([]templ.Component, 0)}}}).View().Render(t.Context(), &b); err != nil {
			t.Fatal(err)
		}
		if html := b.String(); !strings.Contains(html, `data-kind="`+want+`"`) {
			t.Errorf("%s: %.200s", want, html)
		}
	}
}
