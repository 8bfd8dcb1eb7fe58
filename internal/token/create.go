package token

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/textindex"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/vault"
)

// CreateCard keeps a card in the vault and returns its token. The same retryKey again returns the same token, also from
// the session that follows one that ended in the meantime; a retryKey is required. A card that is used too often, or at
// a merchant where stolen cards are tested, is rate_limited; card_testing_suspected asks for a proof of work. One of a
// merchant that takes no payments is payment_method_disabled.
func (s *Service) CreateCard(ctx context.Context, sessionID, retryKey string, in CardInput) (Created, error) {
	in.Billing = in.Billing.Tidied()
	if fs := in.validate(s.deps.Now()); len(fs) > 0 {
		return Created{}, fs.Err()
	}
	session, err := s.CountAttempt(ctx, sessionID)
	if err != nil {
		return Created{}, err
	}
	row, err := s.prepare(ctx, owner{session.ApplicationID, session.MerchantID}, in, CardKind)
	if err != nil {
		return Created{}, err
	}
	row.counted = s.deps.Exempt == nil || !s.deps.Exempt(in.Number)
	claim := browserClaim(session.scope(typed), retryKey, row, s.deps.Now())
	refusal := session.refuse()
	if refusal == nil {
		refusal = s.guard(ctx, session, in, &row)
	}
	if refusal != nil {
		if fault.HasCode(refusal, "card_testing_suspected") {
			if err := s.uncount(ctx, session); err != nil {
				return Created{}, err
			}
		}
		return s.madeBefore(ctx, claim, refusal)
	}
	out, err := s.keepCard(ctx, row, claim)
	if fault.HasCode(err, "rate_limited") {
		s.noteTesting(ctx, session, "card_repeated")
	}
	return out, err
}

// madeBefore is the token that an earlier attempt made: its retry, whose answer was lost, is refused no more than it
// was. Everything else gets the refusal.
func (s *Service) madeBefore(ctx context.Context, claim *idempotency.Claim, refusal error) (Created, error) {
	v, err := idempotency.Foresee(ctx, s.deps.Pool, claim)
	switch {
	case err != nil:
		return Created{}, err
	case v.Prior == nil:
		return Created{}, refusal
	}
	out := replay(v)
	return out.Created, out.Err
}

// keep writes a token, once for a claim.
func (s *Service) keep(ctx context.Context, row newToken, claim *idempotency.Claim) (Created, error) {
	return s.keepWith(ctx, row, claim, nothingElseTx)
}

func nothingElseTx(context.Context, *pg.Tx) error { return nil }

// keepWith is keep that does something else in the same transaction, if the token is a new one.
func (s *Service) keepWith(ctx context.Context, row newToken, claim *idempotency.Claim,
	also func(context.Context, *pg.Tx) error) (Created, error) {
	row.claim = claim
	rows := []newToken{row}
	at, err := clock.MomentsOf(ctx, s.deps.Clock, rows, newToken.application)
	if err != nil {
		return Created{}, err
	}
	var out []insertOut
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		out, err = s.insertTx(ctx, tx, at, rows)
		if err != nil || out[0].Created.Token != row.created.Token {
			return err
		}
		return also(ctx, tx)
	})
	if err != nil {
		return Created{}, err
	}
	return out[0].Created, out[0].Err
}

// keepCard is keep for cards that payers type: those that come at the same time share a transaction.
func (s *Service) keepCard(ctx context.Context, row newToken, claim *idempotency.Claim) (Created, error) {
	row.claim = claim
	out, err := s.cards.Do(ctx, row)
	if err != nil {
		return Created{}, err
	}
	return out.Created, out.Err
}

// key is what two new cards may have in common that come at the same time: the card, whose tokens are
// counted, or else the claim.
func (r newToken) key() string {
	if r.counted {
		return fmt.Sprintf("%d:%x", r.ApplicationID, r.fingerprint)
	}
	return r.claim.Key
}

func (r newToken) application() int64 { return r.ApplicationID }

// owner is the merchant that a token is for.
type owner struct{ ApplicationID, MerchantID int64 }

// newToken is a token ready to be written: sealed, described, with what the browser will be told.
type newToken struct {
	owner
	created      Created
	kind         Kind
	entryMode    string
	status       Status
	bin, country *string // of a card
	routing      *string // of a bank account
	fingerprint  []byte
	// deposits are of an account that awaits verification. Only servers of earlier versions, and tokens that they made,
	// compare them.
	deposits   []byte
	verifiedAt *processor.Account // where deposits are asked for; nil if there is nothing to verify
	refusal    error              // of an account that would have to be verified and cannot be
	sealed     vault.Sealed
	mandate    *Mandate
	payload    []byte // SHA-256 of what names a wallet's payload
	claim      *idempotency.Claim
	counted    bool     // among those that may be made of one card
	attempt    *attempt // nil where card testing is not watched
}

func (s *Service) prepare(ctx context.Context, o owner, in CardInput, kind Kind) (newToken, error) {
	profile, err := s.deps.Directory.Profile(ctx, in.Number.BIN())
	if err != nil {
		return newToken{}, fmt.Errorf("token: profile: %w", err)
	}
	id := ids.NewToken(s.deps.Now())
	sealed, err := s.deps.Vault.Seal(o.ref(id), vault.Card{PAN: in.Number, CVC: in.CVC, Cryptogram: in.cryptogram,
		ECI: in.eci})
	if err != nil {
		return newToken{}, err
	}
	fingerprint, err := s.deps.Vault.Fingerprint(in.Number)
	if err != nil {
		return newToken{}, err
	}
	bin, entryMode, from := in.Number.BIN(), Keyed, (*string)(nil)
	if in.Swiped {
		entryMode = Swiped
	}
	if kind != CardKind {
		entryMode, from = FromWallet, new(string(kind))
	}
	return newToken{
		created: Created{Token: id, Billing: in.Billing, Livemode: s.livemode(), Card: &Card{
			Brand: sensitive.BrandOf(in.Number.Reveal()).Name, Last4: in.Number.Last4(),
			ExpMonth: in.ExpMonth, ExpYear: in.ExpYear, Funding: profile.Funding, Wallet: from,
			CardholderName: in.Billing.Name(),
		}},
		owner: o, kind: kind, entryMode: entryMode, status: Active,
		bin: &bin, country: &profile.Country, fingerprint: fingerprint, sealed: sealed,
	}, nil
}

func (o owner) ref(id ids.Token) vault.Ref {
	return vault.Ref{Token: id, ApplicationID: o.ApplicationID, MerchantID: o.MerchantID}
}

// browserClaim makes a retry within the same scope find the first attempt's token. The digest uses
// the card's keyed fingerprint, so nothing about the number can be found by trying.
func browserClaim(within, retryKey string, row newToken, now time.Time) *idempotency.Claim {
	scope := sha256.Sum256([]byte(within + "\n" + retryKey))
	shown, _ := json.Marshal(struct { // plain values: cannot fail
		*Card
		*BankAccount
		Billing
	}{row.created.Card, row.created.BankAccount, row.created.Billing})
	return &idempotency.Claim{
		ApplicationID: row.ApplicationID, Key: fmt.Sprintf("client:%x", scope), Method: "POST", Path: "/client/tokens",
		Fingerprint: sha256.Sum256(slices.Concat(row.fingerprint, shown)), Params: map[string]string{},
		RequestID: ids.NewRequest(now),
	}
}

// insertOut is the outcome of one newToken.
type insertOut struct {
	Created Created
	Err     error
}

// insertTx writes tokens in the caller's transaction. One bad input never fails the others.
func (s *Service) insertTx(ctx context.Context, tx *pg.Tx, at clock.Moments, rows []newToken) ([]insertOut, error) {
	now := at[rows[0].ApplicationID].Machine // which differ by less than a millisecond or two
	entries := make([]idempotency.Entry, len(rows))
	for i, r := range rows {
		entries[i] = idempotency.Entry{Claim: r.claim, ObjectID: r.created.Token.Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, now, entries)
	if err != nil {
		return nil, err
	}
	refusals, err := countTx(ctx, tx, rows, verdicts, now)
	if err != nil {
		return nil, err
	}
	out := make([]insertOut, len(rows))
	for i, r := range rows {
		if v := verdicts[i]; v.Err != nil || v.Prior != nil {
			out[i] = replay(v)
			continue
		}
		if refusals[i] != nil {
			out[i].Err = refusals[i]
			idempotency.ReleaseTx(tx, r.claim)
			continue
		}
		out[i] = insertOut{Created: r.created}
		if err := queueInsertTx(tx, r, at[r.ApplicationID]); err != nil {
			return nil, err
		}
		if err := r.claim.StoreTx(tx, r.created.Token.Bytes(), r.created, nil); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func replay(v idempotency.Verdict) (out insertOut) {
	if v.Err != nil {
		return insertOut{Err: v.Err}
	}
	if err := json.Unmarshal(v.Prior.Outcome.Result, &out.Created); err != nil {
		out.Err = fault.Internal(err)
	}
	return out
}

// words are what searches find a token by.
func words(id ids.Token, b Billing) pgtype.TSVector {
	return textindex.AgedVector(id.Bytes(), b.Searched()...)
}

func queueInsertTx(tx *pg.Tx, r newToken, m instant.Moment) error {
	billing, err := json.Marshal(r.created.Billing)
	if err != nil {
		return err
	}
	args := pg.Args{"id": r.created.Token, "application_id": r.ApplicationID, "merchant_id": r.MerchantID,
		"kind":   r.kind,
		"status": r.status, "last4": nil, "brand": nil, "bin": r.bin, "exp_month": nil, "exp_year": nil, "funding": nil,
		"country": r.country, "routing": r.routing, "bank_name": nil, "account_type": nil, "fingerprint": r.fingerprint,
		"deposits": r.deposits, "entry_mode": r.entryMode, "billing": billing, "until": m.At.AddDate(0, lifeMonths, 0),
		"words": words(r.created.Token, r.created.Billing), "words_version": textindex.Version, "now": m.At}
	if c := r.created.Card; c != nil {
		args["last4"], args["brand"], args["funding"] = c.Last4, c.Brand, c.Funding
		args["exp_month"], args["exp_year"] = c.ExpMonth, c.ExpYear
	}
	if b := r.created.BankAccount; b != nil {
		args["last4"], args["bank_name"], args["account_type"] = b.Last4, b.BankName, b.AccountType
	}
	tx.Row(nil, `
		INSERT INTO tokens (id, application_id, merchant_id, kind, status, last4, brand, bin, exp_month, exp_year,
			funding, country, routing, bank_name, account_type, fingerprint, deposits, entry_mode, billing, expires_at,
				words, words_version,
			created_at, updated_at)
		SELECT t.*, t.now
		FROM unnest(@rows::new_found_token[]) AS t`, args)
	vault.InsertTx(tx, r.created.Token, r.sealed, m.Machine)
	if r.payload != nil {
		tx.Later(`INSERT INTO wallet_payloads (id_hash, seen_at)
			VALUES (@hash, @now)`, pg.Args{"hash": r.payload, "now": m.Machine})
	}
	if r.mandate != nil {
		insertMandateTx(tx, r.owner, *r.mandate)
	}
	if r.verifiedAt != nil {
		insertVerificationTx(tx, r, m)
	}
	if r.attempt != nil {
		insertAttemptTx(tx, r)
	}
	return nil
}
