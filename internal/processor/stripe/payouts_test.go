package stripe_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// merchant is a connected account of the first account, which pays it out.
var merchant = processor.Account{Adapter: stripe.Name, External: "acct_merchant"}

// ours is the merchant's bank account in our records.
var ours = bankOf("000123456789")

func bankOf(number string) processor.Bank {
	return processor.Bank{Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber(number),
		Holder: "Riverside Food"}
}

// funds is the platform's available balance.
const funds = 1_000_000_000

// connectMerchant connects the merchant's account, which has our bank account on file.
func (w *world) connectMerchant() *fake.Account {
	a := w.OpenConnected(w.first, merchant.External)
	w.AddBank(a, "usd", ours.Routing, ours.Number.Reveal())
	w.Fund(w.first, "usd", funds)
	w.keys[merchant] = "sk_test_first\nacct_first\n"
	return a
}

func (w *world) payout(bank processor.Bank) processor.Payout {
	return processor.Payout{Reference: ids.NewPayout(w.Now()).String(), Account: merchant, Amount: 10_000,
		Currency:   money.USD,
		Descriptor: "RIVERSIDE FOOD", Bank: bank}
}

// moved returns the requests that can move money, without ids.
func (w *world) moved() (names []string) {
	for _, r := range w.Requests() {
		if r.Method == "POST" {
			names = append(names,
				strings.Split(r.Path, "/")[2]+
					map[bool]string{true: "/reversals"}[strings.HasSuffix(r.Path, "/reversals")])
		}
	}
	return names
}

// balanced checks that a payout was made once, or that the platform has the money again.
func (w *world) balanced(t *testing.T, what string, a *fake.Account, bank processor.Bank, p processor.Payout,
	paid bool) {
	t.Helper()
	want := map[bool]int64{true: int64(p.Amount)}[paid]
	arrived, left, between := w.PaidOut(a, bank.Number.Reveal()), funds-w.Available(w.first,
		"usd"), w.Available(a, "usd")
	if arrived != want || left != want || between != 0 {
		t.Errorf("%s: %d is paid out, %d left the platform, %d is in the connected account; want %d", what, arrived,
			left, between, want)
	}
}

// TestLostRequestsOfPayouts makes every request of a payout fail before and after its execution, as if the process had
// crashed there. In the end, the payout is paid once, or the platform has the money again.
func TestLostRequestsOfPayouts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		request           string
		fault             fake.Fault
		transferred, paid bool
	}{
		{"GET /v1/accounts/:id", fake.TooMany, false, false},
		{"GET /v1/accounts/:id/external_accounts", fake.Broken, false, false},
		{"POST /v1/transfers", fake.LoseCall, false, false},
		{"POST /v1/transfers", fake.LoseAnswer, true, false},
		{"POST /v1/transfers", fake.Broken, false, false},
		{"POST /v1/transfers", fake.InUse, false, false},
		{"POST /v1/payouts", fake.LoseCall, true, false},
		{"POST /v1/payouts", fake.LoseAnswer, true, true},
		{"POST /v1/payouts", fake.TooMany, true, false},
		{"POST /v1/payouts", fake.Broken, true, false},
	} {
		what := fmt.Sprint(tt.request, " ", tt.fault)
		w := newWorld(t)
		a := w.connectMerchant()
		p := w.payout(ours)
		w.Fail(tt.request, tt.fault)
		if answer, err := w.open().Payout(t.Context(), p); err == nil || errors.Is(err, processor.ErrNotFound) {
			t.Errorf("%s: %+v, %v; want no outcome", what, answer, err)
		}
		w.settled(t, what, p, tt.paid)
		w.balanced(t, what, a, ours, p, tt.paid)
		if answer, err := w.open().Payout(t.Context(), p); err != nil ||
			answer.Approved == (tt.transferred && !tt.paid) {
			t.Errorf("%s: the same reference again: %+v, %v", what, answer, err)
		}
		w.balanced(t, what+" again", a, ours, p, tt.paid || !tt.transferred)
	}
}

// settled looks a payout up until its outcome is known, even if responses to the look-ups are lost.
func (w *world) settled(t *testing.T, what string, p processor.Payout, paid bool) {
	t.Helper()
	answer, err := w.open().Lookup(t.Context(), merchant, p.Reference)
	if paid != (err == nil) || paid && (!answer.Approved || answer.ExternalID == "") {
		t.Errorf("%s: at once: %+v, %v", what, answer, err)
	}
	w.Advance(2 * time.Minute)
	for _, fault := range []fake.Fault{fake.LoseCall, fake.LoseAnswer, fake.TooMany} {
		w.Fail("POST /v1/transfers/:id/reversals", fault)
		if answer, err := w.open().Lookup(t.Context(), merchant, p.Reference); err == nil && answer.Approved != paid {
			t.Errorf("%s: %+v", what, answer)
		}
	}
	answer, err = w.open().Lookup(t.Context(), merchant, p.Reference)
	if paid != (err == nil && answer.Approved) || !paid && !errors.Is(err, processor.ErrNotFound) {
		t.Errorf("%s: later: %+v, %v", what, answer, err)
	}
}

// The transfer of a payout that Stripe refuses is reversed, even if the process crashes in between.
func TestRefusedPayoutReversesItsTransfer(t *testing.T) {
	t.Parallel()
	for _, fault := range []fake.Fault{0, fake.LoseCall, fake.LoseAnswer, fake.Broken} {
		w := newWorld(t)
		a := w.connectMerchant()
		p := w.payout(ours)
		a.PayoutsFrozen = true // although payouts_enabled stays true
		if fault != 0 {
			w.Fail("POST /v1/transfers/:id/reversals", fault)
		}
		answer, err := w.open().Payout(t.Context(), p)
		if fault == 0 && (err != nil || answer.Approved || answer.DeclineCode != processor.PayoutDeclined ||
			answer.RawCode != "payouts_not_allowed") ||
			fault != 0 && err == nil {
			t.Errorf("%d: %+v, %v", fault, answer, err)
		}
		w.Advance(2 * time.Minute)
		if answer, err := w.open().Lookup(t.Context(), merchant, p.Reference); !errors.Is(err, processor.ErrNotFound) {
			t.Errorf("%d: %+v, %v", fault, answer, err)
		}
		w.balanced(t, fmt.Sprint(fault), a, ours, p, false)
		a.PayoutsFrozen = false
		if answer, err := w.open().Payout(t.Context(), p); err != nil || answer.Approved {
			t.Errorf("%d: the same reference again: %+v, %v", fault, answer, err)
		}
		w.balanced(t, fmt.Sprint(fault, " again"), a, ours, p, false)
	}
}

// A payout goes only to the merchant's bank account, and only if Stripe does not pay the account out automatically.
func TestPayoutsThatAreDeclined(t *testing.T) {
	t.Parallel()
	for raw, tt := range map[string]struct {
		code    string
		prepare func(w *world, a *fake.Account, p *processor.Payout)
	}{
		"balance_insufficient": {processor.BalanceTooLow,
			func(_ *world, _ *fake.Account, p *processor.Payout) { p.Amount = funds + 1 }},
		"bank_account_mismatch": {processor.BankMismatch, func(_ *world, _ *fake.Account, p *processor.Payout) {
			p.Bank.Number = sensitive.NewAccountNumber("000123456780")
		}},
		"payouts_not_enabled":        {processor.PayoutDeclined, func(_ *world, a *fake.Account, _ *processor.Payout) { a.PayoutsEnabled = false }},
		"payout_schedule_not_manual": {processor.PayoutDeclined, func(_ *world, a *fake.Account, _ *processor.Payout) { a.Schedule = "daily" }},
		"account_without_platform": {processor.PayoutDeclined, func(_ *world, _ *fake.Account, p *processor.Payout) {
			p.Account = account
		}},
	} {
		w := newWorld(t)
		a := w.connectMerchant()
		p := w.payout(ours)
		tt.prepare(w, a, &p)
		answer, err := w.open().Payout(t.Context(), p)
		if err != nil || answer.Approved || answer.DeclineCode != tt.code || answer.RawCode != raw {
			t.Errorf("%s: %+v, %v", raw, answer, err)
		}
		w.balanced(t, raw, a, ours, p, false)
		if moved := w.moved(); len(moved) > 0 && raw != "balance_insufficient" {
			t.Errorf("%s: sent %v", raw, moved)
		}
	}
	for what, bank := range map[string]processor.Bank{
		"another routing number": {Routing: "021000021", Number: ours.Number},
		"another currency":       {Routing: "11000000", Number: ours.Number}} {
		w := newWorld(t)
		w.connectMerchant()
		if answer, err := w.open().Payout(t.Context(), w.payout(bank)); err != nil ||
			answer.DeclineCode != processor.BankMismatch {
			t.Errorf("%s: %+v, %v", what, answer, err)
		}
	}
}

// A bank account is on file exactly if a payout would go to it.
func TestBankAccountsOnFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.connectMerchant()
	has := func(at processor.Account, bank processor.Bank, currency money.Currency) bool {
		t.Helper()
		yes, err := w.open().HasBankAccount(t.Context(), at, bank, currency)
		if err != nil {
			t.Error(err)
		}
		return yes
	}
	if !has(merchant, ours, money.USD) || has(merchant, ours, money.CAD) ||
		has(merchant, bankOf("000123456780"), money.USD) || has(account, ours, money.USD) {
		t.Error("a different bank account counts as on file")
	}
	w.Fail("GET /v1/accounts/:id/external_accounts", fake.TooMany)
	if yes, err := w.open().HasBankAccount(t.Context(), merchant, ours, money.USD); err == nil {
		t.Errorf("without an answer: %v", yes)
	}
}

// The payout names the matching bank account, regardless of its position in the list and of the default.
func TestPayoutGoesToTheComparedBankAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.connectMerchant()
	for i := range 12 {
		w.AddBank(a, "usd", "110000000", fmt.Sprintf("00099988770%d", i))
	}
	p := w.payout(ours)
	if answer, err := w.open().Payout(t.Context(), p); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.balanced(t, "among others", a, ours, p, true)
	canada := processor.Account{Adapter: stripe.Name, External: "acct_canada"}
	b := w.OpenConnected(w.first, canada.External)
	w.AddBank(b, "cad", "11000-000", "000123456789")
	w.Fund(w.first, "cad", funds)
	w.keys[canada] = "acct_first sk_test_first"
	p = w.payout(processor.Bank{Scheme: processor.ACSS, Routing: "11000000", Number: ours.Number})
	p.Account, p.Currency = canada, money.CAD
	if answer, err := w.open().Payout(t.Context(), p); err != nil || !answer.Approved ||
		w.PaidOut(b, "000123456789") != int64(p.Amount) {
		t.Errorf("%+v, %v", answer, err)
	}
}

// Each outcome is reported once for each event. The platform has the money of a failed payout again, even if the
// response to the reversal is lost.
func TestPayoutsEndInTheFeed(t *testing.T) {
	t.Parallel()
	for number, want := range map[string][]processor.Event{
		ours.Number.Reveal(): {{Kind: processor.PayoutPaid}},
		fake.NoAccount:       {{Kind: processor.PayoutFailed, ReturnCode: "R03", RawCode: "no_account"}},
		fake.AccountClosed: {{Kind: processor.PayoutPaid},
			{Kind: processor.PayoutReturned, ReturnCode: "R02", RawCode: "account_closed"}},
		fake.Canceled: {{Kind: processor.PayoutFailed}},
	} {
		for _, fault := range []fake.Fault{0, fake.LoseCall, fake.LoseAnswer, fake.TooMany} {
			w := newWorld(t)
			a := w.connectMerchant()
			bank := bankOf(number)
			w.AddBank(a, "usd", bank.Routing, number)
			p := w.payout(bank)
			if answer, err := w.open().Payout(t.Context(), p); err != nil || !answer.Approved {
				t.Fatalf("%+v, %v", answer, err)
			}
			w.Advance(7 * 24 * time.Hour)
			failed := want[len(want)-1].Kind != processor.PayoutPaid
			if fault != 0 && failed {
				w.Fail("POST /v1/transfers/:id/reversals", fault)
				if all, err := w.events(t); err == nil {
					t.Errorf("%s: %+v, although the money is not back", number, all)
				}
			}
			wanted := slices.Clone(want)
			for i := range wanted {
				wanted[i].Account, wanted[i].Reference = merchant.External, p.Reference
			}
			for range 2 {
				if got := w.reported(t); !slices.Equal(got, wanted) {
					t.Errorf("%s: %+v, want %+v", number, got, wanted)
				}
			}
			w.balanced(t, number, a, bank, p, !failed)
		}
	}
}

// events returns the events of the feed.
func (w *world) events(t *testing.T) ([]processor.Event, error) {
	return conformance.Events(t.Context(), w.open(), "", 100)
}

// Payouts that we did not create, for example in Stripe's Dashboard, are not reported.
func TestPayoutsOfOthersAreNotReported(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.connectMerchant()
	w.Fund(a, "usd", 500)
	w.PayOut(a, "usd", 500)
	w.Advance(7 * 24 * time.Hour)
	if got := w.reported(t); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}

// A platform's webhook endpoint gets events of all its connected accounts. Only events of accounts that we know are
// stored.
func TestNoticesOfConnectedAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.connectMerchant()
	w.keys[account] = "sk_test_first whsec_own whsec_first"
	if answer, err := w.open().Payout(t.Context(), w.payout(ours)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(48*time.Hour + time.Minute)
	header, body := w.Webhook(a, a.LastEvent())
	got, err := w.open().Notice(t.Context(), account, header, body)
	if err != nil || len(got) != 1 || got[0].Account != merchant.External {
		t.Fatalf("%+v, %v", got, err)
	}
	if events, err := w.open().Events(t.Context(), got[0]); err != nil || len(events) != 1 ||
		events[0].Kind != processor.PayoutPaid {
		t.Errorf("%+v, %v", events, err)
	}
	saved := maps.Clone(w.keys)
	for what, change := range map[string]func(){
		"not connected with us":       func() { delete(w.keys, merchant) },
		"connected with another":      func() { w.keys[merchant] = "sk_test_first acct_second" },
		"an account that takes cards": func() { w.keys[merchant] = "sk_test_first" },
	} {
		change()
		if got, err := w.open().Notice(t.Context(), account, header, body); err != nil || len(got) != 0 {
			t.Errorf("%s: %+v, %v", what, got, err)
		}
		maps.Copy(w.keys, saved)
	}
	live := []byte(strings.Replace(string(body), `"livemode":false`, `"livemode":true`, 1))
	header.Set("Stripe-Signature", fake.Sign("whsec_first", w.Now().Unix(), live))
	if got, err := w.open().Notice(t.Context(), account, header, live); err != nil || len(got) != 0 {
		t.Errorf("of live mode: %+v, %v", got, err)
	}
}

// A platform's key serves payouts of its connected accounts. Without a platform, an account's key serves its payments.
func TestCheckOfConnectedAccounts(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	a := w.connectMerchant()
	foreign := w.OpenConnected(w.second, "acct_foreign")
	check := func(external, credentials string) (processor.Onboarding, error) {
		return w.open().Check(t.Context(), processor.Account{Adapter: stripe.Name, External: external},
			sensitive.NewCredentials(credentials))
	}
	const right = "sk_test_first acct_first"
	for external, credentials := range map[string]string{
		foreign.ID: right, "acct_unheard": right, "acct_first": right, merchant.External: "sk_test_first acct_second",
		"acct_second": "sk_test_first",
	} {
		if got, err := check(external, credentials); !errors.Is(err, processor.ErrNoAccount) {
			t.Errorf("%s with %s: %q, %v", external, credentials, got, err)
		}
	}
	for want, change := range map[processor.Onboarding]func(){
		processor.OnboardingComplete:   func() {},
		processor.OnboardingPending:    func() { a.DisabledReason = "requirements.past_due" },
		processor.OnboardingRestricted: func() { a.PayoutsEnabled = false },
	} {
		a.DisabledReason, a.PayoutsEnabled = "", true
		change()
		if got, err := check(merchant.External, right); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	a.PayoutsEnabled, a.Schedule = true, "daily"
	if got, err := check(merchant.External, right); err != nil || got != processor.OnboardingRestricted {
		t.Errorf("with automatic payouts: %q, %v", got, err)
	}
	all := processor.Methods()
	if got := w.open().MethodsOf(sensitive.NewCredentials(right), all); !slices.Equal(got,
		[]processor.Method{processor.MethodPayout}) {
		t.Errorf("a merchant's account serves %v", got)
	}
	if got := w.open().MethodsOf(sensitive.NewCredentials("sk_test_first"), all); slices.Contains(got,
		processor.MethodPayout) || len(got) != len(all)-1 {
		t.Errorf("a platform's account serves %v", got)
	}
}
