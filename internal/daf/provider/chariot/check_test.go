package chariot_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/sensitive"
)

// alone is an adapter of a deployment that is not connected.
func (w *world) alone(livemode bool, origin string) *chariot.Provider {
	return chariot.New(chariot.Config{Pool: w.pool, API: w.address, Livemode: livemode, PagesOrigin: origin, Now: w.Now,
		Credentials: func(context.Context) (sensitive.Credentials, error) { return sensitive.Credentials{}, nil }})
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.enrolled(t)
	for _, tt := range []struct {
		text, fails string
		how         fake.Fault
		want        []string
	}{
		{text: w.Key + "\n" + w.Secret},
		{text: w.Key, want: []string{"signing_secret"}},
		{text: w.credentials, fails: "GET /v1/organizations/search", how: fake.Forbidden, want: []string{"organizations"}},
		{text: w.credentials, fails: "GET /v1/dafs", how: fake.Forbidden, want: []string{"dafs"}},
		{text: w.credentials, fails: "GET /v1/events", how: fake.Forbidden, want: []string{"events"}},
		{text: w.credentials, fails: "GET /v1/grants", how: fake.Forbidden, want: []string{"grants"}},
		{text: w.credentials, fails: "GET /v1/deposits", how: fake.Forbidden, want: []string{"deposits"}},
		{text: w.credentials, fails: "GET /v1/donations", how: fake.Forbidden, want: []string{"deposits"}},
	} {
		if tt.fails != "" {
			w.Fail(tt.fails, tt.how)
		}
		p := w.alone(false, "https://daf.example")
		missing, err := p.Check(t.Context(), sensitive.NewCredentials(tt.text))
		if err != nil || !slices.Equal(missing, tt.want) {
			t.Errorf("%s: %v, %v", tt.fails, missing, err)
		}
		for _, code := range missing {
			if n := p.NeedOf(code); n.Code != code || n.Text == "" || n.Optional != (code == "deposits") {
				t.Errorf("%+v", n)
			}
		}
	}
	missing, err := w.alone(false, "").Check(t.Context(), sensitive.NewCredentials(w.credentials))
	if err != nil || !slices.Equal(missing, []string{"pages_origin"}) {
		t.Errorf("%v, %v", missing, err)
	}
}

func TestCheckRejectsKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for text, live := range map[string]bool{
		"": false, "secret": false, "sk_live_1 secret": false, "sk_test_wrong secret": false, w.credentials: true,
	} {
		_, err := w.alone(live, "https://daf.example").Check(t.Context(), sensitive.NewCredentials(text))
		if !errors.Is(err, provider.ErrCredentials) {
			t.Errorf("%q, %t: %v", text, live, err)
		}
	}
	w.Busy(true)
	_, err := w.alone(false, "https://daf.example").Check(t.Context(), sensitive.NewCredentials(w.credentials))
	if err == nil || errors.Is(err, provider.ErrCredentials) {
		t.Errorf("an overloaded Chariot: %v", err)
	}
}

// A deployment that is not connected has no funds and no events, and sends nothing.
func TestNothingIsSentUntilConnected(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	fundID := w.fund(t, "Cedar")
	w.Requests()
	p, ctx := w.alone(false, "https://daf.example"), t.Context()
	funds, err := p.Funds(ctx, "", 5)
	if len(funds) > 0 || err != nil {
		t.Errorf("%v, %v", funds, err)
	}
	if _, err := p.Fund(ctx, fundID); !errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
	if _, err := p.Visit(ctx, provider.Visit{FundID: fundID}); !errors.Is(err, provider.ErrNotFound) {
		t.Error(err)
	}
	if _, err := p.Organization(ctx, good); err == nil || errors.Is(err, provider.ErrNotFound) {
		t.Errorf("an organization is looked up nowhere: %v", err)
	}
	messages, err := p.Messages(ctx, "", 10)
	lines, bookErr := p.Book(ctx, 0, 10)
	if len(messages)+len(lines) > 0 || err != nil || bookErr != nil {
		t.Errorf("%v, %v, %v, %v", messages, err, lines, bookErr)
	}
	if sent := w.Requests(); len(sent) > 0 {
		t.Errorf("%+v", sent)
	}
}

func TestGrantsAreSimulated(t *testing.T) {
	t.Parallel()
	for kind, want := range map[provider.EventKind]provider.EventKind{
		provider.GrantCompleted: provider.GrantCompleted, provider.GrantCanceled: provider.GrantCanceled,
	} {
		w := newWorld(t)
		g, _ := w.granted(t)
		p, ctx := w.open(), t.Context()
		ok(t, p.Simulate(ctx, account, g.Reference, kind))
		if err := p.Simulate(ctx, account, g.Reference, kind); err == nil {
			t.Error("a grant ends twice")
		}
		if err := p.Simulate(ctx, other, g.Reference, kind); err == nil {
			t.Error("a grant of another account ends")
		}
		lines, err := p.Book(ctx, 0, 10)
		if err != nil || len(lines) != 1 || lines[0].State != want {
			t.Errorf("%+v, %v", lines, err)
		}
	}
}
