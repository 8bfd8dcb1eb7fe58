package charge_test

import (
	"context"
	"net"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/memory"
	"svcpay/internal/processor/remote"
	"svcpay/internal/testing/fixture"
)

// asked is a processor that notes the references that it is asked about.
type asked struct {
	processor.Processor
	mu         sync.Mutex
	references []string
}

func (a *asked) note(reference string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.references = append(a.references, reference)
}

func (a *asked) of(reference string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Contains(a.references, reference)
}

func (a *asked) Authorize(ctx context.Context, in processor.Authorization) (processor.Answer, error) {
	a.note(in.Reference)
	return a.Processor.Authorize(ctx, in)
}

func (a *asked) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	a.note(f.Original)
	return a.Processor.Capture(ctx, f)
}

func (a *asked) Lookup(ctx context.Context, at processor.Account, reference string) (processor.Answer, error) {
	a.note(reference)
	return a.Processor.Lookup(ctx, at, reference)
}

// pair is a merchant with an account at two processors, of which the first is reached over HTTP and can be shut down.
type pair struct {
	*fixture.World
	t             *testing.T
	registry      *processor.Registry
	addr          string
	server        *httptest.Server
	first, second *asked
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, first: &asked{Processor: memory.New("first", 0)},
		second: &asked{Processor: memory.New("second", 0)}, addr: "127.0.0.1:0"}
	p.start()
	p.World = fixture.New(t, func(d *assembly.Deps) {
		p.registry = processor.NewRegistry(p.second, remote.New("first", "http://"+p.addr, 5*time.Second), p.second)
		p.registry.Watch(d.Now)
		d.Processors, d.TestCase = p.registry, nil
	})
	for i, name := range []string{"first", "second"} {
		in := accounts.ConnectInput{MerchantID: &p.App.Merchants.US, Processor: name, External: "acct_" + name,
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: i + 1}}
		if _, err := p.Accounts.Connect(t.Context(), p.Admin(), in); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func (p *pair) start() {
	p.t.Helper()
	l, err := net.Listen("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	p.addr, p.server = l.Addr().String(), httptest.NewUnstartedServer(remote.Handler(p.first))
	_ = p.server.Listener.Close()
	p.server.Listener = l
	p.server.Start()
	p.t.Cleanup(p.server.Close)
}

// pays makes a charge at the processor of that name, and reports whether its outcome is known.
func (p *pair) pays(at string) (c charge.Charge, known bool) {
	p.t.Helper()
	out, err := p.Charges.Create(p.t.Context(), p.Actor(), input(p.World, good, 100), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if out.Object.Processor.Name != at {
		p.t.Fatalf("a payment is made at %s; want %s", out.Object.Processor.Name, at)
	}
	return out.Object, !out.Unknown
}

// goesDown shuts the first processor down, and makes payments until the registry knows.
func (p *pair) goesDown() (unknown []charge.Charge) {
	p.t.Helper()
	p.server.Close()
	for range 8 {
		if c, known := p.pays("first"); !known {
			unknown = append(unknown, c)
		}
		if p.registry.Down("first") {
			return unknown
		}
	}
	p.t.Fatal("the first processor refuses connections, and is not known to be down")
	return nil
}

func (p *pair) failover(on bool) {
	p.t.Helper()
	if err := p.Accounts.SetFailover(p.t.Context(), p.Admin(), on); err != nil {
		p.t.Fatal(err)
	}
}

// TestFailoverMovesNewPaymentsOnly shuts down one of two processors of a merchant. New payments go to the other, with
// failover on; the payments of the first, of which some have an unknown outcome, are asked for at the first alone.
func TestFailoverMovesNewPaymentsOnly(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	in := input(p.World, good, 100)
	in.Capture = ptr(false)
	out, err := p.Charges.Create(t.Context(), p.Actor(), in, nil)
	if err != nil || out.Object.Processor.Name != "first" {
		t.Fatalf("%+v, %v", out.Object.Processor, err)
	}
	held := out.Object
	unknown := p.goesDown()
	for range 3 { // failover is off
		c, known := p.pays("first")
		if unknown = append(unknown, c); known {
			t.Error("a payment has an outcome although its processor is down")
		}
	}
	p.failover(true)
	for range 3 {
		if c, known := p.pays("second"); !known || c.Status != charge.Captured {
			t.Errorf("a payment at the second processor is %s, known: %v", c.Status, known)
		}
	}
	if s, err := p.Accounts.Processing(t.Context(), p.Actor(), p.App.Merchants.US); err != nil ||
		*s.Methods[0].Processor != "second" {
		t.Errorf("new payments go to %v, %v", s.Methods[0], err)
	}
	captured, err := p.Charges.Capture(t.Context(), p.Actor(), held.ID.String(), charge.CaptureInput{}, nil)
	if err != nil || !captured.Unknown {
		t.Errorf("a capture at a processor that is down has the outcome %+v, %v", captured.Object.Status, err)
	}
	p.failover(false)
	c, _ := p.pays("first")
	unknown = append(unknown, c)
	p.failover(true)
	p.Clock.Advance(16 * time.Second)
	c, _ = p.pays("first") // finds out that it is still down
	unknown = append(unknown, c)
	p.pays("second")

	p.start()
	p.Clock.Advance(remote.SettleWindow + time.Second)
	for range 3 {
		if _, err := p.Operations.Resolve(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(time.Minute)
	}
	for _, c := range append(unknown, held) {
		if !p.first.of(c.ID.String()) || p.second.of(c.ID.String()) {
			t.Errorf("the first processor was asked about %s: %v, the second: %v", c.ID, p.first.of(c.ID.String()),
				p.second.of(c.ID.String()))
		}
	}
	for _, c := range unknown {
		if after, err := p.Charges.Find(t.Context(), p.App.AppID, c.ID); err != nil || after.Status != charge.Failed ||
			after.Processor.Name != "first" {
			t.Errorf("%s is %s at %s, %v", c.ID, after.Status, after.Processor.Name, err)
		}
	}
	if c, known := p.pays("first"); !known || c.Status != charge.Captured {
		t.Errorf("the processor is back, and a payment is %s", c.Status)
	}
	audit(t, p.World)
}

// TestFailoverIsOffUnlessSomeoneTurnsItOn also has it turned on by someone who may not.
func TestFailoverIsOffUnlessSomeoneTurnsItOn(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	if f, err := p.Accounts.Failover(t.Context(), p.Admin()); err != nil || f.Enabled {
		t.Errorf("failover is on at first: %v, %v", f.Enabled, err)
	}
	if err := p.Accounts.SetFailover(t.Context(), p.OrganizationAdmin(), true); code(err) != "permission_denied" {
		t.Errorf("an organization's administrator turns it on: %v", err)
	}
	p.goesDown()
	p.pays("first")
	p.failover(true)
	p.failover(true) // nothing changes
	if f, err := p.Accounts.Failover(t.Context(), p.Admin()); err != nil || !f.Enabled {
		t.Errorf("failover is off: %v, %v", f.Enabled, err)
	}
	p.pays("second")
	if n := count(t, p.World, `audit_entries WHERE permission = 'processing:manage' AND subject_kind = 'application'
		AND outcome = 'done'`, nil); n != 1 {
		t.Errorf("the audit log has %d entries", n)
	}
}
