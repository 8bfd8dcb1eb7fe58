package fee

import (
	"cmp"
	"context"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

const (
	previewSpan     = 30 * 24 * time.Hour
	previewExamples = 3
)

// Preview compares what a merchant's last 30 days cost with what they would have cost by other
// rates. Amounts are minor units of the merchant's currency.
type Preview struct {
	From     instant.Time `json:"from"`
	To       instant.Time `json:"to"`
	Events   int64        `json:"events"` // those that could cost something, whether they did or not
	OldTotal money.Amount `json:"old_total"`
	NewTotal money.Amount `json:"new_total"`
	// Fees has the settings that cost something by either rates, in their order.
	Fees []PreviewFee `json:"fees"`
	// Examples are up to three different events, first those whose cost changes most.
	Examples []PreviewEvent `json:"examples"`
}

// PreviewFee is one setting's part of a preview.
type PreviewFee struct {
	Fee      string       `json:"fee"`
	OldCount int64        `json:"old_count"` // how many lines
	NewCount int64        `json:"new_count"`
	OldTotal money.Amount `json:"old_total"`
	NewTotal money.Amount `json:"new_total"`
}

// PreviewEvent is an event with its lines as they were, and as they would have been.
type PreviewEvent struct {
	SourceID   string       `json:"source_id"` // the charge, or the dispute
	Kind       Kind         `json:"kind"`
	Base       money.Amount `json:"base"`
	Brand      string       `json:"brand"` // "" without a card
	OccurredAt instant.Time `json:"occurred_at"`
	Old        []Line       `json:"old"`
	New        []Line       `json:"new"`
	OldTotal   money.Amount `json:"old_total"`
	NewTotal   money.Amount `json:"new_total"`
}

// alike is a number of events that cost the same by any rates, and did: one computation serves all.
type alike struct {
	Kind       Kind         `db:"kind"`
	Base       money.Amount `db:"base"`
	Brand      string       `db:"brand"`
	Lines      []Line       `db:"lines"`
	Count      int64        `db:"count"`
	SourceID   [16]byte     `db:"source_id"` // the latest of them
	OccurredAt instant.Time `db:"occurred_at"`
}

// Preview computes what the merchant's recorded events of the last 30 days, by the application's
// clock, would have cost by the proposed rates. Nothing is written.
func (s *Service) Preview(ctx context.Context, actor authz.Actor, merchantID int64, proposed Rates) (Preview, error) {
	q, err := s.ofMerchant(actor, authz.FeeRead, merchantID)
	if err != nil {
		return Preview{}, err
	}
	if err := proposed.Validate().Err(); err != nil {
		return Preview{}, err
	}
	m, err := s.deps.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return Preview{}, err
	}
	if err := q.exists(ctx, s.deps.Pool); err != nil {
		return Preview{}, err
	}
	from := m.At.Add(-previewSpan)
	groups, err := pg.All[alike](ctx, s.deps.Pool, `
		SELECT kind, base, brand, lines, count(*) AS count, max(occurred_at) AS occurred_at,
			(array_agg(source_id ORDER BY occurred_at DESC, source_id DESC))[1] AS source_id
		FROM fee_events
		WHERE application_id = @application_id AND merchant_id = @merchant_id AND occurred_at > @from
			AND occurred_at <= @to
		GROUP BY kind, base, brand, lines`, q.args(pg.Args{"from": from, "to": m.At}))
	if err != nil {
		return Preview{}, err
	}
	out := compare(groups, Schedule{Rates: proposed})
	out.From, out.To = instant.Of(from), instant.Of(m.At)
	return out, nil
}

// compare sums what groups of events cost and would cost.
func compare(groups []alike, proposal Schedule) Preview {
	out := Preview{Fees: []PreviewFee{}, Examples: make([]PreviewEvent, 0, previewExamples)}
	fees := make(map[string]PreviewFee)
	events := make([]PreviewEvent, len(groups))
	for i, g := range groups {
		e := PreviewEvent{SourceID: sourceID(g.Kind, g.SourceID), Kind: g.Kind, Base: g.Base, Brand: g.Brand,
			OccurredAt: g.OccurredAt,
			Old:        g.Lines, New: append([]Line{}, proposal.Lines(g.Kind, g.Base, g.Brand)...)}
		e.OldTotal, e.NewTotal = Total(e.Old), Total(e.New)
		out.Events += g.Count
		out.OldTotal += e.OldTotal * money.Amount(g.Count)
		out.NewTotal += e.NewTotal * money.Amount(g.Count)
		for _, l := range e.Old {
			f := fees[l.Fee]
			f.OldCount, f.OldTotal = f.OldCount+g.Count, f.OldTotal+l.Amount*money.Amount(g.Count)
			fees[l.Fee] = f
		}
		for _, l := range e.New {
			f := fees[l.Fee]
			f.NewCount, f.NewTotal = f.NewCount+g.Count, f.NewTotal+l.Amount*money.Amount(g.Count)
			fees[l.Fee] = f
		}
		events[i] = e
	}
	for _, set := range settings {
		if f := fees[set.Name]; f.OldCount+f.NewCount > 0 {
			f.Fee = set.Name
			out.Fees = append(out.Fees, f)
		}
	}
	slices.SortFunc(events, func(a, b PreviewEvent) int {
		return cmp.Or(cmp.Compare(b.change(), a.change()), b.OccurredAt.Compare(a.OccurredAt.Time),
			cmp.Compare(a.SourceID, b.SourceID), cmp.Compare(a.Kind, b.Kind))
	})
	out.Examples = append(out.Examples, events[:min(len(events), previewExamples)]...)
	return out
}

// change is how far the two costs of the event lie apart.
func (e PreviewEvent) change() money.Amount { return max(e.NewTotal-e.OldTotal, e.OldTotal-e.NewTotal) }

func sourceID(k Kind, id [16]byte) string {
	if k == Chargeback || k == Retrieval {
		return ids.DisputeFrom(id).String()
	}
	return ids.ChargeFrom(id).String()
}
