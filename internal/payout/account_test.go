package payout_test

import (
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// An account with a payout is not removed.
func TestAccountOfAPayoutStays(t *testing.T) {
	t.Parallel()
	w := open(t)
	in := accounts.ConnectInput{MerchantID: &w.us, Processor: "sandbox",
		External: processor.AccountPrefix(w.App.AppID) + "own",
		Serving:  accounts.Serving{Methods: []processor.Method{processor.MethodPayout}, Priority: 1}}
	a, err := w.Accounts.Connect(t.Context(), w.Admin(), in)
	if err != nil {
		t.Fatal(err)
	}
	w.earn(t, 10_000)
	w.next(t)
	w.last(t, 1)
	if len(w.p.calls) != 1 || w.p.calls[0].Account != a.Account() {
		t.Fatalf("%+v", w.p.calls)
	}
	if _, err := w.Accounts.SetStatus(t.Context(), w.Admin(), a.ID.String(), accounts.Disabled, nil); err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(time.Hour)
	if _, err := w.Accounts.Remove(t.Context(), w.Admin(), a.ID.String(), nil); !fault.HasCode(err,
		"processor_account_used") {
		t.Errorf("it is removed: %v", err)
	}
}

// brief is a processor whose statements have room for few characters.
type brief struct{ processor.Processor }

func (b brief) Terms() processor.Terms {
	terms := b.Processor.Terms()
	terms.StatementLength = 20
	return terms
}

// The descriptor of a payout is as long as the processor's statements show.
func TestPayoutDescriptorFitsTheStatement(t *testing.T) {
	t.Parallel()
	p := &scripted{}
	w := place{World: fixture.NewWith(t, func(s *sandbox.Processor) processor.Processor {
		p.Processor = s
		return brief{p}
	}), p: p}
	w.us = w.App.Merchants.US
	w.BankAccount(w.App, w.us)
	long := "RIVERSIDE FOOD BANK IN" // 22 characters
	if _, err := w.Pool.Exec(t.Context(), `UPDATE merchants SET statement_descriptor = $1
		WHERE id = $2`, long, w.us); err != nil {
		t.Fatal(err)
	}
	w.earn(t, 10_000)
	w.next(t)
	if got := w.last(t, 1).StatementDescriptor; got != long[:19] || len(p.calls) != 1 || p.calls[0].Descriptor != got {
		t.Errorf("%q, and the processor got %+v", got, p.calls)
	}
}
