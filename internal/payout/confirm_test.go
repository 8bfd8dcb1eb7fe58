package payout_test

import (
	"context"
	"errors"
	"testing"

	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
)

// HasBankAccount implements [processor.BankAccounts].
func (p *scripted) HasBankAccount(_ context.Context, at processor.Account, b processor.Bank,
	_ money.Currency) (bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.onFile == at.External+" "+b.Number.Reveal(), p.unanswered
}

// A bank account that the merchant's processor has on file becomes verified; a recent change still delays payouts.
func TestProcessorConfirmsBankAccounts(t *testing.T) {
	t.Parallel()
	w := open(t)
	if _, err := w.Payouts.ReplaceBankAccount(t.Context(), w.Admin(),
		payout.BankInput{MerchantID: w.us, Account: account("US")}); err != nil {
		t.Fatal(err)
	}
	at := processor.AccountPrefix(w.App.AppID) + "own"
	confirm := func(what, onFile string, unanswered error, want payout.BankStatus) {
		t.Helper()
		w.p.onFile, w.p.unanswered = onFile, unanswered
		n, err := w.Payouts.ConfirmBankAccounts(t.Context())
		b, readErr := w.Payouts.BankAccountOf(t.Context(), w.Actor(), w.us)
		if err != nil || readErr != nil || b.Status != want || (n == 1) != (want == payout.Verified) ||
			(b.VerifiedAt != nil) != (want == payout.Verified) {
			t.Errorf("%s: %d, %+v, %v, %v", what, n, b, err, readErr)
		}
	}
	confirm("not connected", at+" 000123456789", nil, payout.Unverified)
	if _, err := w.Accounts.Connect(t.Context(), w.Admin(),
		accounts.ConnectInput{MerchantID: &w.us, Processor: "sandbox", External: at,
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}}); err != nil {
		t.Fatal(err)
	}
	confirm("another number", at+" 000123456780", nil, payout.Unverified)
	confirm("another account", "elsewhere 000123456789", nil, payout.Unverified)
	confirm("no answer", at+" 000123456789", errors.New("busy"), payout.Unverified)
	confirm("on file", at+" 000123456789", nil, payout.Verified)
	if n := w.count(t, `audit_entries WHERE subject_kind = 'bank_account' AND after::text LIKE '%"verified"%'`,
		pg.Args{}); n == 0 {
		t.Error("the audit log has no entry")
	}
	if n, err := w.Payouts.ConfirmBankAccounts(t.Context()); n != 0 || err != nil {
		t.Errorf("again: %d, %v", n, err)
	}
}
