package reconcile

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// grantsOf is what the records call a provider of donor-advised funds, which may have a processor's name.
const grantsOf = "daf:"

// GrantDeps are what the service works with.
type GrantDeps struct {
	Pool     *pgxpool.Pool
	Provider provider.Provider
	Now      func() time.Time
}

// Grants reconciles one provider of donor-advised funds: the grants in its book with our donations, by our
// reference and the tracking id.
type Grants struct {
	GrantDeps
	runs
}

// NewGrants makes the service.
func NewGrants(d GrantDeps) *Grants {
	s := &Grants{GrantDeps: d}
	s.runs = runs{pool: d.Pool, machine: d.Now, name: grantsOf + d.Provider.Name(), window: d.Provider.SettleWindow(),
		batch: batch, stages: []stage{reading, operations, rechecking}, books: s, calls: d.Provider.Name(),
		grants: true}
	return s
}

// postingsTx takes none: grants have no postings.
func (s *Grants) postingsTx(context.Context, *pg.Tx, Run) (part, error) { return part{}, nil }

// rewindTx has a run begin at the first grant whose state may differ from ours now: one that was still on its way,
// or whose state was too new to the run before.
func (s *Grants) rewindTx(tx *pg.Tx) {
	tx.Later(`
		UPDATE reconciliation_cursors SET line = least(line, coalesce((
			SELECT min(number) - 1 FROM reconciliation_grants
			WHERE provider = @processor AND (state = '' OR state_at > (
				SELECT max(horizon) FROM reconciliation_runs WHERE processor = @processor
					AND finished_at IS NOT NULL))), line))
		WHERE processor = @processor`, pg.Args{"processor": s.name})
}

// read asks the provider for the lines after the last one that was read, and for the money that arrived since.
func (s *Grants) read(ctx context.Context) (taking, error) {
	c, err := s.cursor(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, provider.CallTimeout)
	defer cancel()
	lines, err := s.Provider.Book(ctx, c.Line, s.batch)
	if err != nil {
		return nil, err
	}
	arrivals := s.arrivals(ctx, c.Arrival)
	return func(ctx context.Context, tx *pg.Tx, _ Run) (part, error) {
		return s.linesTx(ctx, tx, c, lines, arrivals)
	}, nil
}

// arrivals asks for the money that arrived after a number. None of it is missed if they cannot be read: the next run
// goes on from there, and money that has not arrived is no difference.
func (s *Grants) arrivals(ctx context.Context, after int64) []provider.Arrival {
	p, ok := s.Provider.(provider.Arrivals)
	if !ok {
		return nil
	}
	found, err := p.Arrivals(ctx, after, s.batch)
	if err != nil {
		slog.WarnContext(ctx, "the money of grants that arrived could not be read", "provider", s.Provider.Name(),
			"error", err.Error())
		return nil
	}
	return found
}

// linesTx writes down a page of the book, since when each line has its state, and what arrived. A page that another
// binary has written in the meantime is dropped.
func (s *Grants) linesTx(ctx context.Context, tx *pg.Tx, from cursor, lines []provider.Line,
	arrivals []provider.Arrival) (part, error) {
	c, err := s.cursor(ctx, tx)
	if err != nil || c.Line != from.Line || c.Arrival != from.Arrival {
		return part{more: true}, err
	}
	p := part{more: len(lines) == s.batch || len(arrivals) == s.batch, lines: len(lines)}
	if len(lines)+len(arrivals) == 0 {
		return p, nil
	}
	now := s.machine()
	for _, l := range lines {
		tx.Later(`
			INSERT INTO reconciliation_grants AS g (provider, number, reference, tracking_id, account,
				amount, state, at, state_at)
			VALUES (@processor, @number, @reference, @tracking_id, @account, @amount, @state, @at, @now)
			ON CONFLICT (provider, number) DO UPDATE SET state = excluded.state,
				state_at = CASE WHEN g.state = excluded.state THEN g.state_at ELSE excluded.state_at END`,
			pg.Args{"processor": s.name, "number": l.Number, "reference": l.Reference, "tracking_id": l.TrackingID,
				"account": l.Account, "amount": l.Amount, "state": l.State, "at": l.At, "now": now})
		p.wanted = append(p.wanted, wanted{Reference: l.Reference})
		c.Line = l.Number
	}
	for _, a := range arrivals {
		tx.Later(`
			INSERT INTO reconciliation_arrivals (provider, id, reference, amount, fee, reported_fee, at)
			VALUES (@processor, @id, @reference, @amount, @fee, @reported_fee, @at)
			ON CONFLICT (provider, id) DO UPDATE SET amount = excluded.amount, fee = excluded.fee,
				reported_fee = excluded.reported_fee, at = excluded.at`,
			pg.Args{"processor": s.name, "id": a.ID, "reference": a.Reference, "amount": a.Amount, "fee": a.Fee,
				"reported_fee": a.ReportedFee, "at": a.At})
		p.wanted = append(p.wanted, wanted{Reference: a.Reference})
		c.Arrival = a.Number
	}
	tx.Later(`UPDATE reconciliation_cursors SET line = @line, arrival = @arrival WHERE processor = @processor`,
		pg.Args{"processor": s.name, "line": c.Line, "arrival": c.Arrival})
	return p, tx.Flush(ctx)
}

// grantFacts are everything that is known of a grant's reference; without a donation, or without a line, its
// members are nil.
type grantFacts struct {
	Reference     string           `db:"reference"`
	ApplicationID *int64           `db:"application_id"`
	MerchantID    *int64           `db:"merchant_id"`
	Called        *operation.State `db:"called"` // the outcome of the call
	Status        *string          `db:"status"` // of the donation
	Amount        *money.Amount    `db:"amount"`
	TrackingID    *string          `db:"tracking_id"`
	Ripe          bool             `db:"ripe"` // older than the horizon
	Lines         int              `db:"lines"`
	Number        *int64           `db:"number"`
	BookAccount   *string          `db:"book_account"`
	BookAmount    *money.Amount    `db:"book_amount"`
	BookTracking  *string          `db:"book_tracking"`
	BookState     *string          `db:"book_state"`
	Settled       bool             `db:"settled"` // the book has its state since before the horizon
	// Arrived is what arrived of the grant, and ArrivedFee what was deducted; nil of a grant of which nothing arrived.
	Arrived     *money.Amount `db:"arrived"`
	ArrivedFee  *money.Amount `db:"arrived_fee"`
	ReportedFee *money.Amount `db:"reported_fee"` // nil: the provider reported none before
}

// compareTx judges grants.
func (s *Grants) compareTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted) (found []Difference, err error) {
	references := make([]string, len(all))
	for i, w := range all {
		references[i] = w.Reference
	}
	known, err := pg.All[grantFacts](ctx, tx, `
		SELECT w.reference, o.application_id, o.merchant_id, o.state AS called, d.status, d.amount, d.tracking_id,
			coalesce(o.created_at <= @horizon, false) AS ripe, coalesce(b.lines, 0)::int AS lines, b.number,
			b.account AS book_account, b.amount AS book_amount, b.tracking_id AS book_tracking, b.state AS book_state,
			coalesce(b.state_at <= @horizon, false) AS settled, a.arrived, a.arrived_fee, a.reported_fee
		FROM (SELECT DISTINCT unnest(@references::text[]) AS reference) w
		LEFT JOIN processor_operations o ON o.processor = @provider AND o.kind = 'grant' AND o.reference = w.reference
		LEFT JOIN daf_donations d ON d.application_id = o.application_id AND d.id = o.subject_id
		LEFT JOIN LATERAL (
			SELECT l.*, count(*) OVER () AS lines FROM reconciliation_grants l
			WHERE l.provider = @processor AND l.reference = w.reference ORDER BY l.number LIMIT 1
		) b ON true
		LEFT JOIN LATERAL (
			SELECT sum(amount)::bigint AS arrived, sum(fee)::bigint AS arrived_fee, max(reported_fee) AS reported_fee
			FROM reconciliation_arrivals WHERE provider = @processor AND reference = w.reference AND amount > 0
		) a ON true`,
		pg.Args{"references": references, "horizon": r.Horizon, "provider": s.Provider.Name(), "processor": s.name})
	for _, f := range known {
		found = append(found, f.differences(s.machine())...)
	}
	return found, err
}

// completedHere and canceledHere are the statuses of donations that a book's states stand for.
const (
	completedHere = "completed"
	canceledHere  = "canceled"
)

// judge says what does not agree about a grant. One that is too young is not judged. A donation may be marked
// as completed before the provider says so.
func (f grantFacts) judge() []Kind {
	var found kinds
	found.is(SubmittedTwice, f.Lines > 1)
	switch {
	case f.Called == nil:
		found.is(UnknownReference, f.Lines > 0)
	case !f.Ripe:
		return nil
	case *f.Called == operation.Open:
		found.is(OpenTooLong, true)
	case f.Lines == 0:
		found.is(MissingInBook, *f.Called == operation.Approved)
	case *f.Called != operation.Approved:
		found.is(ApprovalDiffers, true)
	default:
		found.is(AmountDiffers, *f.BookAmount != *f.Amount)
		found.is(AccountDiffers, *f.BookAccount != processor.MerchantAccount(*f.ApplicationID, *f.MerchantID))
		found.is(TrackingDiffers, f.TrackingID == nil || *f.BookTracking != *f.TrackingID)
		fits := map[string][]string{
			string(provider.GrantCompleted): {completedHere}, string(provider.GrantCanceled): {canceledHere},
		}[*f.BookState]
		found.is(StateDiffers, f.Settled &&
			(fits == nil && *f.Status == canceledHere || fits != nil && !slices.Contains(fits, *f.Status)))
		found.is(ArrivalDiffers, f.arrivalDiffers())
	}
	return found
}

// arrivalDiffers reports whether what arrived is not what the donation says.
func (f grantFacts) arrivalDiffers() bool {
	return f.Arrived != nil && (*f.Arrived+*f.ArrivedFee != *f.Amount || *f.Status == canceledHere ||
		f.ReportedFee != nil && *f.ReportedFee != *f.ArrivedFee)
}

// differences are what does not agree about a grant, as it is in the records.
func (f grantFacts) differences(now time.Time) (out []Difference) {
	d := Difference{Reference: f.Reference, FoundAt: now}
	d.ApplicationID, d.MerchantID, d.OurAmount = f.ApplicationID, f.MerchantID, f.Amount
	usd, grant, accepted := money.USD, operation.Grant, true
	if f.Called != nil {
		d.OurKind, d.OurState, d.OurCurrency = &grant, f.Called, &usd
	}
	if d.Lines = f.Lines; f.Lines > 0 {
		kind := string(grant)
		if *f.BookState != "" {
			kind = *f.BookState
		}
		d.BookNumber, d.BookKind, d.BookAccount = f.Number, &kind, f.BookAccount
		d.BookAmount, d.BookCurrency, d.BookApproved = f.BookAmount, &usd, &accepted
		if f.Called == nil {
			d.ApplicationID, d.MerchantID = owner(*f.BookAccount)
		}
	}
	for _, d.Kind = range f.judge() {
		one := d
		if d.Kind == ArrivalDiffers {
			one.BookAmount = f.Arrived
		}
		out = append(out, one)
	}
	return out
}
