package portal

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/portal/web"
)

// stripeWorld is a portal whose first application has an account at a fake of Stripe.
type stripeWorld struct {
	*world
	stripe   *fake.Fake
	platform *fake.Account
}

func newStripeWorld(t *testing.T) *stripeWorld {
	t.Helper()
	f := fake.New(time.Now(), false)
	out := &stripeWorld{stripe: f, platform: f.Open("acct_platform", "sk_test_platform", "")}
	s := httptest.NewServer(f)
	t.Cleanup(s.Close)
	var inner *sandbox.Processor
	out.world = worldOf(t, fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor { inner = p; return p },
		func(d *assembly.Deps) {
			d.Processors = processor.NewRegistry(inner, inner, stripe.New(stripe.Config{API: s.URL, Now: d.Now,
				Accounts: accounts.NewKeyring(d.Pool, d.Secrets)}))
		}), nil)
	out.connected(accounts.ConnectInput{Processor: stripe.Name, External: out.platform.ID,
		Credentials: sensitive.NewCredentials(out.platform.Secret),
		Serving:     accounts.ServingOf([]string{"cc"}, nil, 1)})
	return out
}

// creates sends the form that creates an account, as it is drawn.
func (w *stripeWorld) creates(cookie string) answer {
	w.t.Helper()
	at := w.merchantPage(web.ProcessingEnd)
	form := url.Values{"country": {"US"}, "business_type": {"non_profit"}, "name": {"Riverside Food Bank"},
		"email": {"pay@riverside.example.org"}}
	return w.send(at+"/create", form, "Cookie", cookie)
}

var accountLink = regexp.MustCompile(`href="(/[^"]*/pa_[0-9a-z]+/onboarding)"`)

// onboardingOf is the address of the button to continue the onboarding.
func (w *stripeWorld) onboardingOf(cookie string) string {
	w.t.Helper()
	page := w.send(w.merchantPage(web.ProcessingEnd), nil, "Cookie", cookie)
	found := accountLink.FindStringSubmatch(page.body)
	if found == nil {
		w.t.Fatalf("no button: %s", page.words())
	}
	return found[1]
}

// opened is the link to which a page leads at once.
func (w *stripeWorld) opened(at, cookie string) string {
	w.t.Helper()
	a := w.send(at, nil, "Cookie", cookie)
	a.wants(w.t, http.StatusOK, "")
	link, ok := strings.CutPrefix(a.Header.Get("Refresh"), "0;url=")
	if !ok || !strings.Contains(a.body, `href="`+link+`"`) {
		w.t.Fatalf("it leads to %q", link)
	}
	return link
}

// visitor follows no redirect.
var visitor = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// leads is the address to which Stripe leads from one of its pages; it sends a form if there is one.
func leads(t *testing.T, address string, form url.Values) string {
	t.Helper()
	resp, err := visitor.Get(address)
	if form != nil {
		resp, err = visitor.PostForm(address, form)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	to, err := resp.Location()
	if err != nil {
		t.Fatalf("%s: %d, %v", address, resp.StatusCode, err)
	}
	return to.String()
}

func (w *stripeWorld) shows(cookie string, lines ...string) {
	w.t.Helper()
	words := w.send(w.merchantPage(web.ProcessingEnd), nil, "Cookie", cookie).words()
	for _, line := range lines {
		if !strings.Contains(words, line) {
			w.t.Errorf("the page does not say %q: %s", line, words)
		}
	}
}

// returns opens our own address to which Stripe led, and returns what the page after it says.
func (w *stripeWorld) returns(address, cookie string) string {
	w.t.Helper()
	path, ours := strings.CutPrefix(address, fixture.BaseURL)
	if !ours {
		w.t.Fatalf("it leads to %s", address)
	}
	a := w.send(path, nil, "Cookie", cookie)
	at := w.merchantPage(web.ProcessingEnd)
	a.wants(w.t, http.StatusSeeOther, at)
	return w.send(at, nil, "Cookie", cookie+"; "+web.FlashCookie+"="+a.cookie(w.t, web.FlashCookie).Value).words()
}

func TestAMerchantIsOnboardedAtStripe(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	w.send(at+"/create", nil, "Cookie", admin).says(t, `value="non_profit" selected`, `value="US" selected`)
	w.creates(admin).wants(t, http.StatusSeeOther, at)
	paid := w.stripe.ConnectedTo(w.platform)[0]
	w.shows(admin, "stripe "+paid.ID, "Charges Not enabled", "Payouts Not enabled", "Overdue details",
		"Credentials Same as acct_platform")
	w.send(at, nil, "Cookie", admin).lacks(t, at+"/create", at+"/link")
	w.creates(admin).wants(t, http.StatusSeeOther, at) // sent again
	w.send(at+"/create", nil, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	if len(w.stripe.ConnectedTo(w.platform)) != 1 {
		t.Error("there is a second account")
	}

	page := w.onboardingOf(admin)
	expired := w.opened(page, admin)
	w.stripe.Advance(10 * time.Minute)
	refresh := leads(t, expired, nil)
	link := w.opened(strings.TrimPrefix(refresh, fixture.BaseURL), admin)
	if link == expired {
		t.Error("an expired link is not replaced")
	}
	form := leads(t, link, nil)
	if words := w.returns(leads(t, form, url.Values{"do": {"leave"}}), admin); !strings.Contains(words,
		"Stripe still needs details.") || !strings.Contains(words, "company tax id") {
		t.Errorf("after leaving: %s", words)
	}
	if leads(t, link, nil) != refresh {
		t.Error("a link works twice")
	}
	form = leads(t, w.opened(page, admin), nil)
	if words := w.returns(leads(t, form, url.Values{"do": {"complete"}}), admin); !strings.Contains(words,
		"Onboarding is complete.") {
		t.Errorf("after completing: %s", words)
	}
	w.shows(admin, "Charges Enabled", "Payouts Enabled", "Onboarding Complete")
	w.send(at, nil, "Cookie", admin).lacks(t, "Continue onboarding")
	log := w.send(web.AuditPath+"?what="+string(authz.ProcessingManage), nil, "Cookie", admin).words()
	for _, words := range []string{"requested the creation of the processor account " + paid.ID,
		"connected the processor account " + paid.ID, "opened the onboarding page of the processor account " +
			paid.ID} {
		if !strings.Contains(log, words) {
			t.Errorf("the audit log does not say %q: %s", words, log)
		}
	}
	if strings.Contains(w.log.String(), "/setup/") {
		t.Error("a link is in the log")
	}
}

// TestAnEventEnablesAnAccount completes the onboarding while no one comes back: an event reports it.
func TestAnEventEnablesAnAccount(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin := w.as(authz.RoleApplicationAdmin)
	w.creates(admin).wants(t, http.StatusSeeOther, w.merchantPage(web.ProcessingEnd))
	paid := w.stripe.ConnectedTo(w.platform)[0]
	w.stripe.Complete(paid)
	w.shows(admin, "Charges Not enabled")
	if err := w.Accounts.Updated(t.Context(), processor.Event{Kind: processor.AccountUpdated,
		Adapter: stripe.Name, Account: paid.ID}); err != nil {
		t.Fatal(err)
	}
	w.shows(admin, "Charges Enabled", "Payouts Enabled")
}

func TestALostAnswerIsShownUntilItIsKnown(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	w.stripe.Fail("POST /v1/accounts", fake.LoseAnswer)
	w.creates(admin).wants(t, http.StatusSeeOther, at)
	page := w.send(at, nil, "Cookie", admin)
	page.says(t, at+"/create/resume")
	page.lacks(t, `href="`+at+"/create\"")
	w.shows(admin, "waiting for Stripe to confirm a new account", "No accounts yet")
	w.send(at+"/create/resume", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	all := w.stripe.ConnectedTo(w.platform)
	if len(all) != 1 {
		t.Fatalf("%d accounts at Stripe", len(all))
	}
	w.shows(admin, "stripe "+all[0].ID, "Continue onboarding")
	w.send(at, nil, "Cookie", admin).lacks(t, at+"/create/resume")
	// sent again
	w.send(at+"/create/resume", url.Values{}, "Cookie", admin).wants(t, http.StatusSeeOther, at)
}

// TestAnAccountIsLinkedOnlyOnceTheOutcomeIsKnown links an account while another may have been created, and links that
// one to another merchant.
func TestAnAccountIsLinkedOnlyOnceTheOutcomeIsKnown(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	w.stripe.Fail("POST /v1/accounts", fake.LoseAnswer)
	w.creates(admin).wants(t, http.StatusSeeOther, at)
	made := url.Values{"external_account": {w.stripe.ConnectedTo(w.platform)[0].ID}}
	w.send(at+"/link", made, "Cookie", admin).says(t, "Account not linked", "Check its outcome first.")
	other := web.MerchantAt(w.App.Merchants.USQ, web.ProcessingEnd)
	w.send(other+"/link", made, "Cookie", admin).wants(t, http.StatusSeeOther, other)
	a := w.send(at+"/create/resume", url.Values{}, "Cookie", admin)
	a.wants(t, http.StatusSeeOther, at)
	page := w.send(at, nil, "Cookie", admin+"; "+web.FlashCookie+"="+a.cookie(t, web.FlashCookie).Value)
	page.says(t, "already connected elsewhere", at+"/create", at+"/link")
	page.lacks(t, at+"/create/resume")
}

func TestAnExistingAccountIsLinked(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	w.stripe.OpenConnected(w.platform, "acct_paid")
	form := url.Values{"external_account": {"acct_none"}}
	w.send(at+"/link", form, "Cookie", admin).says(t, "Account not linked", "No account with this ID is connected")
	form.Set("external_account", "acct_paid")
	w.send(at+"/link", form, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.shows(admin, "stripe acct_paid", "Payouts Enabled")
}

func TestWhoOnboardsMerchants(t *testing.T) {
	t.Parallel()
	w := newStripeWorld(t)
	admin, at := w.as(authz.RoleApplicationAdmin), w.merchantPage(web.ProcessingEnd)
	for _, role := range []authz.Role{authz.RoleSupportStaff, authz.RoleOrganizationAdmin} {
		cookie := w.as(role)
		w.send(at, nil, "Cookie", cookie).lacks(t, at+"/create", at+"/link")
		for _, end := range []string{"/create", "/create/resume", "/link"} {
			w.send(at+end, url.Values{}, "Cookie", cookie).wants(t, http.StatusForbidden, "")
		}
	}
	w.creates(admin)
	page := w.onboardingOf(admin)
	for _, end := range []string{"", "/return"} {
		w.send(page+end, nil, "Cookie", w.as(authz.RoleSupportStaff)).wants(t, http.StatusForbidden, "")
	}
	w.stripe.Fail("POST /v1/account_links", fake.Broken)
	w.send(page, nil, "Cookie", admin).wants(t, http.StatusSeeOther, at)
	w.pass(11 * time.Minute)
	for _, address := range []string{at + "/create", at + "/link", page} {
		a := w.send(address, nil, "Cookie", admin)
		a.says(t, `name="proof_password"`)
		if to := a.Header.Get("Refresh"); to != "" {
			t.Errorf("%s leads to %s", address, to)
		}
	}
}
