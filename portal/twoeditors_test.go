package portal

import (
	"maps"
	"net/http"
	"net/url"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/webhook"
	"svcpay/portal/merchants"
	"svcpay/portal/web"
)

// editor is a form that changes something which has versions.
type editor struct {
	role        authz.Role
	page, post  string     // where it is drawn and sent
	fields      url.Values // that are in order
	field       string
	mine, wrong string // of the field, and a mistake
	theirs      string
}

func (w *world) editors() map[string]editor {
	w.t.Helper()
	m, err := w.Merchants.Get(w.t.Context(), w.Actor(), w.App.Merchants.US)
	if err != nil {
		w.t.Fatal(err)
	}
	hook := "https://hooks.example/take"
	endpoint, err := w.Webhooks.Create(w.t.Context(), w.Actor(), webhook.CreateInput{URL: &hook}, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	typed := url.Values{"name": {m.Name}, "time_zone": {m.TimeZone}, "statement_descriptor": {m.StatementDescriptor},
		"bank_processor": {m.BankProcessor},
		"minimum_charge": {m.MinimumCharge.Decimal()}, "nonprofit": {"on"}, "ein": {web.Deref(m.EIN)}}
	app, organization := authz.RoleApplicationAdmin, authz.RoleOrganizationAdmin
	defaults, edit, wallets, schedule := web.FeesPath+"/defaults", w.merchantPage("/edit"), w.merchantPage("/wallets"),
		w.merchantPage(web.PayoutsEnd+"/schedule")
	hooks := web.WebhooksPath + "/" + endpoint.Object.ID.String() + "/edit"
	rules := w.merchantPage(web.CardRulesEnd)
	donation := web.DonationsPath + "/" + w.donate(w.App, daf.Nonintegrated, 5_000).ID.String() + "/status"
	account := w.merchantPage(web.ProcessingEnd) + "/" +
		w.connected(w.sandboxAccount(&w.App.Merchants.US, "own-77", "cc")).ID.String() + "/edit"
	return map[string]editor{
		"processor account": {app, account, account, url.Values{"methods": {"cc"}}, "priority", "11", "101", "12"},
		"card rules":        {organization, rules, rules, url.Values{"minimum_amount": {"on"}}, "minimum", "11", "x", "12"},
		"fee defaults":      {app, defaults, defaults, merchants.TypedRates(demo.Rates()), "capture_fee", "0.41", "x", "0.42"},
		"merchant":          {app, edit, edit, typed, "name", "Mine", "", "Theirs"},
		"domains":           {organization, wallets, wallets + "/domains", nil, "domains", "mine.localhost", "shop..x", "theirs.localhost"},
		"payout schedule":   {organization, schedule, schedule, url.Values{"payout_schedule": {"monthly"}}, "payout_day_of_month", "11", "32", "12"},
		"endpoint":          {app, hooks, hooks, nil, "url", "https://mine.example/take", "ftp://mine.example", "https://theirs.example/take"},
		"donation, status":  {organization, donation, donation, url.Values{"status": {"completed"}}, "received_on", "2026-03-02", "soon", "2026-03-03"},
	}
}

// Anyone who makes a mistake in a form is still notified of what someone else changed in the meantime: the form that
// comes back has the version that its editor saw.
func TestAMistakeHidesNoChangeOfSomebodyElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for name, e := range w.editors() {
		cookie := w.as(e.role)
		draw := func(value string) url.Values {
			form := w.drawnForm(e.page, cookie)
			maps.Copy(form, e.fields)
			form.Set(e.field, value)
			return form
		}
		mine, theirs := draw(e.wrong), draw(e.theirs)
		if a := w.send(e.post, theirs, "Cookie", cookie); a.StatusCode != http.StatusSeeOther {
			t.Errorf("%s: theirs is %d: %s", name, a.StatusCode, a.words())
			continue
		}
		for _, step := range []struct {
			value  string
			status int
		}{{e.wrong, http.StatusUnprocessableEntity}, {e.wrong, http.StatusUnprocessableEntity},
			{e.mine, http.StatusConflict}, {e.mine, http.StatusSeeOther}} {
			mine.Set(e.field, step.value)
			a := w.send(e.post, mine, "Cookie", cookie)
			if a.StatusCode != step.status {
				t.Errorf("%s: %q of version %s is %d, want %d: %s", name, step.value, mine.Get(web.VersionField),
					a.StatusCode, step.status, a.words())
				break
			}
			for _, input := range drawnInputs.FindAllStringSubmatch(a.body, -1) {
				mine.Set(input[1], input[2])
			}
		}
	}
}
