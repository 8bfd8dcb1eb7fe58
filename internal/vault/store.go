package vault

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// InsertTx queues a token's sealed data in the caller's transaction.
func InsertTx(tx *pg.Tx, token ids.Token, s Sealed, now time.Time) {
	tx.Row(nil, `
		INSERT INTO vault_keys (token_id, wrapped_key, created_at)
		SELECT * FROM unnest(@rows::new_vault_key[])`,
		pg.Args{"token": token, "key": s.WrappedKey, "now": now})
	field, sealed := "pan", s.PAN
	if len(s.AccountNumber) > 0 {
		field, sealed = "account_number", s.AccountNumber
	}
	tx.Row(nil, `
		INSERT INTO vault_values (token_id, field, sealed)
		SELECT * FROM unnest(@rows::new_vault_value[])`,
		pg.Args{"token": token, "field": field, "sealed": sealed})
	field, sealed = "cvc", s.CVC
	if len(s.Cryptogram) > 0 {
		field, sealed = "cryptogram", s.Cryptogram
	}
	if len(sealed) > 0 {
		tx.Row(nil, `
			INSERT INTO vault_cvcs (token_id, field, sealed, expires_at)
			SELECT * FROM unnest(@rows::new_vault_cvc[])`,
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

type askedRow struct {
	sealedRow
	Expired *bool `db:"expired"` // the code's or cryptogram's time is over
}

// Asked is the sealed data of tokens that a batch reads.
type Asked struct{ answer *pg.Answer[askedRow] }

// Ask has a batch read the sealed data of tokens for a payment. It locks their verification codes and cryptograms
// until the transaction ends; a payment that uses one deletes it by [SpendTx].
func Ask(b *pg.Batch, tokens []ids.Token, now time.Time) Asked {
	return Asked{pg.Ask[askedRow](b, `
		WITH once AS (
			SELECT token_id, field, sealed, expires_at <= @now AS expired FROM vault_cvcs WHERE token_id = ANY (@tokens)
			ORDER BY token_id FOR UPDATE
		)
		SELECT k.token_id, k.wrapped_key, v.field, v.sealed, o.sealed AS once, o.field AS once_field, o.expired
		FROM vault_keys k
		JOIN vault_values v ON v.token_id = k.token_id
		LEFT JOIN once o ON o.token_id = k.token_id
		WHERE k.token_id = ANY (@tokens) AND v.token_id = ANY (@tokens)`, pg.Args{"tokens": tokens, "now": now})}
}

// Sealed is the sealed data of each token that has some. An expired code or cryptogram is left out.
func (a Asked) Sealed() map[ids.Token]Sealed {
	rows := a.answer.Rows()
	out := make(map[ids.Token]Sealed, len(rows))
	for _, r := range rows {
		s := r.sealed()
		if s.once = r.OnceField != nil; s.once && *r.Expired {
			s.CVC, s.Cryptogram = nil, nil
		}
		out[r.Token] = s
	}
	return out
}

// SealedTx is [Ask] for tokens whose data is needed now.
func SealedTx(ctx context.Context, tx *pg.Tx, tokens []ids.Token, now time.Time) (map[ids.Token]Sealed, error) {
	b := tx.Batch()
	asked := Ask(b, tokens, now)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	return asked.Sealed(), nil
}

// Spent is what is left when a payment was made with it.
func (s Sealed) Spent() Sealed {
	s.CVC, s.Cryptogram, s.once = nil, nil, false
	return s
}

// SpendTx queues the deletion of a token's verification code or cryptogram: none outlives the first
// authorization that could use it, whatever becomes of it.
func SpendTx(tx *pg.Tx, token ids.Token, s Sealed) {
	if s.once {
		tx.Row(token, `DELETE FROM vault_cvcs v USING unnest(@rows::spent_token[]) AS s WHERE v.token_id = s.token`,
			pg.Args{"token": token})
	}
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

// ShredTx queues the deletion of tokens' data keys: nothing that they sealed opens again, nor does what a payer's way
// through the bank modal still has of an account.
func ShredTx(tx *pg.Tx, tokens []ids.Token) {
	tx.Later(`UPDATE bank_links SET wrapped_key = NULL, number = NULL, details = NULL, email = NULL
		WHERE token_id = ANY (@tokens)`, pg.Args{"tokens": tokens})
	tx.Later(`DELETE FROM vault_keys WHERE token_id = ANY (@tokens)`, pg.Args{"tokens": tokens})
}

// PurgeCVCs deletes a batch of the verification codes and cryptograms whose time is over and says how many those were.
func PurgeCVCs(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int64, error) {
	return pg.Exec(ctx, pool, `
		DELETE FROM vault_cvcs WHERE token_id IN (
			SELECT token_id FROM vault_cvcs WHERE expires_at <= @now LIMIT @batch)`,
		pg.Args{"now": now, "batch": pg.PurgeBatch})
}
