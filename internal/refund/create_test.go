package refund_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
	"svcpay/internal/testing/fixture"
)

func TestPartsAndThenTheRest(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 10_000)
	first := create(t, w, of(c, 4_000), nil).Object
	if first.Status != refund.Succeeded || first.Amount != 4_000 || first.SucceededAt == nil || first.Version != 2 {
		t.Errorf("%s", jsonOf(t, first))
	}
	rest := create(t, w, of(c, 0), nil).Object
	if rest.Amount != 6_000 {
		t.Errorf("all that is left is %d", rest.Amount)
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefunded != 10_000 || now.AmountRefundPending != 0 ||
		now.AmountRefundable != 0 || now.Status != charge.Captured ||
		now.FeeTotal != c.FeeTotal || now.Version != c.Version+4 {
		t.Errorf("%s", jsonOf(t, now))
	}
	for _, in := range []refund.CreateInput{of(c, 0), of(c, 1)} {
		_, err := w.Refunds.Create(t.Context(), w.Actor(), in, nil)
		if f, _ := fault.As(err); f == nil || f.Code != "refund_exceeds_remaining" || f.Kind != fault.KindRefused ||
			f.Detail["remaining"] != money.Amount(0) {
			t.Errorf("nothing is left: %v", err)
		}
	}
	want := processor.FollowUp{Reference: first.ID.String(), Account: c.Account(), OriginalID: p.calls[0].OriginalID,
		Original: c.Processor.Reference, Amount: 4_000, Currency: money.USD}
	if len(p.calls) != 2 || p.calls[0] != want || want.OriginalID == "" {
		t.Errorf("sent %+v", p.calls)
	}
	balances, err := ledger.Balances(t.Context(), w.Pool, w.App.AppID, w.App.Merchants.US)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range balances { // the fees stay: the merchant owes them now
		if w := map[ledger.Account]money.Amount{ledger.MerchantPending: c.FeeTotal,
			ledger.ApplicationFees: -c.FeeTotal}[b.Account]; b.Balance != w {
			t.Errorf("%s = %d, want %d", b.Account, b.Balance, w)
		}
	}
	audit(t, w)
}

func TestAnswerAndRecordAgree(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c, claim := captured(t, w, 12_345), claimOf(w, "k")
	in := of(c, 45)
	in.Reason, in.Note, in.ExternalID, in.Metadata = ptr("requested_by_payer"), ptr("Ticket returned"), ptr("gift-1"),
		map[string]string{"desk": "4"}
	actor := w.Actor()
	actor.KeyName = "Demo server"
	out, err := w.Refunds.Create(t.Context(), actor, in, claim)
	if err != nil {
		t.Fatal(err)
	}
	r := out.Object
	if was, is := jsonOf(t, r), jsonOf(t, get(t, w, r.ID)); was != is {
		t.Errorf("answered %s\nrecorded %s", was, is)
	}
	if r.Object != "refund" || r.Livemode || r.MerchantID != w.App.Merchants.US || r.Currency != money.USD ||
		r.Processor != (charge.ProcessorRef{Name: "sandbox", Reference: r.ID.String()}) ||
		r.InitiatedBy != (refund.InitiatedBy{Kind: "api", KeyName: "Demo server"}) || *r.Note != "Ticket returned" ||
		r.Metadata["desk"] != "4" {
		t.Errorf("%s", jsonOf(t, r))
	}
	before := count(t, w, "events", pg.Args{})
	if replay := create(t, w, in, claim); replay.Prior == nil || string(replay.Prior.Outcome.Result) != jsonOf(t, r) ||
		count(t, w, "events", pg.Args{}) != before {
		t.Errorf("replayed %+v", replay)
	}
}

func TestEventsTellTheStory(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := captured(t, w, 100)
	actor := w.Actor()
	out, err := w.Refunds.Create(t.Context(), actor, of(c, 40), nil)
	if err != nil {
		t.Fatal(err)
	}
	type event struct {
		Type, Source string
		Position     int64
		Keys         []string
		Request      ids.Request
	}
	of := func(id [16]byte, after int) []event {
		events, err := pg.All[event](t.Context(), w.Pool, `
			SELECT type, source, position, ARRAY(SELECT json_object_keys(previous_attributes) ORDER BY 1) AS keys,
				request_id AS request
			FROM events WHERE object_id = @id AND position > @after
				ORDER BY position`, pg.Args{"id": id, "after": after})
		if err != nil {
			t.Fatal(err)
		}
		return events
	}
	check := func(got []event, want ...event) {
		t.Helper()
		if len(got) != len(want) {
			t.Fatalf("%d events: %+v", len(got), got)
		}
		for i, e := range got {
			if e.Type != want[i].Type || e.Position != want[i].Position || !slices.Equal(e.Keys, want[i].Keys) ||
				e.Source != "api" || e.Request != actor.RequestID {
				t.Errorf("event %d: %+v, want %+v", i, e, want[i])
			}
		}
	}
	check(of(out.Object.ID.Bytes(), 0),
		event{Type: "refund.created", Position: 1, Keys: []string{}},
		event{Type: "refund.succeeded", Position: 2, Keys: []string{"status", "succeeded_at", "version"}})
	check(of(c.ID.Bytes(), c.Version),
		event{Type: "charge.updated", Position: 3,
			Keys: []string{"amount_refund_pending", "amount_refundable", "version"}},
		event{Type: "charge.refunded", Position: 4,
			Keys: []string{"amount_refund_pending", "amount_refunded", "net_after_reversals", "version"}})
	last, err := pg.Value[bool](t.Context(), w.Pool, `SELECT object::jsonb = @now::jsonb FROM events
		WHERE object_id = @id AND position = 2`,
		pg.Args{"id": out.Object.ID, "now": jsonOf(t, get(t, w, out.Object.ID))})
	if err != nil || !last {
		t.Errorf("the last event does not show the refund as it is: %v", err)
	}
}

// A refund that the processor refuses is no error of the request.
func TestRefusalOfTheProcessor(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.refund = p.decline
	c, claim := captured(t, w, 100), claimOf(w, "k")
	r := create(t, w, of(c, 30), claim).Object
	if r.Status != refund.Failed || r.Failure == nil || r.Failure.Code != "refund_declined" || r.FailedAt == nil ||
		r.SucceededAt != nil {
		t.Errorf("%s", jsonOf(t, r))
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefundable != 100 || now.AmountRefundPending != 0 ||
		now.AmountRefunded != 0 {
		t.Errorf("%s", jsonOf(t, now))
	}
	if again := create(t, w, of(c, 30), claim); again.Prior == nil ||
		string(again.Prior.Outcome.Result) != jsonOf(t, r) || len(p.calls) != 1 {
		t.Errorf("replayed %+v", again)
	}
	p.refund = nil
	if r := create(t, w, of(c, 0), nil).Object; r.Status != refund.Succeeded || r.Amount != 100 {
		t.Errorf("afterwards %s", jsonOf(t, r))
	}
	audit(t, w)
}

func TestRefusalsLeaveNothingBehind(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 100)
	hold, err := w.Charges.Create(t.Context(), w.Actor(), charge.CreateInput{MerchantID: &w.App.Merchants.US,
		Amount: ptr(money.Amount(100)), Token: ptr(w.Token(good)), Capture: ptr(false)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	unknown := charge.Charge{ID: ids.NewCharge(w.Clock.Now())}
	theirs := w.ActorOf(w.Other)
	taken := of(c, 10)
	taken.ExternalID = ptr("gift-1")
	first := create(t, w, taken, nil).Object
	taken.Amount = ptr(money.Amount(1_000))
	malformed := refund.CreateInput{ChargeID: ptr("re_" + c.ID.String()[3:])}
	rows := func() int {
		return count(t, w, "refunds", pg.Args{}) + count(t, w, "events", pg.Args{}) +
			count(t, w, "idempotency_keys", pg.Args{}) +
			count(t, w, "processor_operations", pg.Args{})
	}
	before, calls := rows(), len(p.calls)
	for name, tt := range map[string]struct {
		actor  authz.Actor
		in     refund.CreateInput
		kind   fault.Kind
		code   string
		detail map[string]any
	}{
		"more than is left":     {w.Actor(), of(c, 91), fault.KindRefused, "refund_exceeds_remaining", map[string]any{"remaining": money.Amount(90)}},
		"authorized":            {w.Actor(), of(hold.Object, 1), fault.KindConflict, "charge_not_refundable", nil},
		"unknown charge":        {w.Actor(), of(unknown, 1), fault.KindNotFound, "resource_missing", nil},
		"malformed charge":      {w.Actor(), malformed, fault.KindNotFound, "resource_missing", nil},
		"another application's": {theirs, of(c, 1), fault.KindNotFound, "resource_missing", nil},
		"external id":           {w.Actor(), taken, fault.KindConflict, "external_id_taken", map[string]any{"refund_id": first.ID.String()}},
		"browser":               {authz.Actor{Role: authz.RolePublicKey, ApplicationID: w.App.AppID}, of(c, 1), fault.KindForbidden, "permission_denied", nil},
		"no charge":             {w.Actor(), refund.CreateInput{}, fault.KindInvalid, "parameter_missing", nil},
	} {
		claim := claimOf(w, name)
		claim.ApplicationID = tt.actor.ApplicationID
		_, err := w.Refunds.Create(t.Context(), tt.actor, tt.in, claim)
		f, ok := fault.As(err)
		if !ok || f.Code != tt.code || f.Kind != tt.kind {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for k, v := range tt.detail {
			if f.Detail[k] != v {
				t.Errorf("%s: %s = %v, want %v", name, k, f.Detail[k], v)
			}
		}
	}
	if after := rows(); after != before || len(p.calls) != calls {
		t.Errorf("%d rows and %d calls were left", after-before, len(p.calls)-calls)
	}
	_, err = w.Refunds.Create(t.Context(), w.Actor(), of(hold.Object, 1), nil)
	if f, _ := fault.As(err); !strings.Contains(f.Message, "authorized") {
		t.Errorf("the status is not named: %v", err)
	}
	audit(t, w)
}

func TestExternalIDIsTakenOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var charges []charge.Charge
	for range 4 {
		charges = append(charges, captured(t, w, 1_000))
	}
	var made atomic.Int64
	var all sync.WaitGroup
	for i := range 12 {
		in := of(charges[i%4], 10)
		in.ExternalID = ptr("gift-1")
		all.Go(func() {
			_, err := w.Refunds.Create(t.Context(), w.Actor(), in, nil)
			if err == nil {
				made.Add(1)
			} else if f, ok := fault.As(err); !ok || f.Code != "external_id_taken" || f.Param != "external_id" ||
				!strings.HasPrefix(f.Detail["refund_id"].(string), "re_") {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || count(t, w, "refunds", pg.Args{}) != 1 {
		t.Errorf("made %d", made.Load())
	}
	audit(t, w)
}

func TestMerchantThatTakesNoChargesCanRefund(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for _, status := range []string{"suspended", "closed"} {
		c := captured(t, w, 100)
		if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET status = @status WHERE id = @id`,
			pg.Args{"status": status, "id": c.MerchantID}); err != nil {
			t.Fatal(err)
		}
		if r := create(t, w, of(c, 0), nil).Object; r.Status != refund.Succeeded {
			t.Errorf("%s: %s", status, jsonOf(t, r))
		}
		if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET status = 'active'
			WHERE id = @id`, pg.Args{"id": c.MerchantID}); err != nil {
			t.Fatal(err)
		}
	}
}

// insist creates a refund and tries again when the database was too busy.
func insist(t *testing.T, w *fixture.World, in refund.CreateInput, claim *idempotency.Claim) (refund.Result, error) {
	t.Helper()
	for range 50 {
		out, err := w.Refunds.Create(t.Context(), w.Actor(), in, claim)
		if !pg.IsUnavailable(err) && code(err) != "overloaded" {
			return out, err
		}
		time.Sleep(20 * time.Millisecond)
	}
	t.Error("the database stays busy")
	return refund.Result{}, nil
}

func TestSixtyAtOnceGiveBackNoMoreThanThereIs(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c := captured(t, w, 10_000)
	var made, refused atomic.Int64
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			switch out, err := insist(t, w, of(c, 3_000), nil); {
			case err == nil && out.Object.Status == refund.Succeeded:
				made.Add(1)
			case code(err) == "refund_exceeds_remaining":
				refused.Add(1)
			default: // the CHECK, for one
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	all.Wait()
	if made.Load() != 3 || refused.Load() != 57 || len(p.calls) != 3 {
		t.Errorf("%d made, %d refused, %d calls", made.Load(), refused.Load(), len(p.calls))
	}
	if now := chargeOf(t, w, c.ID); now.AmountRefunded != 9_000 || now.AmountRefundable != 1_000 ||
		now.AmountRefundPending != 0 {
		t.Errorf("%s", jsonOf(t, now))
	}
	audit(t, w)
}

func TestRefundsAtOnceEachGetTheirOwnAnswer(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	var charges []charge.Charge
	for range 6 {
		charges = append(charges, captured(t, w, 1_000))
	}
	var all sync.WaitGroup
	for i := range 30 {
		in, want := of(charges[i%6], 100), "<nil>"
		switch i / 6 {
		case 1:
			in, want = of(charges[i%6], 5_000), "refund_exceeds_remaining"
		case 2:
			missing := ids.NewCharge(w.Clock.Now()).String()
			in.ChargeID, want = &missing, "resource_missing"
		}
		all.Go(func() {
			if out, err := w.Refunds.Create(t.Context(), w.Actor(), in,
				claimOf(w, fmt.Sprint("k", i))); code(err) != want || err == nil &&
				out.Object.ChargeID.String() != *in.ChargeID {
				t.Errorf("request %d: %+v, %v; want %s", i, out.Object, err, want)
			}
		})
	}
	all.Wait()
	for _, c := range charges {
		if now := chargeOf(t, w, c.ID); now.AmountRefunded != 300 || now.AmountRefundPending != 0 {
			t.Errorf("%s", jsonOf(t, now))
		}
	}
	if n := count(t, w, "idempotency_keys WHERE path = '/api/refunds'", pg.Args{}); n != 18 || len(p.calls) != 18 {
		t.Errorf("%d keys, %d calls of 18: refusals keep theirs", n, len(p.calls))
	}
	audit(t, w)
}

func TestManyAtOnceWithOneKey(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	c, claim := captured(t, w, 10_000), claimOf(w, "k")
	var made atomic.Int64
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			out, err := insist(t, w, of(c, 100), claim)
			switch {
			case err == nil && out.Prior == nil:
				made.Add(1)
			case err == nil && out.Prior.State == idempotency.Done, code(err) == "idempotency_key_in_use":
			default:
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
	all.Wait()
	if made.Load() != 1 || len(p.calls) != 1 || count(t, w, "refunds", pg.Args{}) != 1 {
		t.Errorf("made %d with %d calls", made.Load(), len(p.calls))
	}
	audit(t, w)
}
