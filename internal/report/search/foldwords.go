package search

import (
	"context"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
)

// foldBatch is how many rows one transaction makes the words of.
const foldBatch = 500

// unfolded is a row whose words the program did not make.
type unfolded struct {
	ApplicationID int64       `db:"application_id"`
	ID            pgtype.UUID `db:"id"`
	Text          string      `db:"text"`
	Email         string      `db:"email"` // "" of what has none
	More          string      `db:"more"`
}

// texts are what the words are made of, with both forms of the address.
func (r unfolded) texts() []string {
	return append(append([]string{r.Text}, mailbox.Forms(r.Email)...), r.More)
}

// unfoldedMerchant is that of a merchant, whose id is a number.
type unfoldedMerchant struct {
	ApplicationID int64  `db:"application_id"`
	ID            int64  `db:"id"`
	Text          string `db:"text"`
}

// The rows whose words are of version 0 and whose texts have more than ASCII: the conditions of the indexes by unfolded
// rows.
const (
	ofUnfolded      = ` WHERE words_version = 0 AND beyond_ascii(`
	unfoldedCharges = ` FROM charges` + ofUnfolded +
		`coalesce(billing::text, '') || coalesce(description, '') || coalesce(external_id, released_external_id, ''))`
	unfoldedTokens    = ` FROM tokens` + ofUnfolded + `coalesce(billing::text, ''))`
	unfoldedRefunds   = ` FROM refunds` + ofUnfolded + `coalesce(note, '') || coalesce(external_id, ''))`
	unfoldedDonations = ` FROM daf_donations` + ofUnfolded +
		`donor::text || fund_name || coalesce(tracking_id, '') || coalesce(external_grant_id, '')
		|| coalesce(external_id, '') || coalesce(note, ''))`
	unfoldedMerchants = ` FROM merchants` + ofUnfolded + `name || statement_descriptor || coalesce(external_id, ''))`
	aBatch            = ` LIMIT @most FOR UPDATE SKIP LOCKED`
)

// The texts that each package makes the words of.
const (
	selectCharges = `
		SELECT application_id, id, concat_ws(' ', billing->>'first_name', billing->>'middle_name',
			billing->>'last_name') AS text, coalesce(billing->>'email', '') AS email,
				concat_ws(' ', description, coalesce(external_id, released_external_id)) AS more` +
		unfoldedCharges + aBatch
	selectTokens = `
		SELECT application_id, id, concat_ws(' ', billing->>'first_name', billing->>'middle_name',
			billing->>'last_name') AS text,
			coalesce(billing->>'email', '') AS email, '' AS more` + unfoldedTokens + aBatch
	selectRefunds = `SELECT application_id, id, concat_ws(' ', note, external_id) AS text,
		'' AS email, '' AS more` + unfoldedRefunds + aBatch
	selectDonations = `
		SELECT application_id, id, concat_ws(' ', donor->>'firstName', donor->>'lastName', donor->>'note', fund_name,
			tracking_id, external_grant_id, external_id, note) AS text,
				coalesce(donor->>'email', '') AS email, '' AS more` + unfoldedDonations + aBatch
	selectMerchants = `SELECT application_id, id, concat_ws(' ', name, statement_descriptor,
		external_id) AS text` + unfoldedMerchants + aBatch
)

// FoldWords makes the words of rows that were written before the program made them, or by a server of before, gives
// their email addresses the form in which they are compared, and says how many rows it made. Rows that another
// transaction holds wait for the next time.
func (s *Service) FoldWords(ctx context.Context) (n int, err error) {
	for _, fold := range []func(context.Context, *pg.Tx) (int, error){foldChargesTx, foldTokensTx, foldRefundsTx,
		foldDonationsTx, foldMerchantsTx} {
		err := pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
			made, err := fold(ctx, tx)
			n += made
			return err
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

func foldChargesTx(ctx context.Context, tx *pg.Tx) (int, error) {
	rows, err := pg.All[unfolded](ctx, tx, selectCharges, pg.Args{"most": foldBatch})
	for _, r := range rows {
		tx.Later(`UPDATE charges SET words = @words, words_version = @version,
				billing = CASE WHEN @email::text <> '' THEN jsonb_set(billing, '{email}', to_jsonb(@email::text))
					ELSE billing END
			WHERE application_id = @application_id AND id = @id`,
			pg.Args{"words": textindex.AgedVector(r.ID.Bytes, r.texts()...), "email": mailbox.Normal(r.Email),
				"version": textindex.Version, "application_id": r.ApplicationID, "id": r.ID})
	}
	return len(rows), err
}

func foldTokensTx(ctx context.Context, tx *pg.Tx) (int, error) {
	rows, err := pg.All[unfolded](ctx, tx, selectTokens, pg.Args{"most": foldBatch})
	for _, r := range rows {
		tx.Later(`UPDATE tokens SET words = @words, words_version = @version,
				billing = CASE WHEN @email::text <> '' THEN jsonb_set(billing, '{email}', to_jsonb(@email::text))
					ELSE billing END
			WHERE application_id = @application_id AND id = @id`,
			pg.Args{"words": textindex.AgedVector(r.ID.Bytes, r.texts()...), "email": mailbox.Normal(r.Email),
				"version": textindex.Version, "application_id": r.ApplicationID, "id": r.ID})
	}
	return len(rows), err
}

func foldRefundsTx(ctx context.Context, tx *pg.Tx) (int, error) {
	rows, err := pg.All[unfolded](ctx, tx, selectRefunds, pg.Args{"most": foldBatch})
	for _, r := range rows {
		tx.Later(`UPDATE refunds SET words = @words, words_version = @version WHERE application_id = @application_id
			AND id = @id`,
			pg.Args{"words": textindex.Vector(r.Text), "version": textindex.Version, "application_id": r.ApplicationID,
				"id": r.ID})
	}
	return len(rows), err
}

func foldDonationsTx(ctx context.Context, tx *pg.Tx) (int, error) {
	rows, err := pg.All[unfolded](ctx, tx, selectDonations, pg.Args{"most": foldBatch})
	for _, r := range rows {
		tx.Later(`UPDATE daf_donations SET words = @words, words_version = @version,
				donor = CASE WHEN @email::text <> '' THEN jsonb_set(donor, '{email}', to_jsonb(@email::text))
					ELSE donor END
			WHERE application_id = @application_id AND id = @id`,
			pg.Args{"words": textindex.Vector(r.texts()...), "email": mailbox.Normal(r.Email),
				"version": textindex.Version, "application_id": r.ApplicationID, "id": r.ID})
	}
	return len(rows), err
}

func foldMerchantsTx(ctx context.Context, tx *pg.Tx) (int, error) {
	rows, err := pg.All[unfoldedMerchant](ctx, tx, selectMerchants, pg.Args{"most": foldBatch})
	for _, r := range rows {
		tx.Later(`UPDATE merchants SET words = @words, words_version = @version WHERE application_id = @application_id
			AND id = @id`,
			pg.Args{"words": textindex.Vector(r.Text), "version": textindex.Version, "application_id": r.ApplicationID,
				"id": r.ID})
	}
	return len(rows), err
}

const selectUnfolded = `
	SELECT EXISTS
		(SELECT` + unfoldedCharges + ` AND application_id = @application_id)
			OR EXISTS (SELECT` + unfoldedTokens + ` AND application_id = @application_id)
		OR EXISTS (SELECT` + unfoldedRefunds + ` AND application_id = @application_id)
			OR EXISTS (SELECT` + unfoldedDonations + ` AND application_id = @application_id)
		OR EXISTS (SELECT` + unfoldedMerchants + ` AND application_id = @application_id)`

// unfoldedPhrase is a text of more than ASCII that a query asks for, in the form in which the query does.
type unfoldedPhrase struct {
	text, phrase string
	prefix       bool
}

// withUnfolded is a query with what finds rows, too, whose words the program did not make yet. Texts of ASCII are the
// same words.
func (s *Service) withUnfolded(ctx context.Context, applicationID int64, c Query) (Query, error) {
	if len(c.beyondASCII) == 0 {
		return c, nil
	}
	left, err := pg.Value[bool](ctx, s.deps.Pool, selectUnfolded, pg.Args{"application_id": applicationID})
	if err != nil || !left {
		return c, err
	}
	c.words, c.unwanted = slices.Clone(c.words), slices.Clone(c.unwanted)
	for _, p := range c.beyondASCII {
		former, err := pg.Value[string](ctx, s.deps.Pool, `
			SELECT coalesce(string_agg(quote_literal(lexeme), ' <-> ' ORDER BY position), '')
			FROM unnest(search_words(@text::text)) w, unnest(w.positions) position`, pg.Args{"text": p.text})
		if err != nil {
			return c, err
		}
		if former == "" {
			continue
		}
		if p.prefix {
			former += ":*"
		}
		for _, all := range [][]string{c.words, c.unwanted} {
			for i := range all {
				all[i] = strings.ReplaceAll(all[i], p.phrase, "("+p.phrase+" | "+former+")")
			}
		}
	}
	return c, nil
}
