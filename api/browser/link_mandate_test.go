package browser

import (
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/check/patch"
	"svcpay/internal/merchant"
	"svcpay/internal/processor"
)

var hiddenInput = regexp.MustCompile(`<input type="hidden" name="(\w+)" value="([^"]+)"`)

// hidden is what a form of a page returns on its own; more are what its owner fills in.
func (h *holder) hidden(page string, more ...string) url.Values {
	h.t.Helper()
	return hiddenOf(h.page(page), more...)
}

func hiddenOf(page shown, more ...string) url.Values {
	f := url.Values{}
	for _, input := range hiddenInput.FindAllStringSubmatch(page.body, -1) {
		f.Set(input[1], input[2])
	}
	for i := 0; i < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

// A mandate that was shown before the merchant was renamed is shown again, by both pages that have one.
func TestAMandateThatHasChangedIsShownAgain(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	typed, chosen := h.begins(processor.ACSS, "fr-CA"), h.begins(processor.ACH, "")
	h.shows(chosen, "good@bank.example")
	h.sends(chosen+"/accounts", "account", "rainy-day")
	forms := map[string]url.Values{typed + "/account": canadian(), chosen + "/mandate": {"mandate": {"true"}}}
	for page, form := range forms {
		maps.Copy(form, h.hidden(page))
	}
	for _, id := range []int64{h.App.Merchants.CA, h.App.Merchants.USQ} {
		if _, err := h.Merchants.Update(t.Context(), h.Actor(), id, merchant.UpdateInput{Name: patch.Set("Lakeside")},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	for page, form := range forms {
		again := h.do(page, form)
		again.has(t, 422, "mandate_not_accepted", "Lakeside")
		maps.Copy(form, hiddenOf(again))
		if s := h.do(page, form); s.status != http.StatusSeeOther || !strings.HasSuffix(s.next, "/done") {
			t.Errorf("%s: %d leads to %q", page, s.status, s.next)
		}
	}
}

// A page that shows another account than the one that was chosen last leads back to the accounts; anyone who types one
// after all is notified of the deposits.
func TestTheAccountOfAnotherTabIsNotAgreedTo(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	way := h.begins(processor.ACH, "")
	h.shows(way, "good@bank.example")
	h.sends(way+"/accounts", "account", "everyday")
	form := h.hidden(way+"/mandate", "mandate", "true")
	h.sends(way+"/accounts", "account", "rainy-day")
	if next := h.do(way+"/mandate", form).next; next != way+"/accounts" {
		t.Errorf("the account of the other tab leads to %s", next)
	}
	if s := h.do(way+"/account", american()); s.next != way+"/done" {
		t.Fatalf("%d %s", s.status, s.body)
	}
	h.page(way+"/done").has(t, 200, "Two small deposits")
}
