package erasure

import (
	"bytes"
	"context"
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
)

// keyBatch is how many keys one statement reads, those of all applications.
const keyBatch = 5000

// skew is by how much the clocks of two of our machines may differ.
const skew = time.Minute

type keyPage struct {
	Read int       `db:"read"`
	Last time.Time `db:"last"`
	Keys []string  `db:"keys"`
	Open bool      `db:"open"`
}

// findKeysTx finds the keys of requests about the payer's objects; one whose answer is open refuses the erasure. What a
// key is about has no index, which each payment would have to write. But a key is never older than its object, and keys
// are found by when they end, where those of one moment are read together. The objects are locked by now: no request
// adds another key that reports the payer.
func (p *payer) findKeysTx(ctx context.Context, tx *pg.Tx, batch int) error {
	objects := p.objects()
	if len(objects) == 0 {
		return nil
	}
	oldest := slices.MinFunc(objects, func(a, b [16]byte) int { return bytes.Compare(a[:], b[:]) })
	last := ids.TokenFrom(oldest).Time().Add(idempotency.Life - skew)
	for {
		page, err := pg.One[keyPage](ctx, tx, selectKeys,
			pg.Args{"application_id": p.applicationID, "objects": objects, "last": last, "batch": batch})
		if err != nil {
			return err
		}
		if page.Open {
			return ErrUnderWay
		}
		p.keys = append(p.keys, page.Keys...)
		if page.Read < batch {
			return nil
		}
		last = page.Last
	}
}

const selectKeys = `
	WITH page AS MATERIALIZED (
		SELECT application_id, key, object_id, state, expires_at FROM idempotency_keys
		WHERE expires_at > @last ORDER BY expires_at FETCH FIRST (@batch::int) ROWS WITH TIES
	), about AS (
		SELECT key, state FROM page WHERE application_id = @application_id AND object_id = ANY (@objects)
	)
	SELECT count(*)::int AS read, coalesce(max(expires_at), @last) AS last, ARRAY(SELECT key FROM about) AS keys,
		EXISTS (SELECT FROM about WHERE state <> 'done') AS open
	FROM page`

type answerRow struct {
	Key     string `db:"key"`
	Result  []byte `db:"result"`
	Refusal []byte `db:"refusal"`
}

// answersTx rewrites the answers of the payer's idempotency keys. The keys stay: a repeated request must not pay twice.
func (p payer) answersTx(ctx context.Context, tx *pg.Tx) error {
	rows, err := pg.All[answerRow](ctx, tx, `
		SELECT key, result, refusal FROM idempotency_keys WHERE application_id = @application_id AND key = ANY (@keys)`,
		pg.Args{"application_id": p.applicationID, "keys": p.keys})
	if err != nil {
		return err
	}
	for _, r := range rows {
		for _, text := range []*[]byte{&r.Result, &r.Refusal} {
			if *text == nil {
				continue
			}
			if *text, err = without(*text); err != nil {
				return err
			}
		}
		tx.Later(`UPDATE idempotency_keys SET result = @result, refusal = @refusal
			WHERE application_id = @application_id AND key = @key`,
			pg.Args{"application_id": p.applicationID, "key": r.Key, "result": r.Result, "refusal": r.Refusal})
	}
	return nil
}
