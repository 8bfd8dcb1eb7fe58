package stripe_test

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
)

// newAccount is an account to create.
func (w *world) newAccount() processor.NewAccount {
	return processor.NewAccount{Reference: ids.NewProcessorAccount(w.Now()).String(), Country: "US",
		BusinessType: processor.NonProfit, Name: "Riverside Food Bank", Email: "pay@riverside.example.org"}
}

// created creates an account that is connected to the first account, and connects it here.
func (w *world) created(t *testing.T) processor.Account {
	t.Helper()
	made, err := w.open().CreateAccount(t.Context(), account, w.newAccount())
	if err != nil {
		t.Fatal(err)
	}
	at := processor.Account{Adapter: stripe.Name, External: made.External}
	w.keys[at] = "sk_test_first\nacct_first\n"
	return at
}

func TestCreatesAConnectedAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	in := w.newAccount()
	made, err := w.open().CreateAccount(t.Context(), account, in)
	r := made.Report
	if err != nil || made.External == "" || r.Platform != account.External ||
		r.Onboarding != processor.OnboardingRestricted || *r.ChargesEnabled || *r.PayoutsEnabled ||
		r.Capabilities[processor.CardPayments] != "inactive" || len(r.Requirements.CurrentlyDue) == 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	for _, request := range w.Requests() {
		if request.Method == http.MethodPost && (request.Header.Get("Idempotency-Key") != in.Reference ||
			request.Form.Get("settings[payouts][schedule][interval]") != "manual" ||
			request.Form.Get("business_type") != "non_profit") {
			t.Errorf("%+v", request)
		}
	}
	again, err := w.open().CreateAccount(t.Context(), account, in)
	if err != nil || again.External != made.External || len(w.ConnectedTo(w.first)) != 1 {
		t.Errorf("again: %+v, %v", again, err)
	}
	other, err := w.open().CreateAccount(t.Context(), account, w.newAccount())
	if err != nil || other.External == made.External {
		t.Errorf("another: %+v, %v", other, err)
	}
}

// TestALostAnswerMakesOneAccount loses the answer to a request that was executed, and repeats the call at once, and
// after Stripe has forgotten the idempotency key.
func TestALostAnswerMakesOneAccount(t *testing.T) {
	t.Parallel()
	for _, after := range []time.Duration{0, 48 * time.Hour} {
		w := newWorld(t)
		in := w.newAccount()
		w.Fail("POST /v1/accounts", fake.LoseAnswer)
		if made, err := w.open().CreateAccount(t.Context(), account, in); err == nil ||
			errors.Is(err, processor.ErrNotCreated) {
			t.Fatalf("%+v, %v", made, err)
		}
		w.Advance(after)
		made, err := w.open().CreateAccount(t.Context(), account, in)
		if all := w.ConnectedTo(w.first); err != nil || len(all) != 1 || all[0].ID != made.External {
			t.Errorf("after %s: %+v, %d accounts, %v", after, made, len(all), err)
		}
	}
}

func TestAnAccountIsNotCreated(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connectMerchant()
	in := w.newAccount()
	for _, fault := range []fake.Fault{fake.LoseCall, fake.TooMany, fake.Broken, fake.InUse} {
		w.Fail("POST /v1/accounts", fault)
		if _, err := w.open().CreateAccount(t.Context(), account, in); err == nil ||
			errors.Is(err, processor.ErrNotCreated) {
			t.Errorf("fault %d: %v", fault, err)
		}
	}
	if _, err := w.open().CreateAccount(t.Context(), merchant, in); err == nil {
		t.Error("a connected account is a platform")
	}
	w.first.NoPlatform = true
	_, err := w.open().CreateAccount(t.Context(), account, in)
	if !errors.Is(err, processor.ErrNotCreated) || strings.Contains(err.Error(), "The request is invalid") {
		t.Errorf("without Connect: %v", err)
	}
	if all := w.ConnectedTo(w.first); len(all) != 1 {
		t.Errorf("%d accounts", len(all))
	}
}

// visitor follows no redirect.
var visitor = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// visit requests a page, or sends its form, and returns the page, or the address to which it leads.
func visit(t *testing.T, address string, form url.Values) (page, to string) {
	t.Helper()
	resp, err := visitor.Get(address)
	if form != nil {
		resp, err = visitor.PostForm(address, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if at, err := resp.Location(); err == nil {
		to = at.String()
	}
	return string(body), to
}

const returnURL, refreshURL = "https://portal.example.org/return", "https://portal.example.org/refresh"

func TestOnboardingLinksWorkOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at, a := w.created(t), w.open()
	link := func() string {
		t.Helper()
		link, err := a.OnboardingLink(t.Context(), at, returnURL, refreshURL)
		if err != nil || !strings.HasPrefix(link, w.address+"/") {
			t.Fatalf("%q, %v", link, err)
		}
		return link
	}
	first := link()
	_, form := visit(t, first, nil)
	if page, _ := visit(t, form, nil); !strings.Contains(page, "company.tax_id") {
		t.Errorf("the page lacks what is due: %s", page)
	}
	if _, to := visit(t, first, nil); to != refreshURL {
		t.Errorf("a link that was opened leads to %q", to)
	}
	late := link()
	w.Advance(6 * time.Minute)
	if _, to := visit(t, late, nil); to != refreshURL {
		t.Errorf("an expired link leads to %q", to)
	}
	inspect := func() processor.Report {
		t.Helper()
		credentials, _ := w.keys.Credentials(t.Context(), at)
		r, err := a.Inspect(t.Context(), at, credentials)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if _, to := visit(t, form, url.Values{"do": {"leave"}}); to != returnURL {
		t.Errorf("who leaves is led to %q", to)
	}
	if r := inspect(); r.Requirements == nil || *r.PayoutsEnabled {
		t.Errorf("after leaving: %+v", r)
	}
	_, form = visit(t, link(), nil)
	if _, to := visit(t, form, url.Values{"do": {"complete"}}); to != returnURL {
		t.Errorf("who completes is led to %q", to)
	}
	if r := inspect(); r.Requirements != nil || !*r.ChargesEnabled || !*r.PayoutsEnabled ||
		r.Onboarding != processor.OnboardingComplete || r.Capabilities[processor.CardPayments] != "active" {
		t.Errorf("after completing: %+v", r)
	}
}

func TestNoOnboardingLink(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	at := w.created(t)
	if link, err := w.open().OnboardingLink(t.Context(), account, returnURL, refreshURL); err == nil {
		t.Errorf("of a platform: %q", link)
	}
	w.Fail("POST /v1/account_links", fake.Broken)
	if link, err := w.open().OnboardingLink(t.Context(), at, returnURL, refreshURL); err == nil {
		t.Errorf("of a server that fails: %q", link)
	}
}
