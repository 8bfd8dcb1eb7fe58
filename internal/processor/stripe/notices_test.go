package stripe_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// refunded makes a refund and returns its reference.
func (w *world) refunded(t *testing.T, number string) string {
	t.Helper()
	a := w.authorization(number)
	w.paid(t, a)
	f := w.about(a.Reference, a.Amount)
	if answer, err := w.open().Refund(t.Context(), f); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return f.Reference
}

// reported are the events of the feed, without their ids and times.
func (w *world) reported(t *testing.T) (events []processor.Event) {
	t.Helper()
	all, err := conformance.Events(t.Context(), w.open(), "", 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		e.ID, e.At = "", time.Time{}
		events = append(events, e)
	}
	return events
}

func TestRefundsEndInTheFeed(t *testing.T) {
	t.Parallel()
	for number, want := range map[string][]processor.Event{
		fake.Approved:      {{Kind: processor.RefundSucceeded}},
		fake.RefundPending: {{Kind: processor.RefundSucceeded}, {Kind: processor.RefundSucceeded}},
		fake.RefundFails: {
			{Kind: processor.RefundFailed, Failure: processor.AccountClosed, RawCode: "expired_or_canceled_card"}},
	} {
		w := newWorld(t)
		reference := w.refunded(t, number)
		if number == fake.RefundPending {
			w.Advance(2 * time.Minute)
			if early := w.reported(t); len(early) != 0 {
				t.Errorf("while it is pending: %+v", early)
			}
		}
		w.Advance(4 * 24 * time.Hour)
		for i := range want {
			want[i].Account, want[i].Reference = account.External, reference
		}
		if got := w.reported(t); !slices.Equal(got, want) {
			t.Errorf("%s: %+v, want %+v", number, got, want)
		}
	}
}

// The feed has the events of all accounts, in one order. It passes none that cannot be read: its events would be lost.
func TestFeedOfSeveralAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refunded(t, fake.Approved)
	w.Advance(time.Second)
	a := w.authorization(fake.Approved)
	a.Account = other
	w.paid(t, a)
	f := w.about(a.Reference, a.Amount)
	f.Account = other
	if answer, err := w.open().Refund(t.Context(), f); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(time.Second)
	w.refunded(t, fake.Approved)
	w.Advance(time.Hour)
	var accounts []string
	after := ""
	p := w.open()
	for {
		page, err := p.Messages(t.Context(), after, 1)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		accounts, after = append(accounts, page[0].Account), page[0].ID
	}
	if want := []string{"acct_first", "acct_second", "acct_first"}; !slices.Equal(accounts, want) {
		t.Errorf("%v", accounts)
	}
	w.keys[other] = "sk_test_revoked"
	if page, err := w.open().Messages(t.Context(), "", 100); err == nil ||
		!strings.Contains(err.Error(), other.External) {
		t.Errorf("%d messages, %v", len(page), err)
	}
	delete(w.keys, other)
	w.Fail("GET /v1/events", fake.TooMany)
	if page, err := w.open().Messages(t.Context(), "", 100); err == nil {
		t.Errorf("%d messages although one account could not be read", len(page))
	}
	if page, err := p.Messages(t.Context(), "no message", 100); err == nil {
		t.Errorf("after what is no message: %v", page)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.refunded(t, fake.Approved)
	header, body := w.Webhook(w.first, w.first.LastEvent())
	now := w.Now().Unix()
	good := fake.Sign("whsec_first", now, body)
	other := strings.TrimPrefix(fake.Sign("whsec_rolled", now, body), fmt.Sprintf("t=%d,", now))
	for signature, want := range map[string]error{
		header.Get("Stripe-Signature"):                               nil,
		strings.Replace(good, ",", ","+other+",", 1):                 nil, // of a secret that is being rolled, too
		good + ",v0=00":                                              nil,
		fake.Sign("whsec_first", now-300, body):                      nil,
		fake.Sign("whsec_first", now+300, body):                      nil,
		fake.Sign("whsec_first", now-301, body):                      notice.ErrSignature,
		fake.Sign("whsec_first", now+301, body):                      notice.ErrSignature,
		fake.Sign("whsec_second", now, body):                         notice.ErrSignature,
		strings.Replace(good, "v1=", "v0=", 1):                       notice.ErrSignature,
		strings.Replace(good, fmt.Sprint(now), "x", 1):               notice.ErrSignature,
		strings.Replace(good, fmt.Sprint(now), fmt.Sprint(now+1), 1): notice.ErrSignature,
		"": notice.ErrSignature,
	} {
		got, err := w.open().Notice(t.Context(), account, http.Header{"Stripe-Signature": {signature}}, body)
		if !errors.Is(err, want) || (want == nil) != (len(got) == 1) {
			t.Errorf("%s: %+v, %v; want %v", signature, got, err, want)
		}
	}
}

func TestNoticesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	signed := func(body string) (http.Header, []byte) {
		return http.Header{"Stripe-Signature": {fake.Sign("whsec_first", w.Now().Unix(), []byte(body))}}, []byte(body)
	}
	const known = `{"id":"evt_1","type":"refund.updated","created":1,"livemode":%t,"data":{"object":{"id":"re_1"}}%s}`
	for body, want := range map[string]error{
		fmt.Sprintf(known, false, ""):                        nil,
		fmt.Sprintf(known, false, `,"account":"acct_first"`): nil,
		fmt.Sprintf(known, true, ""):                         notice.ErrUnreadable, // of live mode
		`{}`:                                                 notice.ErrUnreadable,
		`not JSON`:                                           notice.ErrUnreadable,
	} {
		header, text := signed(body)
		if got, err := w.open().Notice(t.Context(), account, header, text); !errors.Is(err, want) || want == nil &&
			err != nil {
			t.Errorf("%s: %+v, %v", body, got, err)
		}
	}
	header, text := signed(strings.Replace(fmt.Sprintf(known, false, ""), "refund.updated", "customer.created", 1))
	if got, err := w.open().Notice(t.Context(), account, header, text); err != nil || len(got) != 0 {
		t.Errorf("of what we do not follow: %+v, %v", got, err)
	}
	w.keys[account] = "sk_test_first"
	if _, err := w.open().Notice(t.Context(), account, header, text); !errors.Is(err, processor.ErrNoAccount) {
		t.Errorf("without a signing secret: %v", err)
	}
	if _, err := w.open().Notice(t.Context(), processor.Account{Adapter: stripe.Name, External: "acct_none"}, header,
		text); !errors.Is(err, processor.ErrNoAccount) {
		t.Errorf("of an account that is not connected: %v", err)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		live        bool
		credentials string
		prepare     func(*fake.Account)
		want        processor.Onboarding
	}{
		"a test key":           {false, "sk_test_first whsec_first", nil, processor.OnboardingComplete},
		"without a webhook":    {false, "sk_test_first", nil, processor.OnboardingComplete},
		"a live key":           {true, "sk_live_first\nwhsec_first", nil, processor.OnboardingComplete},
		"a live key in tests":  {false, "sk_live_first", nil, ""},
		"a test key in live":   {true, "sk_test_first", nil, ""},
		"a publishable key":    {false, "pk_test_first", nil, ""},
		"none":                 {false, "", nil, ""},
		"a wrong key":          {false, "sk_test_wrong", nil, ""},
		"of another account":   {false, "sk_test_second", nil, ""},
		"not activated, test":  {false, "sk_test_first", func(a *fake.Account) { a.ChargesEnabled = false }, processor.OnboardingPending},
		"not activated, live":  {true, "sk_live_first", func(a *fake.Account) { a.ChargesEnabled = false }, processor.OnboardingRestricted},
		"no raw cards":         {false, "sk_test_first", func(a *fake.Account) { a.RawCards = false }, processor.OnboardingRestricted},
		"no raw cards in live": {true, "sk_live_first", func(a *fake.Account) { a.RawCards = false }, processor.OnboardingRestricted},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.SetLive(c.live)
			if c.live {
				w.first.Secret = "sk_live_first"
			}
			w.second.Secret = "sk_test_second"
			if c.prepare != nil {
				c.prepare(w.first)
			}
			p := stripe.New(stripe.Config{Accounts: w.keys, API: w.address, Now: w.Now, Livemode: c.live})
			got, err := p.Check(t.Context(), account, sensitive.NewCredentials(c.credentials))
			if got != c.want || errors.Is(err, processor.ErrNoAccount) != (c.want == "") || c.want != "" && err != nil {
				t.Errorf("%q, %v; want %q", got, err, c.want)
			}
		})
	}
	w := newWorld(t)
	w.Fail("GET /v1/account", fake.Broken)
	if got, err := w.open().Check(t.Context(), account, sensitive.NewCredentials("sk_test_first")); err == nil ||
		errors.Is(err, processor.ErrNoAccount) {
		t.Errorf("while Stripe is broken: %q, %v", got, err)
	}
}
