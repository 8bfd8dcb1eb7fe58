package token

import (
	"context"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// Token is a saved payment method: the record, the API's object and the event's data.object. It holds
// nothing that the vault keeps. A card, or a bank account, is nil in the other's token.
type Token struct {
	ID             ids.Token     `db:"id" json:"id"`
	Object         string        `db:"-" json:"object"`
	Version        int           `db:"version" json:"version"`
	Livemode       bool          `db:"-" json:"livemode"`
	ApplicationID  int64         `db:"application_id" json:"-"`
	MerchantID     int64         `db:"merchant_id" json:"merchant_id"`
	Kind           Kind          `db:"kind" json:"kind"`
	Status         Status        `db:"status" json:"status"`
	DisabledReason *string       `db:"disabled_reason" json:"disabled_reason"`
	Card           *SavedCard    `db:"card" json:"card"`
	BankAccount    *SavedBank    `db:"bank_account" json:"bank_account"`
	Mandate        *ids.Mandate  `db:"mandate_id" json:"mandate"` // of a bank account
	Billing        Billing       `db:"billing" json:"billing"`
	EntryMode      string        `db:"entry_mode" json:"entry_mode"`
	LastUsedAt     *instant.Time `db:"last_used_at" json:"last_used_at"`
	ExpiresAt      instant.Time  `db:"expires_at" json:"expires_at"`
	CreatedAt      instant.Time  `db:"created_at" json:"created_at"`
	UpdatedAt      instant.Time  `db:"updated_at" json:"updated_at"`
}

// SavedCard is what is kept in clear of a card, a wallet's too.
type SavedCard struct {
	Brand    string  `json:"brand"`
	BIN      string  `json:"bin"`
	Last4    string  `json:"last4"`
	ExpMonth int     `json:"exp_month"`
	ExpYear  int     `json:"exp_year"`
	Funding  string  `json:"funding"`
	Country  string  `json:"country"` // ISO 3166-1 alpha-2 of the issuer
	Wallet   *string `json:"wallet"`
}

// SavedBank is what is notified of a bank account.
type SavedBank struct {
	BankName    string           `json:"bank_name"`
	Last4       string           `json:"last4"`
	AccountType string           `json:"account_type"` // checking or savings
	Scheme      processor.Scheme `json:"scheme"`
}

// columns lists what a Token is read from.
const columns = `t.id, t.version, t.application_id, t.merchant_id, t.kind, t.status, t.disabled_reason,
	CASE WHEN t.brand IS NOT NULL THEN jsonb_build_object('brand', t.brand, 'bin', t.bin, 'last4', t.last4,
		'exp_month', t.exp_month, 'exp_year', t.exp_year, 'funding', t.funding, 'country', t.country,
		'wallet', CASE WHEN t.kind <> 'card' THEN t.kind END) END AS card,
	CASE WHEN t.routing IS NOT NULL THEN jsonb_build_object('bank_name', t.bank_name, 'last4', t.last4,
		'account_type', t.account_type, 'scheme', CASE t.kind WHEN 'bank_us' THEN 'ach'
			ELSE 'acss' END) END AS bank_account,
	(SELECT m.id FROM mandates m WHERE m.application_id = t.application_id AND m.token_id = t.id) AS mandate_id,
	t.billing, t.entry_mode, t.last_used_at, t.expires_at, t.created_at, t.updated_at`

// ofPayers leaves out the accounts that merchants are paid out to: they are tokens for the vault's sake
// alone, and nothing here may show or change them.
const ofPayers = ` FROM tokens t WHERE t.application_id = @application_id AND t.entry_mode <> 'payout_account'`

// find reads a token of the application, or the fault that says it is missing.
func find(ctx context.Context, q pg.Querier, applicationID int64, id ids.Token) (Token, error) {
	return pg.Find[Token](ctx, q, `SELECT `+columns+ofPayers+` AND t.id = @id`,
		pg.Args{"application_id": applicationID, "id": id})
}

// lockTx is find with the row locked until the transaction ends.
func lockTx(ctx context.Context, tx *pg.Tx, applicationID int64, id ids.Token) (Token, error) {
	return pg.Find[Token](ctx, tx, `SELECT `+columns+ofPayers+` AND t.id = @id FOR NO KEY UPDATE OF t`,
		pg.Args{"application_id": applicationID, "id": id})
}

// shown is a token as the API gives it.
func (s *Service) shown(t Token) Token { return t.derive(s.livemode()) }

// derive fills the members that follow from others.
func (t Token) derive(livemode bool) Token {
	t.Object, t.Livemode = "token", livemode
	return t
}

func (s *Service) livemode() bool { return s.deps.Livemode }

// cause says who changes a token, and where.
type cause struct {
	livemode  bool
	requestID ids.Request // zero: no request
	source    outbox.Source
}

// changeTx writes a locked token's next version, with its event. A token whose life is over leaves
// the vault.
func changeTx(tx *pg.Tx, m instant.Moment, before, after Token, c cause) (Token, error) {
	before, after = before.derive(c.livemode), after.derive(c.livemode)
	after.Version, after.UpdatedAt = before.Version+1, instant.Of(m.At)
	args := pg.Args{"version": after.Version, "status": after.Status, "reason": after.DisabledReason, "exp_month": nil,
		"exp_year": nil,
		"billing":  after.Billing, "words": words(after.ID, after.Billing), "words_version": textindex.Version,
		"now": after.UpdatedAt, "application_id": after.ApplicationID, "id": after.ID}
	if after.Card != nil {
		args["exp_month"], args["exp_year"] = after.Card.ExpMonth, after.Card.ExpYear
	}
	tx.Later(`
		UPDATE tokens SET version = @version, status = @status, disabled_reason = @reason, exp_month = @exp_month,
			exp_year = @exp_year, billing = @billing, words = @words, words_version = @words_version, updated_at = @now
		WHERE application_id = @application_id AND id = @id`, args)
	if after.Status == Expired || after.Status == Deleted {
		vault.ShredTx(tx, []ids.Token{after.ID})
	}
	previous, err := outbox.Changed(before, after)
	if err != nil {
		return after, err
	}
	return after, outbox.EmitTx(tx, m, outbox.Event{ApplicationID: after.ApplicationID, MerchantID: after.MerchantID,
		Type: "token.updated", ObjectID: after.ID.Bytes(), Position: int64(after.Version), Object: after,
		Previous: previous, RequestID: c.requestID, Source: c.source})
}

// disabled is a token that must not be charged any more. The vault keeps its data until its time is
// over: a bank may still ask about a debit.
func (t Token) disabled(reason string) Token {
	t.Status, t.DisabledReason = Disabled, &reason
	return t
}

// alive reports whether a token can be charged, now or when it is verified.
func (t Token) alive() bool { return t.Status == Active || t.Status == PendingVerification }
