package sandbox

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// due is something that will happen to an account.
type due struct {
	ID         int64               `db:"id"`
	Account    string              `db:"account"`
	DueAt      time.Time           `db:"due_at"` // the account's time
	Kind       processor.EventKind `db:"kind"`
	Reference  string              `db:"reference"`
	ReturnCode string              `db:"return_code"`
	disputed
	// Deadline says that this happens because a merchant does not answer a dispute.
	Deadline bool `db:"deadline"`
}

// disputed is a dispute as its events report it; zero in other events.
type disputed struct {
	Dispute   string         `db:"dispute"`
	Retrieval bool           `db:"retrieval"`
	Reason    string         `db:"reason"`
	Amount    money.Amount   `db:"amount"`
	Currency  money.Currency `db:"currency"`
	RespondBy *time.Time     `db:"respond_by"`
}

// scheduleTx queues what will happen.
func (p *Processor) scheduleTx(tx *pg.Tx, next []due) {
	for _, d := range next {
		tx.Later(`
			INSERT INTO sandbox_processor_schedule (processor, account, due_at, kind, reference, return_code, dispute,
				retrieval, reason, amount, currency, respond_by, deadline)
			VALUES (@processor, @account, @due_at, @kind, @reference, @return_code, @dispute,
				@retrieval, @reason, @amount, @currency, @respond_by, @deadline)`,
			pg.Args{"processor": p.name, "account": d.Account, "due_at": d.DueAt, "kind": d.Kind,
				"reference":   d.Reference,
				"return_code": d.ReturnCode, "dispute": d.Dispute, "retrieval": d.Retrieval, "reason": d.Reason,
				"amount": d.Amount, "currency": d.Currency, "respond_by": d.RespondBy, "deadline": d.Deadline})
	}
}

// pendingTx locks what is still to happen to a payment or payout, soonest first. What is on its way
// into the feed in the meantime is not returned, and is there when this returns.
func (p *Processor) pendingTx(ctx context.Context, tx *pg.Tx, reference string) ([]due, error) {
	return pg.All[due](ctx, tx, `
		SELECT id, account, due_at, kind, reference, return_code, dispute, retrieval, reason, amount, currency,
			respond_by, deadline
		FROM sandbox_processor_schedule WHERE processor = @processor AND reference = @reference
			ORDER BY due_at, id FOR UPDATE`,
		pg.Args{"processor": p.name, "reference": reference})
}

// dropTx queues that some of it will not happen after all.
func dropTx(tx *pg.Tx, pending []due) {
	for _, d := range pending {
		tx.Later(`DELETE FROM sandbox_processor_schedule WHERE id = @id`, pg.Args{"id": d.ID})
	}
}

// NextDue is the earliest time later than after, by their own clocks, at which the feed has something
// new for the accounts with that prefix (see [processor.AccountPrefix]); nil if nothing is coming.
func (p *Processor) NextDue(ctx context.Context, accountPrefix string, after time.Time) (*time.Time, error) {
	next, err := pg.OrNil(pg.Value[time.Time](ctx, p.pool, `
		SELECT due_at FROM sandbox_processor_schedule
		WHERE processor = @processor AND starts_with(account, @prefix) AND due_at > @after
		ORDER BY due_at LIMIT 1`, pg.Args{"processor": p.name, "prefix": accountPrefix, "after": after}))
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return next, nil
}

// banking is where a scheme's business days are counted, and when on such a day its files arrive.
var banking = map[processor.Scheme]struct {
	country calendar.Country
	zone    string
}{
	processor.ACH:  {calendar.US, "America/New_York"},
	processor.ACSS: {calendar.CA, "America/Toronto"},
}

const filesArrive = 9 * time.Hour

// businessDays is the time at which a scheme's files arrive on the n-th business day after now.
func businessDays(scheme processor.Scheme, now time.Time, n int) (time.Time, error) {
	country, zone, err := placeOf(scheme)
	if err != nil {
		return time.Time{}, err
	}
	return country.AddBusinessDays(now.In(zone), n).Add(filesArrive).UTC(), nil
}

// batchAt is when a scheme's debit that was accepted at t goes to the bank.
func batchAt(scheme processor.Scheme, t time.Time) (time.Time, error) {
	country, zone, err := placeOf(scheme)
	if err != nil {
		return time.Time{}, err
	}
	return country.BatchAt(t, zone, terms.BatchHour), nil
}

func placeOf(scheme processor.Scheme) (calendar.Country, *time.Location, error) {
	b, ok := banking[scheme]
	if !ok {
		return "", nil, fmt.Errorf("sandbox: no scheme %q", scheme)
	}
	zone, err := calendar.Zone(b.zone)
	return b.country, zone, err
}
