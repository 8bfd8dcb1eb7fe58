package chaos

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/remote"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/vault"
	"svcpay/policy"
	"svcpay/test/rig"
)

// processors are the names of the two counterparties.
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
	moves    bool // between the two processors
	tokens   []string
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
	m := &moods{inner: remote.Handler(a), counts: &r.counts, calm: &r.calm, chance: rand.New(rand.NewPCG(r.seed, 4+uint64(len(name))))}
	addr := serve(r.t, m)
	return counterparty{a, m, newProxy(r.t, func() (net.Conn, error) { return net.Dial("tcp", addr) })}
}

// processorSettings are those of servers that use the counterparties.
func (r *run) processorSettings() []string {
	var urls []string
	for _, c := range r.counterparties {
		urls = append(urls, c.acquirer.name+"=http://"+c.network.addr())
	}
	return []string{"SVCPAY_SANDBOX_PROCESSORS=" + strings.Join(processors[1:], ","), "SVCPAY_PROCESSOR_URLS=" + strings.Join(urls, ",")}
}

// registry is both counterparties, without a network between.
func (r *run) registry() *processor.Registry {
	var all []processor.Adapter
	for _, c := range r.counterparties {
		all = append(all, c.acquirer)
	}
	return processor.NewRegistry(r.counterparties[0].acquirer, all...)
}

// connect routes three merchants: one to the first processor, which serves it without an account of its own, one to the
// second, and one that has an account at both and moves between them.
func (r *run) connect(to demo.Merchants, keyFile string) {
	check, err := policy.New()
	if err != nil {
		r.t.Fatal(err)
	}
	keys, err := vault.ReadKeyFile(keyFile)
	if err != nil {
		r.t.Fatal(err)
	}
	r.move.accounts = accounts.New(accounts.Deps{Pool: r.database.pool, Check: check, Clock: clock.New(r.database.pool, time.Now),
		Processors: r.registry(), Box: keys.Secrets})
	first, second := r.counterparties[0].acquirer, r.counterparties[1].acquirer
	r.shops = []shop{{merchant: to.US}, {merchant: to.USQ}, {merchant: to.CA, moves: true}}
	first.accounts[processor.MerchantAccount(r.site.Application, to.US)] = true
	r.account(second, to.USQ, 1)
	r.move.first = r.account(first, to.CA, 1)
	r.account(second, to.CA, 2)
}

// account connects a merchant's account.
func (r *run) account(at *acquirer, merchantID int64, priority int) (id string) {
	external := fmt.Sprintf("%smoved-%d", processor.AccountPrefix(r.site.Application), merchantID)
	a, err := r.move.accounts.Connect(r.t.Context(), r.operator(), accounts.ConnectInput{MerchantID: &merchantID, Processor: at.name,
		External: external, Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: priority}})
	if err != nil {
		r.t.Fatal(err)
	}
	at.accounts[external] = true
	return a.ID.String()
}

func (r *run) operator() authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: r.site.Application, RequestID: ids.NewRequest(time.Now())}
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
