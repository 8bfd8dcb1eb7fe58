package chaos

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
)

// The account at Stripe, its keys, and the card that is declined there.
const (
	stripeExternal = "acct_chaos"
	stripeKey      = "sk_test_chaos"
	stripeWebhook  = "whsec_chaos"
	stripeDeclined = "4000000000009995"
)

// The faults that are dealt to Stripe's API.
const (
	stripeDown   = "Stripe: down"
	stripeBusy   = "Stripe: 429 to everything"
	stripeOutage = "Stripe: down for a minute"
)

// The outcomes of disputes.
const (
	disputeWon   = "Stripe: dispute won"
	disputeLost  = "Stripe: dispute lost"
	evidenceWon  = "Stripe: dispute won by evidence"
	evidenceLost = "Stripe: dispute lost in spite of evidence"
)

// stripeSide is Stripe, which lives longer than any server: a fake with its moods and the network to it.
type stripeSide struct {
	*fake.Fake
	account  *fake.Account
	payee    *fake.Account // a connected account of account, which gets the merchant's money
	merchant int64
	moods    *moods
	network  *proxy
	adapter  *stripe.Adapter // of the run's own, which reaches the fake without a network between, two hours later

	suffering sync.Mutex // one fault at a time
	deciding  sync.Mutex
	opened    map[string]bool // disputes at the last look
	looks     int

	mu    sync.Mutex
	asked map[string]string // every reference that it was asked for, and first how
}

// openStripe makes a Stripe that is reached over a faulty network.
func (r *run) openStripe(keys *vault.Keys, merchant int64) *stripeSide {
	f := fake.New(time.Now(), false)
	s := &stripeSide{Fake: f, account: f.Open(stripeExternal, stripeKey, stripeWebhook), merchant: merchant,
		asked: map[string]string{}, opened: map[string]bool{}}
	s.openPayee()
	s.moods = &moods{name: "Stripe", inner: f,
		submits: func(r *http.Request) bool { return r.Method == http.MethodPost },
		names:   stripeSpoils, among: 72, counts: &r.counts, calm: &r.calm, chance: rand.New(rand.NewPCG(r.seed, 5))}
	faulty := serve(r.t, s.moods)
	s.network = newProxy(r.t, func() (net.Conn, error) { return net.Dial("tcp", faulty) })
	s.adapter = stripe.New(stripe.Config{Accounts: accounts.NewKeyring(r.database.pool, keys.Secrets),
		API: "http://" + serve(r.t, f), Now: func() time.Time { return time.Now().Add(2 * time.Hour) }})
	return s
}

// stripeAccount connects a merchant with Stripe.
func stripeAccount(merchantID int64) accounts.ConnectInput {
	return accounts.ConnectInput{MerchantID: &merchantID, Processor: stripe.Name, External: stripeExternal,
		Credentials: sensitive.NewCredentials(stripeKey + " " + stripeWebhook),
		Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard, processor.MethodACH},
			Priority: 1}}
}

// suffer has the API be down, or too busy, for that long. It returns false if it is already.
func (s *stripeSide) suffer(how string, takes time.Duration) bool {
	if !s.suffering.TryLock() {
		return false
	}
	defer s.suffering.Unlock()
	set := s.moods.down.Store
	if how == stripeBusy {
		set = s.Busy
	}
	set(true)
	time.Sleep(takes)
	set(false)
	return true
}

// dispute opens the disputes of the payments that were captured, and decides those that it opened before, or all. In
// some of its calls, and for all, banks say how debits and payouts ended.
func (s *stripeSide) dispute(r *run, all bool) {
	s.deciding.Lock()
	defer s.deciding.Unlock()
	s.Hasten(time.Hour)
	if s.looks++; s.looks%3 == 0 || all {
		s.hastenBanks(r, all)
	}
	for n, id := range s.Disputes(s.account) {
		before, d := s.opened[id], s.Dispute(s.account, id)
		s.opened[id] = true
		evidence, _ := d["evidence"].(map[string]any)
		waits := n%2 == 0 // until a client has responded
		switch {
		case d["status"] == "under_review" && before && evidence["uncategorized_text"] == fake.WinningEvidence:
			s.Decide(s.account, id, "won")
			r.counts.add(evidenceWon)
		case d["status"] == "under_review" && before:
			s.Decide(s.account, id, "lost")
			r.counts.add(evidenceLost)
		case d["status"] != "needs_response" || (!before || waits) && !all:
		case n%4 < 2:
			s.Decide(s.account, id, "won")
			r.counts.add(disputeWon)
		default:
			s.Decide(s.account, id, "lost")
			r.counts.add(disputeLost)
		}
	}
}

// responders is how many clients submit evidence. Each dispute is of one of them.
const responders = 4

// respond submits evidence to the open disputes of the merchant at Stripe, some of which Stripe decides at the same
// time, until the run is over.
func (r *run) respond(i int) {
	c := &client{run: r, number: clients + stripeClients + 200 + i, atStripe: true,
		chance: newChance(r.seed, uint64(200+i))}
	tried := map[string]int{}
	for ; !r.over.Load(); c.rest() {
		a, err := r.site.API(http.MethodGet, "/api/disputes?status=needs_response&limit=50", "", nil)
		if err != nil || a.Status != http.StatusOK {
			continue
		}
		var list struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
		}
		if err := json.Unmarshal(a.Body, &list); err != nil {
			r.found.add("the disputes are listed as %s", a)
			return
		}
		for _, d := range list.Data {
			if int(d.ID[len(d.ID)-1])%responders != i {
				continue
			}
			if tried[d.ID]++; tried[d.ID] > 3 || r.over.Load() { // it was decided, and the event is late
				continue
			}
			text := fake.WinningEvidence
			if c.chance.IntN(2) == 0 {
				text = fake.LosingEvidence
			}
			c.insist(c.want("evidence", "/api/disputes/"+d.ID+"/evidence",
				map[string]any{"evidence": map[string]any{"uncategorized_text": text}}))
		}
	}
}

// Name implements bookkeeper.
func (s *stripeSide) Name() string { return stripe.Name }

// lines implements bookkeeper: what calls made, whatever the balance says.
func (s *stripeSide) lines() (all []line) {
	for _, m := range s.made() {
		all = append(all,
			line{original: m.Original, captured: m.Captured, answer: processor.Answer{Approved: m.Approved},
				returned: m.Kind == "debit" && (m.State == "failed" || m.State == "returned"),
				BookLine: processor.BookLine{Number: int64(len(all) + 1), Reference: m.Reference, Kind: m.Kind,
					Account: accountOf(m),
					Amount:  money.Amount(m.Amount), Currency: money.Currency(m.Currency), Approved: m.Approved,
					At: m.At}})
	}
	return all
}

// made is what calls made at both accounts.
func (s *stripeSide) made() []fake.Made { return append(s.Made(s.account), s.Made(s.payee)...) }

// accountOf is the account at which a call was made.
func accountOf(m fake.Made) string {
	if m.Kind == "payout" {
		return stripePayee
	}
	return stripeExternal
}

// reconciled implements bookkeeper: the balances have what moved money, and Stripe's fees. Reconciliation reads of
// disputes and failed debits only the fees, and no transfers.
func (s *stripeSide) reconciled() (n int) {
	for _, m := range s.Moved(s.account) {
		if slices.Contains([]string{"charge", "payment", "refund", "refund_failure"}, m.Type) {
			n++
		}
		if m.Fee != 0 {
			n++
		}
	}
	for _, m := range s.Moved(s.payee) {
		if m.Type == "payout" {
			n++
		}
	}
	return n
}

// balance is what the balance transactions of each payment and payout add up to without Stripe's fees, the fees, and
// how many transactions there are.
func (s *stripeSide) balance() (of map[string]money.Amount, fees money.Amount, n int) {
	of = map[string]money.Amount{}
	all := append(s.Moved(s.account), s.Moved(s.payee)...)
	for _, m := range all {
		of[m.Reference] += money.Amount(m.Amount)
		fees += money.Amount(m.Fee)
	}
	return of, fees, len(all)
}

// references implements bookkeeper: those of requests that have one as their idempotency key. A payer's deposits are
// compared before the run, and not written down before.
func (s *stripeSide) references() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, q := range s.Requests() {
		reference, _, _ := strings.Cut(q.Header.Get("Idempotency-Key"), ":")
		kind, _, _ := strings.Cut(reference, "_")
		ours := slices.Contains([]string{"ch", "re", "op", "po"}, kind) &&
			!strings.HasSuffix(q.Path, "/verify_microdeposits")
		if ours && s.asked[reference] == "" {
			s.asked[reference] = q.Method + " " + q.Path
		}
	}
	return maps.Clone(s.asked)
}

// heard reports whether every event that Stripe had to report has come, by a webhook or the feed.
func (s *stripeSide) heard(r *run) bool {
	expected := slices.Concat(s.Events(s.account, "refund."), s.Events(s.account, "charge.dispute."),
		s.Events(s.account, "payment_intent.payment_failed"), s.Events(s.payee, "payout.paid"),
		s.Events(s.payee, "payout.failed"), s.Events(s.payee, "payout.canceled"))
	n, err := pg.Value[int](context.Background(), r.database.pool, `SELECT count(*)::int FROM inbound_events
		WHERE feed = @feed AND handled_at IS NOT NULL AND split_part(id, '_', 2) || '_' || split_part(id, '_', 3)
			= ANY (@expected)`, pg.Args{"feed": "processor/" + stripe.Name, "expected": expected})
	return err == nil && n == len(expected)
}

// report has the fake's time pass, payers dispute, and the events reported to the servers.
func (s *stripeSide) report(r *run) {
	s.Advance(time.Since(s.Now())) // a clock behind ours would add lines to seconds that were read already
	addr := serve(r.t, &hooks{run: r, of: "Stripe", chance: newChance(r.seed, 6), forge: func(body []byte) http.Header {
		return http.Header{"Content-Type": {"application/json"},
			"Stripe-Signature": {fake.Sign("whsec_forged", time.Now().Unix(), body)}}
	}})
	go s.Run(r.t.Context(), func(account string) string {
		return "http://" + addr + "/hooks/" + stripe.Name + "/" + account
	})
	go func() {
		for tick := time.NewTicker(2 * time.Second); ; {
			select {
			case <-r.t.Context().Done():
				tick.Stop()
				return
			case <-tick.C:
				s.dispute(r, false)
			}
		}
	}()
}
