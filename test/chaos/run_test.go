package chaos

import (
	"context"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/testing/fixture"
	"svcpay/test/rig"
)

// How long things may take on a busy machine before they count as never: what no one knew for long is asked
// for again after five minutes.
const (
	patience   = 6 * time.Minute
	impatience = 10 * time.Second // of a client
)

// run is one run: the program, what is around it, and what is known of it.
type run struct {
	t              *testing.T
	seed           uint64
	chance         *rand.Rand
	faults         *deck
	arming         sync.Mutex
	armed          *deck
	calm           atomic.Bool // nothing fails any more
	counts         tally
	found          findings
	database       *database
	toDatabase     *proxy
	counterparties []counterparty // the two acquirers; stripe is the third processor
	stripe         *stripeSide
	sink           *rig.Sink
	servers        []*supervisor
	site           rig.Site
	endpoint       string // path
	shops          []shop
	move           mover
	services       *assembly.Services // of the run's own, which reach every counterparty without a network between
	atLater        *assembly.Services // the same, two hours later
	chariot        *chariotSide
	journal        journal
	lives          sync.WaitGroup
	over           atomic.Bool   // no client begins anything new
	pace           time.Duration // the mean time between two faults: a slow machine does something in between, too
	raged          time.Duration // faults happened for that long
	back           time.Duration
	drained        time.Duration
	atStripe       string // its money, in words
}

// begin has everything up and the clients at work.
func begin(t *testing.T, seed uint64, path string) *run {
	t.Helper()
	for seed == 0 {
		seed = rand.Uint64() >> 32
	}
	t.Logf("seed %d", seed)
	r := &run{t: t, seed: seed, chance: rand.New(rand.NewPCG(seed, 0))}
	r.faults = &deck{chance: r.chance, cards: dealt()}
	r.armed = &deck{chance: rand.New(rand.NewPCG(seed, 3)), cards: points(t)}
	r.database = newDatabase(t)
	keys := filepath.Join(t.TempDir(), "keys.json")
	c, err := fixture.Settle(t.Context(), r.database.pool, keys)
	if err != nil {
		t.Fatal(err)
	}
	app := c.Application
	r.site = rig.Site{Client: rig.NewClient(impatience), Application: app.AppID, Merchant: app.Merchants.US,
		Secret: app.SecretKey, Public: app.PublicKey}
	r.toDatabase = newProxy(t, r.database.dial)
	for _, name := range processors {
		r.counterparties = append(r.counterparties, r.counterparty(name))
	}
	r.connect(app, keys)
	log, err := os.Create(filepath.Join(t.TempDir(), "server.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	r.journal.open(t)
	url := "postgres://svcpay@" + r.toDatabase.addr() + "/" + databaseName + "?sslmode=disable"
	env := append(fixture.ServerSettings(url, keys), "SVCPAY_WEBHOOK_LOCAL=true")
	env = append(env, r.processorSettings()...)
	r.calm.Store(true) // until the clients are at work
	socket, addr := share(t)
	r.site.Addr = addr
	for range servers {
		s := &supervisor{path: path, env: env, socket: socket, log: log, next: r.arm, counts: &r.counts}
		s.supervise(t)
		r.servers = append(r.servers, s)
	}
	r.pace = min(max(r.await("a server", r.site.Ready), fastest), slowest)
	r.stripe.report(r)
	r.chariot.report(r)
	r.listen()
	r.tokenize(8)
	for i := range r.shops {
		if r.shops[i].atStripe {
			r.verify(&r.shops[i])
		}
	}
	r.calm.Store(false)
	r.work()
	watching, stop := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() { r.watch(watching) })
	t.Cleanup(func() {
		r.over.Store(true)
		r.calm.Store(true)
		r.journal.giveUp.Store(true)
		r.lives.Wait()
		stop()
		watch.Wait()
	})
	return r
}

// serve has a handler answer at an address.
func serve(t *testing.T, h http.Handler) (addr string) {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.Listener.Addr().String()
}

// await polls until it is so, and fails the run if that never comes.
func (r *run) await(what string, so func() bool) time.Duration {
	r.t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		if so() {
			return time.Since(begun).Round(time.Millisecond)
		}
		if time.Since(begun) > patience {
			r.found.add("waited %s for: %s", patience, what)
			return patience
		}
	}
}

// listen makes the application's endpoint for webhooks, which fails in one of ten deliveries.
func (r *run) listen() {
	r.sink = rig.NewSink(r.seed, 0.06, 0.06, func(what string) { r.found.add("webhook: %s", what) })
	addr := serve(r.t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if body, err := io.ReadAll(req.Body); err == nil { // else the sender died
			w.WriteHeader(r.sink.Take(req.Header, body))
		}
	}))
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		r.t.Fatal(err)
	}
	r.sink.Trust(func() string {
		a, err := r.site.API("POST", "/api/webhook_endpoints", "",
			map[string]any{"url": "http://sink.localhost:" + port + "/", "events": []string{"charge.*", "refund.*"}})
		if err != nil || a.Status != http.StatusCreated {
			r.t.Fatalf("an endpoint: %v, %s", err, a)
		}
		r.endpoint = "/api/webhook_endpoints/" + a.Text("id")
		return a.Text("secret")
	})
}

// tokenize makes tokens of a card for each merchant, as payers' browsers do.
func (r *run) tokenize(n int) {
	for i := range r.shops {
		shop := &r.shops[i]
		shop.cards, shop.banks = map[any]string{}, map[any]string{}
		numbers := slices.Repeat([]string{fake.Approved}, n)
		if shop.atStripe {
			numbers = append(numbers, stripeDeclined, fake.Disputed, fake.Disputed, fake.Disputed, fake.Disputed)
		}
		for _, number := range numbers {
			token, err := r.at(shop.merchant).Token(number)
			if err != nil {
				r.t.Fatal(err)
			}
			shop.tokens = append(shop.tokens, token)
			shop.cards[token] = number
		}
	}
}

// report prints what happened.
func (r *run) report() {
	for _, all := range []map[string]int{r.stripe.states(), r.chariot.statuses()} {
		for what, n := range all {
			r.counts.set(what, n)
		}
	}
	before, after := r.sink.Refused()
	r.t.Logf("seed %d: faults for %s, one every %s, %d kills of the server (%d at crash points), %d of PostgreSQL, "+
		"%d of one backend; "+
		"%d keys, %d requests, %d audits while it ran; back after %s, drained after %s; "+
		"%d events arrived, %d of them again, the sink failed %d times before and %d after; %s; %d violations%s",
		r.seed, r.raged.Round(time.Second), r.pace, r.kills(), r.counts.sum("crash: "), r.counts.count(killDatabase),
		r.counts.count(killBackend),
		len(r.journal.entries()), r.counts.count("requests"), r.counts.count("audits"), r.back, r.drained,
		r.sink.Count(), r.sink.Repeated(), before, after, r.atStripe, len(r.found.all()), r.counts.String())
}
