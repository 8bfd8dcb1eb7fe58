package payout

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/testing/crash"
	"svcpay/internal/vault"
)

const (
	runBatch = 100
	// parallelRuns is how many merchants are looked at at once: most of the time goes to the processor.
	parallelRuns = 4
)

// Within is how long a job may run that makes payouts, or takes them back: each is one transaction, of all its entries,
// which begins again when its time is up.
const Within = 10 * time.Minute

// due is a merchant whose run has come.
type due struct {
	ApplicationID int64 `db:"application_id"`
	ID            int64 `db:"id"`
}

// Run looks at a batch of the merchants whose run has come, pays out those that are owed something
// and may be paid, and sets the next run of all. It says how many it looked at. Any number of
// binaries may run it at once.
func (s *Service) Run(ctx context.Context, v clock.View) (int, error) {
	batch, err := pg.All[due](ctx, s.deps.Pool, `
		SELECT application_id, id FROM merchants
		WHERE next_payout_at <= @now AND (@only::bigint IS NULL OR application_id = @only)
			AND application_id <> ALL (@except::bigint[])
		ORDER BY next_payout_at LIMIT @batch`, v.Args(pg.Args{"batch": runBatch}))
	if err != nil {
		return 0, err
	}
	looked, errs := make([]bool, len(batch)), make([]error, len(batch))
	var all sync.WaitGroup
	slots := make(chan struct{}, parallelRuns)
	for i, d := range batch {
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			looked[i], errs[i] = s.runOne(ctx, v.Moment.At, d)
		})
	}
	all.Wait()
	n := 0
	for _, l := range looked {
		if l {
			n++
		}
	}
	return n, errors.Join(errs...)
}

// NextRun is the earliest time later than after at which [Service.Run] looks at a merchant of the
// application; nil if it has none.
func (s *Service) NextRun(ctx context.Context, applicationID int64, after time.Time) (*time.Time, error) {
	return pg.Value[*time.Time](ctx, s.deps.Pool,
		`SELECT min(next_payout_at) FROM merchants WHERE next_payout_at > @after AND application_id = @application_id`,
		pg.Args{"application_id": applicationID, "after": after})
}

// claimed is a payout that was claimed, with the account that gets it.
type claimed struct {
	operation.Claimed[Payout]
	bank BankAccount
}

// runOne pays out one merchant. It reports whether it was this binary that looked at it.
func (s *Service) runOne(ctx context.Context, at time.Time, d due) (looked bool, err error) {
	// The call's time is counted from here on, however long the batch has taken until now.
	m := instant.Moment{Machine: s.deps.Clock.Machine(), At: at}
	var c *claimed
	err = pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) (err error) {
		c, looked, err = s.claimTx(ctx, tx, m, d)
		return err
	})
	if errors.Is(err, pg.ErrCommit) && c != nil {
		// The answer to the commit was lost. If the payout exists, the commit succeeded, and no other program has
		// started to send it.
		if _, lost := findByReference(ctx, s.deps.Pool, c.Object.Processor.Name,
			c.Object.Processor.Reference); lost == nil {
			err = nil
		}
	}
	if err != nil || c == nil {
		return looked && err == nil, err
	}
	crash.Point("payout.claimed")
	return true, s.submit(ctx, *c)
}

// claimTx decides under the merchant's lock, and sets its next run whatever it decides. Nothing is
// begun if another binary looks at the merchant, or did.
func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, m instant.Moment, d due) (c *claimed, looked bool,
	err error) {
	_, err = pg.Value[int64](ctx, tx, `
		SELECT id FROM merchants WHERE application_id = @application_id AND id = @id AND next_payout_at <= @now
		FOR NO KEY UPDATE SKIP LOCKED`, pg.Args{"application_id": d.ApplicationID, "id": d.ID, "now": m.At})
	if errors.Is(err, pg.ErrNone) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	owner, err := s.deps.Merchants.LockTx(ctx, tx, d.ApplicationID, d.ID)
	if err != nil {
		return nil, false, err
	}
	lost, err := watchedTx(ctx, tx, owner, m.At)
	if err != nil {
		return nil, false, err
	}
	if lost != nil { // whatever brought this run: the schedule may have been changed
		return nil, true, putOffTx(tx, owner, *lost)
	}
	next, err := owner.NextPayout(m.At)
	if err != nil {
		return nil, false, err
	}
	merchant.NextPayoutTx(tx, owner, next)
	bank, err := payableTx(ctx, tx, owner, m.At)
	account, routed := owner.Routes.Choose(s.deps.Processors,
		accounts.Want{ApplicationID: owner.ApplicationID, MerchantID: owner.ID,
			Method: processor.MethodPayout, Currency: owner.Currency}, nil)
	if err != nil || bank == nil {
		return nil, true, err
	}
	if !routed {
		slog.WarnContext(ctx, "a payout waits for a processor account", "application_id", owner.ApplicationID,
			"merchant_id", owner.ID)
		return nil, true, nil
	}
	c, err = s.payTx(ctx, tx, m, owner, *bank, account)
	return c, true, err
}

// payableTx returns the account that the merchant can be paid out to now, nil if it cannot.
func payableTx(ctx context.Context, tx *pg.Tx, m merchant.Merchant, now time.Time) (*BankAccount, error) {
	if !merchant.Allows(m.Status, merchant.PayOut) || m.PayoutsPausedReason != nil {
		return nil, nil
	}
	bank, err := currentBank(ctx, tx, m)
	switch {
	case errors.Is(err, pg.ErrNone):
		return nil, nil
	case err != nil:
		return nil, err
	case bank.Status != Verified, bank.HeldUntil != nil && bank.HeldUntil.After(now):
		return nil, nil
	}
	return &bank, nil
}

// payTx writes the payout of all that the merchant is owed and can have; nil if that is nothing, or
// less: then it is carried forward.
func (s *Service) payTx(ctx context.Context, tx *pg.Tx, m instant.Moment, owner merchant.Merchant, bank BankAccount,
	account processor.Account,
) (*claimed, error) {
	zone, err := calendar.Zone(owner.TimeZone)
	if err != nil {
		return nil, err
	}
	id, terms := ids.NewPayout(m.Machine), s.deps.Processors.Terms(account.Adapter)
	p := Payout{ID: id, Version: 1, Status: Processing, ApplicationID: owner.ApplicationID, MerchantID: owner.ID,
		Currency: owner.Currency, Destination: Destination{ID: bank.ID, BankName: bank.BankName, Last4: bank.Last4},
		StatementDescriptor: terms.Shown(owner.StatementDescriptor),
		ArrivalOn: instant.DateOf(calendar.Country(owner.Country).AddBusinessDays(m.At.In(zone),
			terms.PayoutDays)),
		Processor:        ProcessorRef{Name: account.Adapter, Reference: id.String()},
		ProcessorAccount: &account.External,
		CreatedAt:        instant.Of(m.At), UpdatedAt: instant.Of(m.At)}
	p, err = collectTx(ctx, tx, m, owner, s.derive(p))
	if err != nil || p.Amount == 0 {
		return nil, err
	}
	op := operation.New(operation.Operation{ApplicationID: p.ApplicationID, MerchantID: p.MerchantID,
		SubjectID: id.Bytes(), Kind: operation.Payout,
		Reference: p.Processor.Reference, Amount: p.Amount, Currency: p.Currency}.At(p.Account()), nil, m.Machine)
	operation.OpenTx(tx, op)
	ledger.PostTx(tx, m, posting(p, ledger.KindPayout, "payout", ledger.MerchantAvailable, ledger.MerchantInTransit))
	return &claimed{operation.Claimed[Payout]{Object: p, Operation: op}, bank}, emitTx(tx, m, Payout{}, p)
}

// submit hands the payout to the processor, once. An outcome that cannot be had or written down now
// is found out by the resolver.
func (s *Service) submit(ctx context.Context, c claimed) error {
	ctx = context.WithoutCancel(ctx)
	p := c.Object
	answer, err := operation.Call(ctx, c.Operation, s.deps.Clock.Machine(),
		func(ctx context.Context) (processor.Answer, error) {
			to, err := s.deps.Tokens.OpenPayoutAccount(ctx, p.ApplicationID, p.MerchantID, c.bank.Token)
			if errors.Is(err, vault.ErrSealed) {
				err = errors.Join(err,
					s.audit.Failed(ctx, authz.Actor{ApplicationID: p.ApplicationID}, authz.PayoutRead,
						audit.Of("bank_account", c.bank.ID.String(), p.MerchantID), unreadable{p.ID}))
			}
			if err != nil {
				return processor.Answer{}, operation.NotSent(err)
			}
			return s.deps.Processors.Payout(ctx,
				processor.Payout{Reference: p.Processor.Reference, Account: c.Operation.Account(),
					Amount: p.Amount, Currency: p.Currency, Descriptor: p.StatementDescriptor, Bank: to})
		})
	crash.Point("payout.called")
	if errors.Is(err, operation.ErrNotSent) {
		slog.ErrorContext(ctx, "a payout was not sent", "payout_id", p.ID.String(), "error", err.Error())
		return s.Finish(ctx, []operation.Outcome{{Operation: c.Operation, Unsent: err}})
	}
	if err != nil {
		slog.WarnContext(ctx, "the outcome of a payout is unknown", "payout_id", p.ID.String(), "error", err.Error())
		return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
			operation.SoonTx(tx, c.Operation.ID, s.deps.Clock.Machine())
			return nil
		})
	}
	return s.Finish(ctx, []operation.Outcome{{Operation: c.Operation, Answer: &answer}})
}

// unreadable is what the audit log keeps of a payout whose bank account cannot be read.
type unreadable struct {
	Payout ids.Payout `json:"unreadable_for"`
}

// posting moves the payout's amount, once for each reason.
func posting(p Payout, kind, reason string, debit, credit ledger.Account) ledger.Posting {
	return ledger.Posting{ApplicationID: p.ApplicationID, MerchantID: p.MerchantID,
		BusinessKey: p.ID.String() + ":" + reason,
		Kind:        kind, Debit: debit, Credit: credit, Amount: p.Amount, Currency: p.Currency, SourceID: p.ID.Bytes()}
}

// emitTx queues the event of a payout's new version; before is zero at its creation.
func emitTx(tx *pg.Tx, m instant.Moment, before, after Payout) error {
	event, _ := moves.Event(before.Status, after.Status)
	var previous map[string]any
	if before.Status != "" {
		var err error
		if previous, err = outbox.Changed(before, after); err != nil {
			return err
		}
	}
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: after.ApplicationID, MerchantID: after.MerchantID,
		Type: event, ObjectID: after.ID.Bytes(), Position: int64(after.Version), Object: after, Previous: previous,
		Source: outbox.Job})
}
