package sandbox_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
	"svcpay/internal/processor/conformance"
	"svcpay/internal/processor/remote"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/pgtest"
)

// start is a Thursday.
var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

const (
	account = "app-1/merchant-1"
	other   = "app-2/merchant-1"
	day     = 24 * time.Hour
)

// ofPort is an account as the port has it.
func ofPort(external string) processor.Account {
	return processor.Account{Adapter: "sandbox", External: external}
}

// world is a sandbox whose machine's clock and accounts' clocks a test moves.
type world struct {
	pool    *pgxpool.Pool
	mu      sync.Mutex
	machine time.Time
	ahead   map[string]time.Duration // accounts whose clock was moved
}

func newWorld(t *testing.T) *world {
	return &world{pool: pgtest.New(t), machine: start, ahead: map[string]time.Duration{}}
}

func (w *world) now() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.machine
}

func (w *world) timeOf(_ context.Context, account string) (time.Time, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := processor.ApplicationOf(account); !ok {
		return time.Time{}, errors.New("no account")
	}
	return w.machine.Add(w.ahead[account]), nil
}

// pass lets machine time pass, and every account's with it.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.machine = w.machine.Add(d)
}

// skip moves an account's own clock ahead.
func (w *world) skip(account string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ahead[account] += d
}

func (w *world) open() *sandbox.Processor { return w.named("sandbox") }

func (w *world) named(name string) *sandbox.Processor {
	return sandbox.New(name, w.pool, w.now, w.timeOf)
}

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Harness { return harness(t, "sandbox") })
	if left := conformance.Left(newWorld(t).open()); len(left) > 0 {
		t.Errorf("left out: %q", left)
	}
}

// TestConformanceOverHTTP shows that the remote adapter and its server lose nothing, for the second of two processors
// of one database.
func TestConformanceOverHTTP(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Harness {
		h := harness(t, "second")
		here, busy := h.Open, new(atomic.Bool)
		h.Busy = busy.Store
		h.Open = func() processor.Adapter {
			handler := remote.Handler(here().(*sandbox.Processor))
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if busy.Load() {
					http.Error(w, "slow down", http.StatusTooManyRequests)
					return
				}
				handler.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			return remote.New("second", s.URL, processor.CallTimeout)
		}
		return h
	})
}

// harness is a processor of that name. Another one has payments of the same account already if it is not the first.
func harness(t *testing.T, name string) conformance.Harness {
	w := newWorld(t)
	if name != "sandbox" {
		paid(t, w, "disputed")
		debited(t, w, "ach_r01")
		paidOut(t, w, "payout_paid")
	}
	return conformance.Harness{
		Open: func() processor.Adapter { return w.named(name) }, Now: w.now, Advance: w.pass,
		Account: processor.Account{Adapter: name, External: account}, Other: processor.Account{
			Adapter: name, External: other}, HasIDs: true,
		Approved: "4242424242424242", Declined: "4000000000000002", Disputed: "4000000000000259", RefundFails: number(t,
			"refund_fails"),
		Settles: bank(t, "ach_settles"), Returned: bank(t, "ach_r01"), ReturnedLate: bank(t, "ach_returned_r10"),
		DepositsReturn: bank(t, "ach_deposits_return"), Unusable: bank(t, "ach_declined"), LostBank: bank(t,
			"ach_timeout"),
		Deposits: sandbox.Deposits, Lost: number(t, "timeout"),
		Notice: func(t *testing.T, m notice.Message) (http.Header, []byte) {
			t.Helper()
			events, err := w.named(name).Events(t.Context(), m)
			if err != nil || len(events) != 1 {
				t.Fatalf("%+v, %v", events, err)
			}
			header, body, err := w.named(name).SignedNotice(t.Context(), events[0])
			if err != nil {
				t.Fatal(err)
			}
			return header, body
		},
	}
}

// bank finds a case's bank account.
func bank(t *testing.T, name string) processor.Bank {
	t.Helper()
	for _, c := range append(sandbox.BankCases(), sandbox.PayoutCases()...) {
		if c.Name == name {
			return c.Bank
		}
	}
	t.Fatalf("there is no case %s", name)
	return processor.Bank{}
}

// number finds a case's card number.
func number(t *testing.T, name string) string {
	t.Helper()
	for _, c := range sandbox.Cases() {
		if c.Name == name {
			return c.Number
		}
	}
	t.Fatalf("there is no case %s", name)
	return ""
}

func card(number string) processor.Card {
	return processor.Card{PAN: sensitive.NewPAN(number), CVC: sensitive.NewCVC("123"), ExpMonth: 5, ExpYear: 2030,
		Line1: "12 Elm Street", Zip: "97301"}
}

func newReference() string { return ids.NewOperation(start).String() }

func authorization(number string) processor.Authorization {
	return processor.Authorization{
		Reference: newReference(), Account: ofPort(account), Amount: 1_250, Currency: money.USD, Capture: true,
		Descriptor: "RIVERSIDE FOOD", Card: card(number), Stored: processor.NotStored,
	}
}

func follow(original string, amount money.Amount) processor.FollowUp {
	return processor.FollowUp{Reference: newReference(), Account: ofPort(account), Original: original, Amount: amount,
		Currency: money.USD}
}

// paid makes a card payment of 12.50 and returns its reference.
func paid(t *testing.T, w *world, name string) string {
	t.Helper()
	a := authorization(number(t, name))
	if answer, err := w.open().Authorize(t.Context(), a); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return a.Reference
}

func currencyOf(b processor.Bank) money.Currency {
	if b.Scheme == processor.ACSS {
		return money.CAD
	}
	return money.USD
}

func debited(t *testing.T, w *world, name string) string {
	t.Helper()
	b := bank(t, name)
	d := processor.Debit{Reference: newReference(), Account: ofPort(account), Amount: 1_250,
		Currency: currencyOf(b), Bank: b}
	if answer, err := w.open().Debit(t.Context(), d); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return d.Reference
}

func paidOut(t *testing.T, w *world, name string) string {
	t.Helper()
	b := bank(t, name)
	out := processor.Payout{Reference: newReference(), Account: ofPort(account), Amount: 1_250,
		Currency: currencyOf(b), Bank: b}
	if answer, err := w.open().Payout(t.Context(), out); err != nil || !answer.Approved {
		t.Fatalf("%+v, %v", answer, err)
	}
	return out.Reference
}

func feed(t *testing.T, w *world) []processor.Event {
	t.Helper()
	events, err := conformance.Events(t.Context(), w.open(), "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// told checks that the feed reports exactly these kinds, in this order, and returns the events.
func told(t *testing.T, w *world, want ...processor.EventKind) []processor.Event {
	t.Helper()
	events := feed(t, w)
	got := make([]processor.EventKind, len(events))
	for i, e := range events {
		got[i] = e.Kind
	}
	if len(got) != len(want) {
		t.Fatalf("the feed tells %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("the feed tells %v, want %v", got, want)
		}
	}
	return events
}

func code(err error) string {
	var f *fault.Error
	if errors.As(err, &f) {
		return f.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
