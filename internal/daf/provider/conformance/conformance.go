// Package conformance is the test suite that every adapter of a donor-advised fund provider must pass. Only tests
// import it.
package conformance

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/ids"
	"svcpay/internal/money"
)

// Harness is an adapter with a counterparty of its own. Its functions may be called from several goroutines.
type Harness struct {
	// Open gives another instance over the same counterparty, as after a restart.
	Open func() provider.Provider
	// Now is the time of the accounts, and Advance lets time pass, for the counterparty too.
	Now     func() time.Time
	Advance func(time.Duration)
	// Account and Other are two merchants.
	Account, Other string
	// Good and Second are two organizations that can be enrolled, Unknown is in no directory.
	Good, Second, Unknown string
	// Authorize has a donor go through a visit and authorize an amount, or nothing if it is 0. The grant is completed
	// within two weeks.
	Authorize func(t *testing.T, visitID string, amount money.Amount)
	// Notice is a request that reports an event now.
	Notice func(t *testing.T, e provider.Event) (header map[string][]string, body []byte)
	// Signed are the headers of a notice without which it is refused, each with values for which it is.
	Signed map[string][]string
	// Contact is a contact of an organization; nil if the provider needs none.
	Contact func(ein string) provider.Contact
	// NoWebsites says that the provider does not know the websites of funds that are not integrated.
	NoWebsites bool
}

const amount money.Amount = 125_00

// Run runs the suite. It makes a harness for each part of it.
func Run(t *testing.T, make func(t *testing.T) Harness) {
	for name, part := range map[string]func(*testing.T, Harness){
		"it knows organizations":                      organizations,
		"an organization is taken in once":            enrolls,
		"funds are found":                             funds,
		"a visit is begun once and ends once":         visits,
		"a visit gives one grant":                     grants,
		"submissions at once make one grant":          races,
		"the feed tells each end once, in order":      feeds,
		"a notice is believed as it was signed":       notices,
		"the book has what was granted, in its order": books,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, make(t))
		})
	}
}

func (h Harness) reference() string { return ids.NewOperation(h.Now()).String() }

// visit begins a visit of the good organization at the first integrated fund.
func (h Harness) visit(t *testing.T, account string) (provider.Visit, provider.Pages) {
	t.Helper()
	p := h.Open()
	connectID, err := p.Enroll(t.Context(), h.enrollment(account, h.Good, "Good"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := p.Funds(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	fund := all[slices.IndexFunc(all, func(f provider.Fund) bool { return f.Integrated })]
	v := provider.Visit{Reference: h.reference(), Account: account, ConnectID: connectID, FundID: fund.ID,
		Amount: amount,
		Donor:  provider.Donor{FirstName: "Dana", Note: "For the winter"}, Return: "https://pay.example/back"}
	pages, err := p.Visit(t.Context(), v)
	if err != nil || pages.VisitID == "" || pages.Address == "" {
		t.Fatalf("%+v, %v", pages, err)
	}
	return v, pages
}

// authorized is a visit in which a donor authorized that amount.
func (h Harness) authorized(t *testing.T, account string, a money.Amount) string {
	t.Helper()
	_, pages := h.visit(t, account)
	h.Authorize(t, pages.VisitID, a)
	return pages.VisitID
}

// granted makes a grant and returns its reference and tracking id.
func (h Harness) granted(t *testing.T, account string) (string, string) {
	t.Helper()
	g := provider.Grant{Reference: h.reference(), VisitID: h.authorized(t, account, amount), Amount: amount}
	answer, err := h.Open().Grant(t.Context(), g)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return g.Reference, answer.TrackingID
}

// enrollment asks to take an organization in.
func (h Harness) enrollment(reference, ein, name string) provider.Enrollment {
	e := provider.Enrollment{Reference: reference, EIN: ein, Name: name}
	if h.Contact != nil {
		e.Contact = h.Contact(ein)
	}
	return e
}

func isUnknown(err error) bool { return errors.Is(err, provider.ErrNotFound) }

func organizations(t *testing.T, h Harness) {
	p := h.Open()
	if p.Name() == "" || p.SettleWindow() <= provider.CallTimeout {
		t.Errorf("%q: a submission could arrive after its reference was given up", p.Name())
	}
	for _, ein := range []string{h.Good, h.Second} {
		o, err := p.Organization(t.Context(), ein)
		if err != nil || o.EIN != ein || o.Name == "" || o.Country != "US" || o.Subsection != "3" || !o.GoodStanding {
			t.Errorf("%+v, %v", o, err)
		}
	}
	for _, ein := range []string{h.Unknown, "", "x", strings.ReplaceAll(h.Good, "-", "")} {
		if o, err := p.Organization(t.Context(), ein); !isUnknown(err) {
			t.Errorf("%q: %+v, %v", ein, o, err)
		}
	}
}

func enrolls(t *testing.T, h Harness) {
	enroll := func(ein string) (string, error) {
		return h.Open().Enroll(t.Context(), h.enrollment(h.reference(), ein, "A name"))
	}
	first, err := enroll(h.Good)
	again, err2 := enroll(h.Good)
	other, err3 := enroll(h.Second)
	if errors.Join(err, err2, err3) != nil || first == "" || first != again || first == other {
		t.Errorf("%q, %q, %q, %v", first, again, other, errors.Join(err, err2, err3))
	}
	if id, err := enroll(h.Unknown); err == nil {
		t.Errorf("an unknown organization is %q", id)
	}
}

func funds(t *testing.T, h Harness) {
	p := h.Open()
	all, err := p.Funds(t.Context(), "", 100)
	if err != nil || len(all) < 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	if some, err := p.Funds(t.Context(), "", 2); err != nil || !slices.Equal(some, all[:2]) {
		t.Errorf("%+v, %v", some, err)
	}
	for _, f := range all {
		if f.Name == "" || (f.Integrated || h.NoWebsites) == (f.Website != "") ||
			f.Integrated == (f.Instructions != "") {
			t.Errorf("%+v", f)
		}
		if one, err := p.Fund(t.Context(), f.ID); err != nil || one != f {
			t.Errorf("%+v, %v", one, err)
		}
		for _, query := range []string{f.Name, strings.ToUpper(f.Name), " " + f.Name[:4]} {
			if found, err := p.Funds(t.Context(), query, 100); err != nil || len(found) == 0 || found[0] != f {
				t.Errorf("%q finds %+v, %v", query, found, err)
			}
		}
	}
	for _, query := range []string{"no fund is called so", "%", "' OR 1=1", "\x00"} {
		if found, err := p.Funds(t.Context(), query, 100); err != nil || len(found) > 0 {
			t.Errorf("%q finds %+v, %v", query, found, err)
		}
	}
	if f, err := p.Fund(t.Context(), "unheard"); !isUnknown(err) {
		t.Errorf("%+v, %v", f, err)
	}
}

func visits(t *testing.T, h Harness) {
	v, pages := h.visit(t, h.Account)
	if again, err := h.Open().Visit(t.Context(), v); err != nil || again != pages {
		t.Errorf("again: %+v, %v", again, err)
	}
	if other, otherPages := h.visit(t, h.Account); otherPages.VisitID == pages.VisitID ||
		other.Reference == v.Reference {
		t.Errorf("two visits are one: %+v", otherPages)
	}
	result := func(visitID string) provider.VisitResult {
		r, err := h.Open().VisitResult(t.Context(), visitID)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if r := result(pages.VisitID); r.State != provider.VisitOpen {
		t.Errorf("begun: %+v", r)
	}
	h.Authorize(t, pages.VisitID, amount+100)
	if r := result(pages.VisitID); r.State != provider.VisitAuthorized || r.Amount != amount+100 ||
		r.Donor.FirstName == "" || r.Donor.Note != v.Donor.Note {
		t.Errorf("authorized: %+v", r)
	}
	if r := result(h.authorized(t, h.Account, 0)); r.State != provider.VisitCanceled {
		t.Errorf("left: %+v", r)
	}
	if r, err := h.Open().VisitResult(t.Context(), "unheard"); !isUnknown(err) {
		t.Errorf("%+v, %v", r, err)
	}
	for name, change := range map[string]func(*provider.Visit){
		"a fund that is not there":      func(v *provider.Visit) { v.FundID = "unheard" },
		"an organization without":       func(v *provider.Visit) { v.ConnectID = "unheard" },
		"cents":                         func(v *provider.Visit) { v.Amount = 150 },
		"nothing":                       func(v *provider.Visit) { v.Amount = 0 },
		"an unknown account":            func(v *provider.Visit) { v.Account = "somebody" },
		"a fund that is not integrated": func(v *provider.Visit) { v.FundID = h.own(t) },
	} {
		bad := v
		bad.Reference = h.reference()
		change(&bad)
		if pages, err := h.Open().Visit(t.Context(), bad); err == nil {
			t.Errorf("%s: %+v", name, pages)
		}
	}
}

// own is a fund that is not integrated.
func (h Harness) own(t *testing.T) string {
	t.Helper()
	all, err := h.Open().Funds(t.Context(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	return all[slices.IndexFunc(all, func(f provider.Fund) bool { return !f.Integrated })].ID
}

// counted counts answers of one kind from several goroutines.
type counted struct {
	mu sync.Mutex
	by map[string]int
}

func (c *counted) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = map[string]int{}
	}
	c.by[what]++
}
