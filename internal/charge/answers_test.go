package charge_test

import (
	"context"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// answered is what an operation keeps of its processor's answer.
type answered struct {
	Kind       string  `db:"kind"`
	ExternalID *string `db:"external_id"`
	RawCode    *string `db:"raw_code"`
	Code       *string `db:"authorization_code"`
}

func answersOf(t *testing.T, q pg.Querier, c charge.Charge) []answered {
	t.Helper()
	all, err := pg.All[answered](t.Context(), q, `
		SELECT kind, external_id, raw_code, authorization_code FROM processor_operations WHERE charge_id = @id
			ORDER BY kind`, pg.Args{"id": c.ID})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A processor's own id of a payment is kept, however its answer was learnt, and later calls hand it back.
func TestAnswersAreKeptAndHandedBack(t *testing.T) {
	t.Parallel()
	for _, lost := range []bool{false, true} {
		w, p := newScripted(t)
		p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
			if lost {
				return p.lose(ctx, a)
			}
			answer, err := p.Processor.Authorize(ctx, a)
			answer.ExternalID = "a_lie" // which no capture of this processor may name
			return answer, err
		}
		in := input(w, good, 100)
		in.Capture = new(bool)
		c := create(t, w, in, nil).Object
		if lost {
			w.Clock.Advance(time.Second)
			resolve(t, w, 1)
		}
		first := answersOf(t, w.Pool, c)
		if len(first) != 1 || first[0].ExternalID == nil || first[0].Code == nil || first[0].RawCode != nil ||
			(*first[0].ExternalID == "a_lie") == lost {
			t.Fatalf("lost %v: %+v", lost, first)
		}
		out, err := w.Charges.Capture(t.Context(), w.Actor(), c.ID.String(), charge.CaptureInput{}, nil)
		if lost {
			if err != nil || out.Object.Status != charge.Captured {
				t.Errorf("%+v, %v", out.Object, err)
			}
			continue
		}
		all := answersOf(t, w.Pool, c)
		if err == nil || len(all) != 2 || all[1].RawCode == nil || *all[1].RawCode != "original_not_found" ||
			all[1].ExternalID != nil {
			t.Errorf("captured by a wrong id: %+v, %v", all, err)
		}
	}
}
