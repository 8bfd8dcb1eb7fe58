package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/webhook"
)

// triggers make each change happen, and tell the id of the object.
var triggers = map[string]func(*stage) string{
	"charge.created: nothing to processing":       func(s *stage) string { return s.charge(good) },
	"charge.captured: processing to captured":     func(s *stage) string { return s.charge(good) },
	"charge.failed: processing to failed":         func(s *stage) string { return s.refusedCharge() },
	"charge.authorized: processing to authorized": func(s *stage) string { return s.authorized(s.t, good).ID.String() },
	"charge.pending: processing to pending":       func(s *stage) string { return s.debited(s.t).ID.String() },
	"charge.captured: authorized to captured":     func(s *stage) string { return s.followed("capture", s.authorized(s.t, good)) },
	"charge.voided: authorized to voided":         func(s *stage) string { return s.followed("void", s.authorized(s.t, good)) },
	"charge.expired: authorized to expired": func(s *stage) string {
		c := s.authorized(s.t, good)
		s.ask("/api/sandbox/clock", `{"advance":"200h"}`)
		return c.ID.String()
	},
	"charge.voided: pending to voided": func(s *stage) string { return s.followed("void", s.debited(s.t)) },
	"charge.failed: pending to failed": func(s *stage) string {
		return s.simulated(s.debited(s.t), `{"outcome":"returned","return_code":"R01"}`)
	},
	"charge.settled: captured to settled": func(s *stage) string { return s.simulated(s.card(), `{"outcome":"settled"}`) },
	"charge.settled: pending to settled":  func(s *stage) string { return s.simulated(s.debited(s.t), `{"outcome":"settled"}`) },
	"charge.returned: settled to returned": func(s *stage) string {
		c := s.debited(s.t)
		s.simulated(c, `{"outcome":"settled"}`)
		return s.simulated(c, `{"outcome":"returned","return_code":"R10"}`)
	},
	"charge.refunded": func(s *stage) string {
		c := s.card()
		s.refund(s.t, c, "").want(s.t, 201, "")
		return c.ID.String()
	},
	"charge.updated": func(s *stage) string {
		c := s.card()
		s.on(s.t, http.MethodPut, "/api/charges/"+c.ID.String(), `{"description":"Another"}`, "").want(s.t, 200, "")
		return c.ID.String()
	},

	"refund.created: nothing to pending":     func(s *stage) string { return s.given(s.card()).ID.String() },
	"refund.succeeded: pending to succeeded": func(s *stage) string { return s.given(s.card()).ID.String() },
	"refund.failed: pending to failed": func(s *stage) string {
		s.p.refund = func(context.Context, processor.FollowUp) (processor.Answer, error) {
			return processor.Answer{DeclineCode: "generic_decline"}, nil
		}
		return s.given(s.card()).ID.String()
	},
	"refund.failed: succeeded to failed": func(s *stage) string {
		id := s.given(s.card()).ID.String()
		s.ask("/api/sandbox/refunds/"+id+"/simulate", `{"outcome":"failed"}`)
		return id
	},
	"refund.canceled: pending to canceled": func(s *stage) string {
		r := s.given(s.debited(s.t))
		s.cancel(s.t, r).want(s.t, 200, "")
		return r.ID.String()
	},
	"refund.updated: pending to pending": func(s *stage) string {
		c := s.debited(s.t)
		r := s.given(c)
		s.ask("/api/sandbox/clock", `{"advance":"240h"}`)
		return r.ID.String()
	},
	"refund.succeeded: failed to succeeded": func(s *stage) string {
		s.p.refund = func(context.Context, processor.FollowUp) (processor.Answer, error) {
			return processor.Answer{}, errLine
		}
		c := s.card()
		r := s.refund(s.t, c, "").want(s.t, 202, "").refund(s.t)
		s.Clock.Advance(s.p.SettleWindow() + time.Second)
		s.resolve()
		s.p.known[r.Processor.Reference] = processor.Answer{Approved: true}
		s.Clock.Advance(time.Hour)
		s.resolve()
		return r.ID.String()
	},

	"dispute.created: nothing to chargeback needs_response":                 func(s *stage) string { return s.dispute(false).ID.String() },
	"dispute.created: nothing to retrieval needs_response":                  func(s *stage) string { return s.dispute(true).ID.String() },
	"dispute.updated: chargeback needs_response to chargeback under_review": func(s *stage) string { return s.answered(s.dispute(false)).ID.String() },
	"dispute.updated: retrieval needs_response to retrieval under_review":   func(s *stage) string { return s.answered(s.dispute(true)).ID.String() },
	"dispute.accepted: chargeback needs_response to chargeback accepted": func(s *stage) string {
		d := s.dispute(false)
		s.answerTo(s.t, d, "accept", "", "").want(s.t, 200, "")
		return d.ID.String()
	},
	"dispute.won: chargeback needs_response to chargeback won":   func(s *stage) string { return s.wonThere(s.dispute(false)) },
	"dispute.lost: chargeback needs_response to chargeback lost": func(s *stage) string { return s.ended(s.dispute(false), "lost") },
	"dispute.won: chargeback under_review to chargeback won":     func(s *stage) string { return s.ended(s.answered(s.dispute(false)), "won") },
	"dispute.lost: chargeback under_review to chargeback lost":   func(s *stage) string { return s.ended(s.answered(s.dispute(false)), "lost") },
	"dispute.won: chargeback lost to chargeback won": func(s *stage) string {
		d := s.dispute(false)
		s.Clock.Advance(30 * 24 * time.Hour)
		s.sweep()
		return s.wonThere(d)
	},
	"dispute.closed: retrieval needs_response to retrieval closed":           func(s *stage) string { return s.ended(s.dispute(true), "closed") },
	"dispute.closed: retrieval under_review to retrieval closed":             func(s *stage) string { return s.ended(s.answered(s.dispute(true)), "closed") },
	"dispute.updated: retrieval needs_response to chargeback needs_response": func(s *stage) string { return s.ended(s.dispute(true), "escalated") },
	"dispute.updated: retrieval under_review to chargeback needs_response":   func(s *stage) string { return s.ended(s.answered(s.dispute(true)), "escalated") },

	"payout.created: nothing to processing": func(s *stage) string { return s.paid().ID.String() },
	"payout.paid: processing to paid":       func(s *stage) string { return s.payoutEnds(s.paid(), "paid") },
	"payout.failed: processing to failed":   func(s *stage) string { return s.payoutEnds(s.paid(), "failed") },
	"payout.returned: paid to returned": func(s *stage) string {
		p := s.paid()
		s.payoutEnds(p, "paid")
		return s.payoutEnds(p, "returned")
	},
	"payout.paid: failed to paid": func(s *stage) string {
		var submitted processor.Payout
		s.p.payout = func(_ context.Context, p processor.Payout) (processor.Answer, error) {
			submitted = p
			return processor.Answer{}, errLine
		}
		p := s.paid()
		s.Clock.Advance(s.p.SettleWindow() + time.Minute)
		s.resolve()
		s.p.known[submitted.Reference] = processor.Answer{Approved: true}
		s.Clock.Advance(2 * time.Minute)
		s.resolve()
		err := s.Payouts.Paid(s.t.Context(),
			processor.Event{Adapter: "sandbox", Kind: processor.PayoutPaid, Account: submitted.Account.External,
				Reference: submitted.Reference})
		if err != nil {
			s.t.Fatal(err)
		}
		return p.ID.String()
	},

	"merchant.created: nothing to active": func(s *stage) string { return s.merchant() },
	"merchant.updated": func(s *stage) string {
		id := s.merchant()
		s.on(s.t, http.MethodPut, "/api/merchants/"+id, `{"name":"Another"}`, "").want(s.t, 200, "")
		return id
	},
	"card_rules.updated": func(s *stage) string {
		s.on(s.t, http.MethodPut, ofUS(s.site, "/card_rules"), `{"minimum_amount":500}`, "").want(s.t, 200, "")
		return "" // card rules are named by their merchant
	},
	"fees.updated": func(s *stage) string {
		s.on(s.t, http.MethodPut, ofUS(s.site, "/fees"), `{"daf_percentage":2.5}`, "").want(s.t, 200, "")
		s.number(s.t)
		var n fee.Notice
		if err := json.Unmarshal(s.events(s.t, "type=fees.updated").Data[0].Data.Object, &n); err != nil {
			s.t.Fatal(err)
		}
		return n.ID.String()
	},
	"merchant.updated: active to suspended": func(s *stage) string { return s.moved(merchant.Suspended) },
	"merchant.updated: suspended to active": func(s *stage) string { return s.moved(merchant.Suspended, merchant.Active) },
	"merchant.updated: active to closed":    func(s *stage) string { return s.moved(merchant.Closed) },
	"merchant.updated: suspended to closed": func(s *stage) string { return s.moved(merchant.Suspended, merchant.Closed) },

	"token.updated: pending_verification to active": func(s *stage) string {
		id := s.bank(s.t, s.SessionOf(s.App, s.App.Merchants.USQ)).Token.String()
		s.ask("/api/tokens/"+id+"/verify", `{"amounts":[32,45]}`)
		return id
	},
	"token.updated: pending_verification to disabled": func(s *stage) string {
		id := s.bank(s.t, s.SessionOf(s.App, s.App.Merchants.USQ)).Token.String()
		for range 10 {
			s.on(s.t, http.MethodPost, "/api/tokens/"+id+"/verify", `{"amounts":[1,2]}`, "").want(s.t, 422,
				"verification_failed")
		}
		return id
	},
	"token.updated: active to disabled": func(s *stage) string {
		created := s.bank(s.t, s.Session())
		saved := s.get(s.t, "/api/tokens/"+created.Token.String()).token(s.t)
		s.ask("/api/mandates/"+saved.Mandate.String()+"/revoke", "")
		return created.Token.String()
	},
	"token.updated: active to expired": func(s *stage) string {
		id := s.Token(good)
		s.Clock.Advance(14 * 31 * 24 * time.Hour)
		s.sweep()
		return id
	},
	"token.updated: active to deleted": func(s *stage) string {
		id := s.Token(good)
		s.on(s.t, http.MethodDelete, "/api/tokens/"+id, "", "").want(s.t, 200, "")
		return id
	},
	"token.updated": func(s *stage) string {
		id := s.Token(good)
		s.on(s.t, http.MethodPut, "/api/tokens/"+id, `{"billing":{"email":"new@example.org"}}`, "").want(s.t, 200, "")
		return id
	},

	"webhook_endpoint.paused: enabled to paused": func(s *stage) string { e, _ := s.troubled(); return e },
	"webhook_endpoint.recovered": func(s *stage) string {
		e, well := s.troubled()
		well.Store(true)
		s.ask("/api/webhook_endpoints/"+e+"/enable", "")
		s.ask("/api/webhook_endpoints/"+e+"/test", "")
		s.work(func() bool { return strings.Contains(s.events(s.t, "type=webhook_endpoint.*").types(), "recovered") })
		return e
	},
}

// ask posts what must succeed.
func (s *stage) ask(path, body string) answer {
	s.t.Helper()
	a := s.on(s.t, http.MethodPost, path, body, "")
	if a.status >= 300 {
		s.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	return a
}

func (s *stage) card() charge.Charge { return s.post(s.t, s.body(s.Token(good))).charge(s.t) }

func (s *stage) charge(number string) string {
	return s.post(s.t, s.body(s.Token(number))).charge(s.t).ID.String()
}

func (s *stage) refusedCharge() string {
	var told struct {
		Error struct {
			ChargeID string `json:"charge_id"`
		}
	}
	a := s.post(s.t, s.body(s.Token("4000000000009995"))).want(s.t, 402, "card_declined")
	if err := json.Unmarshal(a.body, &told); err != nil {
		s.t.Fatal(err)
	}
	return told.Error.ChargeID
}

func (s *stage) followed(what string, c charge.Charge) string {
	s.follow(s.t, what, c, "").want(s.t, 200, "")
	return c.ID.String()
}

func (s *stage) simulated(c charge.Charge, body string) string {
	s.ask("/api/sandbox/charges/"+c.ID.String()+"/simulate", body)
	return c.ID.String()
}

func (s *stage) given(c charge.Charge) refund.Refund {
	return s.refund(s.t, c, "").want(s.t, 201, "").refund(s.t)
}

func (s *stage) resolve() {
	s.t.Helper()
	if _, err := s.Operations.Resolve(s.t.Context()); err != nil {
		s.t.Fatal(err)
	}
}

// sweep does what has become due.
func (s *stage) sweep() {
	s.t.Helper()
	for _, sweep := range s.Sweeps() {
		for more := true; more; {
			var err error
			if more, err = s.Clocks.RunAll(s.t.Context(), sweep); err != nil {
				s.t.Fatalf("%s: %v", sweep.Name, err)
			}
		}
	}
}

func (s *stage) dispute(retrieval bool) dispute.Dispute {
	s.t.Helper()
	outcome := "chargeback"
	if retrieval {
		outcome = "retrieval"
	}
	c := s.card()
	s.simulated(c, fmt.Sprintf(`{"outcome":%q}`, outcome))
	var page struct{ Data []dispute.Dispute }
	if err := json.Unmarshal(s.get(s.t, "/api/disputes").body, &page); err != nil || len(page.Data) != 1 {
		s.t.Fatalf("%+v, %v", page, err)
	}
	return page.Data[0]
}

func (s *stage) answered(d dispute.Dispute) dispute.Dispute {
	s.answerTo(s.t, d, "evidence", `{"evidence":{"access_log":"They were there."}}`, "").want(s.t, 200, "")
	return d
}

func (s *stage) ended(d dispute.Dispute, outcome string) string {
	s.ask("/api/sandbox/disputes/"+d.ID.String()+"/simulate", fmt.Sprintf(`{"outcome":%q}`, outcome))
	return d.ID.String()
}

// wonThere has the processor report a win that no one here expects.
func (s *stage) wonThere(d dispute.Dispute) string {
	s.t.Helper()
	c := s.get(s.t, "/api/charges/"+d.ChargeID.String()).charge(s.t)
	err := s.Disputes.Won(s.t.Context(),
		processor.Event{Adapter: "sandbox", Kind: processor.DisputeWon,
			Account: processor.MerchantAccount(s.App.AppID, d.MerchantID), Reference: c.Processor.Reference,
			At:      s.Clock.Now(),
			Dispute: &processor.DisputeNotice{ID: d.Processor.Dispute, Amount: d.Amount, Currency: d.Currency}})
	if err != nil {
		s.t.Fatal(err)
	}
	return d.ID.String()
}

func (s *stage) paid() payout.Payout { return s.payout(s.t, s.App, 10_000) }

func (s *stage) payoutEnds(p payout.Payout, outcome string) string {
	s.ask("/api/sandbox/payouts/"+p.ID.String()+"/simulate",
		fmt.Sprintf(`{"outcome":%q%s}`, outcome,
			map[string]string{"failed": `,"return_code":"R03"`, "returned": `,"return_code":"R03"`}[outcome]))
	return p.ID.String()
}

func (s *stage) merchant() string { return fmt.Sprint(s.Merchant(merchant.CreateInput{}).ID) }

func (s *stage) moved(to ...merchant.Status) string {
	s.t.Helper()
	m := s.Merchant(merchant.CreateInput{})
	for _, status := range to {
		_, err := s.Merchants.SetStatus(s.t.Context(),
			authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.App.AppID},
			merchant.StatusInput{MerchantID: m.ID, Status: status, Reason: "A test"})
		if err != nil {
			s.t.Fatal(err)
		}
	}
	return fmt.Sprint(m.ID)
}

// work numbers and sends until something is so.
func (s *stage) work(until func() bool) {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	var run sync.WaitGroup
	run.Go(func() { s.Webhooks.NewWorker().Run(ctx) })
	for end := time.Now().Add(20 * time.Second); !until(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			s.t.Fatal("it did not happen")
		}
	}
	stop()
	run.Wait()
}

// troubled makes an endpoint that is paused because its receiver was gone, and what makes that well.
func (s *stage) troubled() (string, *atomic.Bool) {
	s.t.Helper()
	well := new(atomic.Bool)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.WriteHeader(http.StatusGone)
		}
	}))
	s.t.Cleanup(receiver.Close)
	e := s.newEndpoint(s.t,
		fmt.Sprintf(`{"url":%q,"events":["payout.*"]}`,
			strings.Replace(receiver.URL, "127.0.0.1", "hooks.localhost", 1)))
	s.ask(endpointsPath+"/"+e.ID.String()+"/test", "")
	s.work(func() bool { return s.get(s.t, endpointsPath+"/"+e.ID.String()).endpoint(s.t).Status == webhook.Paused })
	return e.ID.String(), well
}
