package ledger

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// ProcessorFees is the account of what processors charged an application for their services. Its entries concern no
// merchant, so they are separate from those of merchants and change no merchant's balance.
const ProcessorFees Account = "processor_fees"

// The kinds of entries of an application.
const (
	KindProcessorFee         = "processor_fee"          // a processor charged a fee
	KindProcessorFeeRefunded = "processor_fee_refunded" // it refunded one
)

// ApplicationRule says between which accounts the entries of one kind move money. The database's CHECK says the same.
type ApplicationRule struct {
	Kind string
	Pair
}

// ApplicationRules lists the kinds of entries of applications.
func ApplicationRules() []ApplicationRule {
	return []ApplicationRule{
		{KindProcessorFee, Pair{Debit: ProcessorFees, Credit: ProcessorReceivable}},
		{KindProcessorFeeRefunded, Pair{Debit: ProcessorReceivable, Credit: ProcessorFees}},
	}
}

// ProcessorFee is a fee that a processor took from an account, as its book has it.
type ProcessorFee struct {
	Processor, External string // the account
	ID                  string // the processor's
	Refunded            bool
	Amount              money.Amount
	Currency            money.Currency
	At                  time.Time // by the clock of the account
}

// PostProcessorFeeTx queues the entry of a fee in the ledger of the application whose account it is. A fee that is
// posted already is not posted again.
func PostProcessorFeeTx(tx *pg.Tx, f ProcessorFee, now time.Time) {
	rule := ApplicationRules()[0]
	if f.Refunded {
		rule = ApplicationRules()[1]
	}
	tx.Later(`
		INSERT INTO application_entries (processor, business_key, application_id, processor_account, kind,
			debit, credit,
			amount, currency, at, created_at)
		SELECT @processor, @id, application_id, @external, @kind, @debit, @credit, @amount, @currency, @at, @now
		FROM processor_accounts WHERE processor = @processor AND external_account = @external
		ON CONFLICT (processor, business_key) DO NOTHING`,
		pg.Args{"processor": f.Processor, "external": f.External, "id": f.ID, "kind": rule.Kind, "debit": rule.Debit,
			"credit": rule.Credit, "amount": f.Amount, "currency": f.Currency, "at": f.At, "now": now})
}

// FeeMonth is what an account of an application cost in one month (UTC).
type FeeMonth struct {
	Month     time.Time      `db:"month"`
	Processor string         `db:"processor"`
	External  string         `db:"processor_account"`
	Currency  money.Currency `db:"currency"`
	Charged   money.Amount   `db:"charged"`
	Refunded  money.Amount   `db:"refunded"`
}

// ProcessorFeesByMonth sums the fees of the application's accounts since the beginning of a month, the newest month
// first. People of one organization don't see them.
func (s *Service) ProcessorFeesByMonth(ctx context.Context, actor authz.Actor, since time.Time) ([]FeeMonth, error) {
	if err := s.deps.Check.Check(actor, authz.ProcessingRead); err != nil {
		return nil, err
	}
	if actor.OrganizationID != 0 {
		return nil, fault.Missing()
	}
	return pg.All[FeeMonth](ctx, s.deps.Pool, `
		SELECT date_trunc('month', at, 'UTC') AS month, processor, processor_account, currency,
			coalesce(sum(amount) FILTER (WHERE kind = 'processor_fee'), 0)::bigint AS charged,
			coalesce(sum(amount) FILTER (WHERE kind = 'processor_fee_refunded'), 0)::bigint AS refunded
		FROM application_entries WHERE application_id = @application_id AND at >= @since
		GROUP BY 1, 2, 3, 4 ORDER BY 1 DESC, 2, 3, 4`,
		pg.Args{"application_id": actor.ApplicationID,
			"since": time.Date(since.UTC().Year(), since.UTC().Month(), 1, 0, 0, 0, 0, time.UTC)})
}
