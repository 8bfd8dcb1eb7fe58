package payout_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// scripted is the sandbox processor with payouts that a test plays with. Nil plays nothing.
type scripted struct {
	*sandbox.Processor
	mu    sync.Mutex
	play  func(ctx context.Context, p processor.Payout) (processor.Answer, error)
	calls []processor.Payout
	// onFile is the account and the number of the bank account that the processor has on file. unanswered is the error
	// of asking for it.
	onFile     string
	unanswered error
}

func (p *scripted) Payout(ctx context.Context, out processor.Payout) (processor.Answer, error) {
	p.mu.Lock()
	p.calls = append(p.calls, out)
	play := p.play
	p.mu.Unlock()
	if play == nil {
		play = p.Processor.Payout
	}
	return play(ctx, out)
}

func (p *scripted) plays(play func(ctx context.Context, p processor.Payout) (processor.Answer, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.play = play
}

func declines(context.Context, processor.Payout) (processor.Answer, error) {
	return processor.Answer{DeclineCode: "bank_account_unusable"}, nil
}

var errLost = errors.New("the connection was lost")

// place is a world whose first application's US merchant has a verified bank account.
type place struct {
	*fixture.World
	p  *scripted
	us int64
}

func open(t *testing.T, changes ...fixture.Change) place {
	t.Helper()
	p := &scripted{}
	w := fixture.NewWith(t, func(s *sandbox.Processor) processor.Processor {
		p.Processor = s
		return p
	}, changes...)
	out := place{w, p, w.App.Merchants.US}
	out.BankAccount(w.App, out.us)
	return out
}

// account is a bank account that the sandbox pays.
func account(country string) token.BankInput {
	in := token.BankInput{Scheme: processor.ACH, Routing: "110000000",
		Number:      sensitive.NewAccountNumber("000123456789"),
		AccountType: "checking", Billing: token.Billing{FirstName: "Riverside", LastName: "Food Bank"}}
	if country == "CA" {
		in.Scheme, in.Routing = processor.ACSS, "11000000"
	}
	return in
}

// fatal is what tests and properties have in common.
type fatal interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// post books postings now, by a merchant's currency.
func (w place) post(t fatal, postings ...ledger.Posting) {
	t.Helper()
	err := pg.InTx(w.T.Context(), w.Pool, func(tx *pg.Tx) error {
		ledger.PostTx(tx, instant.Both(w.Clock.Now()), postings...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// earn makes an amount of a charge available to the merchant, and returns the charge.
func (w place) earn(t fatal, amount money.Amount) ids.Charge {
	t.Helper()
	c := ids.NewCharge(w.Clock.Now())
	p := ledger.Posting{ApplicationID: w.App.AppID, MerchantID: w.us, BusinessKey: c.String() + ":capture",
		Kind:  "capture",
		Debit: ledger.ProcessorReceivable, Credit: ledger.MerchantPending, Amount: amount, Currency: money.USD,
		SourceID: c.Bytes(), ChargeID: c}
	released := p
	released.BusinessKey, released.Debit, released.Credit = p.BusinessKey+
		":release", ledger.MerchantPending, ledger.MerchantAvailable
	w.post(t, p, released)
	return c
}

// lose takes an amount from what is available to the merchant: a refund of a settled charge.
func (w place) lose(t fatal, amount money.Amount) {
	t.Helper()
	r, c := ids.NewRefund(w.Clock.Now()), ids.NewCharge(w.Clock.Now())
	w.post(t, ledger.Posting{ApplicationID: w.App.AppID, MerchantID: w.us, BusinessKey: r.String() + ":refund",
		Kind:  "refund",
		Debit: ledger.MerchantAvailable, Credit: ledger.ProcessorReceivable, Amount: amount, Currency: money.USD,
		SourceID: r.Bytes(), ChargeID: c})
}

// run lets everybody's due payouts run, and says how many merchants were looked at.
func (w place) run(t fatal) int {
	t.Helper()
	n := 0
	for {
		views, err := w.Clocks.Views(w.T.Context())
		if err != nil {
			t.Fatal(err)
		}
		more := 0
		for _, v := range views {
			looked, err := w.Payouts.Run(w.T.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			more += looked
		}
		if more == 0 {
			return n
		}
		n += more
	}
}

// next moves the clock to the next run of the US merchant, and lets everybody's run.
func (w place) next(t fatal) {
	t.Helper()
	w.Clock.Advance(max(0, w.merchant(t).NextPayoutAt.Sub(w.Clock.Now())))
	w.run(t)
}

// payouts are those of the US merchant, oldest first.
func (w place) payouts(t fatal) []payout.Payout {
	t.Helper()
	rows, err := pg.All[row](w.T.Context(), w.Pool, `SELECT id FROM payouts WHERE application_id = @a
		AND merchant_id = @m ORDER BY created_at, id`,
		pg.Args{"a": w.App.AppID, "m": w.us})
	if err != nil {
		t.Fatal(err)
	}
	out := []payout.Payout{}
	for _, r := range rows {
		p, err := w.Payouts.Get(w.T.Context(), w.Actor(), r.ID.String())
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

type row struct {
	ID ids.Payout `db:"id"`
}

// last is the US merchant's newest payout, of so many.
func (w place) last(t fatal, of int) payout.Payout {
	t.Helper()
	all := w.payouts(t)
	if len(all) != of {
		t.Fatalf("%d payouts, want %d", len(all), of)
	}
	return all[of-1]
}

func (w place) merchant(t fatal) merchant.Merchant {
	t.Helper()
	m, err := w.Merchants.Find(w.T.Context(), w.App.AppID, w.us)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// tell is an event of the processor about a payout.
func tell(p payout.Payout, kind processor.EventKind, code string) processor.Event {
	return processor.Event{Adapter: "sandbox", ID: "e", Kind: kind,
		Account: processor.MerchantAccount(p.ApplicationID, p.MerchantID), Reference: p.Processor.Reference,
		ReturnCode: code}
}

// account balances of the US merchant, owed to it.
func (w place) owed(t fatal, a ledger.Account) money.Amount {
	t.Helper()
	v, err := pg.Value[int64](w.T.Context(), w.Pool, `
		SELECT coalesce(-sum(balance), 0)::bigint FROM ledger_balances WHERE application_id = @a AND merchant_id = @m
			AND account = @account`,
		pg.Args{"a": w.App.AppID, "m": w.us, "account": a})
	if err != nil {
		t.Fatal(err)
	}
	return money.Amount(v)
}

func (w place) count(t fatal, from string, args pg.Args) int {
	t.Helper()
	n, err := pg.Value[int](w.T.Context(), w.Pool, `SELECT count(*)::int FROM `+from, args)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// waiting is what the next payout of each merchant would collect.
const waiting = `(SELECT coalesce(sum(CASE WHEN l.credit = 'merchant_available' THEN l.amount ELSE -l.amount END), 0)
	FROM ledger_entries l
	WHERE l.merchant_id = m.id AND 'merchant_available' IN (l.debit, l.credit)
		AND l.kind NOT IN ('payout', 'payout_failed', 'payout_returned')
	AND NOT EXISTS (SELECT FROM payout_entries e WHERE e.entry_id = l.id AND e.active))`

// audits select what must not be there.
var audits = map[string]string{
	"payout that is not the sum of its entries": `payouts p LEFT JOIN LATERAL (SELECT sum(amount), count(*)
		FROM payout_entries e WHERE e.payout_id = p.id) s ON true
		WHERE (p.amount, p.entry_count) IS DISTINCT FROM (s.sum, s.count)`,
	"entry with another amount": `payout_entries e JOIN ledger_entries l ON l.id = e.entry_id
		JOIN payouts p ON p.id = e.payout_id
		WHERE e.amount <> CASE WHEN l.credit = 'merchant_available' THEN l.amount WHEN l.debit = 'merchant_available'
			THEN -l.amount END
			OR l.merchant_id <> p.merchant_id OR l.currency <> p.currency OR l.created_at NOT BETWEEN p.period_from
				AND p.period_to`,
	"entry in two payouts": `(SELECT FROM payout_entries WHERE active
		GROUP BY entry_id HAVING count(*) > 1) twice`,
	"entries out of step": `payout_entries e JOIN payouts p ON p.id = e.payout_id
		WHERE e.active <> (p.status IN ('processing', 'paid') AND p.failed_at IS NULL)`,
	"merchant with more or less left": `merchants m
		WHERE ` + waiting + ` <> (SELECT coalesce(-sum(balance), 0)
		FROM ledger_balances b WHERE b.merchant_id = m.id AND account = 'merchant_available')`,
	"merchant with money in transit that no payout has": `merchants m WHERE (SELECT coalesce(sum(amount), 0)
		FROM payouts p WHERE p.merchant_id = m.id AND status = 'processing')
		<> (SELECT coalesce(-sum(balance), 0) FROM ledger_balances b WHERE b.merchant_id = m.id
			AND account = 'merchant_in_transit')`,
	"entry below the floor": `ledger_entries l JOIN merchants m ON m.id = l.merchant_id WHERE l.id <= m.payout_floor
		AND 'merchant_available' IN (l.debit, l.credit)
		AND l.kind NOT IN ('payout', 'payout_failed', 'payout_returned') AND NOT EXISTS (SELECT FROM payout_entries e
			WHERE e.entry_id = l.id AND e.active)`,
	"payout without its postings": `payouts p WHERE (SELECT array_agg(l.kind ORDER BY l.kind) FROM ledger_entries l
		WHERE l.source_id = p.id AND l.amount = p.amount) IS DISTINCT FROM
		CASE WHEN p.failed_at IS NOT NULL AND status = 'paid' THEN '{payout,payout_corrected,payout_failed}'
			WHEN p.failed_at IS NOT NULL AND status = 'returned'
				THEN '{payout,payout_corrected,payout_corrected,payout_failed}'
			WHEN status = 'processing' THEN '{payout}' WHEN status = 'paid' THEN '{payout,payout_paid}'
				WHEN status = 'failed' THEN '{payout,payout_failed}'
					ELSE '{payout,payout_paid,payout_returned}' END::text[]`,
	"payout without one event a version": `payouts p WHERE p.version <> (SELECT count(*) FROM events e
		WHERE e.object_id = p.id AND e.position <= p.version)
		OR EXISTS (SELECT FROM events e WHERE e.object_id = p.id AND e.position > p.version)`,
	"payout without one operation": `payouts p WHERE 1 <> (SELECT count(*) FROM processor_operations o
		WHERE o.subject_id = p.id)`,
	"submission made twice": `(SELECT FROM sandbox_processor_book WHERE kind = 'payout'
		GROUP BY reference HAVING count(*) > 1) twice`,
	"merchant with another number of events": `merchants m WHERE m.version <> (SELECT count(*) FROM events e
		WHERE e.merchant_id = m.id AND e.type LIKE 'merchant.%')`,
	"books off balance": `(SELECT FROM ledger_balances GROUP BY application_id, currency
		HAVING sum(balance) <> 0) off`,
}

func (w place) audit(t fatal) {
	t.Helper()
	var bad []string
	for what, from := range audits {
		if n := w.count(t, from, pg.Args{}); n > 0 {
			bad = append(bad, fmt.Sprintf("%d × %s", n, what))
		}
	}
	slices.Sort(bad)
	if len(bad) > 0 {
		t.Fatalf("audit: %v", bad)
	}
}

var (
	_ fatal = (*testing.T)(nil)
	_ fatal = (*rapid.T)(nil)
	_       = clock.View{}
)
