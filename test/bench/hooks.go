package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// The names of cells of webhooks.
const (
	hooksRiver   = "webhooks by River"
	hooksInstant = "webhooks, instant receiver"
	hooksQuick   = "webhooks, 20 instant receivers"
	hooksSlow    = "webhooks, 20 receivers of 20 ms"
	hooksLive    = "webhooks, 19 receivers of 20 ms"
	hooksDead    = "webhooks, the 19 and a dead one"
)

// The receivers, and how much of an application is in progress at once at most (see internal/webhook): 32 to each of
// its endpoints, and 256 to all.
const (
	receivers    = 20
	slowReceiver = 20 * time.Millisecond
	underWay     = 256
)

// firstHooks are sent before each cell, and say how many it needs. Much of their time passes before the worker finds
// that their endpoints are enabled: so many as they tell are sent, too, and tell it better.
const (
	firstHooks = 500
	hookTries  = 2
)

// hooks are the receivers, and what River needs.
type hooks struct {
	instant, dead *receiver
	quick, slow   []*receiver
	river         *river
}

func hookGoals() []goal {
	return []goal{
		{id: "G12", what: "webhooks/s by River's", gate: 1.5, goal: 3, ratio: rates(hooksInstant, hooksRiver)},
		{id: "G12", what: "webhooks/s to receivers of 20 ms, by what is possible", gate: 0.7, goal: 0.93,
			ratio: func(r round) float64 {
				return r[hooksSlow].Rate / min(underWay/slowReceiver.Seconds(), r[hooksQuick].Rate)
			}},
		{id: "G12", what: "webhooks/s with one dead among 20, by those without", gate: 0.9, goal: 0.98, ratio: rates(hooksDead, hooksLive)},
	}
}

func (b *bench) hookCells() []cell {
	h := b.hooks
	if h == nil {
		return nil
	}
	return []cell{
		h.river.cell(b),
		b.hookCell(hooksInstant, []*receiver{h.instant}),
		b.hookCell(hooksQuick, h.quick),
		b.hookCell(hooksSlow, h.slow),
		b.hookCell(hooksLive, h.slow[1:]),
		b.hookCell(hooksDead, h.slow[1:], h.dead),
	}
}

// hookCell sends what is queued for some endpoints, until those that live have all of it.
func (b *bench) hookCell(name string, live []*receiver, dead ...*receiver) cell {
	all := slices.Concat(live, dead)
	var q queue
	return cell{name: name,
		before: func(ctx context.Context) (err error) {
			n := max(1, firstHooks/len(all))
			for range hookTries {
				o, err := b.deliver(ctx, n, live, all)
				if err != nil {
					return err
				}
				n = enough(o, b.seconds, len(live))
			}
			q, err = b.queue(ctx, n, all)
			return err
		},
		run: func(ctx context.Context, _ time.Duration) (outcome, error) { return b.send(ctx, q, live, all) },
	}
}

// enough is how many of a kind of messages keep a cell busy for as long as it is to run.
func enough(first outcome, during time.Duration, kinds int) int {
	return max(1, int(float64(len(first.latencies))/first.took.Seconds()*during.Seconds())/kinds)
}

func (b *bench) deliver(ctx context.Context, n int, live, all []*receiver) (outcome, error) {
	q, err := b.queue(ctx, n, all)
	if err != nil {
		return outcome{}, err
	}
	return b.send(ctx, q, live, all)
}

// queue is what waits to be sent: the transaction that makes it, and enables the endpoints, is not committed yet.
type queue struct {
	conn *pgx.Conn
	each int // messages to each endpoint
}

// queue has the last events wait for some endpoints. What waited for one that is disabled would be canceled.
func (b *bench) queue(ctx context.Context, n int, to []*receiver) (queue, error) {
	for _, r := range to {
		r.forget()
	}
	there, err := value[int](ctx, b.cluster, productDatabase, `SELECT count(*) FROM events WHERE sequence IS NOT NULL`)
	if err == nil && there == 0 {
		err = errors.New("there are no events to send")
	}
	if err == nil {
		err = b.cluster.exec(ctx, productDatabase, `TRUNCATE webhook_attempts, webhook_deliveries, webhook_due`)
	}
	if err != nil {
		return queue{}, err
	}
	q := queue{each: min(n, there)}
	if q.conn, err = pgx.Connect(ctx, b.cluster.url(productDatabase)); err != nil {
		return q, err
	}
	for _, statement := range []string{`BEGIN`, fmt.Sprintf(`
		INSERT INTO webhook_deliveries (id, application_id, endpoint_id, event_id, event_type, event_sequence, cause,
			status, created_at)
		SELECT (lpad(to_hex((extract(epoch FROM now()) * 1000)::bigint), 12, '0') || substr(md5(random()::text),
			1, 20))::uuid, e.application_id, w.id, e.id, e.type, e.sequence, 'event', 'pending', now()
		FROM (SELECT * FROM events WHERE sequence IS NOT NULL ORDER BY sequence DESC LIMIT %d) e
			JOIN webhook_endpoints w ON w.url IN (%s)`, q.each, urls(to)), `
		INSERT INTO webhook_due (application_id, delivery_id, endpoint_id, event_id, event_sequence,
			next_attempt_at, created_at)
		SELECT application_id, id, endpoint_id, event_id, event_sequence, created_at, created_at
			FROM webhook_deliveries`,
		`ANALYZE webhook_deliveries, webhook_due`, `UPDATE webhook_endpoints SET status = 'enabled'
			WHERE url IN (` + urls(to) + `)`} {
		if _, err := q.conn.Exec(ctx, statement); err != nil {
			return q, errors.Join(err, q.conn.Close(context.WithoutCancel(ctx)))
		}
	}
	return q, nil
}

// urls is the list of some receivers' addresses for a statement.
func urls(of []*receiver) string {
	all := make([]string, len(of))
	for i, r := range of {
		all[i] = "'" + r.url() + "'"
	}
	return strings.Join(all, ", ")
}

// disable locks endpoints in the worker's order, which notes how they do at the same time.
const disable = `
	WITH locked AS MATERIALIZED (SELECT id FROM webhook_endpoints ORDER BY id FOR NO KEY UPDATE)
	UPDATE webhook_endpoints SET status = 'disabled' WHERE id IN (SELECT id FROM locked)`

// send lets the service see what is queued, and disables the endpoints when those that live have it.
func (b *bench) send(ctx context.Context, q queue, live, all []*receiver) (o outcome, err error) {
	conn, n := q.conn, q.each
	defer conn.Close(context.WithoutCancel(ctx))
	if _, err := conn.Exec(ctx, "COMMIT"); err != nil {
		return o, err
	}
	began := time.Now()
	err = arrived(ctx, n, live)
	if err == nil {
		err = none(ctx, conn,
			"SELECT EXISTS (SELECT FROM webhook_due d JOIN webhook_endpoints w ON w.id = d.endpoint_id WHERE w.url IN ("+urls(live)+"))")
	}
	o.took = time.Since(began)
	if _, off := conn.Exec(ctx, disable); err == nil {
		err = off
	}
	if err == nil {
		o.latencies, err = attempts(ctx, conn, urls(live))
	}
	if err == nil && len(o.latencies) != n*len(live) {
		err = fmt.Errorf("%d attempts are recorded of %d", len(o.latencies), n*len(live))
	}
	for _, r := range live {
		err = errors.Join(err, r.took(n))
	}
	for _, r := range all {
		r.forget()
	}
	return o, err
}

// looking is how often it is looked whether all is done.
const looking = 20 * time.Millisecond

// arrived waits until so many messages have come to each receiver: in the meantime the database is asked nothing, which
// reads for an answer what is done already, the more of it the faster the sender is.
func arrived(ctx context.Context, n int, at []*receiver) error {
	return until(ctx, looking, "webhooks have not all come", func() (bool, error) {
		return !slices.ContainsFunc(at, func(r *receiver) bool { return r.came() < n }), nil
	})
}

// none waits until a statement that asks whether there is something finds nothing.
func none(ctx context.Context, conn *pgx.Conn, sql string) error {
	return until(ctx, looking, "webhooks are not all sent", func() (bool, error) {
		var some bool
		err := conn.QueryRow(ctx, sql).Scan(&some)
		return !some, err
	})
}

// attempts is how long those that succeeded took, sorted. There must be one for each delivery, and what is pending must
// be what is due.
func attempts(ctx context.Context, conn *pgx.Conn, urls string) ([]time.Duration, error) {
	var wrong int
	if err := conn.QueryRow(ctx, `
		SELECT (SELECT count(*) FROM webhook_deliveries d JOIN webhook_endpoints w ON w.id = d.endpoint_id
			WHERE w.url IN (`+urls+`) AND (d.status <> 'succeeded'
			OR 1 <> (SELECT count(*) FROM webhook_attempts a WHERE a.application_id = d.application_id
				AND a.delivery_id = d.id AND a.status_code = 200)))
			+ (SELECT count(*) FROM (SELECT id FROM webhook_deliveries WHERE status = 'pending') d FULL
				JOIN webhook_due w ON w.delivery_id = d.id
				WHERE d.id IS NULL OR w.delivery_id IS NULL)`,
	).Scan(&wrong); err != nil {
		return nil, err
	}
	if wrong > 0 {
		return nil, fmt.Errorf("%d deliveries are not recorded once, or pending or due alone", wrong)
	}
	rows, err := conn.Query(ctx, `SELECT took_ms FROM webhook_attempts
		WHERE status_code = 200 AND url IN (`+urls+`) ORDER BY took_ms`)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (time.Duration, error) {
		var ms int64
		err := row.Scan(&ms)
		return time.Duration(ms) * time.Millisecond, err
	})
}

// hooked reports whether webhooks are to be measured.
func hooked(o options) bool {
	return !o.wide &&
		slices.ContainsFunc([]string{hooksRiver, hooksInstant, hooksQuick, hooksSlow, hooksLive, hooksDead},
			o.only.MatchString)
}

// receive makes the receivers, and an endpoint of each, which is disabled until it is needed.
func (b *bench) receive(ctx context.Context) (err error) {
	h := &hooks{}
	b.hooks = h
	if h.instant, err = b.receiver(0, false); err != nil {
		return err
	}
	if h.dead, err = b.receiver(0, true); err != nil {
		return err
	}
	for range receivers {
		quick, err := b.receiver(0, false)
		if err != nil {
			return err
		}
		slow, err := b.receiver(slowReceiver, false)
		if err != nil {
			return err
		}
		h.quick, h.slow = append(h.quick, quick), append(h.slow, slow)
	}
	if err := b.cluster.exec(ctx, productDatabase, disable); err != nil {
		return err
	}
	h.river, err = newRiver(ctx, b.cluster, h.instant)
	return err
}

func (b *bench) receiver(pause time.Duration, dead bool) (*receiver, error) {
	r, err := newReceiver(pause, dead)
	if err != nil {
		return nil, err
	}
	status, answer, err := b.server.ask(request("POST", "/api/webhook_endpoints", b.server.host(false), b.headers(),
		`{"url":"`+r.url()+`"}`))
	if err != nil || status != 201 {
		return r, fmt.Errorf("webhook endpoint: %d %s %w", status, answer, err)
	}
	var made struct{ Secret string }
	err = json.Unmarshal(answer, &made)
	r.secret = made.Secret
	return r, err
}

// stop closes the receivers.
func (h *hooks) stop() {
	if h == nil {
		return
	}
	for _, r := range slices.Concat(h.quick, h.slow, []*receiver{h.instant, h.dead}) {
		if r != nil {
			r.close()
		}
	}
	h.river.stop()
}
