package fee_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/policy"
)

// Roles of people that the policy will have with the portal.
const (
	administrator authz.Role = "application_admin"
	staff         authz.Role = "support_staff"
)

// people are the rules that these roles will have, over the policy's of the others.
type people struct{ authz.Checker }

func (p people) Check(a authz.Actor, asked authz.Permission) error {
	ok := false
	switch a.Role {
	case administrator:
		ok = asked != authz.FeeManageService
	case staff:
		ok = asked == authz.FeeRead
	default:
		return p.Checker.Check(a, asked)
	}
	if !ok {
		return authz.Denied(asked)
	}
	return nil
}

// world is a fixture with the use-cases of fees.
type world struct {
	*fixture.World
	fees *fee.Service
}

func newWorld(t testing.TB) *world {
	t.Helper()
	w := fixture.New(t)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	fees := fee.New(fee.Deps{Pool: w.Pool, Check: people{check}, Clock: w.Clocks})
	fees.ShowOn(w.Merchants)
	return &world{w, fees}
}

// person acts in a role for the first application.
func (w *world) person(role authz.Role) authz.Actor {
	return authz.Actor{Role: role, ApplicationID: w.App.AppID}
}

func (w *world) admin() authz.Actor { return w.person(administrator) }

// us is the first application's US merchant.
func (w *world) us() fee.Merchant {
	return fee.Merchant{ApplicationID: w.App.AppID, MerchantID: w.App.Merchants.US}
}

// copyMerchant adds a merchant that begins with some rates.
func (w *world) copyMerchant(t rapid.TB, r fee.Rates) fee.Merchant {
	t.Helper()
	return fee.Merchant{ApplicationID: w.App.AppID, MerchantID: w.Merchant(merchant.CreateInput{Rates: &r}).ID}
}

func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// terms are what applies to a merchant then.
func (w *world) terms(t rapid.TB, m fee.Merchant, at time.Time) fee.Terms {
	t.Helper()
	return w.allTerms(t, map[fee.Merchant]time.Time{m: at})[m]
}

// allTerms are what applies to several merchants, to each at a time.
func (w *world) allTerms(t rapid.TB, wanted map[fee.Merchant]time.Time) (all map[fee.Merchant]fee.Terms) {
	t.Helper()
	must(t, pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) (err error) {
		all, err = fee.EffectiveTx(w.T.Context(), tx, wanted)
		return err
	}))
	return all
}

// latest is what an editor who looks now has seen.
func (w *world) latest(t rapid.TB, m fee.Merchant) ids.FeeSchedule {
	t.Helper()
	f, err := w.fees.Current(w.T.Context(), w.admin(), m.MerchantID)
	must(t, err)
	return f.Latest
}

// change schedules rates of a merchant, in a while or, with 0, at once.
func (w *world) change(t rapid.TB, m fee.Merchant, r fee.Rates, in time.Duration) fee.Record {
	t.Helper()
	rec, err := w.fees.Schedule(w.T.Context(), w.admin(), m.MerchantID,
		fee.Change{Rates: r, EffectiveAt: w.in(in), Reason: "New contract", Base: w.latest(t, m)})
	must(t, err)
	return rec
}

// in is a time from now, nil for now.
func (w *world) in(d time.Duration) *time.Time {
	if d == 0 {
		return nil
	}
	at := w.Clock.Now().Add(d)
	return &at
}

// record charges an event by the terms in effect at that time.
func (w *world) record(t rapid.TB, m fee.Merchant, e fee.Event) fee.Event {
	t.Helper()
	e = w.terms(t, m, e.At).Event(m, e.SourceID, e.Kind, e.Base, e.Brand, e.At)
	must(t, pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error { return fee.RecordTx(tx, []fee.Event{e}) }))
	return e
}

// refused fails unless err is a fault with that code, and returns it.
func refused(t rapid.TB, what string, err error, code string) *fault.Error {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != code {
		t.Fatalf("%s: %v, want %s", what, err, code)
	}
	return f
}

func describe(r fee.Record) string { return fmt.Sprintf("%s v%d %s", r.ID, r.Version, r.Status) }

// history is a merchant's whole series, the schedule added last first.
func (w *world) history(t rapid.TB, actor authz.Actor, m fee.Merchant) []fee.Record {
	t.Helper()
	p, err := w.fees.History(w.T.Context(), actor, m.MerchantID, page.Input[ids.FeeSchedule]{Limit: 100})
	must(t, err)
	return p.Items
}
