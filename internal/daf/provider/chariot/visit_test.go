package chariot_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
)

// TestOrganizations: classification and standing come from the directory.
func TestOrganizations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for ein, want := range map[string]provider.Organization{
		"20-2000007": {Name: "Neighborhood Fund No. 07", City: "Dayton", State: "OH", Subsection: "3",
			GoodStanding: true, Account: provider.AccountClaimed},
		"13-1313130": {Name: "Lapsed Lantern Society", City: "Albany", State: "NY", Subsection: "3",
			Account: provider.AccountUnclaimed},
		"36-6000401": {Name: "Barred Harbor Trust", City: "Tampa", State: "FL", Subsection: "3",
			Account: provider.AccountUnclaimed},
		"52-6000400": {Name: "Civic League of Marlow", City: "Marlow", State: "MD", Subsection: "4",
			GoodStanding: true, Account: provider.AccountUnclaimed},
	} {
		want.EIN, want.Country = ein, "US"
		if got, err := w.open().Organization(t.Context(), ein); err != nil || got != want {
			t.Errorf("%+v, %v", got, err)
		}
	}
	w.Fail("GET /v1/organizations/search", fake.Broken)
	if _, err := w.open().Organization(t.Context(), good); err == nil || errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
}

// TestContacts: Chariot enrolls an organization by a contact of its own domain, and no other.
func TestContacts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, c := range []provider.Contact{{}, {Email: "ola@mail.example"}} {
		e := provider.Enrollment{Reference: w.reference(), EIN: good, Contact: c}
		if id, err := w.open().Enroll(t.Context(), e); !errors.Is(err, provider.ErrContact) || id != "" {
			t.Errorf("%q, %v", id, err)
		}
	}
	w.Fail("POST /v1/connects", fake.Proxy)
	e := provider.Enrollment{Reference: w.reference(), EIN: good, Contact: contact(good)}
	if id, err := w.open().Enroll(t.Context(), e); err == nil || errors.Is(err, provider.ErrContact) {
		t.Errorf("%q, %v", id, err)
	}
}

// TestExistingConnect: an organization that someone enrolled before keeps its connect, which Chariot answers with 200.
func TestExistingConnect(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const before = "test_of-another-client"
	w.Reopen(before, strings.ReplaceAll(good, "-", ""))
	for range 2 {
		if id := w.enrolled(t); id != before {
			t.Errorf("it is enrolled as %s", id)
		}
	}
}

// TestFunds: minimum and outage are the fund's, and no visit is made for less than the minimum.
func TestFunds(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	f, err := w.open().Fund(t.Context(), w.fund(t, "Evergreen"))
	if err != nil || f.Minimum != 100_00 || !f.Down || !f.Integrated || f.Instructions != "" {
		t.Errorf("%+v, %v", f, err)
	}
	v := provider.Visit{
		Reference: w.reference(),
		Account:   account,
		ConnectID: w.enrolled(t),
		FundID:    w.fund(t, "Aldergrove"),
		Amount:    49_00,
		Return:    "https://pay.example/",
	}
	if pages, err := w.open().Visit(t.Context(), v); err == nil {
		t.Errorf("%+v", pages)
	}
	v.Amount = 50_00
	if pages, err := w.open().Visit(t.Context(), v); err != nil {
		t.Errorf("%+v, %v", pages, err)
	}
}

// TestReports: what a page reports is believed once, and a session belongs to one visit.
func TestReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, other := w.visit(t), w.visit(t)
	session := w.authorize(t, first, gift, 0)
	ok(t, w.open().Succeeded(t.Context(), first, success(session, gift)))         // again
	ok(t, w.open().Exited(t.Context(), first, chariot.Exit{Reason: "USER_EXIT"})) // too late
	for what, report := range map[string]error{
		"another amount":         w.open().Succeeded(t.Context(), first, success(session, gift+100)),
		"another's session":      w.open().Succeeded(t.Context(), other, success(session, gift)),
		"cents":                  w.open().Succeeded(t.Context(), other, success("session-1", 150)),
		"nothing":                w.open().Succeeded(t.Context(), other, success("session-1", 0)),
		"too much":               w.open().Succeeded(t.Context(), other, success("session-1", 100_000_000_00)),
		"no session":             w.open().Succeeded(t.Context(), other, success("", gift)),
		"an unreadable session":  w.open().Succeeded(t.Context(), other, success("session 1\n", gift)),
		"an unreadable reason":   w.open().Exited(t.Context(), other, chariot.Exit{Reason: "user left"}),
		"a visit that is not it": w.open().Succeeded(t.Context(), "unheard", success("session-1", gift)),
	} {
		if _, refused := fault.As(report); !refused {
			t.Errorf("%s: %v", what, report)
		}
	}
	if r, err := w.open().VisitResult(t.Context(), first); err != nil || r.State != provider.VisitAuthorized {
		t.Errorf("%+v, %v", r, err)
	}
	if r, err := w.open().VisitResult(t.Context(), other); err != nil || r.State != provider.VisitOpen {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestExits: the donor left, or the fund could not go on; nothing is authorized afterwards.
func TestExits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for reason, want := range map[string]struct {
		state  provider.VisitState
		reason provider.VisitReason
	}{
		"USER_EXIT":                      {provider.VisitCanceled, ""},
		"UNINTEGRATED_DAF":               {provider.VisitCanceled, provider.ReasonNotIntegrated},
		"UNINTEGRATED_DAF_NOT_SUPPORTED": {provider.VisitCanceled, provider.ReasonNotIntegrated},
		"UNINTEGRATED_GRANT_CONFIRMED":   {provider.VisitCanceled, provider.ReasonUnconfirmed}, // without a session
		"CREDENTIALS_ERROR":              {provider.VisitFailed, provider.ReasonSignIn},
		"TFA_ERROR":                      {provider.VisitFailed, provider.ReasonSignIn},
		"INSTITUTION_DOWN_ERROR":         {provider.VisitFailed, provider.ReasonFundDown},
		"NO_CHARITABLE_ACCOUNTS":         {provider.VisitFailed, provider.ReasonNoAccount},
		"CID_NOT_FOUND":                  {provider.VisitFailed, provider.ReasonOrganization},
		"INELIGIBLE_ORGANIZATION":        {provider.VisitFailed, provider.ReasonOrganization},
		"SERVICE_DEACTIVATED":            {provider.VisitFailed, provider.ReasonOrganization},
		"SESSION_NOT_FOUND":              {provider.VisitFailed, provider.ReasonExpired},
		"RECURRING_NOT_SUPPORTED":        {provider.VisitFailed, provider.ReasonMonthly},
		"SOMETHING_NEW":                  {provider.VisitFailed, ""},
	} {
		id := w.visit(t)
		ok(t, w.open().Exited(t.Context(), id, chariot.Exit{Reason: reason}))
		if r, err := w.open().VisitResult(t.Context(), id); err != nil || r.State != want.state ||
			r.Reason != want.reason {
			t.Errorf("%s: %+v, %v", reason, r, err)
		}
		if err := w.open().Succeeded(t.Context(), id, success("session-"+reason, gift)); err == nil {
			t.Errorf("authorized after %s", reason)
		}
	}
	slow := w.visit(t)
	w.Advance(time.Hour + time.Second)
	if r, err := w.open().VisitResult(t.Context(), slow); err != nil || r.State != provider.VisitFailed ||
		r.Reason != provider.ReasonExpired {
		t.Errorf("%+v, %v", r, err)
	}
	if err := w.open().Succeeded(t.Context(), slow, success("session-slow", gift)); err == nil {
		t.Error("authorized after an hour")
	}
}

// TestRefusedReports: each refusal has its code, and the donor can authorize again.
func TestRefusedReports(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first, other := w.visit(t), w.visit(t)
	session := w.authorize(t, first, gift, 0)
	old := success("session-of-other", gift)
	old.Age = 15*time.Minute + time.Second
	for code, report := range map[string]error{
		"daf_session_used":          w.open().Succeeded(t.Context(), other, success(session, gift)),
		"daf_authorization_expired": w.open().Succeeded(t.Context(), other, old),
		"daf_visit_unreadable":      w.open().Succeeded(t.Context(), other, success("session-1", 150)),
		"daf_visit_over":            w.open().Succeeded(t.Context(), first, success("session-of-another", gift)),
		"resource_missing":          w.open().Succeeded(t.Context(), "unheard", success("session-1", gift)),
	} {
		if !fault.HasCode(report, code) {
			t.Errorf("%s: %v", code, report)
		}
	}
	old.Age -= time.Second
	ok(t, w.open().Succeeded(t.Context(), other, old))
	r, err := w.open().VisitResult(t.Context(), other)
	if want := w.Now().Add(-old.Age); err != nil || r.State != provider.VisitAuthorized ||
		!r.AuthorizedAt.Equal(want) {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestAuthorizedElsewhere: a donor may authorize another amount, at another fund.
func TestAuthorizedElsewhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, fund := w.visit(t), w.fund(t, "Aldergrove")
	report := success("session-1", gift+25_00)
	report.FundID = fund
	ok(t, w.open().Succeeded(t.Context(), id, report))
	if r, err := w.open().VisitResult(t.Context(), id); err != nil || r.FundID != fund || r.Amount != gift+25_00 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestConfirmations: a donor who confirms a grant that he makes himself is believed once Chariot has it, by the
// session.
func TestConfirmations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	id, other := w.visit(t), w.visit(t)
	look, err := w.open().Look(t.Context(), id)
	ok(t, err)
	fund := w.fund(t, "Juniper")
	for range 130 { // other donors'
		w.Confirm(fake.Session{ConnectID: look.ConnectID, FundID: fund, Amount: 10_00})
	}
	session := w.Confirm(fake.Session{ConnectID: look.ConnectID, FundID: fund, Amount: 75_00})
	confirms := func(visitID, session string) error {
		return w.open().Exited(t.Context(), visitID,
			chariot.Exit{Reason: "UNINTEGRATED_GRANT_CONFIRMED", Session: session})
	}
	ok(t, confirms(id, session))
	ok(t, confirms(id, session)) // again
	if err := confirms(other, session); !fault.HasCode(err, "daf_session_used") {
		t.Errorf("a confirmation counts twice: %v", err)
	}
	w.Fail("GET /v1/unintegrated_grants", fake.Broken)
	if r, err := w.open().VisitResult(t.Context(), id); err == nil {
		t.Errorf("%+v", r)
	}
	for range 2 { // the second time, it is known
		r, err := w.open().VisitResult(t.Context(), id)
		if err != nil || r.State != provider.VisitConfirmed || r.Amount != 75_00 || r.FundID != fund || r.Reason != "" {
			t.Errorf("%+v, %v", r, err)
		}
	}
	ok(t, confirms(other, "session-that-nobody-has"))
	r, err := w.open().VisitResult(t.Context(), other)
	if err != nil || r.State != provider.VisitCanceled || r.Reason != provider.ReasonUnconfirmed {
		t.Errorf("%+v, %v", r, err)
	}
	third := w.visit(t)
	if err := w.open().Succeeded(t.Context(), third, success(session, gift)); !fault.HasCode(err, "daf_session_used") {
		t.Errorf("a confirmation is an authorization: %v", err)
	}
}

// TestComponent: the component is Chariot's own, except next to a local API.
func TestComponent(t *testing.T) {
	t.Parallel()
	want := chariot.Component{Script: "https://cdn.givechariot.com/chariot-connect.umd.js",
		Files: "https://cdn.givechariot.com", Pages: "https://secure.dafpay.com"}
	for _, live := range []bool{true, false} {
		if got := chariot.New(chariot.Config{Livemode: live}).Component(); got != want {
			t.Errorf("%+v", got)
		}
	}
	const local = "http://127.0.0.1:12112"
	want = chariot.Component{Script: local + "/chariot-connect.umd.js", Files: local, Pages: local}
	if got := chariot.New(chariot.Config{API: local + "/"}).Component(); got != want {
		t.Errorf("%+v", got)
	}
}

// TestPurge: after a day, visits without a grant are gone, and those with one have no donor.
func TestPurge(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, _ := w.granted(t)
	w.visit(t)
	if n, err := w.open().Purge(t.Context()); err != nil || n != 0 {
		t.Errorf("%d, %v", n, err)
	}
	w.Advance(day)
	for _, want := range []int64{2, 0} {
		if n, err := w.open().Purge(t.Context()); err != nil || n != want {
			t.Errorf("%d, %v", n, err)
		}
	}
	left, err := pg.Value[string](
		t.Context(),
		w.pool,
		`SELECT string_agg(id || donor::text, ' ') FROM chariot_visits`,
		pg.Args{},
	)
	if err != nil || left != g.VisitID+"{}" {
		t.Errorf("%q, %v", left, err)
	}
}
