package reconcile

import (
	"context"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Receivable is what a processor owes for the payments at one account, less what was paid out from it and what the
// processor charged. Negative: more was paid out there than was collected.
type Receivable struct {
	ApplicationID int64          `db:"application_id"`
	Processor     string         `db:"processor"`
	External      string         `db:"external_account"`
	Currency      money.Currency `db:"currency"`
	Amount        money.Amount   `db:"amount"`
	Fees          money.Amount   `db:"fees"` // what the processor charged, which Amount is without
}

// Receivables splits the balances of [ledger.ProcessorReceivable] by the account at which each charge and payout was
// made: what entries of a refund, a return or a dispute moved belongs to the account of their charge. The processor's
// own fees name their account. It reads every entry.
func Receivables(ctx context.Context, q pg.Querier) ([]Receivable, error) {
	rows, err := pg.All[madeAt](ctx, q, `
		SELECT e.application_id, e.merchant_id, coalesce(c.processor_name, p.processor_name, '') AS processor,
			coalesce(c.processor_account, p.processor_account) AS external, e.currency,
			sum(CASE WHEN e.debit = 'processor_receivable' THEN e.amount ELSE -e.amount END)::bigint AS amount,
			0::bigint AS fees
		FROM ledger_entries e
		LEFT JOIN charges c ON c.application_id = e.application_id AND c.id = e.charge_id
		LEFT JOIN payouts p ON c.id IS NULL AND p.application_id = e.application_id AND p.id = e.source_id
		WHERE 'processor_receivable' IN (e.debit, e.credit)
		GROUP BY 1, 2, 3, 4, 5
		UNION ALL
		SELECT application_id, 0, processor, processor_account, currency,
			sum(CASE WHEN debit = 'processor_receivable' THEN amount ELSE -amount END)::bigint,
			sum(CASE WHEN debit = 'processor_fees' THEN amount ELSE -amount END)::bigint
		FROM application_entries GROUP BY 1, 2, 3, 4, 5
		ORDER BY 1, 3, 2, 4, 5`, pg.Args{})
	return byAccount(rows), err
}

// madeAt is the receivable of a merchant's payments at an account as they name it.
type madeAt struct {
	ApplicationID int64          `db:"application_id"`
	MerchantID    int64          `db:"merchant_id"`
	Processor     string         `db:"processor"`
	External      *string        `db:"external"`
	Currency      money.Currency `db:"currency"`
	Amount        money.Amount   `db:"amount"`
	Fees          money.Amount   `db:"fees"`
}

// byAccount adds up the merchants of an account, in the order of their first rows.
func byAccount(rows []madeAt) (out []Receivable) {
	at := make(map[Receivable]int)
	for _, r := range rows {
		key := Receivable{ApplicationID: r.ApplicationID, Processor: r.Processor, Currency: r.Currency,
			External: processor.StoredAccount(r.Processor, r.External, r.ApplicationID, r.MerchantID).External}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			out = append(out, key)
		}
		out[i].Amount, out[i].Fees = out[i].Amount+r.Amount, out[i].Fees+r.Fees
	}
	return out
}
