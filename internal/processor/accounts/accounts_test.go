package accounts_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/policy"
)

const secret = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"

// cards is an account for cards in a sandbox, by default the application's.
func cards(w *fixture.World, external string) accounts.ConnectInput {
	return accounts.ConnectInput{Processor: "sandbox", External: processor.AccountPrefix(w.App.AppID) + external,
		Credentials: sensitive.NewCredentials(secret),
		Serving:     accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}}
}

func connect(t *testing.T, w *fixture.World, in accounts.ConnectInput) accounts.Account {
	t.Helper()
	a, err := w.Accounts.Connect(t.Context(), w.Admin(), in)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// served names what serves a merchant, by method.
func served(t *testing.T, w *fixture.World, merchantID int64) map[processor.Method]string {
	t.Helper()
	p, err := w.Accounts.Processing(t.Context(), w.Admin(), merchantID)
	if err != nil || len(p.Methods) != len(processor.Methods()) {
		t.Fatalf("%+v, %v", p, err)
	}
	out := make(map[processor.Method]string)
	for _, m := range p.Methods {
		if m.External != nil {
			out[m.Method] = string(*m.Source) + " " +
				strings.TrimPrefix(*m.External, processor.AccountPrefix(w.App.AppID))
		}
	}
	return out
}

func TestConnectedAccountServesNewPayments(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := w.App.Merchants.US
	if got := served(t, w, m)[processor.MethodCard]; !strings.HasPrefix(got, "sandbox merchant-") {
		t.Errorf("without a connection: %s", got)
	}
	byDefault := connect(t, w, cards(w, "main"))
	if got := served(t, w, m); got[processor.MethodCard] != "application main" ||
		!strings.HasPrefix(got[processor.MethodACH], "sandbox ") {
		t.Errorf("with a default: %v", got)
	}
	in := cards(w, "own")
	in.MerchantID = &m
	own := connect(t, w, in)
	if got := served(t, w, m)[processor.MethodCard]; got != "merchant own" {
		t.Errorf("with its own: %s", got)
	}
	if got := served(t, w, w.App.Merchants.USQ)[processor.MethodCard]; got != "application main" {
		t.Errorf("another merchant: %s", got)
	}
	if _, err := w.Accounts.SetStatus(t.Context(), w.Admin(), own.ID.String(), accounts.Disabled,
		&own.Version); err != nil {
		t.Fatal(err)
	}
	if got, ok := served(t, w, m)[processor.MethodCard]; ok {
		t.Errorf("its own is disabled, and it goes to %s", got)
	}
	if _, err := w.Accounts.SetStatus(t.Context(), w.Admin(), byDefault.ID.String(), accounts.Disabled,
		&byDefault.Version); err != nil {
		t.Fatal(err)
	}
	if got, ok := served(t, w, w.App.Merchants.USQ)[processor.MethodCard]; ok {
		t.Errorf("the default is disabled, and it goes to %s", got)
	}
	if found, err := w.Merchants.Find(t.Context(), w.App.AppID, m); err != nil || found.CanProcess.CC ||
		!found.CanProcess.ACH {
		t.Errorf("%+v, %v", found.CanProcess, err)
	}
}

func TestRestrictedAccountGetsNoPayments(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if a := connect(t, w, cards(w, "main"+sandbox.RestrictedAccount)); a.Onboarding != processor.OnboardingRestricted {
		t.Fatalf("%+v", a)
	}
	if got, ok := served(t, w, w.App.Merchants.US)[processor.MethodCard]; ok {
		t.Errorf("it goes to %s", got)
	}
}

// Credentials are kept for the adapter alone, and open for no other account.
func TestCredentialsAreSealed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a, other := connect(t, w, cards(w, "one")), connect(t, w, cards(w, "two"))
	if c, err := w.Accounts.Credentials(t.Context(), a.Account()); err != nil || c.Reveal() != secret {
		t.Errorf("%v, %v", c, err)
	}
	if a.CredentialsLast4 == nil || *a.CredentialsLast4 != "p7dc" {
		t.Errorf("%v", a.CredentialsLast4)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM processor_accounts a
		WHERE a::text LIKE '%' || @text || '%' OR position(@text::bytea IN credentials) > 0`,
		pg.Args{"text": secret}); err != nil || n != 0 {
		t.Errorf("in clear: %d, %v", n, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM audit_entries e
		WHERE e::text LIKE '%' || @text || '%'`, pg.Args{"text": secret}); err != nil || n != 0 {
		t.Errorf("in the audit log: %d, %v", n, err)
	}
	if _, err := w.Pool.Exec(t.Context(), `UPDATE processor_accounts SET credentials = (SELECT credentials
		FROM processor_accounts WHERE id = $1) WHERE id = $2`,
		other.ID, a.ID); err != nil {
		t.Fatal(err)
	}
	if c, err := w.Accounts.Credentials(t.Context(), a.Account()); err == nil {
		t.Errorf("another account's open: %v", c)
	}
}

func TestWhatIsNotConnected(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m, foreign := w.App.Merchants.US, int64(1)<<40
	connect(t, w, cards(w, "main"))
	for want, change := range map[string]func(*accounts.ConnectInput){
		"processor_account_connected": func(*accounts.ConnectInput) {},
		"processor_account_unknown":   func(in *accounts.ConnectInput) { in.External = "acct_1" },
		"resource_missing":            func(in *accounts.ConnectInput) { in.MerchantID, in.External = &foreign, in.External+"-x" },
		"validation_failed": func(in *accounts.ConnectInput) {
			*in = accounts.ConnectInput{Processor: "none", Credentials: sensitive.NewCredentials("clé secrète"),
				Serving: accounts.Serving{Methods: []processor.Method{"gold"}, Priority: 101}}
		},
	} {
		in := cards(w, "main")
		in.MerchantID = &m
		change(&in)
		if a, err := w.Accounts.Connect(t.Context(), w.Admin(), in); !fault.HasCode(err, want) {
			t.Errorf("%s: %+v, %v", want, a, err)
		}
	}
	for _, owner := range []*int64{nil, &m} { // the sandbox's account of another merchant
		in := cards(w, fmt.Sprint("merchant-", w.App.Merchants.CA))
		in.MerchantID = owner
		if a, err := w.Accounts.Connect(t.Context(), w.Admin(), in); !fault.HasCode(err,
			"processor_account_of_other_merchant") {
			t.Errorf("another merchant's: %+v, %v", a, err)
		}
	}
	in := cards(w, "main")
	in.External = processor.AccountPrefix(w.Other.AppID) + "main"
	if _, err := w.Accounts.Connect(t.Context(), w.Admin(), in); !fault.HasCode(err, "processor_account_unknown") {
		t.Errorf("another application's: %v", err)
	}
	if all, err := w.Accounts.List(t.Context(), w.Admin(), &m); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// The sandbox's own account of a merchant can be connected to it.
func TestSandboxAccountOfItsMerchant(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := w.App.Merchants.US
	in := cards(w, fmt.Sprint("merchant-", m))
	in.MerchantID = &m
	if a := connect(t, w, in); a.External != processor.MerchantAccount(w.App.AppID, m) {
		t.Errorf("%+v", a)
	}
}

// Pasted input may have white space around it.
func TestInputIsTrimmed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := cards(w, "main")
	in.Processor, in.External, in.Credentials = " sandbox", "\t"+in.External+
		"\n", sensitive.NewCredentials("\n "+secret+"\r\n")
	a := connect(t, w, in)
	if a.Processor != "sandbox" || a.External != processor.AccountPrefix(w.App.AppID)+"main" {
		t.Errorf("%+v", a)
	}
	if c, err := w.Accounts.Credentials(t.Context(), a.Account()); err != nil || c.Reveal() != secret {
		t.Errorf("%v, %v", c, err)
	}
	kept := accounts.ChangeInput{Serving: in.Serving, Credentials: sensitive.NewCredentials(" \n")}
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(), kept); err != nil {
		t.Error(err)
	}
	replaced := accounts.ChangeInput{Serving: in.Serving, Credentials: sensitive.NewCredentials("another-secret\n")}
	if a, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(), replaced); err != nil ||
		*a.CredentialsLast4 != "cret" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestWhoSeesAndChangesAccounts(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	m := w.App.Merchants.US
	in := cards(w, "own")
	in.MerchantID = &m
	own, byDefault := connect(t, w, in), connect(t, w, cards(w, "main"))
	for _, tt := range []struct {
		actor                   authz.Actor
		merchants, all, changes bool
	}{
		{w.Admin(), true, true, true},
		{w.Person(authz.RoleSupportStaff), true, true, false},
		{w.OrganizationAdmin(), true, false, false},
		{w.Person(authz.RoleOrganizationStaff), false, false, false},
		{w.Actor(), true, true, false},
	} {
		_, err := w.Accounts.Get(t.Context(), tt.actor, own.ID.String())
		_, byDefaultErr := w.Accounts.Get(t.Context(), tt.actor, byDefault.ID.String())
		_, listErr := w.Accounts.List(t.Context(), tt.actor, nil)
		_, changeErr := w.Accounts.Test(t.Context(), tt.actor, own.ID.String())
		if (err == nil) != tt.merchants || (byDefaultErr == nil) != tt.all || (listErr == nil) != tt.all ||
			(changeErr == nil) != tt.changes {
			t.Errorf("%s: %v, %v, %v, %v", tt.actor.Role, err, byDefaultErr, listErr, changeErr)
		}
	}
	stranger := w.Admin()
	stranger.ApplicationID++
	if _, err := w.Accounts.Get(t.Context(), stranger, own.ID.String()); !fault.HasCode(err, "resource_missing") {
		t.Errorf("another application: %v", err)
	}
}

// unreachable is a processor that can be asked nothing.
type unreachable struct{ processor.Processor }

func (unreachable) Check(context.Context, processor.Account, sensitive.Credentials) (processor.Onboarding, error) {
	return "", errors.New("the connection was refused")
}

// A change keeps what was, unless the processor confirms new credentials.
func TestChangesAreConfirmed(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := connect(t, w, cards(w, "main"))
	serving := accounts.Serving{
		Methods: []processor.Method{processor.MethodPayout, processor.MethodCard, processor.MethodCard}, Priority: 2}
	changed, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(),
		accounts.ChangeInput{Serving: serving, IfVersion: &a.Version})
	if err != nil || changed.Version != 2 || len(changed.Methods) != 2 || changed.Methods[0] != processor.MethodCard ||
		changed.Priority != 2 || *changed.CredentialsLast4 != "p7dc" {
		t.Fatalf("%+v, %v", changed, err)
	}
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(),
		accounts.ChangeInput{Serving: serving, IfVersion: &a.Version}); !fault.HasCode(err, "object_changed") {
		t.Errorf("an old version: %v", err)
	}
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	down := accounts.New(accounts.Deps{Pool: w.Pool, Check: check, Clock: w.Clocks,
		Processors: processor.Only(unreachable{w.Processor}), Box: w.Keys.Secrets})
	in := accounts.ChangeInput{Serving: serving, Credentials: sensitive.NewCredentials("another-secret")}
	if _, err := down.Change(t.Context(), w.Admin(), a.ID.String(), in); !fault.HasCode(err, "processor_unreachable") {
		t.Errorf("%v", err)
	}
	if c, err := w.Accounts.Credentials(t.Context(), a.Account()); err != nil || c.Reveal() != secret {
		t.Errorf("%v, %v", c, err)
	}
	if got, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(), in); err != nil ||
		*got.CredentialsLast4 != "cret" {
		t.Errorf("%+v, %v", got, err)
	}
}

// Replacing credentials with the same ones is recorded as a replacement, not as a test of the account.
func TestReplacedCredentialsAreDated(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	a := connect(t, w, cards(w, "main"))
	if a.CredentialsSetAt == nil || a.CredentialsReplacedAt() != nil {
		t.Errorf("connected: %v, replaced %v", a.CredentialsSetAt, a.CredentialsReplacedAt())
	}
	w.Clock.Advance(time.Hour)
	tested, err := w.Accounts.Test(t.Context(), w.Admin(), a.ID.String())
	if err != nil || tested.CredentialsReplacedAt() != nil || !tested.TestedAt.After(a.TestedAt.Time) {
		t.Errorf("tested: %+v, %v", tested, err)
	}
	w.Clock.Advance(time.Hour)
	in := accounts.ChangeInput{Credentials: sensitive.NewCredentials(secret),
		Serving: accounts.Serving{Methods: a.Methods, Priority: a.Priority}}
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), a.ID.String(), in); err != nil {
		t.Fatal(err)
	}
	got, err := w.Accounts.Get(t.Context(), w.Admin(), a.ID.String())
	if at := got.CredentialsReplacedAt(); err != nil || at == nil || !at.Equal(a.CreatedAt.Add(2*time.Hour)) {
		t.Errorf("replaced: %v, %v", at, err)
	}
	bare := cards(w, "bare")
	bare.Credentials = sensitive.Credentials{}
	if a := connect(t, w, bare); a.CredentialsSetAt != nil {
		t.Errorf("without credentials: %v", a.CredentialsSetAt)
	}
}

// payoutsOnly is a processor whose accounts with the credentials "payouts" serve only payouts, and whose other accounts
// serve everything else.
type payoutsOnly struct{ processor.Processor }

func (payoutsOnly) MethodsOf(credentials sensitive.Credentials, served []processor.Method) []processor.Method {
	return slices.DeleteFunc(slices.Clone(served), func(m processor.Method) bool {
		return (m == processor.MethodPayout) != (credentials.Reveal() == "payouts")
	})
}

// An account can be connected only for methods that its credentials allow, and can't be changed to others.
func TestCredentialsLimitMethods(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	s := accounts.New(accounts.Deps{Pool: w.Pool, Check: check, Clock: w.Clocks,
		Processors: processor.Only(payoutsOnly{w.Processor}), Box: w.Keys.Secrets})
	in := cards(w, "paid")
	in.Credentials = sensitive.NewCredentials("payouts")
	if a, err := s.Connect(t.Context(), w.Admin(), in); !fault.HasCode(err, "parameter_invalid") ||
		!strings.Contains(err.Error(), "payout") {
		t.Errorf("for cards: %+v, %v", a, err)
	}
	if in.Methods = accounts.Suggested(s.ServedWith(in.Processor, in.Credentials)); !slices.Equal(in.Methods,
		[]processor.Method{processor.MethodPayout}) {
		t.Errorf("suggested: %v", in.Methods)
	}
	a, err := s.Connect(t.Context(), w.Admin(), in)
	if err != nil {
		t.Fatal(err)
	}
	more := accounts.Serving{Methods: []processor.Method{processor.MethodCard, processor.MethodPayout}, Priority: 1}
	for want, change := range map[string]accounts.ChangeInput{
		"with the same credentials": {Serving: more},
		"with others":               {Serving: in.Serving, Credentials: sensitive.NewCredentials("cards")},
	} {
		if got, err := s.Change(t.Context(), w.Admin(), a.ID.String(), change); !fault.HasCode(err,
			"parameter_invalid") {
			t.Errorf("%s: %+v, %v", want, got, err)
		}
	}
	if got, err := s.Change(t.Context(), w.Admin(), a.ID.String(),
		accounts.ChangeInput{Serving: in.Serving}); err != nil || len(got.Methods) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
