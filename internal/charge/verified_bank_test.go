package charge_test

import (
	"context"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// proving is the sandbox processor, changed to debit only bank accounts that it verified. It records the verification
// of each debit.
type proving struct {
	*sandbox.Processor
	named []string
}

func (p *proving) Terms() processor.Terms {
	t := p.Processor.Terms()
	t.OwnVerification = true
	return t
}

func (p *proving) Debit(ctx context.Context, d processor.Debit) (processor.Answer, error) {
	p.named = append(p.named, d.Verification)
	return p.Processor.Debit(ctx, d)
}

// A debit names the verification of its bank account only on the processor account where it was verified.
func TestDebitsNameTheVerificationOfTheirAccount(t *testing.T) {
	t.Parallel()
	p := &proving{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	pay := func(merchant int64, text string) {
		t.Helper()
		amount := money.Amount(2500)
		if _, err := w.Charges.Create(t.Context(), w.Actor(),
			charge.CreateInput{MerchantID: &merchant, Token: &text, Amount: &amount}, nil); err != nil {
			t.Fatal(err)
		}
	}
	us, q := w.App.Merchants.US, w.App.Merchants.USQ
	pay(us, w.BankToken(us, w.USBank("000123456789")))
	verified := w.BankToken(q, w.USBank("000123456789"))
	if _, err := w.Tokens.Verify(t.Context(), w.Actor(), verified, token.VerifyInput{Amounts: []int64{32, 45}},
		nil); err != nil {
		t.Fatal(err)
	}
	pay(q, verified)
	id, err := pg.Value[string](t.Context(), w.Pool, `SELECT external_id FROM bank_verifications
		WHERE status = 'verified'`, nil)
	if err != nil || id == "" {
		t.Fatalf("%q, %v", id, err)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE bank_verifications SET processor_account = 'elsewhere'`,
		nil); err != nil {
		t.Fatal(err)
	}
	pay(q, verified)
	if len(p.named) != 3 || p.named[0] != "" || p.named[1] != id || p.named[2] != "" {
		t.Errorf("debits name %q, want the second to name %q", p.named, id)
	}
}
