package token

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/pg"
	"svcpay/internal/vault"
)

// CreateCard keeps a card in the vault and returns its token. The same session and retryKey
// again return the same token; a retryKey is required.
func (s *Service) CreateCard(ctx context.Context, sessionID, retryKey string, in CardInput) (Created, error) {
	if fs := in.validate(s.now()); len(fs) > 0 {
		return Created{}, fs.Err()
	}
	session, err := s.useSession(ctx, sessionID)
	if err != nil {
		return Created{}, err
	}
	row, err := s.prepare(ctx, session, in)
	if err != nil {
		return Created{}, err
	}
	row.claim = browserClaim(sessionID, retryKey, row, s.now())
	var out []insertOut
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		out, err = s.insertTx(ctx, tx, []newToken{row})
		return err
	})
	if err != nil {
		return Created{}, err
	}
	return out[0].Created, out[0].Err
}

// newToken is a token ready to be written: sealed, described, with what the browser will be told.
type newToken struct {
	created       Created
	applicationID int64
	merchantID    int64
	bin, country  string
	fingerprint   []byte
	sealed        vault.Sealed
	claim         *idempotency.Claim
}

func (s *Service) prepare(ctx context.Context, session sessionRow, in CardInput) (newToken, error) {
	profile, err := s.processor.Profile(ctx, in.Number.BIN())
	if err != nil {
		return newToken{}, fmt.Errorf("token: profile: %w", err)
	}
	id := ids.NewToken(s.now())
	ref := vault.Ref{Token: id, ApplicationID: session.ApplicationID, MerchantID: session.MerchantID}
	sealed, err := s.vault.Seal(ref, vault.Card{PAN: in.Number, CVC: in.CVC})
	if err != nil {
		return newToken{}, err
	}
	fingerprint, err := s.vault.Fingerprint(in.Number)
	if err != nil {
		return newToken{}, err
	}
	return newToken{
		created: Created{Token: id, Billing: in.Billing, Livemode: s.livemode(), Card: Card{
			Brand: brandOf(in.Number.Reveal()).name, Last4: in.Number.Last4(),
			ExpMonth: in.ExpMonth, ExpYear: in.ExpYear, Funding: profile.Funding,
			CardholderName: strings.Join(strings.Fields(in.Billing.FirstName+" "+in.Billing.MiddleName+" "+in.Billing.LastName), " "),
		}},
		applicationID: session.ApplicationID, merchantID: session.MerchantID,
		bin: in.Number.BIN(), country: profile.Country, fingerprint: fingerprint, sealed: sealed,
	}, nil
}

// browserClaim makes a retry from the same session find the first attempt's token. The digest uses
// the card's keyed fingerprint, so nothing about the number can be found by trying.
func browserClaim(sessionID, retryKey string, row newToken, now time.Time) *idempotency.Claim {
	scope := sha256.Sum256([]byte(sessionID + "\n" + retryKey))
	shown, _ := json.Marshal(struct { // plain values: cannot fail
		Card
		Billing
	}{row.created.Card, row.created.Billing})
	return &idempotency.Claim{
		ApplicationID: row.applicationID, Key: fmt.Sprintf("client:%x", scope), Method: "POST", Path: "/client/tokens",
		Fingerprint: sha256.Sum256(slices.Concat(row.fingerprint, shown)), Params: map[string]string{},
		RequestID: ids.NewRequest(now),
	}
}

// insertOut is what became of one newToken.
type insertOut struct {
	Created Created
	Err     error
}

// insertTx writes tokens in the caller's transaction. One bad input never fails the others.
func (s *Service) insertTx(ctx context.Context, tx *pg.Tx, rows []newToken) ([]insertOut, error) {
	now := s.now()
	entries := make([]idempotency.Entry, len(rows))
	for i, r := range rows {
		entries[i] = idempotency.Entry{Claim: r.claim, ObjectID: r.created.Token.Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, now, entries)
	if err != nil {
		return nil, err
	}
	out := make([]insertOut, len(rows))
	for i, r := range rows {
		if v := verdicts[i]; v.Err != nil || v.Prior != nil {
			out[i] = replay(v)
			continue
		}
		if err := queueInsert(tx, r, now); err != nil {
			return nil, err
		}
		result, err := json.Marshal(r.created)
		if err != nil {
			return nil, err
		}
		if err := idempotency.FinishTx(tx, idempotency.Held{ApplicationID: r.applicationID, Key: r.claim.Key,
			ObjectID: r.created.Token.Bytes()}, idempotency.Outcome{Result: result}); err != nil {
			return nil, err
		}
		out[i] = insertOut{Created: r.created}
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

func queueInsert(tx *pg.Tx, r newToken, now time.Time) error {
	billing, err := json.Marshal(r.created.Billing)
	if err != nil {
		return err
	}
	c := r.created.Card
	tx.Later(`
		INSERT INTO tokens (id, application_id, merchant_id, kind, status, brand, bin, last4, exp_month, exp_year,
			funding, country, fingerprint, entry_mode, billing, expires_at, created_at, updated_at)
		VALUES (@id, @application_id, @merchant_id, 'card', @status, @brand, @bin, @last4, @exp_month, @exp_year,
			@funding, @country, @fingerprint, 'keyed', @billing, @until, @now, @now)`,
		pg.Args{"id": r.created.Token, "application_id": r.applicationID, "merchant_id": r.merchantID,
			"status": Active, "brand": c.Brand, "bin": r.bin, "last4": c.Last4, "exp_month": c.ExpMonth,
			"exp_year": c.ExpYear, "funding": c.Funding, "country": r.country, "fingerprint": r.fingerprint,
			"billing": billing, "until": now.AddDate(0, lifeMonths, 0), "now": now})
	vault.InsertTx(tx, r.created.Token, r.sealed, now)
	return nil
}
