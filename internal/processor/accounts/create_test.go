package accounts_test

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/assembly"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
)

// onStripe is a world whose application has an account at a fake of Stripe.
type onStripe struct {
	*fixture.World
	*fake.Fake
	account  *fake.Account
	platform accounts.Account
}

const (
	platformID  = "acct_platform"
	platformKey = "sk_test_platform"
)

func newOnStripe(t *testing.T) *onStripe {
	t.Helper()
	w := &onStripe{Fake: fake.New(time.Now(), false)}
	w.account = w.Open(platformID, platformKey, "")
	s := httptest.NewServer(w.Fake)
	t.Cleanup(s.Close)
	var inner *sandbox.Processor
	w.World = fixture.NewWith(t, func(p *sandbox.Processor) processor.Processor { inner = p; return p },
		func(d *assembly.Deps) {
			d.Processors = processor.NewRegistry(inner, inner, stripe.New(stripe.Config{API: s.URL, Now: d.Now,
				Accounts: accounts.NewKeyring(d.Pool, d.Secrets)}))
		})
	w.platform = connect(t, w.World, accounts.ConnectInput{Processor: stripe.Name, External: platformID,
		Credentials: sensitive.NewCredentials(platformKey),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}})
	return w
}

func (w *onStripe) input() accounts.CreateInput {
	return accounts.CreateInput{MerchantID: w.App.Merchants.US, PlatformID: w.platform.ID.String(), Country: "us",
		BusinessType: processor.NonProfit, Name: "Riverside Food Bank", Email: "pay@example.org"}
}

// create creates the account of the merchant.
func (w *onStripe) create(t *testing.T) accounts.Account {
	t.Helper()
	a, err := w.Accounts.Create(t.Context(), w.Admin(), w.input())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func TestCreatesAnAccountOnce(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	m := w.App.Merchants.US
	platforms, err := w.Accounts.Platforms(t.Context(), w.Admin())
	if err != nil || len(platforms) != 1 || platforms[0].ID != w.platform.ID {
		t.Fatalf("%+v, %v", platforms, err)
	}
	a := w.create(t)
	if a.External != w.ConnectedTo(w.account)[0].ID || a.Onboarding != processor.OnboardingRestricted ||
		*a.PlatformID != w.platform.ID || *a.MerchantID != m || a.Methods[0] != processor.MethodPayout ||
		a.Priority != 1 {
		t.Errorf("%+v", a)
	}
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), w.input()); !fault.HasCode(err, "processor_account_exists") {
		t.Errorf("again: %v", err)
	}
	if _, err := w.Accounts.Resume(t.Context(), w.Admin(), m); !fault.HasCode(err, "resource_missing") {
		t.Errorf("resumed: %v", err)
	}
	entries, err := pg.All[struct {
		Subject string `db:"subject_id"`
	}](t.Context(), w.Pool, `SELECT subject_id FROM audit_entries WHERE permission = @p AND subject_id = @id`,
		pg.Args{"p": authz.ProcessingManage, "id": a.ID.String()})
	if err != nil || len(entries) != 2 {
		t.Errorf("%d audit entries, %v", len(entries), err)
	}
}

// TestALostAnswerIsResolved loses the answer to the creation. A second request resolves it, with the input of the
// first.
func TestALostAnswerIsResolved(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	m, in := w.App.Merchants.US, w.input()
	w.Fail("POST /v1/accounts", fake.LoseAnswer)
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), in); !fault.HasCode(err, "processor_unreachable") {
		t.Fatalf("%v", err)
	}
	c, err := w.Accounts.Requested(t.Context(), w.Admin(), m)
	if err != nil || c == nil || c.Email != in.Email {
		t.Fatalf("%+v, %v", c, err)
	}
	w.Busy(true)
	if _, err := w.Accounts.Resume(t.Context(), w.Admin(), m); !fault.HasCode(err, "processor_unreachable") {
		t.Errorf("%v", err)
	}
	w.Busy(false)
	in.Email = "other@example.org"
	a, err := w.Accounts.Create(t.Context(), w.Admin(), in)
	if all := w.ConnectedTo(w.account); err != nil || len(all) != 1 || a.External != all[0].ID || a.ID != c.ID {
		t.Errorf("%+v, %d accounts, %v", a, len(all), err)
	}
	if c, err := w.Accounts.Requested(t.Context(), w.Admin(), m); err != nil || c != nil {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestTwoRequestsMakeOneAccount(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			_, err := w.Accounts.Create(t.Context(), w.Admin(), w.input())
			if err != nil && !fault.HasCode(err, "processor_account_exists") {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	list, err := w.Accounts.List(t.Context(), w.Admin(), &w.App.Merchants.US)
	if err != nil || len(list) != 1 || len(w.ConnectedTo(w.account)) != 1 {
		t.Errorf("%d accounts here, %d at Stripe, %v", len(list), len(w.ConnectedTo(w.account)), err)
	}
}

func TestARefusedAccountCanBeAskedForAgain(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	w.account.NoPlatform = true
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), w.input()); !fault.HasCode(err,
		"processor_account_refused") {
		t.Errorf("%v", err)
	}
	if c, err := w.Accounts.Requested(t.Context(), w.Admin(), w.App.Merchants.US); err != nil || c != nil {
		t.Errorf("%+v, %v", c, err)
	}
	w.account.NoPlatform = false
	w.create(t)
}

func TestWhatIsNotCreated(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	for want, change := range map[string]func(*accounts.CreateInput){
		"validation_failed": func(in *accounts.CreateInput) { *in = accounts.CreateInput{MerchantID: in.MerchantID} },
		"resource_missing":  func(in *accounts.CreateInput) { in.MerchantID = 1 << 40 },
	} {
		in := w.input()
		change(&in)
		if _, err := w.Accounts.Create(t.Context(), w.Admin(), in); !fault.HasCode(err, want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	other := w.input()
	other.PlatformID = w.create(t).ID.String() // a connected account
	other.MerchantID = w.App.Merchants.USQ
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), other); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("a connected account is a platform: %v", err)
	}
	if _, err := w.Accounts.Create(t.Context(), w.Person(authz.RoleOrganizationAdmin), w.input()); !fault.HasCode(err,
		"permission_denied") {
		t.Errorf("an organization's administrator: %v", err)
	}
}

func TestLinksAnExistingAccount(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	foreign := w.Open("acct_foreign", "sk_test_foreign", "")
	w.OpenConnected(foreign, "acct_elsewhere")
	paid := w.OpenConnected(w.account, "acct_paid")
	in := accounts.LinkInput{MerchantID: w.App.Merchants.US, PlatformID: w.platform.ID.String()}
	for external, want := range map[string]string{"": "parameter_invalid", "acct_none": "processor_account_unknown",
		"acct_elsewhere": "processor_account_unknown", platformID: "processor_account_unknown"} {
		in.External = external
		if _, err := w.Accounts.Link(t.Context(), w.Admin(), in); !fault.HasCode(err, want) {
			t.Errorf("%q: %v", external, err)
		}
	}
	in.External = " acct_paid "
	a, err := w.Accounts.Link(t.Context(), w.Admin(), in)
	if err != nil || a.External != paid.ID || a.Onboarding != processor.OnboardingComplete || a.Sealed != nil {
		t.Fatalf("%+v, %v", a, err)
	}
	if _, err := w.Accounts.Link(t.Context(), w.Admin(), in); !fault.HasCode(err, "processor_account_exists") {
		t.Errorf("again: %v", err)
	}
	in.MerchantID = w.App.Merchants.USQ
	if _, err := w.Accounts.Link(t.Context(), w.Admin(), in); !fault.HasCode(err, "processor_account_connected") {
		t.Errorf("for another merchant: %v", err)
	}
}

// TestConnectedAccountsUseThePlatformsKey replaces the platform's key, which applies to the account that is connected
// to it.
func TestConnectedAccountsUseThePlatformsKey(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	a := w.create(t)
	credentials := func() string {
		t.Helper()
		c, err := w.Accounts.Credentials(t.Context(), a.Account())
		if err != nil {
			t.Fatal(err)
		}
		return c.Reveal()
	}
	if got := credentials(); !strings.Contains(got, platformKey) || !strings.HasSuffix(got, "\n"+platformID) {
		t.Errorf("%q", got)
	}
	w.account.Secret = "sk_test_second"
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), w.platform.ID.String(), accounts.ChangeInput{
		Credentials: sensitive.NewCredentials("sk_test_second"), Serving: accounts.Serving{Methods: w.platform.Methods,
			Priority: 1}}); err != nil {
		t.Fatal(err)
	}
	if got := credentials(); !strings.Contains(got, "sk_test_second") || strings.Contains(got, platformKey) {
		t.Errorf("%q", got)
	}
	if _, err := w.Accounts.Test(t.Context(), w.Admin(), a.ID.String()); err != nil {
		t.Errorf("%v", err)
	}
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(), accounts.ChangeInput{
		Credentials: sensitive.NewCredentials("sk_test_second"), Serving: accounts.Serving{Methods: a.Methods,
			Priority: 1}}); !fault.HasCode(err, "parameter_invalid") {
		t.Errorf("credentials of its own: %v", err)
	}
	for _, id := range []string{w.platform.ID.String(), a.ID.String()} {
		if _, err := w.Accounts.SetStatus(t.Context(), w.Admin(), id, accounts.Disabled, nil); err != nil {
			t.Fatal(err)
		}
	}
	w.Clock.Advance(time.Hour)
	if _, err := w.Accounts.Remove(t.Context(), w.Admin(), w.platform.ID.String(), nil); !fault.HasCode(err,
		"processor_account_used") {
		t.Errorf("the platform is removed: %v", err)
	}
	for _, id := range []string{a.ID.String(), w.platform.ID.String()} {
		if _, err := w.Accounts.Remove(t.Context(), w.Admin(), id, nil); err != nil {
			t.Errorf("%v", err)
		}
	}
}

func TestOnboardingIsReadAtOnce(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	a := w.create(t)
	link, err := w.Accounts.OnboardingLink(t.Context(), w.Admin(), a.ID.String(), "https://example.org/return",
		"https://example.org/refresh")
	if err != nil || !strings.Contains(link, a.External) {
		t.Errorf("%q, %v", link, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM audit_entries e
		WHERE e::text LIKE '%' || @link || '%'`,
		pg.Args{"link": link[strings.LastIndex(link, "/"):]}); err != nil || n != 0 {
		t.Errorf("the link is in the audit log: %d, %v", n, err)
	}
	if _, err := w.Accounts.OnboardingLink(t.Context(), w.Admin(), w.platform.ID.String(), "https://example.org/return",
		"https://example.org/refresh"); !fault.HasCode(err, "resource_missing") {
		t.Errorf("of a platform: %v", err)
	}
	w.Complete(w.ConnectedTo(w.account)[0])
	now, err := w.Accounts.Refresh(t.Context(), w.Admin(), a.ID.String())
	if err != nil || now.Onboarding != processor.OnboardingComplete || now.Version != a.Version ||
		!*now.Report.ChargesEnabled {
		t.Errorf("%+v, %v", now, err)
	}
	w.Busy(true)
	if _, err := w.Accounts.Refresh(t.Context(), w.Admin(), a.ID.String()); !fault.HasCode(err,
		"processor_unreachable") {
		t.Errorf("%v", err)
	}
}
