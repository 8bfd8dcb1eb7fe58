package payout_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/token"
)

func TestBankAccountIsAddedOnceAndVerified(t *testing.T) {
	t.Parallel()
	w := open(t)
	ca := w.App.Merchants.CA
	if _, err := pg.Exec(t.Context(), w.Pool, `DELETE FROM merchant_bank_accounts WHERE merchant_id = @m`,
		pg.Args{"m": ca}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Payouts.BankAccountOf(t.Context(), w.Actor(), ca); !fault.HasCode(err, "resource_missing") {
		t.Errorf("%v", err)
	}
	if _, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
		payout.VerifyInput{MerchantID: ca, Amounts: payout.SandboxDeposits}); !fault.HasCode(err, "resource_missing") {
		t.Errorf("none is verified: %v", err)
	}
	in := payout.BankInput{MerchantID: ca, Account: account("CA")}
	if _, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(), in); !fault.HasCode(err, "bank_account_missing") {
		t.Errorf("none is replaced: %v", err)
	}
	b, err := w.Payouts.AddBankAccount(t.Context(), w.Admin(), in)
	if err != nil || b.Status != payout.Unverified || b.Last4 != "6789" || b.Currency != "cad" || b.HeldUntil != nil ||
		b.TriesLeft != 10 || b.VerifiedAt != nil {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := w.Payouts.AddBankAccount(t.Context(), w.Admin(), in); !fault.HasCode(err, "bank_account_exists") {
		t.Errorf("a second one: %v", err)
	}
	wrong := payout.VerifyInput{MerchantID: ca, Amounts: [2]int{32, 46}}
	if _, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(), wrong); !fault.HasCode(err,
		"verification_failed") {
		t.Errorf("wrong amounts: %v", err)
	}
	swapped := payout.VerifyInput{MerchantID: ca, Amounts: [2]int{45, 32}}
	if b, err = w.Payouts.VerifyBankAccount(t.Context(), w.Admin(), swapped); err != nil ||
		b.Status != payout.Verified || b.TriesLeft != 9 || b.VerifiedAt == nil {
		t.Errorf("%+v, %v", b, err)
	}
	if again, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(), wrong); err != nil ||
		again.Status != payout.Verified {
		t.Errorf("verified already: %+v, %v", again, err)
	}
	shown, err := w.Payouts.BankAccountOf(t.Context(), w.Actor(), ca)
	if text, _ := json.Marshal(shown); err != nil || shown.ID != b.ID || strings.Contains(string(text), "tok_") ||
		!strings.Contains(string(text), `"object":"bank_account"`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := w.Payouts.BankAccountOf(t.Context(), w.ActorOf(w.Other), ca); !fault.HasCode(err, "resource_missing") {
		t.Errorf("another application: %v", err)
	}
}

func TestTenTriesAreAll(t *testing.T) {
	t.Parallel()
	w := open(t)
	in := payout.BankInput{MerchantID: w.us, Account: account("US")}
	if _, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(), in); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			_, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
				payout.VerifyInput{MerchantID: w.us, Amounts: [2]int{1, 2}})
			if f, ok := fault.As(err); !ok || f.Code != "verification_failed" || f.Detail["tries_left"] == nil {
				t.Errorf("%v", err)
			}
		})
	}
	all.Wait()
	_, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
		payout.VerifyInput{MerchantID: w.us, Amounts: payout.SandboxDeposits})
	if f, ok := fault.As(err); !ok || f.Code != "verification_failed" || f.Detail["tries_left"] != 0 {
		t.Errorf("the eleventh try: %v", err)
	}
	in.Account.Number = sensitive.NewAccountNumber("000111222333")
	if b, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(), in); err != nil || b.TriesLeft != 10 {
		t.Fatalf("another account: %+v, %v", b, err)
	}
	w.bankVerified(t)
}

// An account that is put in its own place, or at another merchant, begins with the tries that are left of its number.
// So it does after wrong answers about a token of it.
func TestAnAccountsTriesAreThoseOfItsNumber(t *testing.T) {
	t.Parallel()
	w := open(t)
	left := func(merchantID int64, amounts [2]int) any {
		_, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
			payout.VerifyInput{MerchantID: merchantID, Amounts: amounts})
		f, _ := fault.As(err)
		if f == nil || f.Code != "verification_failed" {
			t.Fatalf("%v", err)
		}
		return f.Detail["tries_left"]
	}
	replace := func(merchantID int64, want int) {
		t.Helper()
		b, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(),
			payout.BankInput{MerchantID: merchantID, Account: account("US")})
		shown, readErr := w.Payouts.BankAccountOf(t.Context(), w.Actor(), merchantID)
		if err != nil || readErr != nil || b.TriesLeft != want || shown.TriesLeft != want {
			t.Errorf("it begins with %d tries and shows %d, want %d; %v, %v", b.TriesLeft, shown.TriesLeft, want,
				err, readErr)
		}
	}
	id := w.BankToken(w.App.Merchants.USQ, w.USBank("000123456789"))
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), id, token.VerifyInput{Amounts: []int64{1, 2}},
		nil); !fault.HasCode(err, "verification_failed") {
		t.Fatal(err)
	}
	replace(w.us, 9)
	for want := 8; want >= 4; want-- {
		if told := left(w.us, [2]int{1, 2}); told != want {
			t.Errorf("%v tries are left, want %d", told, want)
		}
	}
	w.BankAccount(w.App, w.App.Merchants.USQ)
	replace(w.App.Merchants.USQ, 4)
	replace(w.us, 4)
	for want := 3; want >= 0; want-- {
		if told := left(w.us, [2]int{1, 2}); told != want {
			t.Errorf("%v tries are left, want %d", told, want)
		}
	}
	replace(w.us, 0)
	if told := left(w.App.Merchants.USQ, payout.SandboxDeposits); told != 0 {
		t.Errorf("%v tries are left of none", told)
	}
	if err := w.Clocks.Advance(t.Context(), w.App.AppID, 30*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	w.bankVerified(t)
}

func TestChangeHoldsPayouts(t *testing.T) {
	t.Parallel()
	w := open(t)
	if payout.HoldAfterChange(apikey.Production) != 72*time.Hour || payout.HoldAfterChange(apikey.Sandbox) != 0 {
		t.Error("holds are of another length")
	}
	former := w.BankAccount(w.App, w.us)
	w.Payouts.HoldFor(72 * time.Hour)
	number := account("US")
	number.Number = sensitive.NewAccountNumber("000111222333")
	b, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(), payout.BankInput{MerchantID: w.us, Account: number})
	if err != nil || b.Status != payout.Unverified || !b.HeldUntil.Equal(w.Clock.Now().Add(72*time.Hour)) ||
		b.ID == former.ID {
		t.Errorf("%+v, %v", b, err)
	}
	w.bankVerified(t)
	w.earn(t, 100)
	until := b.HeldUntil.Time
	for w.merchant(t).NextPayoutAt.Before(until) {
		w.next(t)
		if n := len(w.payouts(t)); n != 0 {
			t.Fatalf("%d payouts at %v, held until %v", n, w.Clock.Now(), until)
		}
	}
	w.next(t)
	p := w.last(t, 1)
	if p.Destination.Last4 != "2333" || p.Destination.ID != b.ID ||
		w.p.calls[0].Bank.Number.Reveal() != "000111222333" {
		t.Errorf("%+v", p)
	}
	if n := w.count(t, `merchant_bank_accounts WHERE merchant_id = @m AND status = 'replaced'
		AND replaced_at IS NOT NULL`, pg.Args{"m": w.us}); n != 1 {
		t.Errorf("%d replaced accounts", n)
	}
}

func TestBankAccountsRefused(t *testing.T) {
	t.Parallel()
	w := open(t)
	before := w.count(t, `tokens`, pg.Args{})
	us := payout.BankInput{MerchantID: w.us, Account: account("US")}
	for _, actor := range []authz.Actor{w.Actor(), {}} {
		_, added := w.Payouts.AddBankAccount(t.Context(), actor, us)
		_, replaced := w.Payouts.ReplaceBankAccount(t.Context(), actor, us)
		_, verified := w.Payouts.VerifyBankAccount(t.Context(), actor, payout.VerifyInput{MerchantID: w.us})
		for _, err := range []error{added, replaced, verified} {
			if f, ok := fault.As(err); !ok || f.Detail["required_permission"] != "merchant_bank:manage" {
				t.Errorf("%s: %v", actor.Role, err)
			}
		}
	}
	if _, err := w.Payouts.BankAccountOf(t.Context(), authz.Actor{}, w.us); !fault.HasCode(err, "permission_denied") {
		t.Errorf("nobody reads: %v", err)
	}
	for code, in := range map[string]payout.BankInput{
		"country_invalid":     {MerchantID: w.us, Account: account("CA")},
		"resource_missing":    {MerchantID: w.Other.Merchants.US, Account: account("US")},
		"bank_account_exists": us,
	} {
		if _, err := w.Payouts.AddBankAccount(t.Context(), w.Admin(), in); !fault.HasCode(err, code) {
			t.Errorf("%s: %v", code, err)
		}
	}
	if _, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
		payout.VerifyInput{MerchantID: w.Other.Merchants.US}); !fault.HasCode(err, "resource_missing") {
		t.Errorf("another's account: %v", err)
	}
	if after := w.count(t, `tokens`, pg.Args{}); after != before {
		t.Errorf("%d numbers were kept for nothing", after-before)
	}
}

func TestOneAccountOfManyAdded(t *testing.T) {
	t.Parallel()
	w := open(t)
	for _, sql := range []string{`DELETE FROM merchant_bank_accounts`, `DELETE FROM tokens
		WHERE entry_mode = 'payout_account'`, `DELETE FROM vault_keys`} {
		if _, err := w.Pool.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	added := 0
	for range 6 {
		all.Go(func() {
			_, err := w.Payouts.AddBankAccount(t.Context(), w.Admin(),
				payout.BankInput{MerchantID: w.us, Account: account("US")})
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				added++
			} else if !fault.HasCode(err, "bank_account_exists") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := w.count(t, `merchant_bank_accounts`, pg.Args{}); added != 1 || n != 1 {
		t.Errorf("%d were added, %d are there", added, n)
	}
	if kept, sealed := w.count(t, `tokens WHERE entry_mode = 'payout_account'`, pg.Args{}), w.count(t, `vault_keys`,
		pg.Args{}); kept != 1 || sealed != 1 {
		t.Errorf("%d tokens and %d numbers are kept of one account", kept, sealed)
	}
}

// The number of an account leaves the vault when another has long been in its place, unless a payout to it is in
// progress.
func TestNumbersOfReplacedAccountsGo(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.p.plays(func(context.Context, processor.Payout) (processor.Answer, error) { return processor.Answer{}, errLost })
	w.earn(t, 100)
	w.next(t)
	if p := w.last(t, 1); p.Status != payout.Processing {
		t.Fatalf("%+v", p)
	}
	if _, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(),
		payout.BankInput{MerchantID: w.us, Account: account("US")}); err != nil {
		t.Fatal(err)
	}
	before := w.count(t, `vault_keys`, pg.Args{})
	purged := func(want int64) {
		t.Helper()
		n, err := w.Payouts.PurgeAccounts(t.Context())
		if left := w.count(t, `vault_keys`, pg.Args{}); err != nil || n != want || left != before-int(want) {
			t.Errorf("%d went, want %d; %d of %d are left; %v", n, want, left, before, err)
		}
	}
	w.Clock.Advance(31 * 24 * time.Hour)
	purged(0)
	if _, err := w.Pool.Exec(t.Context(), `UPDATE payouts SET status = 'paid', paid_at = now()`); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(-2 * 24 * time.Hour)
	purged(0)
	w.Clock.Advance(2 * 24 * time.Hour)
	purged(1)
	before--
	purged(0)
}
