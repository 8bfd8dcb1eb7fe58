package chariot_test

import (
	"errors"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
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
			GoodStanding: true},
		"13-1313130": {Name: "Lapsed Lantern Society", City: "Albany", State: "NY", Subsection: "3"},
		"36-6000401": {Name: "Barred Harbor Trust", City: "Tampa", State: "FL", Subsection: "3"},
		"52-6000400": {Name: "Civic League of Marlow", City: "Marlow", State: "MD", Subsection: "4",
			GoodStanding: true},
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
	ok(t, w.open().Succeeded(t.Context(), first, session, gift)) // again
	ok(t, w.open().Exited(t.Context(), first, "USER_EXIT"))      // too late
	for what, report := range map[string]error{
		"another amount":         w.open().Succeeded(t.Context(), first, session, gift+100),
		"another's session":      w.open().Succeeded(t.Context(), other, session, gift),
		"cents":                  w.open().Succeeded(t.Context(), other, "session-1", 150),
		"nothing":                w.open().Succeeded(t.Context(), other, "session-1", 0),
		"too much":               w.open().Succeeded(t.Context(), other, "session-1", 100_000_000_00),
		"no session":             w.open().Succeeded(t.Context(), other, "", gift),
		"an unreadable session":  w.open().Succeeded(t.Context(), other, "session 1\n", gift),
		"an unreadable reason":   w.open().Exited(t.Context(), other, "user left"),
		"a visit that is not it": w.open().Succeeded(t.Context(), "unheard", "session-1", gift),
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
	for reason, want := range map[string]provider.VisitState{
		"USER_EXIT": provider.VisitCanceled, "UNINTEGRATED_DAF": provider.VisitCanceled,
		"CREDENTIALS_ERROR": provider.VisitFailed,
		"TFA_ERROR":         provider.VisitFailed, "INSTITUTION_DOWN_ERROR": provider.VisitFailed,
		"NO_CHARITABLE_ACCOUNTS": provider.VisitFailed,
		"SOMETHING_NEW":          provider.VisitFailed,
	} {
		id := w.visit(t)
		ok(t, w.open().Exited(t.Context(), id, reason))
		if r, err := w.open().VisitResult(t.Context(), id); err != nil || r.State != want {
			t.Errorf("%s: %+v, %v", reason, r, err)
		}
		if err := w.open().Succeeded(t.Context(), id, "session-"+reason, gift); err == nil {
			t.Errorf("authorized after %s", reason)
		}
	}
	slow := w.visit(t)
	w.Advance(time.Hour + time.Second)
	if r, err := w.open().VisitResult(t.Context(), slow); err != nil || r.State != provider.VisitFailed {
		t.Errorf("%+v, %v", r, err)
	}
	if err := w.open().Succeeded(t.Context(), slow, "session-slow", gift); err == nil {
		t.Error("authorized after an hour")
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
