package simulate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
)

// paid gives the first application's US merchant an account that payouts go to.
func paid(t *testing.T, w *fixture.World) {
	t.Helper()
	us := w.App.Merchants.US
	in := w.USBank("000123456789")
	if _, err := w.Payouts.AddBankAccount(t.Context(), w.Admin(),
		payout.BankInput{MerchantID: us, Account: in}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Payouts.VerifyBankAccount(t.Context(), w.Admin(),
		payout.VerifyInput{MerchantID: us, Amounts: payout.SandboxDeposits}); err != nil {
		t.Fatal(err)
	}
}

// at fails unless something happened at the time that it was due, to the millisecond.
func at(t *testing.T, what string, got *instant.Time, want time.Time) {
	t.Helper()
	if got == nil || got.Sub(want).Abs() > time.Millisecond {
		t.Errorf("%s at %v, was due at %v", what, got, want)
	}
}

// inTheMorning moves the clock to ten on the next business day of the US merchant, whose zone it returns: debits go to
// the bank that day.
func inTheMorning(t *testing.T, w *fixture.World) *time.Location {
	t.Helper()
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	zone, err := calendar.Zone(m.TimeZone)
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Advance(calendar.US.AddBusinessDays(w.Clock.Now().In(zone), 1).Add(10 * time.Hour).Sub(w.Clock.Now()))
	return zone
}

func TestAMonthHappensWhenItIsDue(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	zone := inTheMorning(t, w)
	paid(t, w)
	card, hold := create(t, w, w.Token(good), true), create(t, w, w.Token(good), false)
	bank, bounced, late := debit(t, w, "000123456789"), debit(t, w, "000222222227"), debit(t, w, "000333333335")
	disputed := create(t, w, w.Token("4000000000000259"), true)
	start := w.Clock.Now()
	c := advance(t, w, "744h")
	if c.Object != "clock" || !c.Now.Equal(start.Add(744*time.Hour)) || c.AheadSeconds != 744*3600 {
		t.Errorf("the clock is %+v", c)
	}
	merchants := func(days int) time.Time { return calendar.US.AddBusinessDays(start.In(zone), days) }
	files := func(days int) time.Time {
		ny, _ := calendar.Zone("America/New_York")
		return calendar.US.AddBusinessDays(start.In(ny), days).Add(9 * time.Hour)
	}
	card, hold, bank, bounced, late = get(t, w, card), get(t, w, hold), get(t, w, bank), get(t, w,
		bounced), get(t, w, late)
	at(t, "the card settled", card.SettledAt, merchants(2))
	at(t, "the authorization expired", hold.ExpiredAt, start.Add(7*24*time.Hour))
	at(t, "the debit settled", bank.SettledAt, merchants(4))
	at(t, "the debit bounced", bounced.FailedAt, files(2))
	at(t, "the late debit settled", late.SettledAt, merchants(4))
	at(t, "the late debit came back", late.ReturnedAt, files(10))
	for _, x := range []struct {
		c    charge.Charge
		want charge.Status
	}{{card, charge.Settled}, {hold, charge.Expired}, {bank, charge.Settled}, {bounced, charge.Failed},
		{late, charge.Returned}} {
		if x.c.Status != x.want {
			t.Errorf("%s, want %s", x.c.Status, x.want)
		}
	}
	all, err := w.Disputes.List(t.Context(), w.Actor(), dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 9}})
	if err != nil || len(all.Items) != 1 || all.Items[0].ChargeID != disputed.ID {
		t.Fatalf("%+v, %v", all, err)
	}
	d := all.Items[0]
	at(t, "the dispute was opened", &d.CreatedAt, start.Add(time.Hour))
	if d.Status != dispute.Lost || d.UpdatedAt.Before(d.RespondBy.Time) ||
		d.UpdatedAt.After(d.RespondBy.Add(48*time.Hour)) {
		t.Errorf("the dispute is %s since %v, was to be answered by %v", d.Status, d.UpdatedAt, d.RespondBy)
	}
	payouts(t, w, start, card)
}

// payouts checks that the month's money was paid out as it became available.
func payouts(t *testing.T, w *fixture.World, start time.Time, card charge.Charge) {
	t.Helper()
	all, err := w.Payouts.List(t.Context(), w.Actor(),
		payout.ListInput{Page: page.Input[ids.Payout]{Limit: 50, Ascending: true}})
	if err != nil || len(all.Items) < 2 {
		t.Fatalf("%d payouts, %v", len(all.Items), err)
	}
	first := all.Items[0]
	if wait := first.CreatedAt.Sub(card.SettledAt.Time); wait < 0 || wait > 8*24*time.Hour ||
		first.Status != payout.Paid {
		t.Errorf("the first payout is %s, made %v after the card settled", first.Status, wait)
	}
	for _, p := range all.Items {
		if p.PaidAt == nil || !p.PaidAt.After(p.CreatedAt.Time) || p.PaidAt.Sub(p.CreatedAt.Time) > 6*24*time.Hour ||
			p.CreatedAt.Before(start) {
			t.Errorf("payout of %d made %v, paid %v", p.Amount, p.CreatedAt, p.PaidAt)
		}
	}
}

func TestAdvanceIsOneStepOrMany(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	hold := create(t, w, w.Token(good), false)
	due := hold.AuthorizationExpiresAt.Time
	advance(t, w, "167h59m59s")
	if c := get(t, w, hold); c.Status != charge.Authorized {
		t.Errorf("a second before: %s", c.Status)
	}
	advance(t, w, "0s")
	advance(t, w, "500ms")
	if c := get(t, w, hold); c.Status != charge.Authorized {
		t.Errorf("half a second before: %s", c.Status)
	}
	advance(t, w, "500ms")
	at(t, "expired", get(t, w, hold).ExpiredAt, due)
}

func TestWhatIsDueAlreadyHappensFirst(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	hold := create(t, w, w.Token(good), false)
	w.Clock.Advance(8 * 24 * time.Hour) // as if no job had run since
	now := w.Clock.Now()
	advance(t, w, "240h")
	at(t, "expired", get(t, w, hold).ExpiredAt, now)
}

func TestOtherApplicationsClocksStay(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	token := w.TokenIn(w.SessionOf(w.Other, w.Other.Merchants.US), good)
	theirs, err := w.Charges.Create(t.Context(), w.ActorOf(w.Other),
		charge.CreateInput{MerchantID: &w.Other.Merchants.US,
			Amount: hundred(), Token: &token}, nil)
	if err != nil {
		t.Fatal(err)
	}
	mine := create(t, w, w.Token(good), true)
	advance(t, w, "1488h")
	c, err := w.Simulate.Now(t.Context(), w.ActorOf(w.Other))
	if err != nil || !c.Now.Equal(w.Clock.Now()) || c.AheadSeconds != 0 {
		t.Errorf("the other's clock is %+v, %v", c, err)
	}
	if c, err := w.Simulate.Now(t.Context(), w.Actor()); err != nil || c.AheadSeconds != 1488*3600 {
		t.Errorf("the clock is %+v, %v", c, err)
	}
	now, err := w.Charges.Get(t.Context(), w.ActorOf(w.Other), theirs.Object.ID.String())
	if err != nil || now.Status != charge.Captured || get(t, w, mine).Status != charge.Settled {
		t.Errorf("theirs is %s, %v", now.Status, err)
	}
}

func TestAdvanceHappensOncePerKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	start := w.Clock.Now()
	do := func(by string) (idempotency.Result[simulate.Clock], error) {
		return w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &by}, claim(w, "k", by))
	}
	if out, err := do("24h"); err != nil || out.Prior != nil || out.Object.AheadSeconds != 86_400 {
		t.Errorf("%+v, %v", out, err)
	}
	w.Clock.Advance(time.Hour)
	if out, err := do("24h"); err != nil || out.Prior == nil || out.Prior.State != idempotency.Done {
		t.Errorf("again: %+v, %v", out, err)
	}
	if _, err := do("25h"); code(err) != "idempotency_key_reused" {
		t.Errorf("another body: %v", err)
	}
	if c, err := w.Simulate.Now(t.Context(), w.Actor()); err != nil || !c.Now.Equal(start.Add(25*time.Hour)) {
		t.Errorf("the clock is %+v, %v", c, err)
	}
}

// A request that dies half way leaves its key and a part of the way.
func TestRetryOfAnAdvanceGoesOnToWhereTheFirstWouldHaveStopped(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	start := w.Clock.Now()
	holds := []charge.Charge{create(t, w, w.Token(good), false)}
	broken := errors.New("the power went out")
	restore := w.Simulate.AlsoSweep(clock.Sweep{
		Run: func(_ context.Context, v clock.View) (int, error) {
			if v.Moment.At.Sub(start) > 7*24*time.Hour-time.Millisecond {
				return 0, broken
			}
			return 0, nil
		},
		Next: func(context.Context, int64, time.Time) (*time.Time, error) { return nil, nil },
	})
	by := "240h"
	do := func() (idempotency.Result[simulate.Clock], error) {
		return w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: &by}, claim(w, "k", by))
	}
	if _, err := do(); !errors.Is(err, broken) {
		t.Fatalf("not broken: %v", err)
	}
	restore()
	if _, err := do(); code(err) != "idempotency_key_in_use" {
		t.Errorf("at once: %v", err)
	}
	w.Clock.Advance(3 * time.Second)
	out, err := do()
	if err != nil || out.Object.Now.Sub(start) > 240*time.Hour+time.Millisecond ||
		out.Object.Now.Sub(start) < 240*time.Hour {
		t.Errorf("the retry got to %v after the start, %v", out.Object.Now.Sub(start), err)
	}
	at(t, "expired", get(t, w, holds[0]).ExpiredAt, start.Add(7*24*time.Hour))
	if again, err := do(); err != nil || again.Prior == nil {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestAdvancesOfOneClockTakeTurns(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	hold := create(t, w, w.Token(good), false)
	start := w.Clock.Now()
	var all sync.WaitGroup
	var mu sync.Mutex
	moved := 0
	for range 12 {
		all.Go(func() {
			_, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: ptr("24h")}, nil)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				moved++
			case code(err) != "operation_in_progress":
				t.Error(err)
			}
		})
	}
	all.Wait()
	c, err := w.Simulate.Now(t.Context(), w.Actor())
	if err != nil || moved == 0 || !c.Now.Equal(start.Add(time.Duration(moved)*24*time.Hour)) {
		t.Errorf("%d advances got to %v, %v", moved, c.Now.Sub(start), err)
	}
	advance(t, w, "168h")
	at(t, "expired", get(t, w, hold).ExpiredAt, start.Add(7*24*time.Hour))
}

func TestClockOfOneWhoDiedIsFreeAgain(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	advance(t, w, "1h")
	execute(t, w, `UPDATE application_clocks SET held_until = now() + interval '1 hour'`)
	if _, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: ptr("1h")},
		claim(w, "k", "1h")); code(err) != "operation_in_progress" {
		t.Errorf("held: %v", err)
	}
	w.Clock.Advance(2 * time.Hour)
	if out, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: ptr("1h")},
		claim(w, "k", "1h")); err != nil || out.Object.AheadSeconds != 7200 {
		t.Errorf("%+v, %v", out, err)
	}
}

func TestDurationsThatAreNone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, by := range []*string{nil, ptr(""), ptr("24"), ptr("-1h"), ptr("1488h1ms"), ptr("a day"),
		ptr("9999999999h")} {
		_, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: by}, nil)
		if c := code(err); c != "parameter_invalid" && (by != nil || c != "parameter_missing") {
			t.Errorf("%v: %s", by, c)
		}
	}
	w.Gate.Shut()
	if _, err := w.Simulate.Advance(t.Context(), w.Actor(), simulate.AdvanceInput{Advance: ptr("1h")},
		nil); code(err) != "permission_denied" {
		t.Error(err)
	}
	if _, err := w.Simulate.Now(t.Context(), w.Actor()); code(err) != "permission_denied" {
		t.Error(err)
	}
}

// A message that another worker was handling when the clock was moved is done when the answer comes.
func TestAdvanceWaitsForMessagesThatAreBeingHandled(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	if _, err := pg.Exec(t.Context(), w.Pool, `
		INSERT INTO inbound_events (feed, id, kind, account, body, attempts, next_attempt_at, received_at)
		VALUES ('processor/sandbox', 'another', 'x', 'y', '{}', 1, @until, @now)`,
		pg.Args{"now": w.Clock.Now(), "until": w.Clock.Now().Add(time.Hour)}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if _, err := w.Simulate.Advance(t.Context(), w.Actor(),
			simulate.AdvanceInput{Advance: ptr("1h")}, nil); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-answered:
		t.Error("the clock was moved while a message was being handled")
	case <-time.After(100 * time.Millisecond): // for the answer that must not come
	}
	execute(t, w, `UPDATE inbound_events SET handled_at = next_attempt_at WHERE id = 'another'`)
	<-answered
}
