package token

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/testing/crash"
	"svcpay/internal/vault"
)

// A processor that does not answer is asked again after as long as it was asked already, within these bounds.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
	startBatch = 10
)

// The states of a verification by the processor.
const (
	requested = "requested" // the processor has not answered yet
	sent      = "sent"      // the deposits are on their way
	verified  = "verified"
	unproved  = "failed"
)

// verification is the proof of a token's bank account by deposits that a processor sends. Tokens of earlier versions
// have none.
type verification struct {
	TokenID       ids.Token `db:"token_id"`
	ApplicationID int64     `db:"application_id"`
	MerchantID    int64     `db:"merchant_id"`
	Reference     string    `db:"reference"` // ours, the same for each call about it
	Processor     string    `db:"processor"`
	External      string    `db:"processor_account"`
	ExternalID    *string   `db:"external_id"`
	Status        string    `db:"status"`
}

const verificationColumns = `v.token_id, v.application_id, v.merchant_id, v.reference, v.processor, v.processor_account,
	v.external_id, v.status`

func (v verification) account() processor.Account {
	return processor.Account{Adapter: v.Processor, External: v.External}
}

// errUnverifiable refuses a typed account at a merchant whose processor cannot verify it: payments with it could never
// be made.
var errUnverifiable = fault.Refused("payment_method_disabled",
	"This merchant can't verify bank accounts entered by hand. Use another payment method.")

// debitsAt is the processor account that would debit a merchant's bank account; false if there is none.
func (s *Service) debitsAt(m merchant.Merchant, kind Kind) (processor.Account, bool) {
	method := processor.MethodACH
	if kind == BankCA {
		method = processor.MethodACSS
	}
	return m.Routes.Choose(s.deps.Processors, accounts.Want{ApplicationID: m.ApplicationID, MerchantID: m.ID,
		Method: method, Currency: m.Currency}, nil)
}

// verifiesAll reports whether a merchant's processor debits only bank accounts that it verified itself, regardless of
// how they were entered.
func (s *Service) verifiesAll(m merchant.Merchant, kind Kind) bool {
	account, ok := s.debitsAt(m, kind)
	return ok && s.deps.Processors.Terms(account.Adapter).OwnVerification
}

// await makes a new bank account one that must be verified, by the processor that would debit it.
func (s *Service) await(m merchant.Merchant, row *newToken) (err error) {
	row.status, row.created.BankAccount.Status = PendingVerification, PendingVerification
	account, ok := s.debitsAt(m, row.kind)
	if !ok || !s.deps.Processors.Verifies(account.Adapter) {
		row.refusal = errUnverifiable
	}
	row.verifiedAt = &account
	row.deposits, err = s.chooseDeposits(row.ref(row.created.Token))
	return err
}

// insertVerificationTx queues what the processor is to be asked, with the token.
func insertVerificationTx(tx *pg.Tx, r newToken, m instant.Moment) {
	tx.Later(`
		INSERT INTO bank_verifications (token_id, application_id, merchant_id, reference, processor, processor_account,
			status, next_try_at, created_at)
		VALUES (@token_id, @application_id, @merchant_id, @reference, @processor, @account, 'requested', @now, @now)`,
		pg.Args{"token_id": r.created.Token, "application_id": r.ApplicationID, "merchant_id": r.MerchantID,
			"reference": ids.NewOperation(m.Machine).String(), "processor": r.verifiedAt.Adapter,
			"account": r.verifiedAt.External, "now": m.Machine})
}

// findVerification reads the verification of a token; nil if it is of an earlier version.
func findVerification(ctx context.Context, q pg.Querier, id ids.Token) (*verification, error) {
	return pg.OrNil(pg.One[verification](ctx, q, `
		SELECT `+verificationColumns+` FROM bank_verifications v WHERE v.token_id = @id`, pg.Args{"id": id}))
}

// endVerificationTx queues how a verification ended, unless it had ended before.
func endVerificationTx(tx *pg.Tx, id ids.Token, status string) {
	tx.Later(`
		UPDATE bank_verifications SET status = @status, next_try_at = NULL
		WHERE token_id = @id AND status IN ('requested', 'sent')`,
		pg.Args{"id": id, "status": status})
}

// StartVerifications asks processors for the deposits of a batch of new bank accounts, and again for those that were
// not answered. It returns how many those were.
func (s *Service) StartVerifications(ctx context.Context) (int, error) {
	due, err := pg.All[verification](ctx, s.deps.Pool, `
		WITH due AS (
			SELECT token_id FROM bank_verifications WHERE next_try_at <= @now
			ORDER BY next_try_at LIMIT @batch FOR UPDATE SKIP LOCKED
		)
		UPDATE bank_verifications v
		SET next_try_at = @now + least(@last::interval, greatest(@first::interval, @now - v.created_at))
		FROM due WHERE v.token_id = due.token_id
		RETURNING `+verificationColumns,
		pg.Args{"now": s.deps.Now(), "batch": startBatch, "first": firstRetry, "last": lastRetry})
	errs := []error{err}
	for _, v := range due {
		if _, err := s.start(ctx, v); err != nil {
			slog.WarnContext(ctx, "the start of a verification is unknown", "token", v.TokenID.String(), "error",
				err.Error())
			if !errors.As(err, new(unanswered)) {
				errs = append(errs, err)
			}
		}
	}
	return len(due), errors.Join(errs...)
}

// unanswered is the error of a call to a processor.
type unanswered struct{ error }

func (u unanswered) Unwrap() error { return u.error }

// start asks a processor for the deposits of an account, under the reference of its verification, and writes the
// answer. An error means that the verification stays as it is: it is asked again.
func (s *Service) start(ctx context.Context, v verification) (verification, error) {
	request, err := s.request(ctx, v)
	if fault.HasCode(err, "resource_missing") { // the token ended before
		return v, s.finish(ctx, v, unproved)
	}
	if err != nil {
		return v, err
	}
	crash.Point("verification.claimed")
	answer, err := called(ctx, func(ctx context.Context) (processor.Answer, error) {
		return s.deps.Processors.Start(ctx, request)
	})
	crash.Point("verification.called")
	switch {
	case err != nil:
		return v, unanswered{err}
	case !answer.Approved:
		v.Status = unproved
		return v, s.finish(ctx, v, unproved)
	}
	v.Status = sent
	if answer.ExternalID != "" {
		v.ExternalID = &answer.ExternalID
	}
	_, err = pg.Exec(ctx, s.deps.Pool, `
		UPDATE bank_verifications SET status = 'sent', next_try_at = NULL, external_id = @external_id
		WHERE token_id = @id AND status = 'requested'`, pg.Args{"id": v.TokenID, "external_id": v.ExternalID})
	return v, err
}

// called makes a call to a processor, which is not given up because its caller is.
func called[T any](ctx context.Context, call func(context.Context) (T, error)) (T, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), processor.CallTimeout)
	defer cancel()
	return call(ctx)
}

// request is what to ask the processor, with the account number out of the vault; resource_missing if the token does
// not await its verification any more.
func (s *Service) request(ctx context.Context, v verification) (out processor.VerificationRequest, err error) {
	type row struct {
		bankRow
		Currency   money.Currency `db:"currency"`
		Descriptor string         `db:"statement_descriptor"`
		IP         *string        `db:"ip"`
		UserAgent  *string        `db:"user_agent"`
		AcceptedAt *instant.Time  `db:"accepted_at"`
	}
	o := owner{v.ApplicationID, v.MerchantID}
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		r, err := pg.Find[row](ctx, tx, `
			SELECT t.kind, t.routing, t.account_type, t.billing, m.currency, m.statement_descriptor, d.ip, d.user_agent,
				d.accepted_at
			FROM tokens t JOIN merchants m ON m.application_id = t.application_id AND m.id = t.merchant_id
			LEFT JOIN mandates d ON d.application_id = t.application_id AND d.token_id = t.id
			WHERE t.application_id = @application_id AND t.id = @id AND t.status = 'pending_verification'`,
			pg.Args{"application_id": v.ApplicationID, "id": v.TokenID})
		if err != nil {
			return err
		}
		sealed, err := vault.SealedTx(ctx, tx, []ids.Token{v.TokenID}, s.deps.Now())
		if err != nil {
			return err
		}
		if _, there := sealed[v.TokenID]; !there { // it was deleted after its row was read
			return fault.Missing()
		}
		out = processor.VerificationRequest{Reference: v.Reference, Account: v.account(), Currency: r.Currency,
			Descriptor: s.deps.Processors.Terms(v.Processor).Shown(r.Descriptor), Bank: r.bank(),
			Email: r.Billing.Email}
		if r.AcceptedAt != nil {
			out.Mandate = processor.MandateAcceptance{IP: *r.IP, UserAgent: *r.UserAgent, AcceptedAt: r.AcceptedAt.Time}
		}
		out.Bank.Number, err = s.deps.Vault.OpenAccount(o.ref(v.TokenID), sealed[v.TokenID])
		return err
	})
	if errors.Is(err, vault.ErrSealed) {
		s.deps.Vault.ReportUnreadable(ctx, o.ref(v.TokenID))
	}
	return out, err
}

// finish writes how a verification ended, for its token as well: that becomes active or disabled, unless it is no
// longer to be verified.
func (s *Service) finish(ctx context.Context, v verification, status string) error {
	m, err := s.deps.Clock.Moment(ctx, v.ApplicationID)
	if err != nil {
		return err
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		before, err := lockTx(ctx, tx, v.ApplicationID, v.TokenID)
		if err != nil {
			return err
		}
		_, err = s.finishTx(tx, m, before, status, cause{livemode: s.livemode(), source: outbox.Job})
		return err
	})
}

// finishTx is finish for a locked token.
func (s *Service) finishTx(tx *pg.Tx, m instant.Moment, before Token, status string, by cause) (Token, error) {
	endVerificationTx(tx, before.ID, status)
	if before.Status != PendingVerification {
		return before, nil
	}
	after := before.disabled("verification_failed")
	if status == verified {
		after = before
		after.Status = Active
	}
	return changeTx(tx, m, before, after, by)
}

// AccountVerified makes the token of a bank account active: its processor reports that it is verified. A repetition
// changes nothing.
func (s *Service) AccountVerified(ctx context.Context, ev processor.Event) error {
	return s.reported(ctx, ev, verified)
}

// VerificationFailed disables the token of a bank account that can no longer be verified, as its processor reports. A
// repetition changes nothing.
func (s *Service) VerificationFailed(ctx context.Context, ev processor.Event) error {
	return s.reported(ctx, ev, unproved)
}

// reported applies a processor's event to the verification with that reference, or returns resource_missing.
func (s *Service) reported(ctx context.Context, ev processor.Event, status string) error {
	v, err := pg.Find[verification](ctx, s.deps.Pool, `
		SELECT `+verificationColumns+` FROM bank_verifications v WHERE v.processor = @processor
			AND v.reference = @reference`,
		pg.Args{"processor": ev.Adapter, "reference": ev.Reference})
	if err != nil {
		return err
	}
	if ev.On() != v.account() {
		return fault.Missing()
	}
	if ev.ExternalID != "" { // later debits name it, and the answer to the start may have been lost
		if _, err := pg.Exec(ctx, s.deps.Pool, `
			UPDATE bank_verifications SET external_id = @external WHERE token_id = @id AND external_id IS NULL`,
			pg.Args{"external": ev.ExternalID, "id": v.TokenID}); err != nil {
			return err
		}
	}
	return s.finish(ctx, v, status)
}
