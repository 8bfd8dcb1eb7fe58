package search

import (
	"context"
	"log/slog"

	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
)

// addressBatch is how many addresses one transaction rewrites.
const addressBatch = 100

// The conditions of the indexes by addresses whose domain is not ASCII.
const (
	ofUnicode  = ` WHERE beyond_ascii(split_part(email, '@', -1))`
	ofFormer   = ofUnicode + ` AND email = @former`
	wayUnicode = ` WHERE beyond_ascii(split_part(donor->>'email', '@', -1))`
)

const selectAddresses = `
	SELECT DISTINCT address FROM (
		SELECT email AS address FROM people` + ofUnicode + `
		UNION ALL SELECT email FROM invitations` + ofUnicode + `
		UNION ALL SELECT email FROM receipts` + ofUnicode + `
		UNION ALL SELECT email FROM bank_links` + ofUnicode + `
		UNION ALL SELECT donor->>'email' FROM daf_workflows` + wayUnicode + `) a
	WHERE address > @after ORDER BY address LIMIT @most`

// NormalizeAddresses gives addresses of people, invitations, receipts and sessions of payers that a server of before
// wrote the form in which they are compared, and returns how many rows it rewrote. [Service.FoldWords] does so for
// payments and donations. A person keeps their address if another person has the other form of it; the log names them.
func (s *Service) NormalizeAddresses(ctx context.Context) (n int, err error) {
	for after := ""; ; {
		var found []string
		err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
			found, err = pg.Column[string](ctx, tx, selectAddresses, pg.Args{"after": after, "most": addressBatch})
			for _, former := range found {
				if address := mailbox.Normal(former); err == nil && address != former {
					var rows int
					rows, err = renameTx(ctx, tx, former, address)
					n += rows
				}
			}
			return err
		})
		if err != nil || len(found) < addressBatch {
			return n, err
		}
		after = found[len(found)-1]
	}
}

// renameTx rewrites one address, unless the table has the other form where it may be only once, and returns in how many
// rows.
func renameTx(ctx context.Context, tx *pg.Tx, former, address string) (int, error) {
	args := pg.Args{"former": former, "address": address}
	people, err := tx.Exec(ctx, `UPDATE people
		SET email = @address`+ofFormer+` AND NOT EXISTS (SELECT FROM people o
		WHERE lower(o.email) = lower(@address))`, args)
	if err != nil {
		return 0, err
	}
	left, err := pg.Column[int64](ctx, tx, `SELECT id FROM people`+ofFormer, pg.Args{"former": former})
	if err != nil {
		return 0, err
	}
	for _, id := range left {
		slog.WarnContext(ctx, "two accounts have the same email address; remove the roles of this one",
			"person_id", id)
	}
	invitations, err := tx.Exec(ctx, `UPDATE invitations i
		SET email = @address`+ofFormer+` AND NOT EXISTS (SELECT
		FROM invitations o
		WHERE lower(o.email) = lower(@address) AND o.scope = i.scope AND o.application_id IS NOT DISTINCT
			FROM i.application_id
			AND o.organization_id IS NOT DISTINCT FROM i.organization_id AND o.accepted_at IS NULL
				AND o.withdrawn_at IS NULL)`, args)
	if err != nil {
		return 0, err
	}
	receipts, err := tx.Exec(ctx, `UPDATE receipts SET email = @address`+ofFormer, args)
	if err != nil {
		return 0, err
	}
	links, err := tx.Exec(ctx, `UPDATE bank_links SET email = @address`+ofFormer, args)
	if err != nil {
		return 0, err
	}
	ways, err := tx.Exec(ctx, `UPDATE daf_workflows SET donor = jsonb_set(donor, '{email}', to_jsonb(@address::text))`+
		wayUnicode+` AND donor->>'email' = @former`, args)
	return int(people + invitations + receipts + links + ways), err
}
