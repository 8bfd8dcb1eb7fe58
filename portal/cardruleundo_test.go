package portal

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/charge/rule"
	"svcpay/internal/platform/audit"
	"svcpay/portal/web"
)

// message sends a form and returns the page that follows, with the message on it.
func (w *world) message(path string, form url.Values, cookie string) answer {
	w.t.Helper()
	a := w.send(path, form, "Cookie", cookie)
	if a.StatusCode != http.StatusSeeOther {
		w.t.Fatalf("got %d: %s", a.StatusCode, a.words())
	}
	return w.send(a.Header.Get("Location"), nil, "Cookie",
		cookie+"; "+web.FlashCookie+"="+a.cookie(w.t, web.FlashCookie).Value)
}

var (
	undoAction = regexp.MustCompile(`action="([^"]*/card/unlist[^"]*)"`)
	unlistHref = regexp.MustCompile(`href="([^"]*/card/unlist[^"]*)"`)
)

// cardLink is an address on the page of a charge.
func (a answer) cardLink(t *testing.T, of *regexp.Regexp) string {
	t.Helper()
	found := of.FindStringSubmatch(a.body)
	if found == nil {
		t.Fatalf("%s is not on the page:\n%s", of, a.words())
	}
	return html.UnescapeString(found[1])
}

// Undo and the dialog remove the entry that their page showed, never one that someone else added since.
func TestOnlyTheEntryThatWasSeenIsRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 2_500, nil)
	admin, other := w.as(authz.RoleOrganizationAdmin), w.as(authz.RoleApplicationAdmin)
	at := web.ChargesPath + "/" + one.ID.String()
	allowed := w.message(at+"/card/allow", w.drawnForm(at+"/card/allow", admin), admin)
	allowed.says(t, "Card allowed", "Undo")
	undo, dialog := allowed.cardLink(t, undoAction), allowed.cardLink(t, unlistHref)

	late := w.drawnForm(at+"/card/block", admin)
	w.message(dialog, w.drawnForm(dialog, other), other).says(t, "Card removed from the list")
	blocked := w.message(at+"/card/block", with(w.drawnForm(at+"/card/block", other), "note", "Fraud"), other)
	blocked.says(t, "Card blocked", "Undo")
	for _, stale := range []string{undo, dialog, at + "/card/unlist"} {
		page := w.message(stale, url.Values{}, admin)
		page.says(t, "This entry was already removed.", `data-tone="info"`, "On the block list", "Fraud")
		page.lacks(t, "Card removed from the list")
	}

	second := w.message(at+"/card/block", late, admin)
	second.says(t, "This card is already on the block list.", `data-tone="info"`, "Fraud")
	if undoAction.MatchString(second.body) {
		t.Error("the entry of someone else can be undone")
	}
	w.message(blocked.cardLink(t, undoAction), url.Values{}, other).says(t, "Card removed from the list")
	if n := w.cardRules().Entries; n != 0 {
		t.Errorf("%d entries are left", n)
	}
}

func TestEntriesThatWereRemovedBeforeAreNoSuccess(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.listed(rule.Block, rule.Email, "eve@example.org")
	cookie, at := w.as(authz.RoleOrganizationAdmin), w.merchantPage(web.CardRulesEnd+"/entries")
	entries := listEntries(w.send(at, nil, "Cookie", cookie))
	asks := w.send(at+"/remove/confirm?return="+url.QueryEscape(at), url.Values{"id": entries}, "Cookie", cookie)
	to := html.UnescapeString(regexp.MustCompile(`action="([^"]*return=[^"]*)"`).FindStringSubmatch(asks.body)[1])
	w.message(to, url.Values{"id": entries}, cookie).says(t, "1 entry removed", `data-tone="success"`)
	again := w.message(to, url.Values{"id": entries}, cookie)
	again.says(t, "These entries were already removed.", `data-tone="info"`)
	again.lacks(t, "0 entries removed")
}

// The audit log names cards and BINs that were on a list, after they were removed, too; payers it doesn't identify.
func TestTheAuditLogNamesListEntries(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 2_500, nil)
	cookie, at := w.as(authz.RoleOrganizationAdmin), web.ChargesPath+"/"+one.ID.String()
	// change makes a change and returns its page in the audit log.
	change := func(do func()) (page answer) {
		t.Helper()
		before := w.entries(authz.CardRuleManage)
		do()
		after := w.entries(authz.CardRuleManage)
		if len(after) != len(before)+1 {
			t.Fatalf("%d entries in the audit log after %d", len(after), len(before))
		}
		for _, e := range after { // those of one millisecond are in no order
			if !slices.ContainsFunc(before, func(old audit.Entry) bool { return old.ID == e.ID }) {
				page = w.send(web.AuditPath+"/"+e.ID.String(), nil, "Cookie", cookie)
			}
		}
		return page
	}
	var undo string
	added := change(func() {
		undo = w.message(at+"/card/allow", with(w.drawnForm(at+"/card/allow", cookie), "note", "A secret note"),
			cookie).cardLink(t, undoAction)
	})
	_, id, _ := strings.Cut(undo, "entry=")
	added.says(t, "Allow list", id, "<ins>Card: Visa ···· "+visaCard[12:])
	added.lacks(t, "list_entries", "A secret note")
	removed := change(func() { w.message(undo, url.Values{}, cookie) })
	removed.says(t, "Allow list", id, "<del>Card: Visa ···· "+visaCard[12:])

	change(func() { w.listed(rule.Block, rule.BIN, "424242", "424200", "411111") }).says(t,
		"<ins>First six digits: 424242", "<ins>First six digits: 411111")
	for kind, value := range map[rule.Kind]string{rule.Email: "eve@example.org", rule.EmailDomain: "evil.example",
		rule.PostalCode: "K1A0B1"} {
		page := change(func() { w.listed(rule.Block, kind, value) })
		page.says(t, "Block list", "cre_")
		page.lacks(t, value, strings.ToUpper(value), strings.ToLower(value))
	}
	var many []string
	for i := range rule.MaxAudited + 7 {
		many = append(many, strconv.Itoa(510_000+i))
	}
	page := change(func() { w.listed(rule.Allow, rule.BIN, many...) })
	page.says(t, "More list entries", "<ins>7</ins>")
	if n := strings.Count(page.body, "First six digits: "); n != rule.MaxAudited {
		t.Errorf("%d entries are named", n)
	}
}
