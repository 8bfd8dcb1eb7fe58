package main

import (
	"context"
	"errors"
	"fmt"
)

// book is a statement that counts what is wrong.
type book struct{ what, sql string }

// books are what must hold for a figure to count. The first alone asks for keys that may have been purged.
var books = []book{
	{"charges without the outcome of their key", `
		SELECT count(*) FROM charges c LEFT JOIN idempotency_keys k ON k.application_id = c.application_id
			AND k.object_id = c.id AND k.state = 'done'
		WHERE k.key IS NULL`},
	{"outcomes of keys without their charge", `
		SELECT count(*) FROM idempotency_keys k LEFT JOIN charges c ON c.application_id = k.application_id
			AND c.id = k.object_id
		WHERE k.path = '/api/charges' AND k.refusal IS NULL AND c.id IS NULL`},
	{"charges whose events are not one a version", `
		SELECT count(*) FROM charges c WHERE c.version <> (
			SELECT count(*) FROM events e WHERE e.application_id = c.application_id AND e.object_id = c.id)`},
	{"charges whose postings do not agree with them", `
		SELECT count(*) FROM charges c LEFT JOIN LATERAL (
			SELECT coalesce(sum(amount) FILTER (WHERE kind = 'capture' AND credit = 'merchant_pending'), 0) AS captured,
				coalesce(sum(amount) FILTER (WHERE credit = 'application_fees'), 0) AS fees,
				coalesce(sum(amount) FILTER (WHERE kind = 'refund'), 0) AS refunded
			FROM ledger_entries l WHERE l.application_id = c.application_id AND l.charge_id = c.id) l ON true
		WHERE l.captured <> c.amount_captured OR l.fees <> c.fee_total OR l.refunded <> c.amount_refunded`},
	{"keys with two charges", `
		SELECT count(*) FROM (SELECT FROM processor_operations WHERE kind = 'authorize' AND idempotency_key IS NOT NULL
			GROUP BY application_id, idempotency_key HAVING count(*) > 1) twice`},
	{"operations whose outcome is open", `SELECT count(*) FROM processor_operations WHERE state = 'open'`},
}

// audit looks at the books when nothing is in progress.
func (b *bench) audit(ctx context.Context) error {
	return b.cluster.audit(ctx, b.server.name, books)
}

func (c *cluster) audit(ctx context.Context, database string, books []book) error {
	var errs []error
	for _, one := range books {
		n, err := value[int](ctx, c, database, one.sql)
		if err == nil && n > 0 {
			err = fmt.Errorf("%d %s", n, one.what)
		}
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}
