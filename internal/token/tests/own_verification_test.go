package token_test

import (
	"context"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// proving is the sandbox processor, changed to debit only bank accounts that it verified.
type proving struct{ *sandbox.Processor }

func (p proving) Terms() processor.Terms {
	t := p.Processor.Terms()
	t.OwnVerification = true
	return t
}

// A linked bank account can be charged immediately, unless the processor requires its own deposits.
func TestProcessorsThatVerifyLinkedAccounts(t *testing.T) {
	t.Parallel()
	for _, own := range []bool{false, true} {
		w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
			if own {
				return proving{inner}
			}
			return inner
		})
		use, err := w.Tokens.UseSession(t.Context(), w.SessionOf(w.App, w.App.Merchants.USQ))
		if err != nil {
			t.Fatal(err)
		}
		in := token.LinkedInput{BankInput: account("000123456789"), Text: "I agree.",
			AcceptedAt: instant.Of(w.Clock.Now()), Verified: true}
		made, err := w.Tokens.CreateLinked(t.Context(), use, "bank", "k", in,
			func(context.Context, *pg.Tx, ids.Token) error { return nil })
		want := token.Active
		if own {
			want = token.PendingVerification
		}
		if err != nil || made.BankAccount.Status != want {
			t.Errorf("%t: %+v, %v", own, made.BankAccount, err)
		}
	}
}
