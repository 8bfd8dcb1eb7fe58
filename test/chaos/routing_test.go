package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/remote"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/vault"
	"svcpay/policy"
	"svcpay/test/rig"
)

// processors are the names of the two acquirers.
var processors = []string{"sandbox", "second"}

// counterparty is a processor, its moods, and the network to it.
type counterparty struct {
	acquirer *acquirer
	moods    *moods
	network  *proxy
}

// shop is a merchant with tokens of its payers.
type shop struct {
	merchant int64
	moves    bool // between the two acquirers; it also blocks payments whose security code was wrong
	atStripe bool // where a card's number decides, and else cards are declined by chance
	tokens   []string
	cards    map[any]string // numbers by token
	debits   []string       // tokens of bank accounts
	banks    map[any]string // their test cases by token
}

// expects reports whether a charge of a token may be answered with a status.
func (s shop) expects(token any, status int) bool {
	final := status == http.StatusCreated || status == http.StatusPaymentRequired
	declined := s.cards[token] == stripeDeclined || s.banks[token] == debitDeclined
	return !s.atStripe || !final || declined == (status == http.StatusPaymentRequired)
}

// refunds reports whether clients refund payments with a token: none that the payer disputes, and no debits.
func (s shop) refunds(token any) bool { return s.cards[token] != fake.Disputed && s.banks[token] == "" }

// pick chooses a token for a payment. Of a bank account, money can only be captured immediately.
func (s shop) pick(chance *rand.Rand, capture bool) string {
	if capture && len(s.debits) > 0 && chance.IntN(2) == 0 {
		return s.debits[chance.IntN(len(s.debits))]
	}
	return s.tokens[chance.IntN(len(s.tokens))]
}

// mover moves the new payments of one merchant from one processor to the other and back.
type mover struct {
	mu       sync.Mutex
	accounts *accounts.Service
	first    string // the merchant's account at the first processor; while it is disabled, payments go to the second
	disabled bool
}

// counterparty makes a processor that is reached over a faulty network.
func (r *run) counterparty(name string) counterparty {
	a := newAcquirer(name, r.seed, &r.found)
	m := &moods{name: "processor", inner: remote.Handler(a), submits: submits, names: spoilNames, among: 30,
		counts: &r.counts, calm: &r.calm, chance: rand.New(rand.NewPCG(r.seed, 4+uint64(len(name))))}
	addr := serve(r.t, m)
	return counterparty{a, m, newProxy(r.t, func() (net.Conn, error) { return net.Dial("tcp", addr) })}
}

// submits reports whether a call has a processor do something.
func submits(r *http.Request) bool {
	return r.URL.Path != "/lookup" && r.URL.Path != "/events" && r.URL.Path != "/book" && r.URL.Path != "/profile"
}

// bookkeeper is a processor with the book that it keeps.
type bookkeeper interface {
	Name() string
	// lines is the book as it is now, references all that it was asked for until now, and first how.
	lines() []line
	references() map[string]string
	// reconciled is how many of the lines reconciliation reads.
	reconciled() int
}

// bookkeepers are all processors of the run.
func (r *run) bookkeepers() (all []bookkeeper) {
	for _, c := range r.counterparties {
		all = append(all, c.acquirer)
	}
	return append(all, r.stripe)
}

// moods are those of all processors and of Chariot.
func (r *run) moods() (all []*moods) {
	for _, c := range r.counterparties {
		all = append(all, c.moods)
	}
	return append(all, r.stripe.moods, r.chariot.moods)
}

// networks are those to the processors and to Chariot.
func (r *run) networks() (all []*proxy) {
	for _, c := range r.counterparties {
		all = append(all, c.network)
	}
	return append(all, r.stripe.network, r.chariot.network)
}

// processorSettings are those of servers that use the counterparties.
func (r *run) processorSettings() []string {
	var urls []string
	for _, c := range r.counterparties {
		urls = append(urls, c.acquirer.name+"=http://"+c.network.addr())
	}
	return []string{"SVCPAY_SANDBOX_PROCESSORS=" + strings.Join(processors[1:], ","),
		"SVCPAY_PROCESSOR_URLS=" + strings.Join(urls, ","), "SVCPAY_STRIPE_API=http://" + r.stripe.network.addr(),
		"SVCPAY_DAF_PROVIDER=" + chariot.Name, "SVCPAY_DAF_URL=http://giving.test",
		"SVCPAY_CHARIOT_API=http://" + r.chariot.network.addr()}
}

// registry is all processors, without a network between.
func (r *run) registry() *processor.Registry {
	var all []processor.Adapter
	for _, c := range r.counterparties {
		all = append(all, c.acquirer)
	}
	all = append(all, r.stripe.adapter)
	return processor.NewRegistry(r.counterparties[0].acquirer, all...)
}

// connect routes three merchants: one to the first processor, which serves it without an account of its own, one to
// Stripe, and one that has an account at the first and at the second and moves between them.
func (r *run) connect(app demo.Application, keyFile string) {
	to := app.Merchants
	check, err := policy.New()
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := vault.ReadKeyFile(keyFile)
	if err != nil {
		r.t.Fatal(err)
	}
	r.stripe = r.openStripe(keys, to.USQ)
	r.move.accounts = accounts.New(accounts.Deps{Pool: r.database.pool, Check: check,
		Clock: clock.New(r.database.pool, time.Now), Processors: r.registry(), Box: keys.Secrets})
	first, second := r.counterparties[0].acquirer, r.counterparties[1].acquirer
	r.shops = []shop{{merchant: to.US}, {merchant: to.USQ, atStripe: true}, {merchant: to.CA, moves: true}}
	first.accounts[processor.MerchantAccount(r.site.Application, to.US)] = true
	r.account(stripeAccount(to.USQ))
	r.account(payeeAccount(to.USQ))
	r.chariot = r.openChariot(keys, to.US)
	deps := assembly.Deps{Pool: r.database.pool, Vault: vault.New(keys), Check: check, Secrets: keys.Secrets,
		Clock: clock.New(r.database.pool, time.Now), Environment: apikey.Sandbox, Now: time.Now,
		Processors: r.registry(), DAF: r.chariot.adapter}
	r.services = assembly.New(deps)
	deps.Now, deps.DAF = later, r.chariot.later
	r.atLater = assembly.New(deps)
	r.enroll(keys, check, app)
	r.move.first = r.accountAt(first, to.CA, 1)
	r.accountAt(second, to.CA, 2)
	r.blockWrongCodes(to.CA)
}

// accountAt connects a merchant's account at an acquirer.
func (r *run) accountAt(at *acquirer, merchantID int64, priority int) (id string) {
	external := fmt.Sprintf("%smoved-%d", processor.AccountPrefix(r.site.Application), merchantID)
	at.accounts[external], at.blocks[external] = true, true
	return r.account(accounts.ConnectInput{MerchantID: &merchantID, Processor: at.name, External: external,
		Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: priority}})
}

// account connects an account.
func (r *run) account(in accounts.ConnectInput) (id string) {
	a, err := r.move.accounts.Connect(r.t.Context(), r.operator(), in)
	if err != nil {
		r.t.Fatal(err)
	}
	return a.ID.String()
}

func (r *run) operator() authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: r.site.Application,
		RequestID: ids.NewRequest(time.Now())}
}

// at is the application's site for a merchant.
func (r *run) at(merchantID int64) rig.Site {
	site := r.site
	site.Merchant = merchantID
	return site
}

// shopOf is the shop that an order is for.
func (r *run) shopOf(order map[string]any) (of shop) {
	for _, s := range r.shops {
		if s.merchant == order["merchant_id"] {
			of = s
		}
	}
	return of
}

// leave has the moving merchant's new payments go to another processor than that one, as its administrator does by
// disabling or enabling an account. It returns false if the database did not take it.
func (r *run) leave(name string) bool {
	r.move.mu.Lock()
	defer r.move.mu.Unlock()
	disable := name == processors[0]
	if disable == r.move.disabled {
		return true // it has moved already
	}
	to := map[bool]accounts.Status{true: accounts.Disabled, false: accounts.Active}[disable]
	if _, err := r.move.accounts.SetStatus(r.t.Context(), r.operator(), r.move.first, to, nil); err != nil {
		return false
	}
	r.move.disabled = disable
	r.counts.add("moves of a merchant away from " + name)
	return true
}
