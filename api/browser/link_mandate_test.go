package browser

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/merchant"
	"svcpay/internal/patch"
	"svcpay/internal/processor"
)

var shownText = regexp.MustCompile(`<input type="hidden" name="shown" value="([^"]+)"`)

// A mandate that was shown before the merchant was renamed is shown again, by both pages that have one.
func TestAMandateThatHasChangedIsShownAgain(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	typed, chosen := h.begins(processor.ACSS, "fr-CA"), h.begins(processor.ACH, "")
	h.shows(chosen, "good@bank.example")
	h.sends(chosen+"/accounts", "account", "rainy-day")
	shown := func(page shown) string {
		t.Helper()
		found := shownText.FindStringSubmatch(page.body)
		if found == nil {
			t.Fatalf("no text is named: %s", page.body)
		}
		return found[1]
	}
	before := map[string]string{typed: shown(h.page(typed + "/account")), chosen: shown(h.page(chosen + "/mandate"))}
	for _, id := range []int64{h.App.Merchants.CA, h.App.Merchants.USQ} {
		if _, err := h.Merchants.Update(t.Context(), h.Actor(), id, merchant.UpdateInput{Name: patch.Set("Lakeside")}, nil); err != nil {
			t.Fatal(err)
		}
	}
	for way, form := range map[string]url.Values{typed + "/account": canadian("shown", before[typed]), chosen + "/mandate": {"mandate": {"true"}, "shown": {before[chosen]}}} {
		again := h.do(way, form)
		again.has(t, 422, "mandate_not_accepted", "Lakeside")
		form.Set("shown", shown(again))
		if s := h.do(way, form); s.status != http.StatusSeeOther || !strings.HasSuffix(s.next, "/done") {
			t.Errorf("%s: %d leads to %q", way, s.status, s.next)
		}
	}
}
