//go:build live

package stripe_test

import (
	"os"
	"testing"
	"time"

	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
)

// TestLive runs the suite against a test account of Stripe: STRIPE_TEST_ACCOUNT is its id, STRIPE_TEST_KEY a secret key
// of test mode. The account needs access to raw card data.
func TestLive(t *testing.T) {
	id, key := os.Getenv("STRIPE_TEST_ACCOUNT"), os.Getenv("STRIPE_TEST_KEY")
	if id == "" || key == "" {
		t.Fatal("set STRIPE_TEST_ACCOUNT and STRIPE_TEST_KEY")
	}
	at := processor.Account{Adapter: stripe.Name, External: id}
	conformance.RunLive(t, func(*testing.T) conformance.Harness {
		return live(stripe.New(stripe.Config{Accounts: keyring{at: key}, Now: time.Now}), at, time.Now)
	})
}
