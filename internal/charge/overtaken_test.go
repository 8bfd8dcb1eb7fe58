package charge_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

// losesVoids is the sandbox's processor, to which no void finds its way, or from which no answer to one.
type losesVoids struct {
	*sandbox.Processor
	arrive bool
}

func (p *losesVoids) Void(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
	if p.arrive {
		_, _ = p.Processor.Void(ctx, f)
	}
	return processor.Answer{}, errors.New("the connection was lost")
}

// What the processor reports a debit does not wait for a void of it whose outcome is not known. The
// void ends all the same, without an effect, and its key has an outcome.
func TestVoidIsOvertaken(t *testing.T) {
	t.Parallel()
	line := &losesVoids{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		line.Processor = inner
		return line
	})
	for n, happen := range []func(charge.Charge) error{
		func(c charge.Charge) error { return w.Charges.Return(t.Context(), heard(c, "R01")) },
		func(c charge.Charge) error { return w.Charges.SettleNow(t.Context(), heard(c, "")) },
	} {
		for _, arrive := range []bool{false, true} {
			line.arrive = arrive
			c, claim := debit(t, w, 1000, nil), followClaim(w, fmt.Sprint(n, arrive))
			out, err := w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, claim)
			if err != nil || !out.Unknown {
				t.Fatalf("%v, %s", err, jsonOf(t, out))
			}
			if err := happen(c); err != nil {
				t.Fatal(err)
			}
			before := get(t, w, c.ID)
			w.Clock.Advance(w.Processor.SettleWindow() + time.Second)
			if _, err := w.Operations.Resolve(t.Context()); err != nil { // it watches the first one still
				t.Fatal(err)
			}
			if n := count(t, w, `processor_operations WHERE state = 'open'`, pg.Args{}); n > 0 {
				t.Errorf("%s: %d calls stay open", before.Status, n)
			}
			want := "processor_error"
			if arrive {
				want = "charge_not_voidable"
			}
			again, err := w.Charges.Void(t.Context(), w.Actor(), c.ID.String(), charge.VoidInput{}, claim)
			if err != nil || again.Prior == nil || again.Prior.Outcome.Refusal == nil ||
				again.Prior.Outcome.Refusal.Code != want {
				t.Errorf("%s: the key gives %v, %s", before.Status, err, jsonOf(t, again.Prior))
			}
			if after := get(t, w, c.ID); jsonOf(t, after) != jsonOf(t, before) {
				t.Errorf("the void changed %s\nto %s", jsonOf(t, before), jsonOf(t, after))
			}
		}
	}
	audit(t, w)
}
