package stripe_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/processor/stripe/fake"
)

// The fake says what calls made there, as other tests rely on it.
func TestWhatCallsMade(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	p := w.open()
	hold := func() processor.Authorization {
		a := w.authorization(fake.Approved)
		a.Capture = false
		w.paid(t, a)
		return a
	}
	once, declined := w.authorization(fake.Approved), w.authorization("4000000000000002")
	voided, captured := hold(), hold()
	w.paid(t, once)
	if answer, err := p.Authorize(t.Context(), declined); err != nil || answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	refund, void := w.about(once.Reference, 400), w.about(voided.Reference, 10_000)
	capture := w.about(captured.Reference, 9_000)
	for _, call := range []func() (processor.Answer, error){
		func() (processor.Answer, error) { return p.Refund(t.Context(), refund) },
		func() (processor.Answer, error) { return p.Void(t.Context(), void) },
		func() (processor.Answer, error) { return p.Capture(t.Context(), capture) },
	} {
		if answer, err := call(); err != nil || !answer.Approved {
			t.Fatalf("%+v, %v", answer, err)
		}
	}
	w.Fail(fake.LostAnswer, fake.LoseCall)
	never := w.authorization(fake.LostAnswer)
	if answer, err := p.Authorize(t.Context(), never); err == nil {
		t.Fatalf("%+v", answer)
	}
	w.Advance(2 * time.Minute)
	if answer, err := p.Lookup(t.Context(), account, never.Reference); !errors.Is(err, processor.ErrNotFound) {
		t.Fatalf("%+v, %v", answer, err)
	}
	want := map[fake.Made]bool{}
	at := start.Truncate(time.Second)
	for _, m := range []fake.Made{
		{Kind: "authorize", Reference: once.Reference, Amount: 10_000, Approved: true, Captured: true},
		{Kind: "authorize", Reference: declined.Reference, Amount: 10_000},
		{Kind: "authorize", Reference: voided.Reference, Amount: 10_000, Approved: true},
		{Kind: "authorize", Reference: captured.Reference, Amount: 10_000, Approved: true},
		{Kind: "refund", Reference: refund.Reference, Original: once.Reference, Amount: 400, Approved: true},
		{Kind: "void", Reference: void.Reference, Original: voided.Reference, Amount: 10_000, Approved: true},
		{Kind: "capture", Reference: capture.Reference, Original: captured.Reference, Amount: 9_000, Approved: true},
	} {
		m.Currency, m.At = string(money.USD), at
		want[m] = true
	}
	made := w.Made(w.first)
	for _, m := range made {
		if !want[m] {
			t.Errorf("%+v", m)
		}
	}
	if len(made) != len(want) {
		t.Errorf("%d instead of %d", len(made), len(want))
	}
	w.ChargeBack(w.first, once.Reference, "fraudulent")
	usd := string(money.USD)
	moved := []fake.Moved{
		{Type: "charge", Reference: once.Reference, Amount: 10_000, Fee: 320, Currency: usd},
		{Type: "charge", Reference: captured.Reference, Amount: 9_000, Fee: 291, Currency: usd},
		{Type: "refund", Reference: once.Reference, Amount: -400, Currency: usd},
		{Type: "adjustment", Reference: once.Reference, Amount: -9_600, Fee: 1_500, Currency: usd},
	}
	got := w.Moved(w.first)
	byText := func(a, b fake.Moved) int { return strings.Compare(fmt.Sprint(a), fmt.Sprint(b)) }
	slices.SortFunc(moved, byText)
	slices.SortFunc(got, byText)
	if !slices.Equal(got, moved) {
		t.Errorf("%+v", got)
	}
}
