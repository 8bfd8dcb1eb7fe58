package processor_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/processor"
)

func TestAccountTellsItsApplication(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		application, merchant := rapid.Int64Min(1).Draw(t, "application"), rapid.Int64Min(1).Draw(t, "merchant")
		account := processor.MerchantAccount(application, merchant)
		if got, ok := processor.MerchantOf(account); !ok || got != merchant {
			t.Fatalf("%s is of merchant %d, %v", account, got, ok)
		}
		if rapid.Bool().Draw(t, "connected by hand") {
			account = processor.AccountPrefix(application) + rapid.StringMatching(`[a-z0-9_-]{1,80}`).Draw(t, "name")
		}
		if got, ok := processor.MerchantOf(account); ok != (account == processor.MerchantAccount(application, got)) {
			t.Fatalf("%s is of merchant %d, %v", account, got, ok)
		}
		if got, ok := processor.ApplicationOf(account); !ok || got != application ||
			!strings.HasPrefix(account, processor.AccountPrefix(application)) {
			t.Fatalf("%s is of application %d, %v", account, got, ok)
		}
		if other := rapid.Int64Min(1).Draw(t, "other"); other != application &&
			strings.HasPrefix(account, processor.AccountPrefix(other)) {
			t.Fatalf("%s begins like those of application %d", account, other)
		}
	})
}

func TestWhatIsNoAccount(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "app-1", "app-1/", "1/2", "app-x/merchant-2", "app-01/merchant-2", "app-01/x",
		"app-0/x", "app--1/x", "app-+1/merchant-2",
		"app-1/merchant-2/", "app-1/merchant-2 ", "app-1/x\n", "app-1/X", "app-1/é", "app-1/a.b", "app-1/" +
			strings.Repeat("x", 81),
		"app-99999999999999999999/merchant-2", "merchant-2/app-1"} {
		if id, ok := processor.ApplicationOf(text); ok {
			t.Errorf("%q is of application %d", text, id)
		}
		if id, ok := processor.MerchantOf(text); ok {
			t.Errorf("%q is of merchant %d", text, id)
		}
	}
}

// What earlier versions stored without an account was made at the merchant's own.
func TestStoredAccount(t *testing.T) {
	t.Parallel()
	external := "acct_1"
	if got := processor.StoredAccount("gold", &external, 1,
		2); got != (processor.Account{Adapter: "gold", External: "acct_1"}) {
		t.Errorf("%+v", got)
	}
	if got := processor.StoredAccount("gold", nil, 1,
		2); got != (processor.Account{Adapter: "gold", External: "app-1/merchant-2"}) {
		t.Errorf("%+v", got)
	}
}
