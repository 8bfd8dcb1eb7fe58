package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Deposits are the amounts of every verification, in minor units.
var Deposits = [2]int64{32, 45}

const (
	// verificationTries is how many wrong answers about the deposits of an account it takes.
	verificationTries = 10
	// depositsReturnAfter is how many business days after the start of a verification its deposits come back, if they
	// do.
	depositsReturnAfter = 2
)

// Start implements processor.Processor. The deposits are its own money: its book has no line of them.
func (p *Processor) Start(ctx context.Context, v processor.VerificationRequest) (processor.Answer, error) {
	at, err := p.timeOf(ctx, v.Account.External)
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	c, l := p.cases.debits[accountOf(v.Bank)], line{now: p.machine()}
	var returns *time.Time
	if l.decline(c.Decline) && c.DepositsReturn != "" {
		back, err := businessDays(v.Bank.Scheme, at, depositsReturnAfter)
		if err != nil {
			return processor.Answer{}, err
		}
		returns = &back
	}
	lost := false
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		made, err := tx.Exec(ctx, `
			INSERT INTO sandbox_processor_verifications (processor, reference, account, answer,
				deposits_return_at, created_at)
			VALUES (@processor, @reference, @account, @answer, @returns, @now) ON CONFLICT DO NOTHING`,
			pg.Args{"processor": p.name, "reference": v.Reference, "account": v.Account.External, "answer": l.answer,
				"returns": returns, "now": l.now})
		if err != nil {
			return err
		}
		lost = made == 1 && c.TimesOut
		if made == 1 && returns != nil {
			p.scheduleTx(tx, []due{{Account: v.Account.External, DueAt: *returns, Kind: processor.VerificationFailed,
				Reference: v.Reference, ReturnCode: c.DepositsReturn}})
		}
		l.answer, err = pg.Value[processor.Answer](ctx, tx, `
			SELECT answer FROM sandbox_processor_verifications
			WHERE processor = @processor AND reference = @reference AND account = @account`,
			pg.Args{"processor": p.name, "reference": v.Reference, "account": v.Account.External})
		return err
	})
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	return tell(ctx, l.answer, lost)
}

// verification is one that was started.
type verification struct {
	Answer    processor.Answer `db:"answer"`
	Tries     int              `db:"tries"` // that were wrong
	Verified  bool             `db:"verified"`
	ReturnsAt *time.Time       `db:"deposits_return_at"`
}

// judge says what an answer about the deposits leads to, at the account's time.
func (v verification) judge(c processor.Confirmation, now time.Time) processor.Confirmed {
	amounts := c.Amounts
	slices.Sort(amounts[:])
	switch {
	case v.Verified:
		return processor.Confirmed{Verdict: processor.Verified}
	case !v.Answer.Approved, v.Tries >= verificationTries, v.ReturnsAt != nil && !now.Before(*v.ReturnsAt),
		c.OriginalID != "" && c.OriginalID != v.Answer.ExternalID:
		return processor.Confirmed{Verdict: processor.Unverifiable}
	case v.ReturnsAt == nil && amounts == Deposits:
		return processor.Confirmed{Verdict: processor.Verified}
	}
	return processor.Confirmed{Verdict: processor.WrongDeposits, Remaining: new(verificationTries - v.Tries - 1)}
}

// Confirm implements processor.Processor.
func (p *Processor) Confirm(ctx context.Context, c processor.Confirmation) (processor.Confirmed, error) {
	at, err := p.timeOf(ctx, c.Account.External)
	if err != nil {
		return processor.Confirmed{}, fmt.Errorf("sandbox: %w", err)
	}
	out := processor.Confirmed{Verdict: processor.Unverifiable}
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		args := pg.Args{"processor": p.name, "reference": c.Original, "account": c.Account.External}
		v, err := pg.One[verification](ctx, tx, `
			SELECT answer, tries, verified, deposits_return_at FROM sandbox_processor_verifications
			WHERE processor = @processor AND reference = @reference AND account = @account FOR UPDATE`, args)
		if errors.Is(err, pg.ErrNone) {
			return nil
		}
		if err != nil {
			return err
		}
		switch out = v.judge(c, at); {
		case out.Verdict == processor.WrongDeposits:
			tx.Later(`
				UPDATE sandbox_processor_verifications SET tries = tries + 1
				WHERE processor = @processor AND reference = @reference AND account = @account`, args)
		case out.Verdict == processor.Verified && !v.Verified:
			tx.Later(`
				UPDATE sandbox_processor_verifications SET verified = true
				WHERE processor = @processor AND reference = @reference AND account = @account`, args)
			p.scheduleTx(tx,
				[]due{{Account: c.Account.External, DueAt: at, Kind: processor.BankAccountVerified,
					Reference: c.Original}})
		}
		return nil
	})
	if err != nil {
		return processor.Confirmed{}, fmt.Errorf("sandbox: %w", err)
	}
	return out, nil
}
