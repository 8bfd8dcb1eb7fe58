package merchant_test

import (
	"slices"
	"testing"

	"svcpay/internal/assembly"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/processor/memory"
	"svcpay/internal/testing/fixture"
)

// bankQ is a processor at which bank accounts are proved before they are debited.
type bankQ struct{ *memory.Processor }

func (bankQ) Terms() processor.Terms {
	terms := processor.StandardTerms()
	terms.BankProcessor = "q"
	return terms
}

func TestTheAccountForBankDebitsDecidesTheBankProcessor(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) {
		either := memory.New("either", 0)
		d.Processors = processor.NewRegistry(either, either, bankQ{memory.New("bank", 0)})
	})
	id := w.App.Merchants.US
	is := func(want string) {
		t.Helper()
		if m := get(t, w, id); m.BankProcessor != want {
			t.Fatalf("bank processor %s, want %s", m.BankProcessor, want)
		}
	}
	is("p") // chosen: the processor without a connection takes both
	account, err := w.Accounts.Connect(t.Context(), w.Admin(),
		accounts.ConnectInput{MerchantID: &id, Processor: "bank", External: "acct_1",
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodACH}, Priority: 1}})
	if err != nil {
		t.Fatal(err)
	}
	is("q")
	if _, err := update(t, w, id, `{"bank_processor":"p"}`); !slices.Equal(mistakes(err),
		[]string{"bank_processor parameter_invalid"}) {
		t.Fatal(err)
	}
	before := get(t, w, id)
	after, err := update(t, w, id, `{"bank_processor":"q"}`)
	if err != nil || after.Version != before.Version {
		t.Fatalf("version %d after %d: %v", after.Version, before.Version, err)
	}
	if _, err := update(t, w, id, `{"name":"Riverside Pantry"}`); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Accounts.Change(t.Context(), w.Admin(), account.ID.String(),
		accounts.ChangeInput{
			Serving: accounts.Serving{Methods: []processor.Method{processor.MethodCard}, Priority: 1}}); err != nil {
		t.Fatal(err)
	}
	is("p") // the choice is kept
}
