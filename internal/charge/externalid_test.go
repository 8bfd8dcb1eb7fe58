package charge_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
)

// tries are the charges that a list by external_id has, newest first.
func tries(t *testing.T, w *fixture.World, externalID string) []charge.Charge {
	t.Helper()
	all, err := w.Charges.List(t.Context(), w.Actor(),
		charge.ListInput{Page: page.Input[ids.Charge]{Limit: 10}, ExternalID: &externalID})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// failures are ways in which a charge named gift fails, by the status that each is left from last.
func failures(t *testing.T, w *fixture.World, p *scripted) map[string]func() ids.Charge {
	failed := func(in charge.CreateInput) ids.Charge {
		in.ExternalID = ptr("gift")
		_, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
		f, ok := fault.As(err)
		if !ok || f.Detail["charge_id"] == nil {
			t.Fatalf("%v", err)
		}
		return mustID(t, f.Detail["charge_id"].(string))
	}
	return map[string]func() ids.Charge{
		"a decline": func() ids.Charge { return failed(input(w, "4000000000000002", 100)) },
		"a loss": func() ids.Charge {
			p.authorize = p.refuse
			in := input(w, good, 100)
			in.ExternalID = ptr("gift")
			c := create(t, w, in, claimOf(w, "lost")).Object
			p.authorize = nil
			w.Clock.Advance(p.SettleWindow() + time.Second)
			resolve(t, w, 1)
			return c.ID
		},
		"a return": func() ids.Charge {
			in := charge.CreateInput{MerchantID: &w.App.Merchants.US, Amount: input(w, good, 100).Amount,
				ExternalID: ptr("gift"),
				Token:      ptr(w.BankToken(w.App.Merchants.US, w.USBank(settles)))}
			c := create(t, w, in, nil).Object
			if _, err := w.Charges.Create(t.Context(), w.Actor(), in, nil); code(err) != "external_id_taken" {
				t.Errorf("a debit that is pending holds its external_id: %v", err)
			}
			if err := w.Charges.Return(t.Context(), heard(c, "R01")); err != nil {
				t.Fatal(err)
			}
			return c.ID
		},
	}
}

// A charge that fails, in whichever way, leaves its external_id to the next try and still shows it.
func TestFailedChargesReleaseTheirExternalID(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	var want []ids.Charge
	for what, fail := range failures(t, w, p) {
		id := fail()
		want = append(want, id)
		if c := get(t, w, id); c.Status != charge.Failed || c.ExternalID == nil || *c.ExternalID != "gift" {
			t.Fatalf("%s: %s", what, jsonOf(t, c))
		}
	}
	in := input(w, good, 100)
	in.ExternalID = ptr("gift")
	live := create(t, w, in, claimOf(w, "last")).Object
	want = append(want, live.ID)
	_, err := w.Charges.Create(t.Context(), w.Actor(), in, claimOf(w, "one more"))
	if f, ok := fault.As(err); !ok || f.Code != "external_id_taken" || f.Detail["charge_id"] != live.ID.String() {
		t.Errorf("the charge that was captured holds its external_id: %v", err)
	}
	slices.SortFunc(want, func(a, b ids.Charge) int { x, y := a.Bytes(), b.Bytes(); return slices.Compare(y[:], x[:]) })
	var got []ids.Charge
	for _, c := range tries(t, w, "gift") {
		got = append(got, c.ID)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the list by external_id has %v, not %v", got, want)
	}
	audit(t, w)
}

// What is written on a charge that failed is the application's business, and holds up no other charge.
func TestExternalIDOfAFailedChargeChanges(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	failed := failures(t, w, p)["a decline"]()
	in := input(w, good, 100)
	in.ExternalID = ptr("taken")
	create(t, w, in, nil)
	for _, name := range []*string{ptr("taken"), ptr("free"), nil, ptr("gift")} {
		m := patch.Clear[string]()
		if name != nil {
			m = patch.Set(*name)
		}
		out, err := amend(w, failed, update{ExternalID: m})
		if got := get(t, w, failed).ExternalID; err != nil || jsonOf(t, out.ExternalID) != jsonOf(t, name) ||
			jsonOf(t, got) != jsonOf(t, name) {
			t.Errorf("%s: %s, %v", jsonOf(t, name), jsonOf(t, got), err)
		}
	}
	if _, err := amend(w, failed, update{Description: patch.Set("Another try")}); err != nil ||
		*get(t, w, failed).ExternalID != "gift" {
		t.Errorf("an update of something else: %v", err)
	}
	if n := count(t, w, `charges WHERE status = 'failed' AND external_id IS NOT NULL`, pg.Args{}); n != 0 {
		t.Errorf("%d failed charges hold an external_id", n)
	}
	audit(t, w)
}

// However many requests try again while a charge fails, one of them has the external_id at a time.
func TestTriesRaceWithAFailure(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	var calls atomic.Int64
	p.authorize = func(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
		if calls.Add(1)%5 != 0 {
			a.Card.PAN = w.Card("4000000000000002").Number
		}
		time.Sleep(time.Millisecond)
		return p.Processor.Authorize(ctx, a)
	}
	in := input(w, good, 100)
	in.ExternalID = ptr("gift")
	var captured, declined atomic.Int64
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for captured.Load() == 0 {
				_, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
				switch f, _ := fault.As(err); {
				case err == nil:
					captured.Add(1)
				case f != nil && f.Code == "card_declined":
					declined.Add(1)
				case f == nil || f.Code != "external_id_taken":
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	if captured.Load() != 1 ||
		int64(count(t, w, `charges WHERE released_external_id = 'gift'`, pg.Args{})) != declined.Load() ||
		count(t, w, `charges WHERE external_id = 'gift'`, pg.Args{}) != 1 {
		t.Errorf("%d captured, %d declined", captured.Load(), declined.Load())
	}
	audit(t, w)
}

// A server of the version before writes its statements, and the database releases for it.
func TestServersBeforeReleaseExternalIDs(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.refuse
	in := input(w, good, 100)
	in.ExternalID = ptr("gift")
	processing := create(t, w, in, nil).Object
	const before = `
		INSERT INTO charges (id, application_id, merchant_id, token_id, status, amount, currency, funding_currency,
			type, origin, recurring, stored_credential, capture, payment_method, billing, description,
			external_id, statement_suffix, metadata, processor_name, processor_reference, request_id,
				created_at, updated_at)
		SELECT @new, application_id, merchant_id, token_id, 'processing', amount, currency, funding_currency, type,
			origin, recurring, stored_credential,
			capture, payment_method, billing, description, 'gift', statement_suffix, metadata, processor_name,
				'the next try', request_id, created_at, updated_at
		FROM charges WHERE id = @old
		ON CONFLICT (external_id, application_id) WHERE external_id IS NOT NULL DO NOTHING
		RETURNING id`
	next := ids.NewCharge(w.Clock.Now())
	args := pg.Args{"old": processing.ID, "new": next}
	if _, err := pg.Value[ids.Charge](t.Context(), w.Pool, before, args); !errors.Is(err, pg.ErrNone) {
		t.Errorf("two live charges: %v", err)
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE charges
		SET status = 'failed', failed_at = updated_at, failure = '{}' WHERE id = @id`,
		pg.Args{"id": processing.ID}); err != nil {
		t.Fatal(err)
	}
	if got := get(t, w, processing.ID); got.ExternalID == nil || *got.ExternalID != "gift" {
		t.Errorf("%s", jsonOf(t, got))
	}
	if got, err := pg.Value[ids.Charge](t.Context(), w.Pool, before, args); err != nil || got != next ||
		len(tries(t, w, "gift")) != 2 {
		t.Errorf("the next try: %v, %v", got, err)
	}
}
