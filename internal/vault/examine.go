package vault

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// Examined is what opening some rows of the vault showed.
type Examined struct {
	Opened int
	Sealed []ids.Token // those that do not open
	Last   ids.Token   // from which to go on; zero when no row was left
}

type examinedRow struct {
	sealedRow
	ApplicationID int64 `db:"application_id"`
	MerchantID    int64 `db:"merchant_id"`
}

// Examine opens what the vault holds of the next tokens after one (the zero token: of the first ones), at most so many,
// and keeps nothing of it: so one learns whether the keys at hand are the right ones.
func (v *Vault) Examine(ctx context.Context, pool *pgxpool.Pool, after ids.Token, most int) (out Examined, err error) {
	rows, err := pg.All[examinedRow](ctx, pool, `
		SELECT k.token_id, t.application_id, t.merchant_id, k.wrapped_key, v.field, v.sealed, c.sealed AS once,
			c.field AS once_field
		FROM vault_keys k
		JOIN tokens t ON t.id = k.token_id
		JOIN vault_values v ON v.token_id = k.token_id
		LEFT JOIN vault_cvcs c ON c.token_id = k.token_id
		WHERE @after::uuid IS NULL OR k.token_id > @after
		ORDER BY k.token_id LIMIT @most`, pg.Args{"after": after, "most": most})
	for _, r := range rows {
		ref, s := Ref{r.Token, r.ApplicationID, r.MerchantID}, r.sealed()
		if v.opens(ref, s) != nil {
			out.Sealed = append(out.Sealed, r.Token)
		} else {
			out.Opened++
		}
		out.Last = r.Token
	}
	if len(rows) < most {
		out.Last = ids.Token{}
	}
	return out, err
}

func (v *Vault) opens(ref Ref, s Sealed) (err error) {
	if len(s.AccountNumber) > 0 {
		_, err = v.OpenAccount(ref, s)
	} else {
		_, err = v.Open(ref, s)
	}
	return err
}
