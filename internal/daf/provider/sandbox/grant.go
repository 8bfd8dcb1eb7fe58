package sandbox

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/kit"
)

// The decline codes of grants.
const (
	noVisit      = "session_not_authorized"
	otherAmount  = "amount_not_authorized"
	usedAlready  = "session_already_used"
	completeDays = 5 // business days
	cancelDays   = 2
)

// Grant implements provider.Provider. A visit gives one grant, of the amount that was authorized. The same
// reference again has the first answer.
func (p *Provider) Grant(ctx context.Context, g provider.Grant) (provider.Answer, error) {
	var answer provider.Answer
	var lost bool
	err := pg.InTx(ctx, p.pool, func(tx *pg.Tx) (err error) {
		answer, lost, err = p.grantTx(ctx, tx, g)
		return err
	})
	switch {
	case err != nil:
		return provider.Answer{}, wrapped(err)
	case lost:
		return provider.Answer{}, kit.Hang(ctx)
	}
	return answer, nil
}

func (p *Provider) grantTx(ctx context.Context, tx *pg.Tx, g provider.Grant) (answer provider.Answer, lost bool,
	err error) {
	v, err := pg.One[visit](ctx, tx, `SELECT `+visitColumns+` FROM sandbox_daf_visits WHERE id = @id FOR UPDATE`,
		pg.Args{"id": g.VisitID})
	if err != nil && !errors.Is(err, pg.ErrNone) {
		return answer, false, err
	}
	// The visit's lock makes submissions of one visit take turns, whatever their references.
	before, err := pg.All[told](ctx, tx, `SELECT answer, visible_at FROM sandbox_daf_grants
		WHERE reference = @reference`, pg.Args{"reference": g.Reference})
	if err != nil {
		return answer, false, err
	}
	if len(before) > 0 {
		return before[0].Answer, before[0].VisibleAt.After(p.machine()), nil
	}
	used, err := pg.Value[bool](ctx, tx, `SELECT EXISTS (SELECT FROM sandbox_daf_grants
		WHERE visit_id = @id AND tracking_id IS NOT NULL)`, pg.Args{"id": g.VisitID})
	if err != nil {
		return answer, false, err
	}
	answer = decide(v, g, used)
	visible, at := p.machine(), p.machine()
	if v.ID != "" {
		if at, err = p.timeOf(ctx, v.Account); err != nil {
			return answer, false, err
		}
	}
	if lost = answer.Approved && v.persona().lost; lost {
		visible = visible.Add(kit.LateBy)
	}
	tx.Later(`
		INSERT INTO sandbox_daf_grants (reference, visit_id, account, connect_id, amount, tracking_id, answer,
			visible_at, account_at, created_at)
		VALUES (@reference, @visit_id, @account, @connect_id, @amount, nullif(@tracking_id, ''), @answer,
			@visible, @at, @now)`,
		pg.Args{"reference": g.Reference, "visit_id": g.VisitID, "account": v.Account, "connect_id": v.ConnectID,
			"amount":      g.Amount,
			"tracking_id": answer.TrackingID, "answer": answer, "visible": visible, "at": at, "now": p.machine()})
	if answer.Approved {
		err = scheduleTx(tx, v, g, at)
	}
	return answer, lost, err
}

// decide judges a grant.
func decide(v visit, g provider.Grant, used bool) provider.Answer {
	code := ""
	switch who := v.persona(); {
	case v.State != provider.VisitAuthorized:
		code = noVisit
	case used:
		code = usedAlready
	case g.Amount != v.Amount:
		code = otherAmount
	default:
		code = who.decline
	}
	if code != "" {
		return provider.Answer{DeclineCode: code}
	}
	return provider.Answer{Approved: true, TrackingID: derived("grant "+g.Reference, 10)}
}

// scheduleTx queues how a grant ends. Checks arrive at nine in New York.
func scheduleTx(tx *pg.Tx, v visit, g provider.Grant, at time.Time) error {
	zone, err := calendar.Zone("America/New_York")
	if err != nil {
		return err
	}
	kind, days := provider.GrantCompleted, completeDays
	if v.persona().canceled {
		kind, days = provider.GrantCanceled, cancelDays
	}
	tx.Later(`INSERT INTO sandbox_daf_schedule (account, due_at, kind, reference)
		VALUES (@account, @due_at, @kind, @reference)`,
		pg.Args{"account": v.Account, "due_at": calendar.US.AddBusinessDays(at.In(zone), days).Add(9 * time.Hour).UTC(),
			"kind": kind, "reference": g.Reference})
	return nil
}

// told is an answer, and from when on it can be looked up.
type told struct {
	Answer    provider.Answer `db:"answer"`
	VisibleAt time.Time       `db:"visible_at"`
}

// Lookup implements provider.Provider.
func (p *Provider) Lookup(ctx context.Context, reference string) (provider.Answer, error) {
	first, err := pg.One[told](ctx, p.pool, `SELECT answer, visible_at FROM sandbox_daf_grants
		WHERE reference = @reference`, pg.Args{"reference": reference})
	switch {
	case errors.Is(err, pg.ErrNone), err == nil && first.VisibleAt.After(p.machine()):
		return provider.Answer{}, provider.ErrNotFound
	case err != nil:
		return provider.Answer{}, wrapped(err)
	}
	return first.Answer, nil
}

// Book implements provider.Provider: grants that were accepted.
func (p *Provider) Book(ctx context.Context, after int64, limit int) ([]provider.Line, error) {
	type row struct {
		provider.Line
		CreatedAt time.Time
	}
	rows, err := pg.All[row](ctx, p.pool, `
		SELECT number, reference, tracking_id, account, connect_id, amount, state, account_at AS at, created_at
		FROM sandbox_daf_grants WHERE number > @after AND tracking_id IS NOT NULL ORDER BY number LIMIT @limit`,
		pg.Args{"after": after, "limit": limit})
	if err != nil {
		return nil, wrapped(err)
	}
	rows = kit.Written(rows, p.machine(), func(r row) time.Time { return r.CreatedAt })
	lines := make([]provider.Line, len(rows))
	for i, r := range rows {
		lines[i] = r.Line
	}
	return lines, nil
}
