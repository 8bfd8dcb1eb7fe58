package charge_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// held creates an authorization of an amount.
func held(t *testing.T, w *fixture.World, amount money.Amount) charge.Charge {
	t.Helper()
	in := input(w, good, amount)
	in.Capture = ptr(false)
	return create(t, w, in, nil).Object
}

// followClaim is the key of a capture or a void.
func followClaim(w *fixture.World, key string) *idempotency.Claim {
	c := claimOf(w, key)
	c.Path = "/api/charges/x/capture"
	return c
}

func TestCapture(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, amount := range []*money.Amount{nil, ptr(money.Amount(400)), ptr(money.Amount(1)), ptr(money.Amount(1000))} {
		c := held(t, w, 1000)
		out, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{Amount: amount}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := money.Amount(1000)
		if amount != nil {
			want = *amount
		}
		got := out.Object
		if got.Status != charge.Captured || got.AmountCaptured != want || got.AmountAuthorized != 1000 ||
			got.AvailableOn == nil ||
			got.AuthorizationExpiresAt != nil || got.Version != 3 || got.AmountRefundable != want {
			t.Errorf("%s", jsonOf(t, got))
		}
		if is := jsonOf(t, get(t, w, c.ID)); is != jsonOf(t, got) {
			t.Errorf("answered %s\nrecorded %s", jsonOf(t, got), is)
		}
	}
	audit(t, w)
}

func TestWhatCannotBeCapturedOrVoided(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	one := create(t, w, input(w, good, 1000), nil).Object
	open, gone, old := held(t, w, 1000), held(t, w, 1000), held(t, w, 1000)
	if _, err := w.Charges.Void(t.Context(), w.Actor(), gone.ID.String(),
		charge.VoidInput{Reason: ptr("changed their mind")}, nil); err != nil {
		t.Fatal(err)
	}
	if c := get(t, w, gone.ID); c.Status != charge.Voided || c.VoidedAt == nil ||
		*c.VoidReason != "changed their mind" || c.AmountCaptured != 0 {
		t.Errorf("%s", jsonOf(t, c))
	}
	capture := func(id string, amount money.Amount) string {
		_, err := w.Charges.Capture(t.Context(), w.Actor(), id, charge.CaptureInput{Amount: &amount}, nil)
		return code(err)
	}
	void := func(id string) string {
		_, err := w.Charges.Void(t.Context(), w.Actor(), id, charge.VoidInput{}, nil)
		return code(err)
	}
	foreign := w.ActorOf(w.Other)
	for name, got := range map[string][2]string{
		"captured twice":        {capture(one.ID.String(), 1), "charge_not_capturable"},
		"voided, then captured": {capture(gone.ID.String(), 1), "charge_not_capturable"},
		"more than authorized":  {capture(open.ID.String(), 1001), "capture_exceeds_authorized"},
		"nothing":               {capture(open.ID.String(), 0), "amount_too_small"},
		"too much":              {capture(open.ID.String(), money.MaxCharge+1), "amount_too_large"},
		"no id":                 {capture("x", 1), "resource_missing"},
		"captured, then voided": {void(one.ID.String()), "charge_not_voidable"},
		"voided twice":          {void(gone.ID.String()), "charge_not_voidable"},
		"void of no id":         {void("ch_"), "resource_missing"},
		"another application's": {func() string {
			_, err := w.Charges.Capture(t.Context(), foreign, open.ID.String(), charge.CaptureInput{}, nil)
			return code(err)
		}(), "resource_missing"},
		"voided by others": {func() string {
			_, err := w.Charges.Void(t.Context(), foreign, open.ID.String(), charge.VoidInput{}, nil)
			return code(err)
		}(), "resource_missing"},
		"a reason that is empty": {func() string {
			_, err := w.Charges.Void(t.Context(), w.Actor(), open.ID.String(), charge.VoidInput{Reason: ptr("")}, nil)
			return code(err)
		}(), "parameter_invalid"},
	} {
		if got[0] != got[1] {
			t.Errorf("%s: %s, want %s", name, got[0], got[1])
		}
	}
	w.Clock.Advance(7 * 24 * time.Hour)
	if got := capture(old.ID.String(), 1); got != "authorization_expired" {
		t.Errorf("after seven days, before the sweep: %s", got)
	}
	step(t, w)
	if got := capture(old.ID.String(), 1); got != "authorization_expired" ||
		get(t, w, old.ID).Status != charge.Expired {
		t.Errorf("after the sweep: %s", got)
	}
	audit(t, w)
}

// step runs what became due until nothing is left.
func step(t *testing.T, w *fixture.World) {
	t.Helper()
	for {
		views, err := w.Clocks.Views(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		done := 0
		for _, v := range views {
			n, err := w.Charges.Step(t.Context(), v)
			if err != nil {
				t.Fatal(err)
			}
			done += n
		}
		if done == 0 {
			return
		}
	}
}

func TestCaptureHappensOncePerKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := held(t, w, 1000)
	do := func(amount money.Amount) (charge.Result, error) {
		claim := followClaim(w, "once")
		claim.Fingerprint[0] = byte(amount)
		return w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{Amount: &amount}, claim)
	}
	first, err := do(300)
	if err != nil {
		t.Fatal(err)
	}
	again, err := do(300)
	if err != nil || again.Prior == nil || string(again.Prior.Outcome.Result) != jsonOf(t, first.Object) {
		t.Errorf("%+v, %v", again, err)
	}
	if _, err := do(301); code(err) != "idempotency_key_reused" {
		t.Errorf("another amount: %v", err)
	}
	if n := count(t, w, "sandbox_processor_book WHERE kind = 'capture'", pg.Args{}); n != 1 {
		t.Errorf("%d captures", n)
	}
	audit(t, w)
}

func TestOneOfManyCapturesAndVoidsWins(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const pairs = 25
	var all sync.WaitGroup
	won := make([][]string, pairs)
	var mu sync.Mutex
	for i := range pairs {
		id := held(t, w, 1000).ID.String()
		note := func(what string, err error) {
			mu.Lock()
			defer mu.Unlock()
			switch c := code(err); {
			case err == nil:
				won[i] = append(won[i], what)
			case c != "operation_in_progress" && c != "charge_not_capturable" && c != "charge_not_voidable":
				t.Errorf("%s lost with %v", what, err)
			}
		}
		all.Go(func() {
			_, err := w.Charges.Capture(t.Context(), w.Actor(), id, charge.CaptureInput{}, nil)
			note("capture", err)
		})
		all.Go(func() {
			_, err := w.Charges.Void(t.Context(), w.Actor(), id, charge.VoidInput{}, nil)
			note("void", err)
		})
	}
	all.Wait()
	for i, w := range won {
		if len(w) != 1 {
			t.Errorf("pair %d: %v succeeded", i, w)
		}
	}
	if n := count(t, w, "sandbox_processor_book WHERE kind IN ('capture', 'void')", pg.Args{}); n != pairs {
		t.Errorf("%d calls for %d pairs", n, pairs)
	}
	audit(t, w)
}

// losing plays a processor whose captures and voids are submitted, or not, without an answer.
type losing struct {
	processor.Processor
	arrives bool
}

func (p losing) Capture(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.lose(ctx, f, p.Processor.Capture)
}

func (p losing) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	return p.lose(ctx, f, p.Processor.Void)
}

func (p losing) lose(ctx context.Context, f processor.FollowUp,
	call func(context.Context, processor.FollowUp) (processor.Answer, error)) (processor.Answer, error) {
	if p.arrives {
		if _, err := call(ctx, f); err != nil {
			return processor.Answer{}, err
		}
	}
	return processor.Answer{}, fmt.Errorf("the connection was lost")
}

func TestFollowUpWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, arrives := range []bool{true, false} {
		for _, kind := range []string{"capture", "void"} {
			t.Run(fmt.Sprint(kind, arrives), func(t *testing.T) {
				t.Parallel()
				w := fixture.New(t)
				c := held(t, w, 1000)
				w.Charges.CallWith(losing{w.Processor, arrives})
				do := func() (charge.Result, error) {
					if kind == "void" {
						return w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{},
							followClaim(w, "k"))
					}
					return w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{},
						followClaim(w, "k"))
				}
				out, err := do()
				if err != nil || !out.Unknown || out.Object.Status != charge.Authorized {
					t.Fatalf("%+v, %v", out, err)
				}
				if again, err := do(); err != nil || !again.Unknown || again.Prior == nil {
					t.Errorf("a retry meanwhile: %+v, %v", again, err)
				}
				if _, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{},
					nil); code(err) != "operation_in_progress" {
					t.Errorf("another capture meanwhile: %v", err)
				}
				if err := w.Clocks.Advance(t.Context(), w.App.AppID, 8*24*time.Hour); err != nil {
					t.Fatal(err)
				}
				step(t, w) // while a call is open, no authorization expires
				w.Clock.Advance(w.Processor.SettleWindow() + time.Second)
				resolve(t, w, 1)
				want := map[string]charge.Status{"capture": charge.Captured, "void": charge.Voided}[kind]
				if !arrives {
					want = charge.Authorized
				}
				if got := get(t, w, c.ID); got.Status != want {
					t.Errorf("%s, want %s", got.Status, want)
				}
				again, err := do()
				switch {
				case err != nil || again.Prior == nil || again.Prior.State != idempotency.Done:
					t.Errorf("a retry afterwards: %+v, %v", again, err)
				case arrives && string(again.Prior.Outcome.Result) != jsonOf(t, get(t, w, c.ID)):
					t.Errorf("replayed %s", again.Prior.Outcome.Result)
				case !arrives && again.Prior.Outcome.Refusal.Code != "processor_error":
					t.Errorf("replayed %+v", again.Prior.Outcome.Refusal)
				}
				audit(t, w)
			})
		}
	}
}

func TestCapturesOfMerchantsThatTakeNoNewCharges(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	one, other := held(t, w, 1000), held(t, w, 1000)
	capture := func(c charge.Charge) string {
		_, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{}, nil)
		return code(err)
	}
	set(t, w, `UPDATE merchants SET status = 'suspended'`)
	if got := capture(one); got != "<nil>" {
		t.Errorf("suspended, a hold that was taken before: %s", got)
	}
	set(t, w, `UPDATE merchants SET status = 'closed'`)
	if got := capture(other); got != "merchant_not_active" {
		t.Errorf("closed: %s", got)
	}
	if _, err := w.Charges.Void(t.Context(), w.Actor(), other.ID.String(), charge.VoidInput{}, nil); err != nil {
		t.Errorf("a closed merchant's hold is released: %v", err)
	}
}
