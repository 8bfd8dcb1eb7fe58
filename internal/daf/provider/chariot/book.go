package chariot

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// walkEvery is how often the grants of a connect are read: at each reconciliation, which runs daily.
const walkEvery = 30 * time.Minute

// owner is whose a grant is.
type owner struct {
	Session     string `db:"session"`
	Visit       string `db:"visit"` // our reference of the visit
	Reference   string `db:"reference"`
	Account     string `db:"account"`
	ConnectID   string `db:"connect_id"`
	Unsubmitted bool   `db:"unsubmitted"` // we submitted no grant of the session
}

// ownedGrant is a grant of one of our visits.
type ownedGrant struct {
	grant
	owner
}

// owned returns those grants that are of our visits: of a session that was reported to us, or with the reference of a
// visit in its metadata. An organization may also have grants that are not ours: it has one connect at Chariot.
func (p *Provider) owned(ctx context.Context, grants []grant) ([]ownedGrant, error) {
	var sessions, references []string
	for _, g := range grants {
		sessions, references = append(sessions, g.Session), append(references, g.Metadata.Reference)
	}
	rows, err := pg.All[owner](ctx, p.config.Pool, `
		SELECT coalesce(v.session, '') AS session, v.reference AS visit, coalesce(g.reference,
			v.reference) AS reference, v.account, v.connect_id,
			g.reference IS NULL AS unsubmitted
		FROM chariot_visits v LEFT JOIN LATERAL (
			SELECT reference FROM chariot_grants WHERE visit_id = v.id
			ORDER BY (answer IS NULL OR answer->>'approved' = 'true') DESC, created_at LIMIT 1) g ON true
		WHERE v.session = ANY (@sessions) OR v.reference = ANY (@references)`, pg.Args{"sessions": sessions,
		"references": references})
	if err != nil {
		return nil, wrapped(err)
	}
	bySession, byVisit := map[string]owner{}, map[string]owner{}
	for _, o := range rows {
		bySession[o.Session], byVisit[o.Visit] = o, o
	}
	var found []ownedGrant
	for _, g := range grants {
		if o, ok := bySession[g.Session]; ok && g.Session != "" {
			found = append(found, ownedGrant{g, o})
		} else if o, ok := byVisit[g.Metadata.Reference]; ok { // of a session that was not reported to us
			o.Reference, o.Unsubmitted = o.Visit, true
			found = append(found, ownedGrant{g, o})
		}
	}
	return found, nil
}

// ownerOf is whose a grant is; the zero one of a grant that is not of our visits.
func (p *Provider) ownerOf(ctx context.Context, g grant) (owner, error) {
	found, err := p.owned(ctx, []grant{g})
	if err != nil || len(found) == 0 {
		return owner{}, err
	}
	return found[0].owner, nil
}

// keep writes grants into the book. Numbers are given under a lock, so that readers see them in their order. A status
// that is not known is kept, and the grant counts as on its way.
func (p *Provider) keep(ctx context.Context, grants []ownedGrant) error {
	return wrapped(pg.InTx(ctx, p.config.Pool, func(tx *pg.Tx) error {
		last, err := pg.Value[int64](ctx, tx, `SELECT last FROM chariot_state FOR UPDATE`, pg.Args{})
		if err != nil {
			return err
		}
		for _, g := range grants {
			state, _ := g.state()
			at := g.CreatedAt.Time
			if at.IsZero() {
				at = p.config.Now()
			}
			n, err := pg.Value[int64](ctx, tx, `
				INSERT INTO chariot_lines AS l (number, grant_id, reference, tracking_id, account, connect_id, amount,
					status, state, ended_at, at)
				VALUES (@number, @id, @reference, @tracking, @account, @connect, @amount, @status, @state,
					CASE WHEN @state <> '' THEN @now::timestamptz END, @at)
				ON CONFLICT (grant_id) DO UPDATE SET status = excluded.status, state = excluded.state,
					ended_at = CASE WHEN l.state = excluded.state THEN l.ended_at ELSE excluded.ended_at END,
					ended_by = CASE WHEN l.state = excluded.state THEN l.ended_by END
				RETURNING number`,
				pg.Args{"number": last + 1, "id": g.ID, "reference": g.Reference, "tracking": g.TrackingID,
					"account": g.Account, "connect": g.ConnectID, "amount": g.Amount, "status": plain(g.Status, 60),
					"state": state, "now": p.config.Now(), "at": at})
			if err != nil {
				return err
			}
			last = max(last, n)
		}
		tx.Later(`UPDATE chariot_state SET last = @last WHERE last < @last`, pg.Args{"last": last})
		return nil
	}))
}

// walked is a connect whose grants are to be read.
type walked struct {
	ID    string `db:"connect_id"`
	Token string `db:"walk_token"`
}

// Walk reads the grants of every connect that was not read lately. It notes each page, so that a walk that runs out of
// time is continued by the next one.
func (p *Provider) Walk(ctx context.Context) error {
	for {
		due, err := pg.All[walked](ctx, p.config.Pool, `
			SELECT connect_id, walk_token FROM chariot_connects WHERE walked_at IS NULL OR walked_at <= @before
			ORDER BY walked_at NULLS FIRST, connect_id LIMIT @limit`,
			pg.Args{"before": p.config.Now().Add(-walkEvery), "limit": pageSize})
		if err != nil || len(due) == 0 {
			return wrapped(err)
		}
		for _, c := range due {
			if err := p.walk(ctx, c); err != nil {
				return err
			}
		}
	}
}

func (p *Provider) walk(ctx context.Context, c walked) error {
	begun := p.config.Now()
	for {
		page, err := p.grantsOf(ctx, c.ID, c.Token)
		if err != nil {
			if c.Token != "" && hasStatus(err, http.StatusBadRequest) { // Chariot has forgotten the page
				err = p.noteWalk(ctx, c.ID, "", nil, err)
			}
			return err
		}
		found, err := p.owned(ctx, page.Results)
		if err != nil {
			return err
		}
		for _, g := range found {
			if _, known := g.state(); !known {
				slog.ErrorContext(ctx, "a grant has a status that is not known", "grant", plain(g.ID, 40),
					"status", plain(g.Status, 40))
			}
		}
		if len(found) > 0 {
			if err := p.keep(ctx, found); err != nil {
				return err
			}
		}
		if page.Next == "" {
			return p.noteWalk(ctx, c.ID, "", &begun, nil)
		}
		c.Token = page.Next
		if err := p.noteWalk(ctx, c.ID, c.Token, nil, nil); err != nil {
			return err
		}
	}
}

// noteWalk notes how far a walk came, and returns the error that ended it.
func (p *Provider) noteWalk(ctx context.Context, connectID, token string, ended *time.Time, cause error) error {
	_, err := pg.Exec(ctx, p.config.Pool, `
		UPDATE chariot_connects SET walk_token = @token, walked_at = coalesce(@ended, walked_at)
			WHERE connect_id = @id`,
		pg.Args{"id": connectID, "token": token, "ended": ended})
	if cause != nil {
		return cause
	}
	return wrapped(err)
}

// line is a row of the book.
type line struct {
	Number     int64              `db:"number"`
	Reference  string             `db:"reference"`
	TrackingID string             `db:"tracking_id"`
	Account    string             `db:"account"`
	ConnectID  string             `db:"connect_id"`
	Amount     money.Amount       `db:"amount"`
	State      provider.EventKind `db:"state"`
	At         time.Time          `db:"at"`
}

// Book implements [provider.Provider]. It first reads the grants of every connect, if that was not done lately, and
// fails while it could not read all of them: a part would look like a book with missing grants.
func (p *Provider) Book(ctx context.Context, after int64, limit int) ([]provider.Line, error) {
	if err := p.Walk(ctx); err != nil {
		return nil, err
	}
	rows, err := pg.All[line](ctx, p.config.Pool, `
		SELECT number, reference, tracking_id, account, connect_id, amount, state, at FROM chariot_lines
		WHERE number > @after ORDER BY number LIMIT @limit`, pg.Args{"after": after, "limit": limit})
	lines := make([]provider.Line, len(rows))
	for i, r := range rows {
		lines[i] = provider.Line(r)
		lines[i].At = r.At.UTC()
	}
	return lines, wrapped(err)
}
