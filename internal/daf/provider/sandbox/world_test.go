package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/conformance"
	"svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/processor"
	"svcpay/internal/testing/pgtest"
)

// start is a Thursday.
var start = time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC)

const (
	account = "app-1/merchant-1"
	other   = "app-2/merchant-1"
	day     = 24 * time.Hour
	good    = "20-2000007"
)

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

func (w *world) open() *sandbox.Provider { return sandbox.New(w.pool, w.now, w.timeOf) }

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, func(t *testing.T) conformance.Harness {
		w := newWorld(t)
		return conformance.Harness{
			Open: func() provider.Provider { return w.open() }, Now: w.now, Advance: w.pass, Account: account,
			Other: other, Good: good, Second: "04-3567500", Unknown: "99-9999999",
			Signed: map[string][]string{"Webhook-Id": {"msg_0"}, "Webhook-Timestamp": {"1", "now"},
				"Webhook-Signature": {"v1,AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "v1"}},
			Authorize: func(t *testing.T, visitID string, amount money.Amount) {
				t.Helper()
				if amount == 0 {
					ok(t, w.open().Leave(t.Context(), visitID))
					return
				}
				w.through(t, visitID, "single@fund.example", amount)
			},
			Notice: func(t *testing.T, e provider.Event) (map[string][]string, []byte) {
				t.Helper()
				header, body, err := w.open().SignedNotice(t.Context(), e)
				ok(t, err)
				return header, body
			},
		}
	})
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// visit begins a visit of 125.00 at a fund.
func (w *world) visit(t *testing.T, fundID string) string {
	t.Helper()
	connectID, err := w.open().Enroll(t.Context(),
		provider.Enrollment{Reference: account, EIN: good, Name: "Neighborhood Fund"})
	ok(t, err)
	pages, err := w.open().Visit(t.Context(),
		provider.Visit{Reference: ids.NewOperation(w.now()).String(), Account: account, ConnectID: connectID,
			FundID: fundID, Amount: 125_00, Donor: provider.Donor{Note: "For the winter"},
			Return: "https://pay.example/back"})
	ok(t, err)
	if pages.Address != sandbox.PagesPath+pages.VisitID {
		t.Errorf("%+v", pages)
	}
	return pages.VisitID
}

// through takes a donor with one account through a visit.
func (w *world) through(t *testing.T, visitID, username string, amount money.Amount) {
	t.Helper()
	ok(t, w.open().SignIn(t.Context(), visitID, username, sandbox.Password))
	ok(t, w.open().Authorize(t.Context(), visitID, fmt.Sprint(int64(amount/money.Dollar))))
}

func (w *world) look(t *testing.T, visitID string) sandbox.Look {
	t.Helper()
	l, err := w.open().Look(t.Context(), visitID)
	ok(t, err)
	return l
}

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}
