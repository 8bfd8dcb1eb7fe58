package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

var sandboxResource = resource{
	shapes: map[string]any{
		"Clock": simulate.Clock{}, "AdvanceClock": simulate.AdvanceInput{}, "SimulateCharge": simulate.ChargeInput{},
		"SimulateDispute": simulate.DisputeInput{}, "SimulateRefund": simulate.RefundInput{},
		"SimulatePayout":      simulate.PayoutInput{},
		"SimulateDafDonation": simulate.DonationInput{}, "TestCase": simulate.TestCase{},
		"TestCases":        simulate.TestCases{},
		"CreateDafSession": simulate.DAFSessionInput{}, "DafSession": simulate.DAFSession{},
	},
	enums: map[string][]string{
		"SimulateCharge.outcome": simulate.ChargeOutcomes(), "SimulateDispute.outcome": simulate.DisputeOutcomes(),
		"SimulateRefund.outcome": simulate.RefundOutcomes(), "SimulateRefund.reason": simulate.RefundFailures(),
		"SimulatePayout.outcome": simulate.PayoutOutcomes(), "SimulateDafDonation.outcome": simulate.DonationOutcomes(),
	},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/sandbox/charges/:id":  func(t *testing.T, s *site) string { return chargeResource.theirs["/api/charges/:id"](t, s) },
		"/api/sandbox/disputes/:id": func(t *testing.T, s *site) string { return disputeResource.theirs["/api/disputes/:id"](t, s) },
		"/api/sandbox/refunds/:id":  func(t *testing.T, s *site) string { return refundResource.theirs["/api/refunds/:id"](t, s) },
		"/api/sandbox/payouts/:id":  func(t *testing.T, s *site) string { return payoutResource.theirs["/api/payouts/:id"](t, s) },
		"/api/sandbox/dafDonations/:id": func(t *testing.T, s *site) string {
			return donationResource.theirs["/api/dafDonations/:id"](t, s)
		},
	},
}

func (a answer) clock(t testing.TB) simulate.Clock {
	t.Helper()
	var c simulate.Clock
	if err := json.Unmarshal(a.body, &c); err != nil || a.status >= 300 {
		t.Fatalf("no clock but %d %s", a.status, a.body)
	}
	return c
}

// The paths of the sandbox do not exist in production, not for any method.
func TestProductionHasNoSandbox(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := configOf(w)
	c.Simulate = nil
	s := serve(t, w, c, time.Minute)
	n := 0
	for _, c := range everyRoute(t) {
		if c.route.handler.sandbox {
			n++
			s.send(t, c).want(t, 404, "route_missing")
		}
	}
	if n < 6 {
		t.Errorf("only %d routes are the sandbox's", n)
	}
	s.send(t, call{method: http.MethodDelete, path: "/api/sandbox/clock"}).want(t, 404, "route_missing")
	s.get(t, "/api/charges").want(t, 200, "")
}

func TestClockIsMoved(t *testing.T) {
	t.Parallel()
	s := open(t)
	const path = "/api/sandbox/clock"
	start := s.Clock.Now()
	if c := s.get(t, path).want(t, 200, "").clock(t); !c.Now.Equal(start) || c.AheadSeconds != 0 {
		t.Errorf("the clock is %+v", c)
	}
	hold := s.authorized(t, good)
	a := s.once(t, http.MethodPost, path, `{"advance":"170h"}`, `{"advance":"171h"}`, 200)
	if c := a.clock(t); !c.Now.Equal(start.Add(170*time.Hour)) || c.AheadSeconds != 170*3600 {
		t.Errorf("the clock is %s", a.body)
	}
	if read := s.get(t, path).want(t, 200, ""); !bytes.Equal(read.body, a.body) {
		t.Errorf("moved to\n%s\nread as\n%s", a.body, read.body)
	}
	c := s.get(t, "/api/charges/"+hold.ID.String()).charge(t)
	if c.Status != charge.Expired || c.ExpiredAt.Sub(start.Add(168*time.Hour)).Abs() > time.Millisecond {
		t.Errorf("the authorization is %s since %v", c.Status, c.ExpiredAt)
	}
	for _, by := range []string{`""`, `"1489h"`, `"-1h"`, `72`, `"` + marker + `"`, `["1h"]`} {
		s.on(t, http.MethodPost, path, `{"advance":`+by+`}`, "").want(t, 400, "parameter_invalid")
	}
	s.execute(t, `UPDATE application_clocks SET held_until = now() + interval '1 hour'`, pg.Args{})
	if busy := s.on(t, http.MethodPost, path, `{"advance":"1h"}`, "").want(t, 409,
		"operation_in_progress"); busy.header.Get("Retry-After") != "1" {
		t.Errorf("told to come back %q", busy.header.Get("Retry-After"))
	}
}

func TestSimulationsOfCharges(t *testing.T) {
	t.Parallel()
	s := open(t)
	card, bank := s.post(t, s.body(s.Token(good))).charge(t), s.debited(t)
	path := func(c charge.Charge) string { return "/api/sandbox/charges/" + c.ID.String() + "/simulate" }
	a := s.once(t, http.MethodPost, path(card), `{"outcome":"settled"}`, `{"outcome":"retrieval"}`, 200)
	if c := a.charge(t); c.Status != charge.Settled || a.header.Get("ETag") != fmt.Sprintf(`"%d"`, c.Version) {
		t.Errorf("the charge is %v %s", a.header, a.body)
	}
	if read := s.get(t, "/api/charges/"+card.ID.String()); !bytes.Equal(read.body, a.body) {
		t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
	}
	if c := s.on(t, http.MethodPost, path(bank), `{"outcome":"returned","return_code":"R01"}`, "").want(t, 200,
		"").charge(t); c.Status != charge.Failed {
		t.Errorf("the debit is %s", c.Status)
	}
	if c := s.on(t, http.MethodPost, path(card), `{"outcome":"chargeback","amount":4000,"reason":"duplicate"}`,
		"").charge(t); c.AmountDisputed != 4_000 {
		t.Errorf("disputed are %d", c.AmountDisputed)
	}
	for body, want := range map[string]struct {
		status      int
		code, param string
	}{
		`{"outcome":"settled"}`:                                {409, "simulation_not_possible", ""},
		`{"outcome":"returned","return_code":"R01"}`:           {409, "simulation_not_possible", ""},
		`{"outcome":"chargeback","amount":99999}`:              {409, "simulation_not_possible", ""},
		`{"outcome":"chargeback","amount":0}`:                  {400, "amount_too_small", "amount"},
		`{"outcome":"chargeback","amount":100000000}`:          {400, "amount_too_large", "amount"},
		`{"outcome":"chargeback","amount":1.5}`:                {400, "amount_not_integer", "amount"},
		`{"outcome":"` + marker + `"}`:                         {400, "parameter_invalid", "outcome"},
		`{"outcome":"returned"}`:                               {400, "parameter_missing", "return_code"},
		`{"outcome":"chargeback","reason":"` + marker + `\n"}`: {400, "parameter_invalid", "reason"},
		`{"outcome":"settled","reason":"` + marker + `"}`:      {400, "parameter_invalid", "reason"},
	} {
		if e := s.on(t, http.MethodPost, path(card), body, "").want(t, want.status,
			want.code).error(); e.Param != want.param {
			t.Errorf("%s is told of %q", body, e.Param)
		}
	}
	s.on(t, http.MethodPost, path(s.debited(t)), `{"outcome":"returned","return_code":"901"}`, "").want(t, 400,
		"parameter_invalid")
}

func TestSimulationsOfDisputes(t *testing.T) {
	t.Parallel()
	s := open(t)
	d := s.disputed(t, s.App, false)
	path := "/api/sandbox/disputes/" + d.ID.String() + "/simulate"
	s.on(t, http.MethodPost, path, `{"outcome":"won"}`, "").want(t, 409, "simulation_not_possible")
	s.on(t, http.MethodPost, path, `{"outcome":"closed"}`, "").want(t, 409, "simulation_not_possible")
	s.on(t, http.MethodPost, path, `{"outcome":"`+marker+`"}`, "").want(t, 400, "parameter_invalid")
	a := s.once(t, http.MethodPost, path, `{"outcome":"lost"}`, `{"outcome":"won"}`, 200)
	if got := a.dispute(t); got.Status != dispute.Lost || got.ID != d.ID {
		t.Errorf("the dispute is %s", a.body)
	}
	if read := s.get(t, "/api/disputes/"+d.ID.String()); !bytes.Equal(read.body, a.body) {
		t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
	}
}

func TestSimulationsOfRefunds(t *testing.T) {
	t.Parallel()
	s := open(t)
	c := s.post(t, s.body(s.Token(good))).charge(t)
	r := s.refund(t, c, "").want(t, 201, "").refund(t)
	path := "/api/sandbox/refunds/" + r.ID.String() + "/simulate"
	for body, code := range map[string]string{
		`{}`: "parameter_missing", `{"outcome":"` + marker + `"}`: "parameter_invalid",
		`{"outcome":"failed","reason":"` + marker + `"}`: "parameter_invalid",
	} {
		s.on(t, http.MethodPost, path, body, "").want(t, 400, code)
	}
	a := s.once(t, http.MethodPost, path, `{"outcome":"failed","reason":"lost_or_stolen_card"}`,
		`{"outcome":"failed"}`, 200)
	if got := a.refund(t); got.Status != refund.Failed || got.ID != r.ID || got.Failure.Code != "lost_or_stolen_card" {
		t.Errorf("the refund is %s", a.body)
	}
	if read := s.get(t, "/api/refunds/"+r.ID.String()); !bytes.Equal(read.body, a.body) {
		t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
	}
	s.on(t, http.MethodPost, path, `{"outcome":"failed"}`, "").want(t, 409, "simulation_not_possible")
}

func TestSimulationsOfPayouts(t *testing.T) {
	t.Parallel()
	s := open(t)
	p := s.payout(t, s.App, 12_345)
	path := "/api/sandbox/payouts/" + p.ID.String() + "/simulate"
	for body, want := range map[string]struct {
		status int
		code   string
	}{
		`{"outcome":"returned","return_code":"R02"}`: {409, "simulation_not_possible"},
		`{"outcome":"failed"}`:                       {400, "parameter_missing"},
		`{"outcome":"failed","return_code":"901"}`:   {400, "parameter_invalid"},
		`{"outcome":"paid","return_code":"R02"}`:     {400, "parameter_invalid"},
		`{"outcome":"` + marker + `"}`:               {400, "parameter_invalid"},
	} {
		s.on(t, http.MethodPost, path, body, "").want(t, want.status, want.code)
	}
	a := s.once(t, http.MethodPost, path, `{"outcome":"paid"}`, `{"outcome":"failed","return_code":"R03"}`, 200)
	if got := readAs[payout.Payout](t, a); got.Status != payout.Paid || got.ID != p.ID {
		t.Errorf("the payout is %s", a.body)
	}
	if read := s.get(t, "/api/payouts/"+p.ID.String()); !bytes.Equal(read.body, a.body) {
		t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
	}
	back := s.on(t, http.MethodPost, path, `{"outcome":"returned","return_code":"R02"}`, "").want(t, 200, "")
	if got := readAs[payout.Payout](t, back); got.Status != payout.Returned {
		t.Errorf("the payout is %s", back.body)
	}
}

func TestSimulationsOfDonations(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	d := s.given(t, daf.Integrated)
	path := func(d daf.Donation) string { return "/api/sandbox/dafDonations/" + d.ID.String() + "/simulate" }
	s.on(t, http.MethodPost, path(d), `{"outcome":"`+marker+`"}`, "").want(t, 400, "parameter_invalid")
	s.on(t, http.MethodPost, path(s.given(t, daf.Nonintegrated)), `{"outcome":"completed"}`, "").want(t, 409,
		"simulation_not_possible")
	a := s.once(t, http.MethodPost, path(d), `{"outcome":"completed"}`, `{"outcome":"canceled"}`, 200)
	if got := a.donation(t); got.Status != daf.Completed || got.ID != d.ID ||
		a.header.Get("ETag") != fmt.Sprintf(`"%d"`, got.Version) {
		t.Errorf("the donation is %s", a.body)
	}
	if read := s.get(t, "/api/dafDonations/"+d.ID.String()); !bytes.Equal(read.body, a.body) {
		t.Errorf("answered\n%s\nread\n%s", a.body, read.body)
	}
	s.on(t, http.MethodPost, path(d), `{"outcome":"canceled"}`, "").want(t, 409, "simulation_not_possible")
}
