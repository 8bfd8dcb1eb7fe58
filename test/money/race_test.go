package money

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/api"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/sandbox/simulate"
)

// served is a site whose API is there over HTTP, too.
type served struct {
	*site
	url  string
	keys atomic.Int64
}

func serve(t *testing.T) *served {
	t.Helper()
	s := newSite(t)
	e := echo.New()
	c := api.Config{Services: *s.Services, BaseURL: "https://api.example", Log: slog.New(slog.DiscardHandler),
		Now: s.Clock.Now}
	api.Register(e, c)
	e.HTTPErrorHandler = api.ErrorHandler(c, e.DefaultHTTPErrorHandler)
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return &served{site: s, url: server.URL}
}

// post makes a request with a key of its own. A refusal comes back as the fault that it tells.
func (s *served) post(path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	r, err := http.NewRequest(http.MethodPost, s.url+path, bytes.NewReader(text))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", s.app.SecretKey)
	r.Header.Set("X-App-ID", strconv.FormatInt(s.app.AppID, 10))
	r.Header.Set("Idempotency-Key", fmt.Sprintf("key-%d", s.keys.Add(1)))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	said, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode < 300 {
		return err
	}
	var refusal struct {
		Error struct{ Code, Message string }
	}
	if err := json.Unmarshal(said, &refusal); err != nil {
		return err
	}
	kind := fault.KindConflict
	if resp.StatusCode >= 500 {
		kind = fault.KindUnavailable
	}
	return fault.New(kind, refusal.Error.Code, refusal.Error.Message)
}

// insist does something until the service is not too busy for it.
func insist(do func() error) error {
	for {
		err := do()
		if !pg.IsUnavailable(err) && !fault.HasCode(err, "overloaded") {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// together does things at once and says how many of them were not refused.
func (s *served) together(all ...func() error) (done int) {
	var wg sync.WaitGroup
	errs, start := make([]error, len(all)), make(chan struct{})
	for i, do := range all {
		wg.Go(func() {
			<-start
			errs[i] = insist(do)
		})
	}
	close(start)
	wg.Wait()
	for _, err := range errs {
		if err == nil {
			done++
		} else if !refused(err) {
			s.T.Error(err)
		}
	}
	return done
}

// refundOf asks for a refund, by the API or by the use-case.
func (s *served) refundOf(c charge.Charge, amount money.Amount, overHTTP bool) func() error {
	return func() error {
		if overHTTP {
			return s.post("/api/refunds", map[string]any{"charge_id": c.ID.String(), "amount": amount})
		}
		_, err := s.Refunds.Create(s.ctx(), s.server(),
			refund.CreateInput{ChargeID: ptr(c.ID.String()), Amount: &amount}, nil)
		return err
	}
}

// Sixty refunds of 30.00 at once of a charge of 100.00 are three, anyone who asks for them.
func TestSixtyRefundsAreThree(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.app.Merchants.US
	settled := s.sale(id, "approved", 10_000, true)
	s.tell(settled, "settled")
	for what, c := range map[string]charge.Charge{"captured": s.sale(id, "approved", 10_000, true), "settled": settled,
		"waiting": s.sale(id, "ach_settles", 10_000, true)} {
		all := make([]func() error, 60)
		for i := range all {
			all[i] = s.refundOf(c, 3000, i%2 == 0)
		}
		if n := s.together(all...); n != 3 {
			t.Errorf("%s: %d refunds were made", what, n)
		}
		now, err := s.Charges.Find(s.ctx(), s.app.AppID, c.ID)
		s.must(err)
		if now.AmountRefunded+now.AmountRefundPending != 9000 || now.AmountRefundable != 1000 {
			t.Errorf("%s: refunded %d, pending %d, left %d", what, now.AmountRefunded, now.AmountRefundPending,
				now.AmountRefundable)
		}
		s.atEveryInstant()
	}
	s.auditHistories()
}

// race is what happens to one charge at once. most is how many of the requests may succeed, least how many must.
type race struct {
	what        string
	name        string // of the test case
	hold        bool
	before      func(s *served, c charge.Charge)
	at          func(s *served, c charge.Charge) []func() error
	least, most int
}

func (s *served) follow(c charge.Charge, what string, amount money.Amount) func() error {
	return func() error {
		body := map[string]any{}
		if amount > 0 {
			body["amount"] = amount
		}
		return s.post("/api/charges/"+c.ID.String()+"/"+what, body)
	}
}

func (s *served) voidOf(c charge.Charge) func() error {
	return func() error {
		_, err := s.Charges.Void(s.ctx(), s.server(), c.ID.String(), charge.VoidInput{}, nil)
		return err
	}
}

func (s *served) happens(c charge.Charge, outcome, code string) func() error {
	return func() error {
		in := simulate.ChargeInput{Outcome: &outcome}
		if code != "" {
			in.ReturnCode = &code
		}
		_, err := s.Simulate.Charge(s.ctx(), s.server(), c.ID.String(), in, nil)
		return err
	}
}

// cancelAll cancels the refunds of a charge that wait.
func (s *served) cancelAll(c charge.Charge) func() error {
	return func() error {
		type row struct {
			ID ids.Refund `db:"id"`
		}
		all, err := pg.All[row](s.ctx(), s.Pool, `SELECT id FROM refunds WHERE charge_id = @id`, pg.Args{"id": c.ID})
		for _, r := range all {
			if _, one := s.Refunds.Cancel(s.ctx(), s.server(), r.ID.String(), nil); !expected(one) {
				err = errors.Join(err, one)
			}
		}
		return err
	}
}

func (s *served) sweep() error { return s.advance(0) }

var races = []race{
	{what: "capture and void", name: "approved", hold: true, least: 1, most: 1,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.follow(c, "capture", 0), s.voidOf(c)}
		}},
	{what: "captures of different amounts", name: "approved_amex", hold: true, least: 1, most: 1,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.follow(c, "capture", 400), s.follow(c, "capture", 0),
				s.follow(c, "capture", 10_000)}
		}},
	{what: "refunds and a chargeback", name: "approved", least: 1, most: 3,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.refundOf(c, 10_000, true), s.refundOf(c, 6000, false),
				s.happens(c, "chargeback", "")}
		}},
	{what: "a void and a return", name: "ach_settles", least: 1, most: 2,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.follow(c, "void", 0), s.happens(c, "returned", "R01")}
		}},
	{what: "a refund, a settlement and a return", name: "ach_settles", least: 1, most: 4,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.refundOf(c, 10_000, true), s.happens(c, "settled", ""),
				s.happens(c, "returned", "R10"), s.sweep}
		}},
	{what: "a cancellation and a settlement", name: "ach_settles", least: 2, most: 4,
		before: func(s *served, c charge.Charge) { s.must(s.refundOf(c, 4000, false)()) },
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.cancelAll(c), s.happens(c, "settled", ""), s.refundOf(c, 6000, true), s.sweep}
		}},
	{what: "two chargebacks and a refund", name: "approved", least: 1, most: 3,
		at: func(s *served, c charge.Charge) []func() error {
			return []func() error{s.happens(c, "chargeback", ""), s.happens(c, "chargeback", ""),
				s.refundOf(c, 5000, true)}
		}},
}

// Fifty charges to which two or more things happen at once: of those that exclude each other one happens,
// and the books are right.
func TestRacesOnCharges(t *testing.T) {
	t.Parallel()
	s := serve(t)
	id := s.app.Merchants.US
	var all sync.WaitGroup
	slots := make(chan struct{}, 8)
	for n := range 50 {
		r := races[n%len(races)]
		c := s.sale(id, r.name, 10_000, !r.hold)
		if r.before != nil {
			r.before(s, c)
		}
		all.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			if done := s.together(r.at(s, c)...); done < r.least || done > r.most {
				t.Errorf("%s: %d of them happened", r.what, done)
			}
		})
	}
	all.Wait()
	s.raceWithTime(id)
	(&life{site: s.site}).end()
	s.atEveryInstant()
	s.auditLedger()
	s.auditFees()
	s.auditHistories()
	s.auditBook()
	s.auditPayouts()
	s.auditStatements()
}

// raceWithTime captures holds while their seven days end.
func (s *served) raceWithTime(id int64) {
	all := []func() error{func() error { return s.advance(7 * 24 * time.Hour) }}
	for range 10 {
		all = append(all, s.follow(s.sale(id, "approved", 10_000, false), "capture", 0))
	}
	s.must(s.advance(7*24*time.Hour - time.Second))
	s.together(all...)
}
