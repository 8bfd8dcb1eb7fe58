package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

// emitted are the types of a merchant's events, in their order.
func (w *world) emitted(merchantID int64) string {
	w.t.Helper()
	types, err := pg.All[struct{ Type string }](w.t.Context(), w.Pool,
		`SELECT type FROM events WHERE application_id = @application AND merchant_id = @merchant ORDER BY serial`,
		pg.Args{"application": w.App.AppID, "merchant": merchantID})
	if err != nil {
		w.t.Fatal(err)
	}
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = t.Type
	}
	return strings.Join(out, " ")
}

// TestEveryFormThatChangesFeesEmitsFeesUpdated once per change, and merchant.updated if the merchant's daf_percentage
// changes at once. A form that only shows something, and one that is sent twice, emit nothing more.
func TestEveryFormThatChangesFeesEmitsFeesUpdated(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleApplicationAdmin), w.merchantPage("/fees")
	w.pass(time.Minute)
	later := url.Values{"start": {"later"}, "day": {w.Clock.Now().AddDate(0, 0, 7).UTC().Format(time.DateOnly)},
		"capture_fee": {"0.45"}}
	steps := []struct {
		end    string
		change url.Values
		events string
	}{
		{"/change", url.Values{"capture_fee": {"0.30"}}, ""},
		{"/review", url.Values{"capture_fee": {"0.30"}}, ""},
		{"/confirm", url.Values{"capture_fee": {"0.30"}}, " fees.updated"},
		{"/confirm", url.Values{"daf_percentage": {"3"}, "capture_fee": {"0.25"}}, " fees.updated merchant.updated"},
		{"/confirm", nil, ""},
		{"/confirm", later, " fees.updated"},
		{"/:schedule/cancel", nil, " fees.updated"},
	}
	walked := map[string]bool{}
	for _, s := range steps {
		walked[s.end] = true
		before := w.emitted(w.App.Merchants.US)
		path, form := at+s.end, w.feeForm(cookie, at, s.change)
		if s.end == "/:schedule/cancel" {
			path, form = at+"/"+w.feeHistory()[0].ID.String()+"/cancel", url.Values{}
		}
		for range 2 {
			if a := w.send(path, form, "Cookie", cookie); a.StatusCode >= http.StatusBadRequest {
				t.Fatalf("%s: %d", s.end, a.StatusCode)
			}
			w.pass(time.Second)
		}
		if got := strings.TrimPrefix(w.emitted(w.App.Merchants.US), before); got != s.events {
			t.Errorf("%s %v: %q happened, want %q", s.end, s.change, got, s.events)
		}
	}
	for _, r := range w.routes() {
		if end, ok := strings.CutPrefix(r.Path, web.MerchantPath+web.FeesEnd); ok && r.Method == http.MethodPost &&
			!walked[end] {
			t.Errorf("%s is not tried", r.Path)
		}
	}
	if !slices.ContainsFunc(w.routes(), func(r web.Route) bool { return r.Path == web.MerchantPath+"/fees/confirm" }) {
		t.Error("the fees have no form")
	}
}
