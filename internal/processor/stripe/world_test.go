package stripe_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
	"svcpay/internal/sensitive"
)

// start is a Thursday.
var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

// The two accounts of a world.
var (
	account = processor.Account{Adapter: stripe.Name, External: "acct_first"}
	other   = processor.Account{Adapter: stripe.Name, External: "acct_second"}
)

// world is a Stripe with two accounts, which are connected.
type world struct {
	*fake.Fake
	first, second *fake.Account
	address       string
	keys          keyring
}

// keyring is the credentials of connected accounts.
type keyring map[processor.Account]string

func (k keyring) Credentials(ctx context.Context, of processor.Account) (sensitive.Credentials, error) {
	return sensitive.NewCredentials(k[of]), ctx.Err()
}

func (k keyring) ID(ctx context.Context, of processor.Account) (string, error) {
	return "pa_" + of.External, ctx.Err()
}

func (k keyring) Grants(_ context.Context, of processor.Account) ([]processor.Grant, error) {
	return grants[of], nil
}

// grants are those of accounts that no other test uses.
var grants = map[processor.Account][]processor.Grant{granted: {processor.GrantNetworkTransactionID,
	processor.GrantWalletTokens}}

func (k keyring) Connected(ctx context.Context, adapter string) (all []processor.Account, _ error) {
	for at := range k {
		if at.Adapter == adapter {
			all = append(all, at)
		}
	}
	return all, ctx.Err()
}

func newWorld(t *testing.T) *world {
	f := fake.New(start, false)
	w := &world{Fake: f, first: f.Open("acct_first", "sk_test_first", "whsec_first"),
		second: f.Open("acct_second", "rk_test_second", "whsec_second")}
	w.keys = keyring{account: "sk_test_first\nwhsec_first\n", other: "whsec_second rk_test_second"}
	s := httptest.NewServer(recorded(t, f))
	t.Cleanup(s.Close)
	w.address = s.URL
	return w
}

func (w *world) open() *stripe.Adapter {
	return stripe.New(stripe.Config{Accounts: w.keys, API: w.address, Now: w.Now,
		Times: stripe.Times{PerEndpoint: 10_000}})
}

func (w *world) reference() string { return ids.NewOperation(w.Now()).String() }

func (w *world) authorization(number string) processor.Authorization {
	return processor.Authorization{Reference: ids.NewCharge(w.Now()).String(), Account: account, Amount: 10_000,
		Currency: money.USD, Capture: true, Descriptor: "RIVERSIDE FOOD", Stored: processor.NotStored,
		Card: processor.Card{PAN: sensitive.NewPAN(number), CVC: sensitive.NewCVC("123"), ExpMonth: 12, ExpYear: 2030,
			Line1: "12 Elm Street", Zip: "97301"}}
}

// paid makes an approved payment.
func (w *world) paid(t *testing.T, a processor.Authorization) processor.Answer {
	t.Helper()
	answer, err := w.open().Authorize(t.Context(), a)
	if err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return answer
}

func (w *world) about(original string, amount money.Amount) processor.FollowUp {
	return processor.FollowUp{Reference: w.reference(), Account: account, Original: original, Amount: amount,
		Currency: money.USD}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Harness {
		w := newWorld(t)
		w.Fail(fake.LostAnswer, fake.LoseAnswer)
		w.Fail(fake.LostVerify, fake.LoseAnswer)
		paid := w.connectMerchant()
		return conformance.Harness{Open: func() processor.Adapter { return w.open() }, Now: w.Now, Advance: w.Advance,
			Account: account, Other: other, Busy: w.Busy,
			HasIDs: true, ForgetsDeclines: true, Approved: fake.Approved, Declined: "4000000000000002",
			Lost: fake.LostAnswer, Disputed: fake.Disputed,
			RefundFails: fake.RefundFails, PayoutAccount: merchant, VerifiesFirst: true, DebitsStay: true,
			Settles: ours, Returned: bankOf("000111111113"),
			ReturnedLate: bankOf(fake.DisputedLater), DepositsReturn: bankOf(fake.DepositsFail),
			LostBank: bankOf(fake.LostVerify),
			Unusable: processor.Bank{Scheme: processor.ACH, Routing: "021000021", Number: ours.Number,
				Holder: ours.Holder}, Deposits: [2]int64{32, 45},
			Notice: func(_ *testing.T, m notice.Message) (http.Header, []byte) {
				return w.Webhook(paid, m.ID[len("000000000000_"):])
			}}
	})
}

// TestLiveParts runs what the live test runs, with no more than it has.
func TestLiveParts(t *testing.T) {
	t.Parallel()
	conformance.RunLive(t, func(t *testing.T) conformance.Harness {
		w := newWorld(t)
		return live(w.open(), account, w.Now)
	})
}

// live is the harness of a test account, whose clock no one moves.
func live(a *stripe.Adapter, at processor.Account, now func() time.Time) conformance.Harness {
	return conformance.Harness{Open: func() processor.Adapter { return a }, Now: now, Account: at, HasIDs: true,
		ForgetsDeclines: true,
		Approved:        "4242424242424242", Declined: "4000000000000002"}
}

// These parts of the suite are about what the adapter cannot do yet.
func TestConformanceLeavesOut(t *testing.T) {
	t.Parallel()
	want := []string{"it describes cards and banks"}
	if left := conformance.Left(newWorld(t).open()); !slices.Equal(left, want) {
		t.Errorf("%q", left)
	}
}
