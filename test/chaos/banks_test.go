package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sensitive"
)

// stripePayee is the connected account from which the merchant at Stripe is paid out.
const stripePayee = stripeExternal + "_payee"

// funds are the platform's balance before the first payment: payouts do not wait for charges to be available.
const funds = 1_000_000_000

// openPayee makes the connected account, with the bank account that the merchant has in our records.
func (s *stripeSide) openPayee() {
	s.payee = s.OpenConnected(s.account, stripePayee)
	s.AddBank(s.payee, "usd", demo.Routing(money.USD), demo.PaidNumber)
	s.Fund(s.account, "usd", funds)
}

// payeeAccount connects a merchant with the account that it is paid out from.
func payeeAccount(merchantID int64) accounts.ConnectInput {
	return accounts.ConnectInput{MerchantID: &merchantID, Processor: stripe.Name, External: stripePayee,
		Credentials: sensitive.NewCredentials(stripeKey + " " + stripeExternal),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}}
}

// debitCases are test cases of bank accounts, each with the number of its tokens. The outcome of its debits at Stripe
// is in the comment. A dispute disables the token.
var debitCases = map[string]int{
	"ach_settles":  11,
	"ach_r01":      3, // fails
	"ach_declined": 3, // succeeds, and is disputed
	"ach_timeout":  1, // declined immediately
}

// debitDeclined is the case of [debitCases] that is declined.
const debitDeclined = "ach_timeout"

// verify makes tokens of bank accounts and verifies them by their deposits.
func (r *run) verify(s *shop) {
	for name, n := range debitCases {
		for range n {
			a, err := r.site.API(http.MethodPost, "/api/sandbox/tokens", "",
				map[string]any{"test_case": name, "merchant_id": s.merchant, "verified": false})
			if err != nil || a.Status != http.StatusCreated {
				r.t.Fatalf("a token of a bank account: %v, %s", err, a)
			}
			token := a.Text("id")
			r.await("a verified bank account", func() bool {
				a, err = r.site.API(http.MethodPost, "/api/tokens/"+token+"/verify", "",
					map[string]any{"amounts": []int{32, 45}})
				return err == nil && a.Text("status") == "active"
			})
			s.debits = append(s.debits, token)
			s.banks[token] = name
		}
	}
}

// endings are the bank account numbers that decide how payouts end, by the state that they end in. The first two return
// the money, so there is some for another payout.
var endings = []struct{ state, number string }{{"failed", fake.NoAccount}, {"returned", fake.AccountClosed},
	{"paid", demo.PaidNumber}, {"failed", fake.Canceled}}

// ending chooses the number for the next payout: first one with an outcome that no payout has had yet.
func (s *stripeSide) ending(chance *rand.Rand) string {
	all := s.states()
	for _, e := range endings {
		if all["Stripe: payout "+e.state] == 0 {
			return e.number
		}
	}
	return endings[chance.IntN(len(endings))].number
}

// payOut has the merchant at Stripe paid out every few seconds, as if on its schedule, until the run is over.
// After a payout that did not arrive, an operator resumes payouts. After one that was not submitted, the merchant would
// wait for a day, so that one is dated back.
func (r *run) payOut() {
	c := &client{run: r, number: clients + stripeClients + 101, chance: newChance(r.seed, 8)}
	merchant := pg.Args{"app": r.site.Application, "merchant": r.stripe.merchant}
	for ; !r.over.Load(); time.Sleep(time.Second + time.Duration(c.chance.Int64N(int64(2*time.Second)))) {
		ctx := r.t.Context()
		r.stripe.SetNumber(r.stripe.payee, r.stripe.ending(c.chance))
		var fault fake.Fault
		if !r.calm.Load() && len(r.stripe.Transferred(r.stripe.account))%3 == 1 { // after every third transfer
			fault = fake.Broken
		}
		r.stripe.Fail("POST /v1/payouts", fault)
		paused, err := pg.Value[bool](ctx, r.database.pool, `SELECT payouts_paused_reason IS NOT NULL FROM merchants
			WHERE application_id = @app AND id = @merchant`, merchant)
		if err == nil && paused {
			_, err = r.services.Payouts.Resume(ctx, r.operator(), r.stripe.merchant)
		}
		if err == nil {
			_, err = pg.Exec(ctx, r.database.pool, `UPDATE payouts SET failed_at = failed_at - interval '25 hours'
				WHERE application_id = @app AND merchant_id = @merchant AND status = 'failed'
					AND failure->>'code' = 'not_submitted' AND failed_at > now() - interval '24 hours'`, merchant)
		}
		if err == nil { // else the database is down
			_, _ = pg.Exec(ctx, r.database.pool, `UPDATE merchants SET next_payout_at = now()
				WHERE application_id = @app AND id = @merchant AND next_payout_at > now()`, merchant)
		}
	}
}

// bankStates are the states of debits and payouts at Stripe that a long run must have.
var bankStates = []string{"debit settled", "debit failed", "debit returned", "payout paid", "payout failed",
	"payout returned"}

// states counts the debits and payouts at Stripe by their states.
func (s *stripeSide) states() map[string]int {
	n := map[string]int{}
	for _, state := range bankStates {
		n["Stripe: "+state] = 0
	}
	for _, m := range s.made() {
		if m.State != "" {
			n["Stripe: "+m.Kind+" "+m.State]++
		}
	}
	for _, t := range s.Transferred(s.account) {
		if t.Reversed {
			n["Stripe: transfer reversed"]++
		}
	}
	return n
}

// moneyOfBank is a debit or a payout in our records.
type moneyOfBank struct {
	Kind      string       `db:"kind"`
	Reference string       `db:"reference"`
	Amount    money.Amount `db:"amount"`
	Status    string       `db:"status"`
}

// banksDiffer compares the debits, payouts and transfers at Stripe with our records, and returns a line for each
// difference.
func (r *run) banksDiffer(ctx context.Context) (found []string, err error) {
	all, err := pg.All[moneyOfBank](ctx, r.database.pool, `
		SELECT 'debit' AS kind, processor_reference AS reference, amount, status FROM charges
		WHERE application_id = @app AND processor_name = @processor AND type <> 'cc'
		UNION ALL
		SELECT 'payout', processor_reference, amount, status FROM payouts
		WHERE application_id = @app AND processor_name = @processor`,
		pg.Args{"app": r.site.Application, "processor": stripe.Name})
	if err != nil {
		return nil, fmt.Errorf("debits and payouts: %w", err)
	}
	ours := map[string]moneyOfBank{}
	for _, o := range all {
		ours[o.Reference] = o
	}
	theirs := map[string]fake.Made{}
	for _, m := range r.stripe.made() {
		if m.Kind != "debit" && m.Kind != "payout" || !m.Approved {
			continue
		}
		if _, twice := theirs[m.Reference]; twice {
			found = append(found, fmt.Sprintf("Stripe has two: %s %s", m.Kind, m.Reference))
		}
		theirs[m.Reference] = m
		want := moneyOfBank{m.Kind, m.Reference, money.Amount(m.Amount), m.State}
		if o := ours[m.Reference]; o != want {
			found = append(found, fmt.Sprintf("Stripe has %+v, and we have %+v", want, o))
		}
	}
	for _, o := range all {
		if _, there := theirs[o.Reference]; !there && o.Status != "failed" {
			found = append(found, fmt.Sprintf("Stripe does not have %+v", o))
		}
	}
	seen := map[string]bool{}
	for _, t := range r.stripe.Transferred(r.stripe.account) {
		p, there := theirs[t.Reference]
		arrived := there && slices.Contains([]string{"paid", "processing"}, p.State)
		if t.Reversed == arrived || seen[t.Reference] || ours[t.Reference].Amount != money.Amount(t.Amount) {
			found = append(found, fmt.Sprintf("the transfer %+v is of %+v, and there is another: %v", t,
				ours[t.Reference], seen[t.Reference]))
		}
		seen[t.Reference] = true
	}
	return found, nil
}

// hastenBanks has banks say how payouts and debits ended: all, or those debits that we know of. A bank takes days, so
// no look-up of a debit would find it failed.
func (s *stripeSide) hastenBanks(r *run, all bool) {
	var known []string
	if !all {
		var err error
		known, err = pg.Value[[]string](context.Background(), r.database.pool, `
			SELECT coalesce(array_agg(reference), '{}') FROM processor_operations
			WHERE application_id = @app AND kind = 'debit' AND state = 'approved'`, pg.Args{"app": r.site.Application})
		if err != nil { // the database is down
			return
		}
		known = append([]string{}, known...) // never nil
	}
	s.HastenBanks(7*24*time.Hour, known)
}

// watchTransfers finds transfers that are not reversed although their payouts were given up: a transfer is reversed
// before we say that nothing was sent.
func (r *run) watchTransfers(ctx context.Context) error {
	unsent, err := r.unsent(ctx, "payout")
	if err != nil {
		return err
	}
	for _, t := range r.stripe.Transferred(r.stripe.account) {
		if slices.Contains(unsent, t.Reference) && !t.Reversed {
			r.found.add("the payout of a transfer was given up: %+v", t)
		}
	}
	return nil
}

// unsent are the references of calls of a kind that made nothing, as we say.
func (r *run) unsent(ctx context.Context, kind string) ([]string, error) {
	return pg.Value[[]string](ctx, r.database.pool, `
		SELECT coalesce(array_agg(reference), '{}') FROM processor_operations
		WHERE application_id = @app AND kind = @kind AND state IN ('not_submitted', 'declined')`,
		pg.Args{"app": r.site.Application, "kind": kind})
}

// auditBanks reports every difference of debits, payouts and transfers.
func (r *run) auditBanks(ctx context.Context) {
	found, err := r.banksDiffer(ctx)
	if err != nil {
		r.found.add("%v", err)
	}
	for _, what := range found {
		r.found.add("%s", what)
	}
}
