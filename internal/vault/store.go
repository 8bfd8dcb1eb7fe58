package vault

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/pg"
)

// InsertTx queues a token's sealed data in the caller's transaction.
func InsertTx(tx *pg.Tx, token ids.Token, s Sealed, now time.Time) {
	tx.Row(nil, `
		INSERT INTO vault_keys (token_id, wrapped_key, created_at)
		SELECT * FROM unnest(@token::uuid[], @key::bytea[], @now::timestamptz[])`,
		pg.Args{"token": token, "key": s.WrappedKey, "now": now})
	field, sealed := "pan", s.PAN
	if len(s.AccountNumber) > 0 {
		field, sealed = "account_number", s.AccountNumber
	}
	tx.Row(nil, `
		INSERT INTO vault_values (token_id, field, sealed)
		SELECT * FROM unnest(@token::uuid[], @field::text[], @sealed::bytea[])`,
		pg.Args{"token": token, "field": field, "sealed": sealed})
	field, sealed = "cvc", s.CVC
	if len(s.Cryptogram) > 0 {
		field, sealed = "cryptogram", s.Cryptogram
	}
	if len(sealed) > 0 {
		tx.Row(nil, `
			INSERT INTO vault_cvcs (token_id, field, sealed, expires_at)
			SELECT * FROM unnest(@token::uuid[], @field::text[], @sealed::bytea[], @until::timestamptz[])`,
			pg.Args{"token": token, "field": field, "sealed": sealed, "until": now.Add(CVCLife)})
	}
}

type sealedRow struct {
	Token      ids.Token `db:"token_id"`
	WrappedKey []byte    `db:"wrapped_key"`
	Field      string    `db:"field"`
	Value      []byte    `db:"sealed"`
	Once       []byte    `db:"once"`
	OnceField  *string   `db:"once_field"`
}

// TakeTx reads the sealed data of tokens for a payment and deletes their verification
// codes and cryptograms: none outlives the first authorization that could use it, whatever becomes of it.
func TakeTx(ctx context.Context, tx *pg.Tx, tokens []ids.Token, now time.Time) (map[ids.Token]Sealed, error) {
	rows, err := pg.All[sealedRow](ctx, tx, `
		WITH taken AS (
			DELETE FROM vault_cvcs WHERE token_id = ANY (@tokens) RETURNING token_id, field, sealed, expires_at
		)
		SELECT k.token_id, k.wrapped_key, v.field, v.sealed, c.sealed AS once, c.field AS once_field
		FROM vault_keys k
		JOIN vault_values v ON v.token_id = k.token_id
		LEFT JOIN taken c ON c.token_id = k.token_id AND c.expires_at > @now
		WHERE k.token_id = ANY (@tokens)`, pg.Args{"tokens": tokens, "now": now})
	out := make(map[ids.Token]Sealed, len(rows))
	for _, r := range rows {
		out[r.Token] = r.sealed()
	}
	return out, err
}

func (r sealedRow) sealed() Sealed {
	s := Sealed{WrappedKey: r.WrappedKey}
	switch {
	case r.OnceField == nil:
	case *r.OnceField == "cvc":
		s.CVC = r.Once
	default:
		s.Cryptogram = r.Once
	}
	if r.Field == "pan" {
		s.PAN = r.Value
	} else {
		s.AccountNumber = r.Value
	}
	return s
}

// ShredTx queues the deletion of tokens' data keys: nothing that they sealed opens again.
func ShredTx(tx *pg.Tx, tokens []ids.Token) {
	tx.Later(`DELETE FROM vault_keys WHERE token_id = ANY (@tokens)`, pg.Args{"tokens": tokens})
}

// PurgeCVCs deletes a batch of the verification codes and cryptograms whose time is over and tells how many those were.
func PurgeCVCs(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int64, error) {
	return pg.Exec(ctx, pool, `
		DELETE FROM vault_cvcs WHERE token_id IN (
			SELECT token_id FROM vault_cvcs WHERE expires_at <= @now LIMIT @batch)`,
		pg.Args{"now": now, "batch": pg.PurgeBatch})
}
