package money

import (
	"context"
	"crypto/sha256"
	"errors"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// world is a wired service behind a bad line.
type world struct {
	*fixture.World
	line *faulty
}

func newWorld(t testing.TB) *world {
	t.Helper()
	line := &faulty{next: fine, happened: make(map[fate]int)}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		line.Processor = inner
		return line
	})
	return &world{w, line}
}

// site is one application of a world, new and with nothing in its books.
type site struct {
	*world
	t    rapid.TB
	app  demo.Application
	more []int64 // merchants next to those of the demo
}

// open makes an application with its merchants.
func (w *world) open(t rapid.TB) *site {
	t.Helper()
	c, err := demo.Maker{Identity: w.Identity, APIKeys: w.APIKeys, Merchants: w.Merchants, Payouts: w.Payouts,
		MinimumCharge: new(money.MinCharge)}.Applications(w.T.Context(), demo.Credentials{}, fixture.PageOrigin)
	if err != nil {
		t.Fatal(err)
	}
	return &site{world: w, t: t, app: c.Application}
}

func (s *site) ctx() context.Context { return s.T.Context() }

func (s *site) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// server is the application's own server; admin a person who may change fees.
func (s *site) server() authz.Actor { return s.ActorOf(s.app) }

func (s *site) admin() authz.Actor {
	return authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: s.app.AppID,
		RequestID: ids.NewRequest(s.Clock.Now())}
}

// merchants are the application's.
func (s *site) merchants() []int64 {
	return append([]int64{s.app.Merchants.US, s.app.Merchants.USQ, s.app.Merchants.CA}, s.more...)
}

// token makes a token of a test case.
func (s *site) token(merchant int64, name string) string {
	s.t.Helper()
	out, err := s.Tokens.CreateTest(s.ctx(), s.server(), token.TestInput{TestCase: &name, MerchantID: &merchant}, nil)
	s.must(err)
	return out.Object.ID.String()
}

// claim is the claim of a request with that key.
func (s *site) claim(path, key string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: s.app.AppID, Key: key, Method: "POST", Path: path,
		Fingerprint: sha256.Sum256([]byte(path + key)), Params: map[string]string{},
		RequestID: ids.NewRequest(s.Clock.Now())}
}

// at is the application's time.
func (s *site) at() time.Time {
	s.t.Helper()
	m, err := s.Clocks.Moment(s.ctx(), s.app.AppID)
	s.must(err)
	return m.At
}

// advance moves the application's clock and has everything done that becomes due.
func (s *site) advance(d time.Duration) error {
	_, err := s.Simulate.Advance(s.ctx(), s.server(), simulate.AdvanceInput{Advance: ptr(d.String())}, nil)
	return err
}

// wait moves the machine's time, in steps after which the jobs run that find out outcomes.
func (s *site) wait(d time.Duration, times int) error {
	for range times {
		s.Clock.Advance(d)
		for n := 1; n > 0; {
			calls, err := s.Operations.Resolve(s.ctx())
			grants, lost := s.Grants.Resolve(s.ctx())
			again, unpaid := s.Charges.RepeatReversals(s.ctx())
			if err := errors.Join(err, lost, unpaid); err != nil {
				return err
			}
			n = calls + grants + again
		}
	}
	return nil
}

// refused reports whether an error is one that a caller may get; the others are mistakes of ours.
func refused(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Kind != fault.KindInternal && f.Kind != fault.KindUnavailable && f.Kind != fault.KindForbidden ||
		fault.HasCode(err, "processor_error")
}

// rows reads rows by a statement that may name the application and the machine's time.
func rows[T any](s *site, sql string) []T {
	s.t.Helper()
	args := pg.Args{}
	for name, value := range map[string]any{"app": s.app.AppID, "now": s.Clock.Now()} {
		if strings.Contains(sql, "@"+name) {
			args[name] = value
		}
	}
	all, err := pg.All[T](s.ctx(), s.Pool, sql, args)
	s.must(err)
	return all
}

// none fails with what a query finds: text lines that each report a wrong.
func (s *site) none(what, sql string) {
	s.t.Helper()
	type wrong struct {
		Wrong string `db:"wrong"`
	}
	if all := rows[wrong](s, sql); len(all) > 0 {
		s.t.Fatalf("%d %s: %q", len(all), what, all[:min(len(all), 5)])
	}
}

func ptr[T any](v T) *T { return &v }

// pick chooses one of several by a number.
func pick[T any](all []T, n int) (T, bool) {
	if len(all) == 0 {
		return *new(T), false
	}
	return all[n%len(all)], true
}
