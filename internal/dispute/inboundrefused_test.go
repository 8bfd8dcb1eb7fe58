package dispute_test

import (
	"errors"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

func TestEventsThatCannotBeUnderstood(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c, other := w.charged(1000), w.charged(1000)
	good := w.noticed(c, 1000)
	with := func(edit func(*processor.Event, *processor.DisputeNotice)) processor.Event {
		ev, n := good, *good.Dispute
		ev.Dispute = &n
		edit(&ev, &n)
		return ev
	}
	w.heard(opened, good)
	for name, tt := range map[string]struct {
		ev   processor.Event
		want error
		code string
	}{
		"no notice":      {with(func(ev *processor.Event, _ *processor.DisputeNotice) { ev.Dispute = nil }), dispute.ErrNotice, ""},
		"no name":        {with(func(_ *processor.Event, n *processor.DisputeNotice) { n.ID = "" }), dispute.ErrNotice, ""},
		"no amount":      {with(func(_ *processor.Event, n *processor.DisputeNotice) { n.Amount = 0 }), dispute.ErrNotice, ""},
		"other currency": {with(func(_ *processor.Event, n *processor.DisputeNotice) { n.Currency = money.CAD }), dispute.ErrNotice, ""},
		"another charge": {with(func(ev *processor.Event, _ *processor.DisputeNotice) { ev.Reference = other.Processor.Reference }), dispute.ErrNotice, ""},
		"no charge of us": {with(func(ev *processor.Event, _ *processor.DisputeNotice) {
			ev.Reference = ids.NewCharge(w.Clock.Now()).String()
		}), nil, "resource_missing"},
		"nothing at all":   {with(func(ev *processor.Event, _ *processor.DisputeNotice) { ev.Reference = "" }), nil, "resource_missing"},
		"charge under way": {with(func(ev *processor.Event, _ *processor.DisputeNotice) { ev.Reference = w.underWay().Processor.Reference }), charge.ErrUnresolved, ""},
	} {
		for _, kind := range []processor.EventKind{opened, escalated, won, lost, closed} {
			err := w.hear(kind, tt.ev)
			if tt.want != nil && !errors.Is(err, tt.want) || tt.want == nil && code(err) != tt.code {
				t.Errorf("%s, %s: %v", name, kind, err)
			}
		}
	}
	if n := w.count(`disputes`); n != 1 {
		t.Errorf("%d disputes", n)
	}
	w.audit(t)
}

func TestNamesBelongToOneProcessor(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, _ := w.opened(100)
	_, err := pg.Exec(t.Context(), w.Pool, `INSERT INTO disputes SELECT (r).*
		FROM (SELECT jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid())) AS r
			FROM disputes d) x`, pg.Args{})
	if got := pg.Violated(err); got != "disputes_processor_name_processor_dispute_key" {
		t.Errorf("a second dispute by the name of %s: %v", d.ID, err)
	}
}
