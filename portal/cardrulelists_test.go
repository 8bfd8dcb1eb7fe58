package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/charge/rule"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

func TestEntriesAreAddedToAList(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage(web.CardRulesEnd+"/entries")
	w.send(at, nil, "Cookie", cookie).says(t, "No entries yet", "Add entries")
	w.listed(rule.Allow, rule.Email, "friend@example.org")
	form := func() url.Values {
		return with(w.drawnForm(at+"/new?list=block", cookie), "list", "block", "kind", "email")
	}
	wrong := w.send(at+"/new", with(form(), "values", "eve@example.org\n\nnot an address\nfriend@example.org"),
		"Cookie", cookie)
	wrong.wants(t, http.StatusUnprocessableEntity, "")
	wrong.says(t, "Line 3: This is not an email address.", `id="values-error"`)
	w.send(at+"/new", with(form(), "values", "eve@example.org\n\nfriend@example.org"), "Cookie", cookie).says(t,
		"Line 3: This value is on the other list. Remove it there first.")
	w.send(at+"/new", form(), "Cookie", cookie).says(t, "Enter at least one value, one per line.")
	w.send(at+"/new", with(form(), "values", strings.Repeat("@\n", 12)), "Cookie", cookie).says(t, "Line 10: ",
		"And 2 more mistakes.")
	w.send(at+"/new", with(form(), "values", strings.Repeat("long.address@long.example.org\n", 501)), "Cookie",
		cookie).says(t, "Enter at most 500 values.")
	w.send(at+"/new", with(form(), "kind", "card", "values", "4242"), "Cookie", cookie).says(t,
		"Line 1: Enter the ID of a token")

	good := with(form(), "values", "Eve@example.org\r\n\r\nmallory@example.org\r\n", "note", "Stolen cards")
	for range 2 { // double click
		w.send(at+"/new", good, "Cookie", cookie).wants(t, http.StatusSeeOther, at+"?list=block")
	}
	w.send(at+"?list=block", nil, "Cookie", cookie).says(t, "eve@example.org", "mallory@example.org", "Stolen cards",
		"by Kim Vale", "2 entries on this page")
	for query, want := range map[string]int{"q=EVE": 1, "q=stolen": 2, "q=%25": 0, "kind=card": 0, "list=allow": 1,
		"kind=email&kind=card": 3} {
		if a := w.send(at+"?"+query, nil, "Cookie", cookie); strings.Count(a.body, `name="id"`) != want {
			t.Errorf("%s has not %d entries: %s", query, want, a.words())
		}
	}
	if n := w.done(authz.CardRuleManage); n != 2 { // one by the API
		t.Errorf("%d changes in the audit log", n)
	}
	w.send(web.AuditPath, nil, "Cookie", cookie).says(t, "added entries to the block or allow list of")
}

func TestLongListsHavePagesAndEntriesAreRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	var values []string
	for i := range 120 {
		values = append(values, fmt.Sprintf("payer-%03d@example.org", i))
	}
	w.listed(rule.Block, rule.Email, values...)
	cookie, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.CardRulesEnd+"/entries")
	first := w.send(at, nil, "Cookie", cookie)
	first.says(t, "50 entries on this page", "after=")
	entries := listEntries(first)
	if len(entries) != 50 {
		t.Fatalf("%d entries", len(entries))
	}
	back := url.QueryEscape(at + "?list=block")
	asks := w.send(at+"/remove/confirm?return="+back, url.Values{"id": entries[:2]}, "Cookie", cookie)
	asks.wants(t, http.StatusOK, "")
	asks.says(t, "Remove 2 entries", entries[0], entries[1])
	asks.lacks(t, entries[2])
	for range 2 { // sent again, it finds them gone
		w.send(at+"/remove?return="+back, url.Values{"id": entries[:2]}, "Cookie", cookie).wants(t,
			http.StatusSeeOther, at+"?list=block")
	}
	if n := w.cardRules().Entries; n != 118 {
		t.Errorf("%d entries are left", n)
	}
	w.send(at+"/remove/confirm", url.Values{"id": entries[:2]}, "Cookie", cookie).wants(t, http.StatusSeeOther,
		web.Home)
	foreign := w.in(authz.RoleApplicationAdmin, w.Other)
	w.send(strings.Replace(at, web.MerchantAt(w.App.Merchants.US, ""), web.MerchantAt(w.Other.Merchants.US, ""), 1)+
		"/remove", url.Values{"id": entries[2:3]}, "Cookie", foreign)
	if n := w.cardRules().Entries; n != 118 {
		t.Error("another application removed an entry")
	}
}

// listEntries are the ids of the entries that a page lists.
func listEntries(a answer) (out []string) {
	for _, part := range strings.Split(a.body, `name="id" value="`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		out = append(out, id)
	}
	return out
}

func TestTheCardOfAChargeIsBlocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 2_500, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), web.ChargesPath+"/"+one.ID.String()
	w.send(at, nil, "Cookie", cookie).says(t, "Not on a list", "Block card", "Allow card")
	w.send(at, nil, "Cookie", w.as(authz.RoleOrganizationStaff)).lacks(t, "Block card")
	form := with(w.drawnForm(at+"/card/block", cookie), "note", "Reported by the bank")
	for range 2 { // double click
		w.send(at+"/card/block", form, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	page := w.send(at, nil, "Cookie", cookie)
	page.says(t, "On the block list", "Reported by the bank", "Remove card from list")
	page.lacks(t, "Allow card")
	other := w.send(at+"/card/allow", w.drawnForm(at+"/card/allow", cookie), "Cookie", cookie)
	other.wants(t, http.StatusUnprocessableEntity, "")
	other.says(t, "This value is on the other list. Remove it there first.")

	blocked := w.blocked(visaCard, 2_500)
	page = w.send(web.ChargesPath+"/"+blocked, nil, "Cookie", cookie)
	page.says(t, "Blocked by the merchant’s card rule “Block list”.", "Blocked by the rule “Block list”",
		"On the block list")

	unlist := w.send(at, nil, "Cookie", cookie).cardLink(t, unlistHref)
	for range 2 { // from the message, and sent again
		w.send(unlist, url.Values{}, "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	}
	w.send(at+"/card/allow", w.drawnForm(at+"/card/allow", cookie), "Cookie", cookie).wants(t, http.StatusSeeOther, at)
	w.send(at, nil, "Cookie", cookie).says(t, "On the allow list")
}

// blocked makes a charge that a rule blocks, and returns its id.
func (w *world) blocked(number string, amount money.Amount) string {
	w.t.Helper()
	in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: &amount,
		Token: new(w.TokenIn(w.SessionOf(w.App, w.App.Merchants.US), number))}
	if _, err := w.World.Charges.Create(w.t.Context(), w.Actor(), in, nil); !fault.HasCode(err, "blocked_by_rule") {
		w.t.Fatal(err)
	}
	id, err := pg.Value[ids.Charge](w.t.Context(), w.Pool, `SELECT id FROM charges WHERE status = 'failed'`, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return id.String()
}
