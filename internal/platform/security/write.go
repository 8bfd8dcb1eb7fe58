package security

import (
	"context"
	"crypto/sha256"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/flush"
	"svcpay/internal/platform/pg"
)

const (
	flushEvery = 2 * time.Second
	batchSize  = 500
	// keptFor is how long events are kept: a year (PCI DSS 10.5.1), and a month for reviews.
	keptFor = 400 * 24 * time.Hour
)

// Flush writes the waiting events. After an error, they wait for the next call.
func (l *Log) Flush(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	taken := l.waiting
	l.waiting = map[row]tally{}
	l.mu.Unlock()
	for batch := range slices.Chunk(slices.SortedFunc(maps.Keys(taken), row.compare), batchSize) {
		if err := l.write(ctx, batch, taken); err != nil {
			l.putBack(taken)
			return err
		}
		for _, r := range batch {
			delete(taken, r)
		}
	}
	return nil
}

func (l *Log) putBack(all map[row]tally) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for r, t := range all {
		l.put(r, t)
	}
}

// compare orders rows as they are written. The order is the same on all servers, so that two of them can't deadlock.
func (r row) compare(o row) int { return slices.Compare(r.id(), o.id()) }

// id is the key of the row in the table.
func (r row) id() []byte {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d %s %s %d %d %s %x %s", r.hour, r.kind, r.outcome, r.applicationID,
		r.personID, r.keyID, r.account, r.address))
	return sum[:]
}

// written is what a row has after its events were added.
type written struct {
	ID    []byte `db:"id"`
	Count int64  `db:"count"`
}

func (l *Log) write(ctx context.Context, batch []row, from map[row]tally) error {
	rows, byID := make([]pg.Args, len(batch)), map[string]row{}
	for i, r := range batch {
		rows[i] = r.args(from[r])
		byID[string(r.id())] = r
	}
	return pg.InTx(ctx, l.pool, func(tx *pg.Tx) error {
		out, err := pg.All[written](ctx, tx, `
			INSERT INTO security_events AS s (id, hour, kind, outcome, application_id, person_id, key_id, account,
				address, count, first_at, last_at, request_id)
			SELECT e.id, e.hour, e.kind, e.outcome, e.application_id, e.person_id, e.key_id, e.account, e.address,
				e.count, e.first_at, e.last_at, e.request_id
			FROM unnest(@rows::new_security_event[]) AS e
			ON CONFLICT (id) DO UPDATE SET count = s.count + excluded.count,
				last_at = greatest(s.last_at, excluded.last_at), request_id = excluded.request_id
			RETURNING id, count`, pg.Rows(rows))
		if err != nil {
			return err
		}
		slices.SortFunc(out, func(a, b written) int { return slices.Compare(a.ID, b.ID) })
		for _, w := range out {
			r := byID[string(w.ID)]
			if t := from[r]; r.concerns(t.actor) && passes(w.Count-t.count, w.Count) {
				if err := l.auditTx(tx, r, t.actor, w.Count); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func (r row) args(t tally) pg.Args {
	return pg.Args{"id": r.id(), "hour": time.Unix(r.hour, 0), "kind": string(r.kind), "outcome": r.outcome,
		"application_id": known(r.applicationID), "person_id": known(r.personID), "key_id": known(r.keyID),
		"account": r.knownAccount(), "address": known(r.address), "request_id": known(t.actor.RequestID),
		"count": t.count, "first_at": t.first, "last_at": t.last}
}

// known is a value; nil, which is NULL in SQL, for a zero one.
func known[T comparable](v T) any {
	if v == *new(T) {
		return nil
	}
	return v
}

func (r row) knownAccount() []byte {
	if r.account == [accountSize]byte{} {
		return nil
	}
	return r.account[:]
}

// passes reports whether a count reached 1, 10, 100 and so on.
func passes(before, after int64) bool {
	next := int64(1)
	for next <= before {
		next *= 10
	}
	return after >= next
}

// concerns reports whether an event belongs in the audit log of the actor's application: a rejected request of one of
// its own programs. Denied attempts of people are already there, and exceeded limits don't belong there.
func (r row) concerns(a authz.Actor) bool {
	switch r.kind {
	case APIKey, Permission, CardNumber, CardTesting:
		return r.applicationID != 0 && a.PersonID == 0 && r.outcome != Succeeded && r.outcome != Challenged
	}
	return false
}

// refusal is the content of an audit entry about the events of a row.
type refusal struct {
	Reason string `json:"reason"`
	Count  int64  `json:"count"` // so far in this hour
}

// auditTx queues an entry of the audit log about the events of a row.
func (l *Log) auditTx(tx *pg.Tx, r row, a authz.Actor, count int64) error {
	a.Address, a.KeyID = r.address, r.keyID
	about := audit.Subject{Kind: "application"}
	if !r.keyID.IsZero() {
		about = audit.Subject{Kind: "api_key", ID: r.keyID.String()}
	}
	return l.audit.FailedTx(tx, a, authz.Permission("security:"+string(r.kind)), about, refusal{r.outcome, count})
}

// Start writes the waiting events every two seconds. The function that it returns ends this and writes the rest.
func (l *Log) Start(log *slog.Logger) (stop func()) {
	return flush.Start(flushEvery, func(ctx context.Context) {
		if err := l.Flush(ctx); err != nil {
			log.WarnContext(ctx, "security events were not written", "error", err.Error(), "dropped", l.Dropped())
		}
	})
}

// Purge deletes a batch of old events and returns how many there were.
func (l *Log) Purge(ctx context.Context) (int64, error) {
	return pg.Exec(ctx, l.pool, `
		DELETE FROM security_events WHERE id IN (
			SELECT id FROM security_events WHERE last_at <= @old ORDER BY last_at LIMIT @batch)`,
		pg.Args{"old": l.now().Add(-keptFor), "batch": pg.PurgeBatch})
}
