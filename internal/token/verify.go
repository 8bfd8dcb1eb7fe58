package token

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"log/slog"
	"math/big"
	"regexp"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/ratelimit"
	"svcpay/internal/processor"
	"svcpay/internal/vault"
)

// Bounds of the deposits that prove a bank account, and how often their amounts may be told.
const (
	maxDeposit = 99 // minor units
	maxTries   = 10
)

// WrongDeposits bounds how often an application may be told wrong amounts about one bank account, known by its
// fingerprint: each of its tokens, and each payout account that it becomes, gets other deposits, but no one more
// guesses by making more.
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

// VerifyInput is what the statement of a bank account shows: the amounts of two deposits, or the code of one.
type VerifyInput struct {
	// Amounts are in minor units and either order.
	Amounts []int64 `json:"amounts"`
	// DescriptorCode is SM and four letters or digits, in either case; white space at both ends does not count.
	DescriptorCode *string `json:"descriptor_code"`
}

var descriptorCode = regexp.MustCompile(`^\s*[Ss][Mm][0-9A-Za-z]{4}\s*$`)

// Validate returns every mistake that can be seen without looking anything up.
func (in VerifyInput) Validate() fault.Fields {
	var fs fault.Fields
	ok := func(n int64) bool { return n >= 1 && n <= maxDeposit }
	if in.Amounts != nil && (len(in.Amounts) != 2 || !ok(in.Amounts[0]) || !ok(in.Amounts[1])) {
		fs.Add("amounts", "parameter_invalid",
			"Send two integers from 1 to 99: the amounts of the deposits in minor units.")
	}
	if in.DescriptorCode != nil && !descriptorCode.MatchString(*in.DescriptorCode) {
		fs.Add("descriptor_code", "parameter_invalid",
			"Send the six characters of the deposit's statement text that begin with SM.")
	}
	switch {
	case len(fs) > 0: // one mistake of each is enough
	case in.Amounts != nil && in.DescriptorCode != nil:
		fs.Add("descriptor_code", "parameters_exclusive", "Send amounts or descriptor_code, not both.")
	case in.Amounts == nil && in.DescriptorCode == nil:
		fs.Add("amounts", "parameter_missing", "Send amounts, or descriptor_code if there is one deposit with a code.")
	}
	return fs
}

// amounts are those that were sent; zero: a code was.
func (in VerifyInput) amounts() (out [2]int64) {
	copy(out[:], in.Amounts)
	return out
}

// code is the code as processors write it; "": amounts were sent.
func (in VerifyInput) code() string {
	if in.DescriptorCode == nil {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(*in.DescriptorCode))
}

// wrong is the member that a wrong answer is about, and what to say of it.
func (in VerifyInput) wrong() (param, message string) {
	if in.DescriptorCode != nil {
		return "descriptor_code",
			"This is not the code of the deposit. If the statement shows two deposits, send their amounts."
	}
	return "amounts",
		"These are not the amounts of the deposits. If the statement shows one deposit with a code, send the code."
}

// proof is how far the proof of a bank account has come.
type proof struct {
	Deposits    []byte `db:"deposits"`
	Tries       int    `db:"verification_tries"`
	Fingerprint []byte `db:"fingerprint"`
	Elsewhere   bool   `db:"elsewhere"` // a processor sends the deposits and knows their amounts
}

func findProof(ctx context.Context, q pg.Querier, t Token) (proof, error) {
	return pg.One[proof](ctx, q, `
		SELECT t.deposits, t.verification_tries, t.fingerprint, v.token_id IS NOT NULL AS elsewhere
		FROM tokens t LEFT JOIN bank_verifications v ON v.token_id = t.id
		WHERE t.application_id = @application_id
			AND t.id = @id`, pg.Args{"application_id": t.ApplicationID, "id": t.ID})
}

// errUnanswered is the error of an answer that could not be checked. It counts for nothing.
var errUnanswered = fault.New(fault.KindUnavailable, "overloaded",
	"The deposits can't be checked right now. Try again shortly.").
	After(10 * time.Second)

// Verify makes a bank account that awaits verification active, by the amounts of two deposits that its holder sees, or
// by the code of one. After ten wrong answers the token is disabled, and so is one of an account that had as many
// within thirty days, whatever the answer is. One that is active already stays as it is. The processor that sent the
// deposits compares the answer; while it does not respond, the error is overloaded, and no answer is counted.
func (s *Service) Verify(ctx context.Context, actor authz.Actor, id string, in VerifyInput,
	claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.deps.Check.Check(actor, authz.TokenVerify); err != nil {
		return idempotency.Result[Token]{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Token]{}, err
	}
	tokenID, err := s.reach(ctx, actor, id)
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	confirmed, err := s.confirm(ctx, actor.ApplicationID, tokenID, in, claim)
	if err != nil {
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
		return s.answerTx(ctx, tx, m, before, in, confirmed, by)
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

// answered is what an answer about deposits leads to, and how many the account had left before it. Zero: it was not
// looked at.
type answered struct {
	processor.Confirmed
	left int
}

// confirm has the processor that sent the deposits compare an answer, outside of any transaction. The answer counts for
// its account while it is compared, so that no more than are left are compared at the same time; if this process dies
// then, it stays counted. Nil: the processor is not asked, because it sent none, or because its comparison would change
// nothing.
func (s *Service) confirm(ctx context.Context, applicationID int64, id ids.Token, in VerifyInput,
	claim *idempotency.Claim,
) (*answered, error) {
	if claim != nil {
		if v, err := idempotency.Foresee(ctx, s.deps.Pool, claim); err != nil || v.Err != nil || v.Prior != nil {
			return nil, err
		}
	}
	m, err := s.deps.Clock.Moment(ctx, applicationID)
	if err != nil {
		return nil, err
	}
	t, err := find(ctx, s.deps.Pool, applicationID, id)
	if err != nil || verifiable(t, m) != nil || t.Status == Active {
		return nil, err
	}
	v, err := findVerification(ctx, s.deps.Pool, id)
	if err != nil || v == nil {
		return nil, err
	}
	p, err := findProof(ctx, s.deps.Pool, t)
	if err != nil {
		return nil, err
	}
	out := answered{Confirmed: processor.Confirmed{Verdict: processor.WrongDeposits}}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		out.left, err = WrongDeposits.LockTx(ctx, tx, applicationID, p.Fingerprint, m.At)
		if err == nil && out.left > 0 {
			WrongDeposits.CountTx(tx, applicationID, p.Fingerprint, m.At)
		}
		return err
	})
	if err != nil || out.left <= 0 {
		return &out, err
	}
	confirmed, err := s.ask(ctx, *v, in)
	if err != nil || confirmed.Verdict != processor.WrongDeposits {
		err = errors.Join(err, pg.InTx(context.WithoutCancel(ctx), s.deps.Pool, func(tx *pg.Tx) error {
			WrongDeposits.UncountTx(tx, applicationID, p.Fingerprint, m.At)
			return nil
		}))
	}
	if err != nil {
		slog.WarnContext(ctx, "a verification could not be checked", "token", v.TokenID.String(), "error", err.Error())
		return nil, errUnanswered
	}
	out.Confirmed = confirmed
	return &out, nil
}

// ask asks a processor about an answer, after the deposits themselves if it was not asked for those yet.
func (s *Service) ask(ctx context.Context, v verification, in VerifyInput) (processor.Confirmed, error) {
	if v.Status == requested {
		var err error
		if v, err = s.start(ctx, v); err != nil {
			return processor.Confirmed{}, err
		}
	}
	if v.Status == unproved {
		return processor.Confirmed{Verdict: processor.Unverifiable}, nil
	}
	c := processor.Confirmation{Reference: ids.NewOperation(s.deps.Now()).String(), Account: v.account(),
		Original: v.Reference, Amounts: in.amounts(), Code: in.code()}
	if v.ExternalID != nil {
		c.OriginalID = *v.ExternalID
	}
	return called(ctx, func(ctx context.Context) (processor.Confirmed, error) {
		return s.deps.Processors.Confirm(ctx, c)
	})
}

// compareTx compares an answer with a token's own deposits, and counts a wrong one for its account. About an account
// that had too many of those nothing is compared: every answer is wrong. So is a code: these deposits are two amounts.
func (s *Service) compareTx(ctx context.Context, tx *pg.Tx, m instant.Moment, t Token, p proof, in VerifyInput,
) (*answered, error) {
	out := &answered{Confirmed: processor.Confirmed{Verdict: processor.WrongDeposits}}
	var err error
	if out.left, err = WrongDeposits.LockTx(ctx, tx, t.ApplicationID, p.Fingerprint, m.At); err != nil ||
		out.left <= 0 {
		return out, err
	}
	told, err := s.deps.Vault.DepositsDigest(owner{t.ApplicationID, t.MerchantID}.ref(t.ID), in.amounts())
	if err != nil {
		return out, err
	}
	if in.DescriptorCode == nil && subtle.ConstantTimeCompare(told, p.Deposits) == 1 {
		out.Verdict = processor.Verified
	} else {
		WrongDeposits.CountTx(tx, t.ApplicationID, p.Fingerprint, m.At)
	}
	return out, nil
}

// answerTx writes what an answer about the deposits of a locked token leads to. of is what its processor said, if that
// sent them.
func (s *Service) answerTx(ctx context.Context, tx *pg.Tx, m instant.Moment, before Token, in VerifyInput, of *answered,
	by cause) (Token, error) {
	p, err := findProof(ctx, tx, before)
	if err == nil && !p.Elsewhere {
		of, err = s.compareTx(ctx, tx, m, before, p, in)
	}
	switch {
	case err != nil:
		return before, err
	case of == nil: // the token was not to be verified when the processor would have been asked
		return before, errUnanswered
	case of.Verdict == processor.Verified:
		return s.finishTx(tx, m, before, verified, by)
	}
	left := max(0, min(maxTries-p.Tries, of.left)-1)
	if of.Remaining != nil {
		left = min(left, *of.Remaining)
	}
	param, message := in.wrong()
	switch {
	case of.Verdict == processor.Unverifiable:
		left, message = 0, "This account can no longer be verified by its deposits."
	case of.left <= 0:
		message = "Too many wrong amounts or codes were entered for this account in the last 30 days."
	}
	tx.Later(`UPDATE tokens SET verification_tries = verification_tries + 1 WHERE application_id = @application_id
		AND id = @id`, pg.Args{"application_id": before.ApplicationID, "id": before.ID})
	after := before
	if left == 0 {
		if after, err = s.finishTx(tx, m, before, unproved, by); err != nil {
			return before, err
		}
	}
	return after, idempotency.Keep(fault.Refused("verification_failed", message).On(param).With("remaining", left))
}
