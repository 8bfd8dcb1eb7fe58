package views_test

import (
	"strings"
	"testing"

	"svcpay/internal/money"
	"svcpay/views"
	"svcpay/views/ui"
)

// What is known before the sums come is within what they replace, so that it is not shown twice; a row names its
// currency once.
func TestLateTotalsReplaceWhatWasKnown(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	late := views.LateTotals(ui.Figure{Label: "Charges", Value: ui.Plain("1,000+")},
		ui.Lazy{ID: views.TotalsID, Href: "/totals", Label: "Totals", Lines: 1})
	if err := late.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if html := b.String(); !strings.HasPrefix(html, `<div id="`+views.TotalsID+`"`) ||
		strings.Count(html, "1,000+") != 1 || strings.Count(html, "<div")-strings.Count(html, "</div") != 0 {
		t.Errorf("the count is not within what is replaced: %s", html)
	}
	b.Reset()
	rows := []ui.FigureRow{
		{Currency: money.USD, Figures: []ui.Figure{{Label: "Captured", Value: ui.Amount(1_554_151_330)},
			{Label: "Net", Value: ui.Amount(-78_000)}}}}
	if err := ui.Figures(rows).Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	if html := b.String(); strings.Count(html, "USD") != 1 || !strings.Contains(html, "$15,541,513.30") {
		t.Errorf("%s", html)
	}
}
