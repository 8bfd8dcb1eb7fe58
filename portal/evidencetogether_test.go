package portal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/portal/web"
)

// Colleagues who add files to a draft at the same time each find theirs in it.
func TestFilesAddedAtOnceAreAllKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	fields := map[string]string{"version": fmt.Sprint(d.Version), "next": "file"}
	var all sync.WaitGroup
	answers := make([]answer, 4)
	for i := range answers {
		all.Go(func() { answers[i] = w.upload(at+"/evidence", fields, fmt.Sprintf("%d.pdf", i), receipt, staff) })
	}
	all.Wait()
	for _, a := range answers {
		a.wants(t, http.StatusSeeOther, at)
	}
	if n := len(w.dispute(d).EvidenceFiles); n != len(answers) {
		t.Errorf("%d files of %d are kept", n, len(answers))
	}
}

// What a colleague takes out of a draft does not come back with a page of before.
func TestATextThatWasTakenOutStaysOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	save := func(page answer, name string) answer {
		t.Helper()
		return w.send(at+"/evidence", url.Values{"version": {page.hidden(t, "version")}, "had": {page.hidden(t, "had")},
			"payer_name": {name}}, "Cookie", staff)
	}
	open := func() answer { t.Helper(); return w.send(at, nil, "Cookie", staff) }
	save(open(), "Dana").wants(t, http.StatusSeeOther, at)
	before := open()
	save(open(), "").wants(t, http.StatusSeeOther, at)
	both := save(before, "Dana")
	both.wants(t, http.StatusConflict, "")
	both.says(t, "Someone else edited this draft", "Dana")
	if got := w.dispute(d); got.Evidence["payer_name"] != "" {
		t.Errorf("%q came back", got.Evidence)
	}
	save(both, "Dana").wants(t, http.StatusSeeOther, at) // having seen that
}

// fingerprint is by what a form says that it knows a text, as drafts.js makes it.
func fingerprint(name, words string) string {
	sum := sha256.Sum256([]byte(name + "=" + words))
	return hex.EncodeToString(sum[:8])
}

// What a form has sent is its own, also where the answer was lost that told so. What a colleague wrote is not.
func TestADraftWhoseAnswerWasLostIsNobodyElses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	d, staff := w.questioned(w.App, dispute.Chargeback, 4_000), w.as(authz.RoleOrganizationStaff)
	at := web.DisputesPath + "/" + d.ID.String()
	page := w.send(at, nil, "Cookie", staff)
	const name = "uncategorized_text"
	known := page.hidden(t, "had")
	keep := func(words string) answer { // no answer is heard, and the button for files has the keyboard
		t.Helper()
		form := url.Values{"version": {page.hidden(t, "version")}, "had": {known}, name: {words}, "next": {"file"}}
		return w.send(at+"/evidence", form, "Cookie", staff, "HX-Request", "true", "HX-Target", "saved")
	}
	for _, words := range []string{"They came to gala.", "They came to gala.", "They all came to the gala.", "",
		"They came."} {
		a := keep(words)
		a.says(t, "Saved")
		if got := w.dispute(d).Evidence[name]; got != words {
			t.Errorf("%q is kept of %q: %s", got, words, a.words())
		}
		known += " " + fingerprint(name, words)
	}
	now := map[string]string{"version": fmt.Sprint(w.dispute(d).Version), name: "They came."}
	w.upload(at+"/evidence", now, "receipt.pdf", receipt, staff).wants(t, http.StatusSeeOther, at)
	keep("They came late.").says(t, "Saved")
	if got := w.dispute(d); len(got.EvidenceFiles) != 1 || got.Evidence[name] != "They came late." {
		t.Errorf("a colleague's file is lost, or what was written beside it: %+v", got)
	}
	// also what someone has made shorter
	theirs := url.Values{"version": {fmt.Sprint(w.dispute(d).Version)}, name: {"They"}}
	w.send(at+"/evidence", theirs, "Cookie", staff).wants(t, http.StatusSeeOther, at)
	keep("They came late, all of them.").says(t, "Someone else edited this draft")
	if got := w.dispute(d).Evidence[name]; got != "They" {
		t.Errorf("what a colleague wrote became %q", got)
	}
}
