package stripe_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// hooks is where the deployment of these tests gets notices of the first account.
const hooks = "https://api.example.org/hooks/stripe/acct_first"

// register registers the endpoints of the first account, and stores its credentials.
func (w *world) register(t *testing.T) sensitive.Credentials {
	t.Helper()
	a := w.open()
	given, err := w.keys.Credentials(t.Context(), account)
	if err != nil {
		t.Fatal(err)
	}
	with, err := a.Register(t.Context(), account, given, hooks)
	if err != nil {
		t.Fatal(err)
	}
	w.keys[account] = with.Reveal()
	if err := a.Prune(t.Context(), account, with, hooks); err != nil {
		t.Fatal(err)
	}
	return with
}

// lacks are the codes of what the endpoints of the first account lack.
func (w *world) lacks(t *testing.T) string {
	t.Helper()
	given, _ := w.keys.Credentials(t.Context(), account)
	found, err := w.open().Endpoints(t.Context(), account, given, hooks)
	if err != nil {
		t.Fatal(err)
	}
	var codes []string
	for _, l := range found {
		if codes = append(codes, l.Code); l.Remedy == "" {
			t.Errorf("%s has no remedy", l.Code)
		}
	}
	return strings.Join(codes, " ")
}

// hooked is a webhook endpoint as the API lists it.
type hooked struct {
	ID, URL, Status, Secret string
	Events                  []string `json:"enabled_events"`
	Metadata                map[string]string
}

// endpoints asks the API for the endpoints of the first account.
func (w *world) endpoints(t *testing.T) []hooked {
	t.Helper()
	list := struct{ Data []hooked }{}
	if err := json.Unmarshal(w.ask(t, http.MethodGet, "/v1/webhook_endpoints?limit=100", ""), &list); err != nil {
		t.Fatal(err)
	}
	return list.Data
}

// ask sends a request for the first account, as a person's program would.
func (w *world) ask(t *testing.T, method, path, form string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, w.address+path, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer sk_test_first"}, "Stripe-Version": {"2026-03-25.dahlia"},
		"Content-Type": {"application/x-www-form-urlencoded"}}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var body bytes.Buffer
	if _, err := body.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s, %v", resp.StatusCode, &body, err)
	}
	return body.Bytes()
}

func TestRegistersEndpointsOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys[account] = "sk_test_first"
	if got := w.lacks(t); got != "webhook_missing" {
		t.Errorf("before: %q", got)
	}
	first := w.register(t)
	if !strings.HasSuffix(first.Reveal(), "sk_test_first") {
		t.Error("the key is not the end of the credentials")
	}
	made := w.endpoints(t)
	if len(made) != 2 {
		t.Fatalf("%+v", made)
	}
	for _, e := range made {
		if e.URL != hooks || e.Secret != "" || !strings.Contains(first.Reveal(), e.ID+":whsec_") ||
			slices.Contains(e.Events, "payout.paid") != (e.Metadata["svcpay_scope"] == "connected_accounts") ||
			slices.Contains(e.Events, "refund.failed") != (e.Metadata["svcpay_scope"] == "account") {
			t.Errorf("%+v", e)
		}
	}
	if again := w.register(t); again.Reveal() != first.Reveal() || w.lacks(t) != "" {
		t.Error("the second registration changed the credentials")
	}
}

func TestNoticesOfRegisteredEndpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.first.Webhook, w.keys[account] = "", "sk_test_first"
	paidOut := w.connectMerchant()
	w.register(t)
	in := w.authorization(fake.Disputed)
	w.paid(t, in)
	w.Advance(48 * time.Hour)
	w.AddBank(paidOut, "usd", ours.Routing, ours.Number.Reveal())
	w.Fund(paidOut, "usd", 500)
	w.PayOut(paidOut, "usd", 500)
	w.Advance(72 * time.Hour)
	for of, about := range map[*fake.Account]string{w.first: "acct_first", paidOut: merchant.External} {
		sent := w.Deliveries(of, of.LastEvent())
		if len(sent) != 1 || sent[0].URL != hooks {
			t.Fatalf("%s: %+v", about, sent)
		}
		found, err := w.open().Notice(t.Context(), account, sent[0].Header, sent[0].Body)
		if err != nil || len(found) != 1 || found[0].Account != about {
			t.Errorf("%s: %+v, %v", about, found, err)
		}
	}
	if got := w.lacks(t); got != "" {
		t.Errorf("%q", got)
	}
}

// An endpoint whose secret is unknown is replaced: its secret can't be read again.
func TestReplacesEndpointsWithoutASecret(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys[account] = "sk_test_first"
	w.register(t)
	before := w.endpoints(t)
	w.ask(t, http.MethodPost, "/v1/webhook_endpoints", "url=https://other.example.org/&enabled_events[0]=payout.paid")
	w.keys[account] = "sk_test_first"
	if got := w.lacks(t); got != "webhook_missing" {
		t.Errorf("%q", got)
	}
	with, err := w.open().Register(t.Context(), account, sensitive.NewCredentials("sk_test_first"), hooks)
	if err != nil || len(w.endpoints(t)) != 5 {
		t.Fatalf("%v: the earlier endpoints must stay until the secrets are stored", err)
	}
	if err := w.open().Prune(t.Context(), account, with, hooks); err != nil {
		t.Fatal(err)
	}
	after := w.endpoints(t)
	if len(after) != 3 {
		t.Fatalf("%+v", after)
	}
	for _, e := range after {
		if slices.ContainsFunc(before, func(b hooked) bool { return b.ID == e.ID }) {
			t.Errorf("%+v stays", e)
		}
	}
}

func TestCorrectsItsEndpoints(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys[account] = "sk_test_first"
	w.register(t)
	for _, e := range w.endpoints(t) {
		if e.Metadata["svcpay_scope"] != "account" {
			continue
		}
		for form, code := range map[string]string{"disabled=true": "webhook_disabled",
			"enabled_events[0]=payout.paid": "webhook_incomplete"} {
			w.ask(t, http.MethodPost, "/v1/webhook_endpoints/"+e.ID, form)
			if got := w.lacks(t); got != code {
				t.Errorf("%s: %q", form, got)
			}
			if w.register(t); w.lacks(t) != "" {
				t.Errorf("%s is not corrected", form)
			}
		}
		w.ask(t, http.MethodDelete, "/v1/webhook_endpoints/"+e.ID, "")
	}
	if got := w.lacks(t); got != "webhook_missing" {
		t.Errorf("deleted: %q", got)
	}
	if w.register(t); len(w.endpoints(t)) != 2 || w.lacks(t) != "" {
		t.Errorf("%+v", w.endpoints(t))
	}
}

// A person who enters a signing secret has added the endpoint, with any events and address.
func TestLeavesEndpointsOfPeopleAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if with := w.register(t); with.Reveal() != "sk_test_first\nwhsec_first\n" || len(w.endpoints(t)) != 0 {
		t.Error("it registered endpoints")
	}
	if got := w.lacks(t); got != "webhook_url" {
		t.Errorf("%q", got)
	}
	w.ask(t, http.MethodPost, "/v1/webhook_endpoints", "url="+hooks+"&enabled_events[0]=refund.failed")
	if got := w.lacks(t); got != "webhook_incomplete" {
		t.Errorf("%q", got)
	}
	w.ask(t, http.MethodPost, "/v1/webhook_endpoints", "url="+hooks+"&enabled_events[0]=*&connect=true")
	if got := w.lacks(t); got != "" {
		t.Errorf("%q", got)
	}
	if w.register(t); len(w.endpoints(t)) != 2 {
		t.Error("it changed the endpoints of a person")
	}
}

func TestEndpointsThatStripeRefuses(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys[account], w.first.NoPlatform = "sk_test_first", true
	if w.register(t); len(w.endpoints(t)) != 1 || w.lacks(t) != "" {
		t.Errorf("an account that is no platform: %+v", w.endpoints(t))
	}
	w.connectMerchant()
	if got := w.lacks(t); got != "connect_webhook" {
		t.Errorf("%q", got)
	}
	w.first.NoHooks = true
	if got := w.lacks(t); got != "webhook_key" {
		t.Errorf("%q", got)
	}
	given, a := sensitive.NewCredentials("sk_test_first"), w.open()
	if with, err := a.Register(t.Context(), account, given, hooks); err == nil || with.Reveal() != given.Reveal() {
		t.Errorf("%v", err)
	}
	w.first.NoHooks = false
	w.Fail("POST /v1/webhook_endpoints", fake.Broken)
	with, err := a.Register(t.Context(), account, given, hooks)
	if err == nil || strings.Contains(with.Reveal(), "we_") {
		t.Errorf("%v", err)
	}
}

// New credentials keep the secrets of registered endpoints, which Stripe does not show again.
func TestCarriesSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.keys[account] = "sk_test_first"
	before := w.register(t)
	a := w.open()
	after := a.Carry(before, sensitive.NewCredentials("rk_test_new"))
	if want := strings.Replace(before.Reveal(), "sk_test_first", "rk_test_new", 1); after.Reveal() != want {
		t.Error("the secrets are lost")
	}
	for _, typed := range []string{"rk_test_new whsec_typed", "rk_test_new acct_first", "nonsense"} {
		if got := a.Carry(before, sensitive.NewCredentials(typed)); got.Reveal() != typed {
			t.Errorf("%s is changed", typed)
		}
	}
	card := []processor.Method{processor.MethodCard}
	if got := a.MethodsOf(after, card); len(got) != 1 {
		t.Errorf("%q", got)
	}
}
