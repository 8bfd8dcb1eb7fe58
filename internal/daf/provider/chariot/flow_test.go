package chariot_test

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/described"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

// deployment is a whole one whose DAF provider is Chariot.
type deployment struct {
	*fixture.World
	Fake    *fake.Fake
	chariot *chariot.Provider
	us      int64
}

// deployed makes a deployment whose US merchant was enrolled by a person of its organization.
func deployed(t *testing.T) *deployment {
	t.Helper()
	d := &deployment{}
	d.World = fixture.New(t, func(deps *assembly.Deps) {
		d.Fake = fake.New(deps.Now())
		s := httptest.NewServer(described.Serve(t, d.Fake))
		t.Cleanup(s.Close)
		d.chariot = chariot.New(chariot.Config{Pool: deps.Pool, API: s.URL, PagesOrigin: "https://daf.example",
			Now: deps.Now,
			Credentials: func(context.Context) (sensitive.Credentials, error) {
				return sensitive.NewCredentials(d.Fake.Key + " " + d.Fake.Secret), nil
			}})
		deps.DAF, deps.NextEvent = d.chariot, nil
	})
	d.us = d.App.Merchants.US
	_, err := d.Merchants.Update(t.Context(), d.Actor(), d.us, merchant.UpdateInput{HasDAFProvider: patch.Set(true),
		Nonprofit: patch.Set(true),
		EIN:       patch.Set(good)}, nil)
	ok(t, err)
	return d
}

// person is an administrator of the organization with an address.
func (d *deployment) person(t *testing.T, email string) authz.Actor {
	t.Helper()
	a := d.OrganizationAdmin()
	id, err := d.Identity.CreatePerson(t.Context(), identity.NewPerson{Email: email, Name: "Ola Maria Nord",
		Password: "correct horse battery",
		Grants: []identity.Grant{{Role: string(authz.RoleOrganizationAdmin), Scope: string(authz.ScopeOrganization),
			ScopeID: a.OrganizationID}}})
	ok(t, err)
	a.PersonID = id
	return a
}

func (d *deployment) enroll(t *testing.T, by authz.Actor) daf.Enrollment {
	t.Helper()
	found, err := d.DAF.LookUp(t.Context(), by, daf.LookUpInput{MerchantID: d.us, EIN: good})
	if err != nil || found.Outcome != daf.Eligible {
		t.Fatalf("%+v, %v", found, err)
	}
	e, err := d.DAF.Enroll(t.Context(), by, daf.EnrollInput{MerchantID: d.us, EIN: good, Name: found.Organization.Name})
	ok(t, err)
	return e
}

// pass lets time pass, here and at Chariot.
func (d *deployment) pass(by time.Duration) {
	d.Clock.Advance(by)
	d.Fake.Advance(by)
}

// authorizes has a donor authorize a gift on the pages of the modal, and returns the id that the page is told.
func (d *deployment) authorizes(t *testing.T, amount money.Amount) string {
	t.Helper()
	begun, err := d.Workflows.Begin(t.Context(), workflow.BeginInput{SessionID: d.Session(), Amount: &amount})
	ok(t, err)
	found, err := d.Workflows.Funds(t.Context(), "Cedar")
	ok(t, err)
	way, err := d.Workflows.Choose(t.Context(), begun.Secret, found[0].ID, "https://pay.example/back")
	if err != nil || !strings.HasPrefix(way.VisitAddress, "https://daf.example/daf/visits/") {
		t.Fatalf("%+v, %v", way, err)
	}
	look, err := d.chariot.Look(t.Context(), way.VisitID)
	ok(t, err)
	session := d.Fake.Authorize(fake.Session{ConnectID: look.ConnectID, FundID: look.FundID, Amount: int64(amount),
		Reference: look.Reference})
	ok(t, d.chariot.Succeeded(t.Context(), way.VisitID, success(session, amount)))
	if state, _, err := d.Workflows.Returned(t.Context(), begun.Secret); err != nil ||
		state != provider.VisitAuthorized {
		t.Fatalf("%s, %v", state, err)
	}
	way, err = d.Workflows.Get(t.Context(), begun.Secret)
	ok(t, err)
	return way.SessionID
}

func (d *deployment) input(t *testing.T, amount money.Amount) daf.CreateInput {
	t.Helper()
	session, anonymous := d.authorizes(t, amount), true
	return daf.CreateInput{MerchantID: &d.us, WorkflowSessionID: &session, Amount: &amount, Anonymous: &anonymous}
}

// resolve has the outcomes of all grants looked up, over some minutes.
func (d *deployment) resolve(t *testing.T) {
	t.Helper()
	for range 8 {
		d.pass(30 * time.Second)
		if _, err := d.Grants.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// notify has Chariot deliver every event, the latest first.
func (d *deployment) notify(t *testing.T) {
	t.Helper()
	all := d.Fake.Events()
	slices.Reverse(all)
	for _, id := range all {
		header, body := d.Fake.Webhook(id)
		ok(t, d.Inbound.GrantNotice(t.Context(), chariot.Name, header, body))
	}
}

// TestEnrollmentByAPerson: the contact is the person who enrolls the merchant, and for the command one who may.
func TestEnrollmentByAPerson(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	if e := d.enroll(t, d.person(t, "kim@mail.example")); e.State != daf.Refused || *e.Refusal != daf.ContactRefused {
		t.Errorf("%+v", e)
	}
	by := d.person(t, "ola@neighborhood.example")
	e := d.enroll(t, by)
	if e.State != daf.Enrolled || *e.Contact != (provider.Contact{FirstName: "Ola Maria", LastName: "Nord",
		Email: "ola@neighborhood.example"}) {
		t.Fatalf("%+v", e)
	}
	m, err := d.DAF.OptOut(t.Context(), by, d.us)
	ok(t, err)
	if m.DAFProviderConnectID != nil {
		t.Errorf("%+v", m)
	}
}

func TestEnrollmentByTheCommand(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.person(t, "ola@neighborhood.example")
	var found []daf.Examined
	ok(t, d.DAF.EnrollEligible(t.Context(), daf.EligibleInput{ApplicationID: d.App.AppID, Actor: d.Admin(), Apply: true},
		func(e []daf.Examined) error {
			found = append(found, e...)
			return nil
		}))
	enrolled := 0
	for _, e := range found {
		if e.Enrolled && e.MerchantID == d.us {
			enrolled++
		}
	}
	if enrolled != 1 {
		t.Errorf("%+v", found)
	}
}

// TestNoDonationIsLostOrDoubled: donations whose calls fail in every way, notices that are lost, late or doubled. Each
// donation is one grant, and the books agree.
func TestNoDonationIsLostOrDoubled(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.enroll(t, d.person(t, "ola@neighborhood.example"))
	faults := []fake.Fault{0, fake.LoseAnswer, fake.LoseCall, fake.TooMany, fake.Broken, fake.Processing, fake.Proxy,
		fake.Garbled, fake.Forbidden, 0}
	for i, fault := range faults {
		amount := money.Amount(100_00 + i*100)
		in := d.input(t, amount)
		d.Fake.Fail(grants, fault)
		out, err := d.DAF.Create(t.Context(), d.Actor(), in, nil)
		if err != nil || out.Object.Status != daf.Initiated {
			t.Fatalf("%d: %+v, %v", fault, out, err)
		}
		again, err := d.DAF.Create(t.Context(), d.Actor(), in, nil)
		if err != nil || again.Object.ID != out.Object.ID {
			t.Fatalf("%+v, %v", again, err)
		}

	}
	d.resolve(t)
	if n := d.Fake.Grants(); n != len(faults) {
		t.Fatalf("%d grants", n)
	}
	d.Fake.Silent(true) // whose events are lost
	d.pass(3 * day)
	d.Fake.Silent(false)
	d.pass(3 * day)
	for range 2 {
		d.notify(t)
		d.pass(time.Hour)
		ok(t, d.Inbound.Drain(t.Context()))
		d.notify(t)
		ok(t, d.Inbound.Drain(t.Context()))
	}
	d.Fake.Silent(true)
	late := d.input(t, 777_00)
	if _, err := d.DAF.Create(t.Context(), d.Actor(), late, nil); err != nil {
		t.Fatal(err)
	}
	d.pass(40 * day) // longer than Chariot keeps events
	if _, err := d.ReconcileGrants.RunNow(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.pass(2 * time.Hour)
	ok(t, d.Inbound.Drain(t.Context()))
	d.pass(day)
	run, err := d.ReconcileGrants.RunNow(t.Context())
	ok(t, err)
	open, err := d.ReconcileGrants.Open(t.Context())
	if err != nil || len(open) > 0 {
		t.Errorf("%+v, %+v, %v", run, open, err)
	}
	completed, err := pg.Value[int64](t.Context(), d.Pool, `
		SELECT count(*) FROM daf_donations WHERE status = 'completed' AND length(tracking_id) = 10
			AND provider_name = 'chariot'`, pg.Args{})
	if err != nil || completed != int64(len(faults)+1) || d.Fake.Grants() != len(faults)+1 {
		t.Errorf("%d completed, %d grants, %v", completed, d.Fake.Grants(), err)
	}
}

// TestCompletedOnce: however often an event arrives, the application has one of it. The money that arrives is compared
// with the grant.
func TestCompletedOnce(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.enroll(t, d.person(t, "ola@neighborhood.example"))
	_, err := d.DAF.Create(t.Context(), d.Actor(), d.input(t, 101_00), nil)
	ok(t, err)
	d.pass(6 * day)
	for range 3 {
		d.notify(t)
		d.pass(time.Hour)
		ok(t, d.Inbound.Drain(t.Context()))
	}
	reported, err := pg.Value[int64](t.Context(), d.Pool, `SELECT count(*) FROM events
		WHERE type = 'daf_donation.completed'`, pg.Args{})
	if err != nil || reported != 1 {
		t.Errorf("%d, %v", reported, err)
	}
	for _, fee := range []int64{101_00 * 29 / 1000, 50_00} { // as reported, and another
		d.Fake.Deposit(d.Fake.Made()[0].Tracking, fee, false)
		d.pass(day)
		_, err := d.ReconcileGrants.RunNow(t.Context())
		ok(t, err)
		open, err := d.ReconcileGrants.Open(t.Context())
		if differs := len(open) == 1 && open[0].Kind == "arrival_differs"; err != nil || differs != (fee == 50_00) {
			t.Errorf("after a fee of %d: %+v, %v", fee, open, err)
		}
	}
}

// TestReportedFeeOfADonation: the fee that Chariot reports replaces ours, and is what accrues.
func TestReportedFeeOfADonation(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.enroll(t, d.person(t, "ola@neighborhood.example"))
	const reported = 292 // 2.9 % of 101.00 is 2.929, which we round up
	out, err := d.DAF.Create(t.Context(), d.Actor(), d.input(t, 101_00), nil)
	ok(t, err)
	lines := out.Object.Fees
	if len(lines) != 2 || lines[1].Amount != reported || lines[1].Rate != nil || *lines[1].Basis != 101_00 ||
		out.Object.FeeTotal != lines[0].Amount+reported || out.Object.Net != 101_00-out.Object.FeeTotal {
		t.Errorf("%+v", out.Object)
	}
	d.pass(6 * day)
	d.pass(time.Hour)
	ok(t, d.Inbound.Drain(t.Context()))
	found, err := d.DAF.Get(t.Context(), d.Actor(), out.Object.ID.String())
	if err != nil || found.Status != daf.Completed || found.FeeTotal != out.Object.FeeTotal ||
		found.Fees[1].Amount != reported {
		t.Errorf("%+v, %v", found, err)
	}
	posted, err := pg.Value[int64](t.Context(), d.Pool, `
		SELECT sum(amount)::bigint FROM ledger_entries WHERE source_id = @id AND kind = 'daf_provider_percentage'`,
		pg.Args{"id": out.Object.ID.Bytes()})
	if err != nil || posted != reported {
		t.Errorf("%d, %v", posted, err)
	}
}

// TestDeclinedDonation: the donation is canceled, and no grant is made.
func TestDeclinedDonation(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.enroll(t, d.person(t, "ola@neighborhood.example"))
	in := d.input(t, 50_00)
	d.Fake.Fail(grants, fake.Refused)
	if out, err := d.DAF.Create(t.Context(), d.Actor(), in, nil); err == nil {
		t.Errorf("%+v", out)
	}
	lost := d.input(t, 60_00)
	d.Fake.Fail(grants, fake.LoseCall)
	d.Fake.Busy(true)
	out, err := d.DAF.Create(t.Context(), d.Actor(), lost, nil)
	if err != nil || out.Object.Status != daf.Initiated {
		t.Fatalf("%+v, %v", out, err)
	}
	d.resolve(t)
	d.Fake.Busy(false)
	d.pass(20 * time.Minute) // the window is over
	d.resolve(t)
	found, err := d.DAF.Get(t.Context(), d.Actor(), out.Object.ID.String())
	if err != nil || found.Status != daf.Canceled || d.Fake.Grants() != 0 {
		t.Errorf("%+v, %v, %d grants", found, err, d.Fake.Grants())
	}
}

// TestFundsThatCannotBeUsed: no donor is sent to a fund that is down, or grants no such amount.
func TestFundsThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	d := deployed(t)
	d.enroll(t, d.person(t, "ola@neighborhood.example"))
	amount := money.Amount(49_00)
	begun, err := d.Workflows.Begin(t.Context(), workflow.BeginInput{SessionID: d.Session(), Amount: &amount})
	ok(t, err)
	for query, want := range map[string]string{"Evergreen": "can’t be reached", "Aldergrove": "is $50"} {
		found, err := d.Workflows.Funds(t.Context(), query)
		ok(t, err)
		way, err := d.Workflows.Choose(t.Context(), begun.Secret, found[0].ID, "https://pay.example/back")
		if !fault.HasCode(err, "fund_unavailable") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v", query, way, err)
		}
	}
	found, err := d.Workflows.Funds(t.Context(), "Boston") // its donors make the grant themselves
	ok(t, err)
	if way, err := d.Workflows.Choose(t.Context(), begun.Secret, found[0].ID, ""); err != nil ||
		way.Kind != workflow.Nonintegrated {
		t.Errorf("%+v, %v", way, err)
	}
}
