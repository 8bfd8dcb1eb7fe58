package webhook_test

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/event"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/nametest"
	"svcpay/internal/webhook"
)

// as makes the service of a deployment whose webhooks go by another policy. Its events are its own.
func (w world) as(policy safehttp.Policy) world {
	services, events := *w.Services, event.New(event.Deps{Pool: w.Pool, Check: w.Gate})
	services.Events = events
	services.Webhooks = webhook.New(webhook.Deps{Pool: w.Pool, Check: w.Gate, Events: events, Box: w.Keys.Secrets,
		Client: safehttp.New(policy), Now: w.Clock.Now})
	inner := *w.World
	inner.Services = &services
	return world{&inner, w.t}
}

// hostsInside are hosts that lead inward, or to no host of the internet, as they may be written.
var hostsInside = []string{
	"127.0.0.1", "127.1", "127.0.1", "0", "0.0.0.0", "10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255",
	"192.168.1.1", "169.254.169.254",
	"100.64.0.1", "192.0.0.1", "192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
	"255.255.255.255", "8.8.8.8",
	"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.0.0.1.", "localhost", "localhost.",
	"LOCALHOST", "x.localhost", "intern",
	"metadata", "[::]", "[::1]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::ffff:10.0.0.1]",
	"[::127.0.0.1]", "[64:ff9b::127.0.0.1]",
	"[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]", "[2002:7f00:1::]", "[2002:a00:1::1]", "[2001::1]", "[2001:db8::1]",
	"[fc00::1]", "[fd00:ec2::254]", "[fe80::1]",
	"[fe80::1%25eth0]", "[fec0::1]", "[ff02::1]", "[100::1]", "[2606:4700:4700::1111]", "①②⑦.0.0.1", "%31%32%37.0.0.1",
	"127%2e0.0.1", "example.org@127.0.0.1", "example.org\\@127.0.0.1", "user:pw@example.org",
}

func TestURLsThatLeadInwardAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t).as(safehttp.Policy{})
	for _, host := range hostsInside {
		url := "https://" + host + "/hook"
		_, err := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &url}, nil)
		if f, ok := fault.As(err); !ok || f.Kind != fault.KindInvalid || f.Param != "url" &&
			(len(f.Fields) != 1 || f.Fields[0].Param != "url") {
			t.Errorf("%s is taken: %v", url, err)
		}
	}
	for _, url := range []string{
		"http://example.org/", "https://example.org:8443/", "https://example.org:80/", "https://example.org:0/",
		"https://example.org:99999/", "ftp://example.org/",
		"//example.org/", "example.org", "https:///x", "https://example.org/#x", "javascript:alert(1)",
		"https://example.org/\n", "https://exa mple.org/", "file:///etc/passwd",
		"gopher://example.org:443/",
	} {
		if _, err := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &url}, nil); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	e := w.create(webhook.CreateInput{URL: ptr("https://hooks.example.org:443/x?y=z")})
	if _, err := w.Webhooks.Update(t.Context(), w.Actor(), e.ID.String(),
		webhook.UpdateInput{URL: ptr("https://10.0.0.1/")}, nil); err == nil {
		t.Error("an update leads inward")
	}
}

// What a delivery would refuse is refused when the endpoint is added: in a sandbox, http to another machine than this
// one.
func TestASandboxTakesPlainHTTPForThisMachineAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t).as(safehttp.Policy{Local: true})
	e := w.create(webhook.CreateInput{URL: ptr("https://hooks.example.org/")})
	for url, ok := range map[string]bool{
		"http://localhost:3000/x": true, "http://LOCALHOST/": true, "http://shop.localhost:8081/": true,
		"http://127.0.0.1:3000/": true, "http://[::1]:3000/": true,
		"https://example.org/": true, "https://localhost:3000/": true, "http://example.com/x": false,
		"http://example.org:8080/": false, "http://localhost.example.org/": false,
		"http://10.0.0.1/": false,
	} {
		_, made := w.Webhooks.Create(t.Context(), w.Actor(), webhook.CreateInput{URL: &url}, nil)
		_, changed := w.Webhooks.Update(t.Context(), w.Actor(), e.ID.String(), webhook.UpdateInput{URL: &url}, nil)
		if (made == nil) != ok || (changed == nil) != ok {
			t.Errorf("%s: %v, %v", url, made, changed)
		}
	}
}

func TestNamesThatLeadInwardAreRefusedWhenTheyAreCalled(t *testing.T) {
	t.Parallel()
	base := newWorld(t)
	reached := receive(t, answer(200))
	for _, inside := range []string{
		"127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "::1",
		"::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "fe80::1", "fc00::1", "2001::1",
	} {
		w := base.as(safehttp.Policy{Resolver: nametest.Resolver(t, netip.MustParseAddr(inside)),
			Timeout: 3 * time.Second})
		e := w.create(webhook.CreateInput{URL: ptr("https://hooks.example.org/")})
		if _, err := w.Webhooks.Test(t.Context(), w.Actor(), e.ID.String(), webhook.TestInput{}, nil); err != nil {
			t.Fatal(err)
		}
		stop := w.work()
		if d := w.attempted(e, 1)[0]; deref(d.LastError) != "host_not_found" || d.LastStatusCode != nil {
			t.Errorf("%s: %+v", inside, d)
		}
		stop()
	}
	if n := len(reached.messages()); n > 0 {
		t.Errorf("%d messages", n)
	}
}

func TestSecretsRotate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := receive(t, answer(200))
	e := w.listen(r)
	w.work()
	send := func() message {
		n := len(r.messages())
		if _, err := w.Webhooks.Test(t.Context(), w.Actor(), e.ID.String(), webhook.TestInput{}, nil); err != nil {
			t.Fatal(err)
		}
		return r.await(n + 1)[n]
	}
	rotate := func(overlap string) string {
		out, err := w.Webhooks.Rotate(t.Context(), w.Actor(), e.ID.String(),
			webhook.RotateInput{Overlap: &overlap}, nil)
		if err != nil || out.Object.Secret == "" {
			t.Fatalf("%+v, %v", out.Object, err)
		}
		return out.Object.Secret
	}
	signed := func(by ...string) string {
		m, got := send(), ""
		for i, secret := range by {
			if verify(secret, m) == nil {
				got += fmt.Sprint(i)
			}
		}
		return got
	}
	first := e.Secret
	if got := signed(first); got != "0" {
		t.Errorf("before: %s", got)
	}
	second := rotate("1h")
	if got := signed(first, second); got != "01" {
		t.Errorf("during: %s", got)
	}
	third := rotate("1h")
	if got := signed(first, second, third); got != "12" {
		t.Errorf("a third: %s", got)
	}
	w.Clock.Advance(time.Hour)
	if m := send(); strings.Count(m.Signature, "v1,") != 1 {
		t.Errorf("after the overlap: %s", m.Signature)
	}
	if e := w.endpoint(e.ID); e.PreviousUntil != nil || e.Secret != "" || e.Version != 3 {
		t.Errorf("%+v", e)
	}
	w.Clock.Advance(-time.Hour) // the verifier looks at the real time
	fourth := rotate("now")
	if got := signed(first, second, third, fourth); got != "3" {
		t.Errorf("at once: %s", got)
	}
}

// When the time of a former secret is over, the endpoint goes on like any other: it can be changed, paused and
// recover, and a rotation after that has two secrets again.
func TestAnEndpointOutlivesItsFormerSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var gone atomic.Bool
	r := receive(t, func(w http.ResponseWriter, _ *http.Request) {
		if gone.Load() {
			w.WriteHeader(http.StatusGone)
		}
	})
	e := w.listen(r)
	id := e.ID.String()
	rotate := func() {
		if _, err := w.Webhooks.Rotate(t.Context(), w.Actor(), id, webhook.RotateInput{Overlap: ptr("1h")},
			nil); err != nil {
			t.Fatal(err)
		}
	}
	rotate()
	w.Clock.Advance(time.Hour)
	changed, err := w.Webhooks.Update(t.Context(), w.Actor(), id, webhook.UpdateInput{Events: []string{"charge.*"}},
		nil)
	if err != nil || changed.Object.Version != 3 || changed.Object.PreviousUntil != nil {
		t.Fatalf("%+v, %v", changed.Object, err)
	}
	if same, err := w.Webhooks.Update(t.Context(), w.Actor(), id, webhook.UpdateInput{Events: []string{"charge.*"}},
		nil); err != nil || same.Object.Version != 3 {
		t.Errorf("a change of nothing: %+v, %v", same.Object, err)
	}
	rotate()
	w.Clock.Advance(time.Hour)
	gone.Store(true)
	w.emit(1, "charge.created")
	w.work()
	w.awaitDeliveries(e, 1, "failed")
	if e := w.endpoint(e.ID); e.Status != webhook.Paused || e.Version != 5 {
		t.Errorf("%+v", e)
	}
	gone.Store(false)
	if _, err := w.Webhooks.Enable(t.Context(), w.Actor(), id, nil); err != nil {
		t.Fatal(err)
	}
	rotate()
	w.emit(1, "charge.created")
	w.awaitDeliveries(e, 1, "succeeded")
	if m := r.messages()[1]; strings.Count(m.Signature, "v1,") != 2 {
		t.Errorf("signed %s", m.Signature)
	}
}

func TestARepeatedCreationTellsTheSameSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := webhook.CreateInput{URL: ptr("https://example.org/")}
	first, err := w.Webhooks.Create(t.Context(), w.Actor(), in, w.claim("a"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := w.Webhooks.Create(t.Context(), w.Actor(), in, w.claim("a"))
	if err != nil || again.Prior == nil || again.Prior.State != idempotency.Done {
		t.Fatalf("%+v, %v", again, err)
	}
	if got := string(again.Prior.Outcome.Result); !strings.Contains(got, first.Object.Secret) ||
		!strings.Contains(got, first.Object.ID.String()) {
		t.Errorf("%s", got)
	}
	stored, err := pg.Value[string](t.Context(), w.Pool, `SELECT encode(result, 'escape') FROM idempotency_keys
		WHERE key = 'a'`, pg.Args{})
	if err != nil || strings.Contains(stored, first.Object.Secret[6:]) ||
		!strings.Contains(stored, first.Object.ID.String()) {
		t.Errorf("stored: %s, %v", stored, err)
	}
}

func TestADeletedEndpointLeavesNoSecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.create(webhook.CreateInput{URL: ptr("https://example.org/")})
	if _, err := w.Webhooks.Rotate(t.Context(), w.Actor(), e.ID.String(), webhook.RotateInput{}, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Webhooks.Delete(t.Context(), w.Actor(), e.ID.String(), webhook.DeleteInput{}, nil); err != nil {
		t.Fatal(err)
	}
	left, err := pg.Value[int](t.Context(), w.Pool, `SELECT coalesce(sum(length(secret) +
		length(coalesce(previous_secret, ''))), -1)::int FROM webhook_endpoints`, pg.Args{})
	if err != nil || left != 0 {
		t.Errorf("%d bytes of secrets are left, %v", left, err)
	}
}

func TestEndpointsAreCountedOneByOne(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 8 {
				_, err := w.Webhooks.Create(t.Context(), w.Actor(),
					webhook.CreateInput{URL: ptr("https://example.org/")}, nil)
				if err != nil && !fault.HasCode(err, "webhook_endpoints_exhausted") {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	p, err := w.Webhooks.List(t.Context(), w.Actor(), webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 100}})
	if err != nil || len(p.Items) != 50 {
		t.Errorf("%d endpoints, %v", len(p.Items), err)
	}
}

func TestWhoMayNot(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	e := w.listen(receive(t, answer(200)))
	id, ctx := e.ID.String(), t.Context()
	calls := map[string]func(authz.Actor) error{
		"create": func(a authz.Actor) error { _, err := w.Webhooks.Create(ctx, a, webhook.CreateInput{}, nil); return err },
		"get":    func(a authz.Actor) error { _, err := w.Webhooks.Get(ctx, a, id); return err },
		"list":   func(a authz.Actor) error { _, err := w.Webhooks.List(ctx, a, webhook.ListInput{}); return err },
		"update": func(a authz.Actor) error {
			_, err := w.Webhooks.Update(ctx, a, id, webhook.UpdateInput{}, nil)
			return err
		},
		"delete": func(a authz.Actor) error {
			_, err := w.Webhooks.Delete(ctx, a, id, webhook.DeleteInput{}, nil)
			return err
		},
		"enable":  func(a authz.Actor) error { _, err := w.Webhooks.Enable(ctx, a, id, nil); return err },
		"disable": func(a authz.Actor) error { _, err := w.Webhooks.Disable(ctx, a, id, nil); return err },
		"rotate": func(a authz.Actor) error {
			_, err := w.Webhooks.Rotate(ctx, a, id, webhook.RotateInput{}, nil)
			return err
		},
		"test": func(a authz.Actor) error {
			_, err := w.Webhooks.Test(ctx, a, id, webhook.TestInput{}, nil)
			return err
		},
		"replay": func(a authz.Actor) error {
			_, err := w.Webhooks.StartReplay(ctx, a, id, webhook.ReplayInput{Since: ptr(w.Clock.Now())}, nil)
			return err
		},
		"deliveries": func(a authz.Actor) error {
			_, err := w.Webhooks.Deliveries(ctx, a, id, webhook.DeliveryInput{})
			return err
		},
		"redeliver": func(a authz.Actor) error {
			_, err := w.Webhooks.Redeliver(ctx, a, ids.NewEvent(w.Clock.Now()).String(), webhook.RedeliverInput{}, nil)
			return err
		},
		"get replay": func(a authz.Actor) error {
			_, err := w.Webhooks.GetReplay(ctx, a, ids.NewReplay(w.Clock.Now()).String())
			return err
		},
		"cancel replay": func(a authz.Actor) error {
			_, err := w.Webhooks.CancelReplay(ctx, a, ids.NewReplay(w.Clock.Now()).String(), nil)
			return err
		},
		"events": func(a authz.Actor) error { _, err := w.Events.List(ctx, a, event.ListInput{}); return err },
		"event":  func(a authz.Actor) error { _, err := w.Events.Get(ctx, a, id); return err },
	}
	limited := w.Actor()
	limited.Role, limited.Restriction = authz.RoleRestrictedKey, &authz.Restriction{Rights: authz.Rights(),
		Merchants: []int64{w.App.Merchants.US}}
	for name, call := range calls {
		if err := call(authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}); !fault.HasCode(err,
			"permission_denied") {
			t.Errorf("%s by a page: %v", name, err)
		}
		if name == "events" || name == "event" {
			continue
		}
		if err := call(limited); !fault.HasCode(err, "permission_denied") {
			t.Errorf("%s by a key of one merchant: %v", name, err)
		}
		if name == "create" || name == "list" {
			continue
		}
		if err := call(w.ActorOf(w.Other)); !fault.HasCode(err, "resource_missing") {
			t.Errorf("%s by another application: %v", name, err)
		}
	}
}
