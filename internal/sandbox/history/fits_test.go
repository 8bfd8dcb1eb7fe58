package history_test

import (
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/history"
	"svcpay/internal/testing/fixture"
)

func TestADatabaseWithPaymentsGetsNoHistory(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if fits, err := history.Fits(t.Context(), w.Pool); err != nil || !fits {
		t.Errorf("without payments: %t, %v", fits, err)
	}
	us, amount, token := w.App.Merchants.US, money.Amount(1000), w.Token("4242424242424242")
	if _, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &us, Amount: &amount, Token: &token}, nil); err != nil {
		t.Fatal(err)
	}
	if fits, err := history.Fits(t.Context(), w.Pool); err != nil || fits {
		t.Errorf("with a payment: %t, %v", fits, err)
	}
}
