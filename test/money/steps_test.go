package money

import (
	"fmt"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
)

// life is what happens to an application.
type life struct {
	*site
	rt       *rapid.T
	n        int // of the step
	requests []func() error
	done     map[string]int
}

// usCases and caCases are the test cases of the payers' tokens, the frequent ones often.
var (
	usCases = []string{"approved", "approved", "approved_amex", "approved_amex", "declined_insufficient_funds",
		"disputed", "retrieval",
		"refund_declined", "refund_fails", "ach_settles", "ach_settles", "ach_r01", "ach_returned_r10", "ach_declined"}
	caCases = []string{"approved", "approved_amex", "acss_settles", "acss_settles", "acss_901", "acss_returned_915"}
)

// action is a step of a life.
type action struct {
	name  string
	often int
	do    func() error
}

// actions are the steps of a life. The first is what failures are made of, when they are made smaller.
func (l *life) actions() (all []action) {
	for _, a := range []action{
		{"nothing", 1, l.nothing}, {"create", 9, l.create}, {"capture", 2, l.capture}, {"void", 1, l.void},
		{"refund", 4, l.refund},
		{"cancel", 1, l.cancel}, {"happen", 3, l.happen}, {"decide", 3, l.decide}, {"answer", 2, l.answer},
		{"hours", 2, l.hours},
		{"days", 2, l.days}, {"week", 1, l.week}, {"rates", 2, l.rates}, {"unschedule", 1, l.unschedule},
		{"service rates", 1, l.serviceRates},
		{"suspend", 1, l.suspend}, {"activate", 2, l.activate}, {"donate", 2, l.donate}, {"mark", 2, l.mark},
		{"grant", 2, l.grant}, {"bank", 2, l.bank}, {"resume", 2, l.resume},
		{"resolve", 1, l.resolve}, {"window", 1, l.window}, {"arrive", 1, l.line.deliver}, {"retry", 2, l.retry},
		{"fold", 1, l.fold}, {"total", 2, l.total},
	} {
		for range a.often {
			all = append(all, a)
		}
	}
	return all
}

// evenly draws numbers that are as likely as each other, and are made smaller when a failure is: rapid's
// own prefer the small and the edges.
var evenly = rapid.Custom(func(t *rapid.T) (n int) {
	for range 24 {
		n <<= 1
		if rapid.Bool().Draw(t, "bit") {
			n++
		}
	}
	return n
})

// number draws a number below n, which is much less than two to the 24th.
func (l *life) number(n int) int { return evenly.Draw(l.rt, "n") * n >> 24 }

// request makes a request with a key of its own, and remembers it for retries.
func (l *life) request(do func(key string) error) error {
	key := fmt.Sprintf("%d-%d", l.app.AppID, l.n)
	again := func() error { return do(key) }
	l.requests = append(l.requests, again)
	return again()
}

func (l *life) nothing() error { return nil }

// retry repeats an earlier request with its key.
func (l *life) retry() error {
	if again, ok := pick(l.requests, l.number(1000)); ok {
		return again()
	}
	return nil
}

func (l *life) create() error {
	cases := usCases
	id, _ := pick(l.merchants(), l.number(3))
	if id == l.app.Merchants.CA {
		cases = caCases
	}
	name := cases[l.number(len(cases))]
	in := charge.CreateInput{MerchantID: &id, Token: ptr(l.token(id, name)),
		Amount: ptr(money.Amount(1 + l.number(20_000)))}
	if l.number(3) == 0 && len(name) > 3 && name[:2] != "ac" {
		in.Capture = ptr(false)
	}
	return l.request(func(key string) error {
		_, err := l.Charges.Create(l.ctx(), l.server(), in, l.claim("/api/charges", key))
		return err
	})
}

// charge picks a charge, one in that status if there is any and the draw wants it.
func (l *life) charge(status charge.Status) (charge.Charge, bool) {
	type row struct {
		ID ids.Charge `db:"id"`
	}
	all, err := pg.All[row](l.ctx(), l.Pool, `SELECT id FROM charges WHERE application_id = @app AND status = @status
		ORDER BY id`, pg.Args{"app": l.app.AppID, "status": status})
	l.must(err)
	if len(all) == 0 || l.number(5) == 0 {
		all = rows[row](l.site, `SELECT id FROM charges WHERE application_id = @app ORDER BY id`)
	}
	found, ok := pick(all, l.number(1000))
	if !ok {
		return charge.Charge{}, false
	}
	c, err := l.Charges.Find(l.ctx(), l.app.AppID, found.ID)
	l.must(err)
	return c, true
}

func (l *life) capture() error {
	c, ok := l.charge(charge.Authorized)
	if !ok {
		return nil
	}
	in := charge.CaptureInput{}
	if l.number(2) == 0 {
		in.Amount = ptr(money.Amount(1 + l.number(int(c.Amount)+5)))
	}
	return l.request(func(key string) error {
		_, err := l.Charges.Capture(l.ctx(), l.server(), c.ID.String(), in, l.claim("/capture", key))
		return err
	})
}

func (l *life) void() error {
	c, ok := l.charge([]charge.Status{charge.Authorized, charge.Pending}[l.number(2)])
	if !ok {
		return nil
	}
	return l.request(func(key string) error {
		_, err := l.Charges.Void(l.ctx(), l.server(), c.ID.String(), charge.VoidInput{}, l.claim("/void", key))
		return err
	})
}

func (l *life) refund() error {
	c, ok := l.charge([]charge.Status{charge.Captured, charge.Pending, charge.Settled}[l.number(3)])
	if !ok {
		return nil
	}
	in := refund.CreateInput{ChargeID: ptr(c.ID.String())}
	if l.number(3) > 0 {
		in.Amount = ptr(money.Amount(1 + l.number(int(c.Amount))))
	}
	return l.request(func(key string) error {
		_, err := l.Refunds.Create(l.ctx(), l.server(), in, l.claim("/api/refunds", key))
		return err
	})
}

func (l *life) cancel() error {
	type row struct {
		ID ids.Refund `db:"id"`
	}
	r, ok := pick(rows[row](l.site, `SELECT id FROM refunds WHERE application_id = @app
		ORDER BY pending_reason, id DESC`), l.number(3))
	if !ok {
		return nil
	}
	return l.request(func(key string) error {
		_, err := l.Refunds.Cancel(l.ctx(), l.server(), r.ID.String(), l.claim("/cancel", key))
		return err
	})
}

// happen has something happen to a charge at the processor.
func (l *life) happen() error {
	c, ok := l.charge([]charge.Status{charge.Captured, charge.Pending, charge.Settled}[l.number(3)])
	if !ok {
		return nil
	}
	outcomes := []string{"settled", "returned", "chargeback", "chargeback", "retrieval"}
	in := simulate.ChargeInput{Outcome: ptr(outcomes[l.number(len(outcomes))])}
	switch *in.Outcome {
	case "returned":
		codes := []string{"R01", "R02", "R10", "R29"}
		if c.Currency == money.CAD {
			codes = []string{"901", "905", "915"}
		}
		in.ReturnCode = ptr(codes[l.number(len(codes))])
	case "chargeback", "retrieval":
		if l.number(2) == 0 {
			in.Amount = ptr(money.Amount(1 + l.number(int(c.Amount))))
		}
	}
	_, err := l.Simulate.Charge(l.ctx(), l.server(), c.ID.String(), in, nil)
	return err
}

// dispute picks one of the latest disputes, the open ones first.
func (l *life) dispute() (ids.Dispute, bool) {
	type row struct {
		ID ids.Dispute `db:"id"`
	}
	d, ok := pick(rows[row](l.site, `SELECT id FROM disputes WHERE application_id = @app
		ORDER BY closed_at IS NOT NULL, id DESC`), l.number(4))
	return d.ID, ok
}

// decide has a dispute decided, escalated or closed.
func (l *life) decide() error {
	id, ok := l.dispute()
	if !ok {
		return nil
	}
	outcomes := simulate.DisputeOutcomes()
	in := simulate.DisputeInput{Outcome: ptr(outcomes[l.number(len(outcomes))])}
	_, err := l.Simulate.Dispute(l.ctx(), l.server(), id.String(), in, nil)
	return err
}

func (l *life) answer() error {
	id, ok := l.dispute()
	if !ok {
		return nil
	}
	says := []string{"", "winning_evidence", "losing_evidence", "We delivered it."}[l.number(4)]
	return l.request(func(key string) error {
		if says == "" {
			_, err := l.Disputes.Accept(l.ctx(), l.server(), id.String(), l.claim("/accept", key))
			return err
		}
		in := dispute.EvidenceInput{Evidence: map[string]string{"uncategorized_text": says}}
		_, err := l.Disputes.SubmitEvidence(l.ctx(), l.server(), id.String(), in, l.claim("/evidence", key))
		return err
	})
}

func (l *life) hours() error { return l.pass(time.Duration(1+l.number(30*60)) * time.Minute) }
func (l *life) days() error  { return l.pass(time.Duration(1+l.number(5*24)) * time.Hour) }
func (l *life) week() error  { return l.pass(time.Duration(7+l.number(14)) * 24 * time.Hour) }

// pass lets the application's time pass. Calls arrive late by minutes, not by days.
func (l *life) pass(d time.Duration) error {
	if l.line.waiting() {
		l.must(l.line.deliver())
		l.must(l.wait(6*time.Minute, 2)) // what was given up is looked up again within five
	}
	return l.advance(d)
}

// drawRates draws rates, with some that are off.
func (l *life) drawRates() fee.Rates {
	flat := func() money.Amount { return money.Amount(max(0, l.number(120)-30)) }
	percent := func() money.Percent { return money.Percent(max(0, l.number(6000)-1500)) }
	r := fee.Rates{AuthorizationFee: flat(), CaptureFee: flat(), AmexSurchargePercentage: percent(),
		ACHTransferFlatFee:    flat(),
		ACHTransferPercentage: percent(), ACHTransferFailedFee: flat(), ACHReturnFee: flat(), ChargebackFee: flat(),
		RetrievalFee:  flat(),
		DAFPercentage: percent()}
	if l.number(3) > 0 {
		r.PlatformFlatFee = ptr(flat())
	}
	if l.number(3) > 0 {
		r.PlatformPercentage = ptr(percent())
	}
	return r
}

// effective draws when a change begins: at once, or within ten days.
func (l *life) effective() *time.Time {
	if l.number(2) == 0 {
		return nil
	}
	return ptr(l.at().Add(time.Duration(1+l.number(240)) * time.Hour))
}

func (l *life) rates() error {
	id, _ := pick(l.merchants(), l.number(3))
	now, err := l.Fees.Current(l.ctx(), l.admin(), id)
	l.must(err)
	_, err = l.Fees.Schedule(l.ctx(), l.admin(), id,
		fee.Change{Rates: l.drawRates(), EffectiveAt: l.effective(), Reason: "A draw", Base: now.Latest})
	return err
}

// unschedule takes back a change of rates that has not begun.
func (l *life) unschedule() error {
	id, _ := pick(l.merchants(), l.number(3))
	now, err := l.Fees.Current(l.ctx(), l.admin(), id)
	l.must(err)
	if r, ok := pick(now.Scheduled, l.number(10)); ok {
		_, err = l.Fees.CancelScheduled(l.ctx(), l.admin(), id, r.ID)
	}
	return err
}

func (l *life) serviceRates() error {
	now, err := l.Fees.ServiceRates(l.ctx(), l.admin(), l.app.AppID)
	l.must(err)
	_, err = l.Fees.ScheduleServiceRates(l.ctx(), l.admin(), l.app.AppID,
		fee.Change{Rates: l.drawRates(), EffectiveAt: l.effective(), Reason: "A draw", Base: now.Latest})
	return err
}

// suspend lets a merchant be charged for no more, now and then for good; activate does again.
func (l *life) suspend() error {
	if l.number(8) == 0 {
		return l.become(merchant.Closed)
	}
	return l.become(merchant.Suspended)
}

func (l *life) activate() error { return l.become(merchant.Active) }

func (l *life) become(status merchant.Status) error {
	id, _ := pick(l.merchants(), l.number(3))
	_, err := l.Merchants.SetStatus(l.ctx(), l.admin(),
		merchant.StatusInput{MerchantID: id, Status: status, Reason: "A draw"})
	return err
}

// payoutNumbers are the accounts at the sandbox's banks whose payouts arrive, fail, come back, and are declined.
var payoutNumbers = []string{"000123456789", "000123456789", "000123456789", "000111111116", "000444444440",
	"000555555559"}

// bank gives a merchant an account for its payouts, another one if it has one, and mostly verifies it.
func (l *life) bank() error {
	id, _ := pick(l.merchants(), l.number(3))
	number := payoutNumbers[l.number(len(payoutNumbers))]
	in := payout.BankInput{MerchantID: id, Account: l.USBank(number)}
	if id == l.app.Merchants.CA {
		in.Account = l.CABank(number)
	}
	put := l.Payouts.ReplaceBankAccount
	if _, err := l.Payouts.BankAccountOf(l.ctx(), l.admin(), id); fault.HasCode(err, "resource_missing") {
		put = l.Payouts.AddBankAccount
	}
	if _, err := put(l.ctx(), l.admin(), in); err != nil || l.number(5) == 0 {
		return err
	}
	_, err := l.Payouts.VerifyBankAccount(l.ctx(), l.admin(),
		payout.VerifyInput{MerchantID: id, Amounts: payout.SandboxDeposits})
	return err
}

// resume lets a merchant be paid out again.
func (l *life) resume() error {
	id, _ := pick(l.merchants(), l.number(3))
	_, err := l.Payouts.Resume(l.ctx(), l.admin(), id)
	return err
}

func (l *life) resolve() error { return l.wait(5*time.Second, 1) }

// window lets the processor's window close, so that what was lost is given up.
func (l *life) window() error { return l.wait(l.line.SettleWindow()+time.Second, 2) }

func (l *life) fold() error {
	_, err := l.Ledger.Fold(l.ctx())
	return err
}

// total takes into the totals of charges what events report.
func (l *life) total() error {
	if _, err := l.Events.Number(l.ctx()); err != nil {
		return err
	}
	_, err := l.Totals.Fold(l.ctx())
	return err
}

// expected reports whether an error of a step is one that a caller may get.
func expected(err error) bool {
	return err == nil || refused(err) && !fault.HasCode(err, "parameter_unknown")
}
