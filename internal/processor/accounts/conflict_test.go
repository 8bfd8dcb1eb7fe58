package accounts_test

import (
	"slices"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// loses has the answer to the creation of the merchant's account lost.
func (w *onStripe) loses(t *testing.T) {
	t.Helper()
	w.Fail("POST /v1/accounts", fake.LoseAnswer)
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), w.input()); !fault.HasCode(err, "processor_unreachable") {
		t.Fatalf("%v", err)
	}
}

// final fails unless the merchant's only creation has a status, and neither name nor email address.
func (w *onStripe) final(t *testing.T, status string) {
	t.Helper()
	got, err := pg.Value[string](t.Context(), w.Pool, `
		SELECT string_agg(status || name || email, ' ') FROM account_creations WHERE merchant_id = @id`,
		pg.Args{"id": w.App.Merchants.US})
	if err != nil || got != status {
		t.Errorf("%q, %v, want %q", got, err, status)
	}
}

// TestNoSecondAccountWhileOneIsCreated adds connected accounts while the outcome of a creation is unknown.
func TestNoSecondAccountWhileOneIsCreated(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	m := w.App.Merchants.US
	w.OpenConnected(w.account, "acct_paid")
	w.loses(t)
	link := accounts.LinkInput{MerchantID: m, PlatformID: w.platform.ID.String(), External: "acct_paid"}
	if _, err := w.Accounts.Link(t.Context(), w.Admin(), link); !fault.HasCode(err, "processor_account_requested") {
		t.Errorf("linked: %v", err)
	}
	own := accounts.ConnectInput{MerchantID: &m, Processor: stripe.Name, External: "acct_paid",
		Credentials: sensitive.NewCredentials(platformKey + "\n" + platformID),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}}
	if _, err := w.Accounts.Connect(t.Context(), w.Admin(), own); !fault.HasCode(err, "processor_account_requested") {
		t.Errorf("connected: %v", err)
	}
	a, err := w.Accounts.Resume(t.Context(), w.Admin(), m)
	if err != nil {
		t.Fatal(err)
	}
	w.final(t, "created")
	if list, err := w.Accounts.List(t.Context(), w.Admin(), &m); err != nil || len(list) != 1 || list[0].ID != a.ID {
		t.Errorf("%+v, %v", list, err)
	}
	own.MerchantID = &w.App.Merchants.USQ
	connect(t, w.World, own)
}

// TestAPlatformStaysWhileAnAccountIsCreated disables the platform, where the outcome can still be resolved.
func TestAPlatformStaysWhileAnAccountIsCreated(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	w.loses(t)
	disable(t, w.World, w.platform)
	w.Clock.Advance(time.Hour)
	refuses(t, w.World, w.platform, "processor_account_used")
	if a, err := w.Accounts.Resume(t.Context(), w.Admin(), w.App.Merchants.US); err != nil ||
		*a.PlatformID != w.platform.ID {
		t.Errorf("%+v, %v", a, err)
	}
}

// TestAnotherPlatformCreatesNothing gives the platform's account to a merchant, then to another application.
func TestAnotherPlatformCreatesNothing(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	w.Fail("POST /v1/accounts", fake.Broken)
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), w.input()); !fault.HasCode(err, "processor_unreachable") {
		t.Fatalf("%v", err)
	}
	for _, to := range []struct {
		application int64
		merchant    *int64
	}{{w.App.AppID, &w.App.Merchants.USQ}, {w.Other.AppID, nil}} {
		if _, err := pg.Exec(t.Context(), w.Pool, `
			UPDATE processor_accounts SET application_id = @application, merchant_id = @merchant WHERE id = @id`,
			pg.Args{"id": w.platform.ID, "application": to.application, "merchant": to.merchant}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Accounts.Resume(t.Context(), w.Admin(), w.App.Merchants.US); !fault.HasCode(err,
			"processor_platform_missing") {
			t.Errorf("%+v: %v", to, err)
		}
	}
	if all := w.ConnectedTo(w.account); len(all) != 0 {
		t.Errorf("%d accounts at Stripe", len(all))
	}
}

// TestACreatedAccountOfAnotherMerchant links the account whose creation has no outcome to another merchant.
func TestACreatedAccountOfAnotherMerchant(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	w.loses(t)
	if _, err := w.Accounts.Link(t.Context(), w.Admin(), accounts.LinkInput{MerchantID: w.App.Merchants.USQ,
		PlatformID: w.platform.ID.String(), External: w.ConnectedTo(w.account)[0].ID}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Accounts.Resume(t.Context(), w.Admin(), w.App.Merchants.US); !fault.HasCode(err,
		"processor_account_connected") {
		t.Errorf("%v", err)
	}
	w.final(t, "created")
	w.create(t)
}

// TestARefusedCreationKeepsNoName has Stripe refuse to create an account.
func TestARefusedCreationKeepsNoName(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	w.account.NoPlatform = true
	if _, err := w.Accounts.Create(t.Context(), w.Admin(), w.input()); !fault.HasCode(err,
		"processor_account_refused") {
		t.Errorf("%v", err)
	}
	w.final(t, "refused")
}

// TestAPlatformsEndpointsAreRegistered creates an account and links one. An account is added even if Stripe refuses the
// endpoints.
func TestAPlatformsEndpointsAreRegistered(t *testing.T) {
	t.Parallel()
	w := newOnStripe(t)
	asked := func() bool {
		return slices.ContainsFunc(w.Requests(), func(r fake.Request) bool { return r.Path == "/v1/webhook_endpoints" })
	}
	asked()
	w.create(t)
	if !asked() {
		t.Error("not after a creation")
	}
	w.OpenConnected(w.account, "acct_paid")
	w.account.NoHooks = true
	if _, err := w.Accounts.Link(t.Context(), w.Admin(), accounts.LinkInput{MerchantID: w.App.Merchants.USQ,
		PlatformID: w.platform.ID.String(), External: "acct_paid"}); err != nil {
		t.Fatal(err)
	}
	if !asked() {
		t.Error("not after a link")
	}
}
