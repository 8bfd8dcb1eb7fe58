package stripe_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/stripe"
	"svcpay/internal/processor/stripe/fake"
)

// elsewhere is the keyring of another deployment with the same Stripe accounts.
type elsewhere struct{ keyring }

func (elsewhere) ID(ctx context.Context, of processor.Account) (string, error) {
	return "pa_elsewhere_" + of.External, ctx.Err()
}

// everything makes one of everything that the feed or the book reports. It returns the reference of a captured payment.
func (w *world) everything(t *testing.T) (payment string) {
	t.Helper()
	w.refunded(t, fake.RefundFails)
	w.disputed(t, fake.Disputed)
	held := w.authorization(fake.Approved)
	held.Capture = false
	w.paid(t, held)
	if answer, err := w.open().Capture(t.Context(), w.about(held.Reference, 7_500)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	for _, number := range []string{fake.DisputedLater, "000111111113"} {
		debit := w.verified(t, bankOf(number), money.USD)
		if answer, err := w.open().Debit(t.Context(), debit); err != nil || !answer.Approved {
			t.Fatalf("%+v, %v", answer, err)
		}
	}
	w.connectMerchant()
	if answer, err := w.open().Payout(t.Context(), w.payout(ours)); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	w.Advance(20 * 24 * time.Hour)
	return held.Reference
}

// Two deployments with the same Stripe account report only their own objects.
func TestDeploymentsShareAnAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payment := w.everything(t)
	theirs := stripe.New(stripe.Config{Accounts: elsewhere{w.keys}, API: w.address, Now: w.Now})
	read := func(a *stripe.Adapter) (kinds map[processor.EventKind]bool, lines map[string]bool) {
		t.Helper()
		kinds, lines = map[processor.EventKind]bool{}, map[string]bool{}
		events, err := conformance.Events(t.Context(), a, "", 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			kinds[e.Kind] = true
		}
		book, err := a.Book(t.Context(), 0, 1000)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range book {
			lines[l.Kind] = true
		}
		return kinds, lines
	}
	kinds, lines := read(w.open())
	for _, kind := range []processor.EventKind{processor.RefundFailed, processor.DisputeOpened, processor.DisputeLost,
		processor.BankAccountVerified, processor.ChargeSettled, processor.DebitReturned, processor.PayoutPaid} {
		if !kinds[kind] {
			t.Errorf("ours reports no %s", kind)
		}
	}
	for _, kind := range []string{"authorize", "capture", "refund", processor.FailedRefund, "debit", "payout"} {
		if !lines[kind] {
			t.Errorf("our book has no %s", kind)
		}
	}
	if kinds, lines := read(theirs); len(kinds) > 0 || len(lines) > 0 {
		t.Errorf("theirs reports %v, and its book has %v", kinds, lines)
	}

	t.Run("a refund by hand", func(t *testing.T) {
		id := w.first.RefundByHand(w.Fake, payment, 100)
		w.Advance(2 * time.Minute)
		for a, want := range map[*stripe.Adapter]bool{w.open(): true, theirs: false} {
			book, err := a.Book(t.Context(), 0, 1000)
			if err != nil {
				t.Fatal(err)
			}
			found := false
			for _, l := range book {
				found = found || l.Reference == id
			}
			if found != want {
				t.Errorf("in the book: %v, want %v", found, want)
			}
		}
	})
}

// An object of an earlier version doesn't name its deployment: it counts as ours.
func TestObjectsOfEarlierVersions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	reference := ids.NewCharge(w.Now()).String()
	w.first.Sold(w.Fake, reference, 10_000)
	w.Advance(2 * time.Minute)
	if all := withoutFees(w.book(t, 10)); len(all) != 1 || all[0].Reference != reference {
		t.Errorf("%+v", all)
	}
}
