package fee

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// exists returns the fault that says a merchant is missing, if it has no schedule at all.
func (q series) exists(ctx context.Context, db pg.Querier) error {
	known, err := pg.Value[bool](ctx, db, `
		SELECT EXISTS (SELECT FROM fee_series WHERE application_id = @application_id
			AND merchant_id = @merchant_id)`, q.args(nil))
	if err == nil && !known {
		return fault.Missing()
	}
	return err
}

// History returns a page of a merchant's schedules, the one added last first, with who added it
// when and why, those that were canceled too.
func (s *Service) History(ctx context.Context, actor authz.Actor, merchantID int64,
	in page.Input[ids.FeeSchedule]) (page.Of[Record], error) {
	q, err := s.ofMerchant(actor, authz.FeeRead, merchantID)
	if err != nil {
		return page.Of[Record]{}, err
	}
	if err := q.exists(ctx, s.deps.Pool); err != nil {
		return page.Of[Record]{}, err
	}
	return s.history(ctx, q, in)
}

// ServiceHistory returns a page of the service's own schedules for an application, as History does a merchant's.
func (s *Service) ServiceHistory(ctx context.Context, actor authz.Actor, applicationID int64,
	in page.Input[ids.FeeSchedule]) (page.Of[Record], error) {
	q, err := s.ofService(actor, applicationID)
	if err != nil {
		return page.Of[Record]{}, err
	}
	return s.history(ctx, q, in)
}

const cursorVersion = `(SELECT c.version FROM fee_series c
	WHERE c.application_id = @application_id AND c.merchant_id = @merchant_id AND c.id = @cursor)`

// The list runs along the versions: the ids of two schedules of one millisecond are in no order.
const (
	historyUp = `SELECT ` + recordColumns + ofSeries + `
		AND (@cursor::uuid IS NULL OR s.version > ` + cursorVersion + `) ORDER BY s.version LIMIT @limit`
	historyDown = `SELECT ` + recordColumns + ofSeries + `
		AND (@cursor::uuid IS NULL OR s.version < ` + cursorVersion + `) ORDER BY s.version DESC LIMIT @limit`
)

func (s *Service) history(ctx context.Context, q series, in page.Input[ids.FeeSchedule]) (page.Of[Record], error) {
	m, err := s.deps.Clock.Moment(ctx, q.applicationID)
	if err != nil {
		return page.Of[Record]{}, err
	}
	statement := historyDown
	if in.Up() {
		statement = historyUp
	}
	rows, err := pg.All[Record](ctx, s.deps.Pool, statement,
		q.args(pg.Args{"now": m.At, "cursor": in.Cursor(), "limit": in.Rows()}))
	if err != nil {
		return page.Of[Record]{}, err
	}
	for i := range rows {
		rows[i] = s.derive(rows[i])
	}
	return page.Cut(in, rows), nil
}
