package token

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"math/big"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/vault"
)

// Bounds of the deposits that prove a bank account, and how often their amounts may be told.
const (
	maxDeposit = 99 // minor units
	maxTries   = 10
)

// WrongDeposits bounds how often an application may be told wrong amounts about one bank account, known by its fingerprint:
// each of its tokens, and each payout account that it becomes, gets other deposits, but no one more guesses by making more.
var WrongDeposits = ratelimit.Bound{What: "wrong_deposits", Most: maxTries, Within: 30 * 24 * time.Hour}

// sandboxDeposits are the amounts of every verification in a sandbox.
var sandboxDeposits = [2]int64{32, 45}

// chooseDeposits picks the amounts that a token is verified with, and digests them.
func (s *Service) chooseDeposits(ref vault.Ref) ([]byte, error) {
	amounts := sandboxDeposits
	if s.deps.Livemode {
		for i := range amounts {
			n, err := rand.Int(rand.Reader, big.NewInt(maxDeposit))
			if err != nil {
				return nil, err
			}
			amounts[i] = n.Int64() + 1
		}
	}
	return s.deps.Vault.DepositsDigest(ref, amounts)
}

// VerifyInput tells the amounts of the two deposits, in minor units and either order.
type VerifyInput struct {
	Amounts []int64 `json:"amounts"`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in VerifyInput) Validate() fault.Fields {
	var fs fault.Fields
	switch ok := func(n int64) bool { return n >= 1 && n <= maxDeposit }; {
	case in.Amounts == nil:
		check.Required(&fs, "amounts", false)
	case len(in.Amounts) != 2 || !ok(in.Amounts[0]) || !ok(in.Amounts[1]):
		fs.Add("amounts", "parameter_invalid", "Two integers from 1 to 99, the amounts of the deposits in minor units.")
	}
	return fs
}

// verification is how far the proof of a bank account has come.
type verification struct {
	Deposits    []byte `db:"deposits"`
	Tries       int    `db:"verification_tries"`
	Fingerprint []byte `db:"fingerprint"`
}

// Verify makes a bank account that awaits verification active, by the amounts of the two deposits
// that its holder sees. After ten wrong answers the token is disabled, and so is one of an account that had as many within
// thirty days, whatever is told. One that is active already stays as it is.
func (s *Service) Verify(ctx context.Context, actor authz.Actor, id string, in VerifyInput, claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.deps.Check.Check(actor, authz.TokenVerify); err != nil {
		return idempotency.Result[Token]{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Token]{}, err
	}
	tokenID, err := ids.ParseToken(id)
	if err != nil {
		return idempotency.Result[Token]{}, fault.Missing()
	}
	if err := s.reach(ctx, actor, tokenID); err != nil {
		return idempotency.Result[Token]{}, err
	}
	return once(ctx, s, claim, actor.ApplicationID, tokenID.Bytes(), func(tx *pg.Tx, m instant.Moment) (Token, error) {
		before, err := lockTx(ctx, tx, actor.ApplicationID, tokenID)
		if err != nil {
			return before, err
		}
		by := cause{s.livemode(), actor.RequestID, outbox.SourceOf(actor)}
		if err := verifiable(before, m); err != nil || before.Status == Active {
			return before.derive(by.livemode), err
		}
		return s.answerTx(ctx, tx, m, before, in, by)
	})
}

func verifiable(t Token, m instant.Moment) error {
	switch {
	case t.Status == Deleted:
		return errDeleted
	case t.Status == Expired, !m.At.Before(t.ExpiresAt.Time):
		return errExpired
	case t.Status == Disabled:
		return fault.Refused("token_disabled", "This token can no longer be charged.")
	case t.BankAccount == nil:
		return fault.Refused("token_type_mismatch", "Only bank accounts are verified.")
	}
	return nil
}

// answerTx compares an answer with the deposits of a locked token, and counts a wrong one. About an account that had too
// many of those nothing is compared: every answer is wrong.
func (s *Service) answerTx(ctx context.Context, tx *pg.Tx, m instant.Moment, before Token, in VerifyInput, by cause) (Token, error) {
	v, err := pg.One[verification](ctx, tx, `
		SELECT deposits, verification_tries, fingerprint FROM tokens WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": before.ApplicationID, "id": before.ID})
	if err != nil {
		return before, err
	}
	ofAccount, err := WrongDeposits.LockTx(ctx, tx, before.ApplicationID, v.Fingerprint, m.At)
	if err != nil {
		return before, err
	}
	told, err := s.deps.Vault.DepositsDigest(owner{before.ApplicationID, before.MerchantID}.ref(before.ID), [2]int64(in.Amounts))
	if err != nil {
		return before, err
	}
	if ofAccount > 0 && subtle.ConstantTimeCompare(told, v.Deposits) == 1 {
		after := before
		after.Status = Active
		return changeTx(tx, m, before, after, by)
	}
	tx.Later(`UPDATE tokens SET verification_tries = verification_tries + 1 WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": before.ApplicationID, "id": before.ID})
	message := "The deposits of this account were told wrongly too often within thirty days."
	if ofAccount > 0 {
		message = "These are not the amounts of the deposits."
		WrongDeposits.CountTx(tx, before.ApplicationID, v.Fingerprint, m.At)
	}
	left := max(0, min(maxTries-v.Tries, ofAccount)-1)
	after := before
	if left == 0 {
		if after, err = changeTx(tx, m, before, before.disabled("verification_failed"), by); err != nil {
			return before, err
		}
	}
	return after, idempotency.Keep(fault.Refused("verification_failed", message).On("amounts").With("remaining", left))
}
