package statement

import (
	"context"
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/spreadsheet"
)

// batch is how many entries are read at once.
const batch = 5000

// entry is a ledger entry that changed what a merchant is owed.
type entry struct {
	ID         ids.Entry    `db:"id"`
	Kind       string       `db:"kind"`
	Amount     money.Amount `db:"amount"`
	ChargeID   ids.Charge   `db:"charge_id"`
	ExternalID *string      `db:"external_id"`
	CreatedAt  time.Time    `db:"created_at"`
}

// CSV writes a merchant's month as comma-separated values: a line for each entry that changed
// what the merchant is owed, in their order, with the balance after it, between a line for the opening
// and one for the closing balance. Amounts are minor units, times the merchant's.
func (s *Service) CSV(ctx context.Context, actor authz.Actor, in MonthInput, to io.Writer) error {
	st, err := s.Get(ctx, actor, in)
	if err != nil {
		return err
	}
	zone, err := calendar.Zone(st.TimeZone)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	line := func(at time.Time, id, group, kind, charge, external, amount string, balance money.Amount) error {
		return w.Write([]string{at.In(zone).Format(time.RFC3339), id, group, kind, charge, external, amount,
			minor(balance), string(st.Currency)})
	}
	err = w.Write([]string{"created_at", "entry_id", "group", "kind", "charge_id", "external_id", "amount_cents",
		"balance_cents", "currency"})
	if err == nil {
		err = line(st.From.Time, "", "", "opening_balance", "", "", "", st.OpeningBalance)
	}
	if err != nil {
		return err
	}
	balance := st.OpeningBalance
	err = s.entries(ctx, actor.ApplicationID, st, func(e entry) error {
		balance += e.Amount
		return line(e.CreatedAt, e.ID.String(), string(GroupOf(e.Kind)), e.Kind, e.ChargeID.String(),
			text(e.ExternalID), minor(e.Amount), balance)
	})
	if err == nil {
		err = line(st.end().Time, "", "", "closing_balance", "", "", "", balance)
	}
	w.Flush()
	if err == nil {
		err = w.Error()
	}
	return err
}

// entries gives each entry of a statement's month to do, oldest first. What only moved between the
// merchant's accounts is none.
func (s *Service) entries(ctx context.Context, applicationID int64, st Statement, do func(entry) error) error {
	args := pg.Args{"application_id": applicationID, "merchant_id": st.MerchantID, "currency": st.Currency,
		"from": st.From, "until": st.Until, "after": ids.Entry{}.Bytes(), "batch": batch}
	for {
		rows, err := pg.All[entry](ctx, s.deps.Pool, `
			SELECT l.id, l.kind, CASE WHEN starts_with(l.credit, 'merchant_') THEN l.amount
				ELSE -l.amount END AS amount,
				l.charge_id, coalesce(c.external_id, c.released_external_id) AS external_id, l.created_at
			FROM ledger_entries l LEFT JOIN charges c ON c.application_id = l.application_id AND c.id = l.charge_id
			WHERE l.application_id = @application_id AND l.merchant_id = @merchant_id AND l.currency = @currency
				AND (l.created_at, l.id) > (@from, @after) AND l.created_at < @until
				AND starts_with(l.credit, 'merchant_') <> starts_with(l.debit, 'merchant_')
			ORDER BY l.created_at, l.id LIMIT @batch`, args)
		if err != nil {
			return err
		}
		for _, e := range rows {
			if err := do(e); err != nil {
				return err
			}
		}
		if len(rows) < batch {
			return nil
		}
		last := rows[len(rows)-1]
		args["from"], args["after"] = last.CreatedAt, last.ID.Bytes()
	}
}

// PayoutCSV writes what a payout is made of as comma-separated values, one line for each entry, whose
// amounts add up to the payout's. Amounts are minor units.
func (s *Service) PayoutCSV(ctx context.Context, actor authz.Actor, id string, to io.Writer) error {
	w := csv.NewWriter(to)
	in := page.Input[ids.Entry]{Limit: batch, Ascending: true}
	for first := true; ; first = false {
		p, err := s.deps.Payouts.Entries(ctx, actor, id, in)
		if err != nil {
			return err
		}
		if first {
			if err := w.Write([]string{"created_at", "entry_id", "payout_id", "kind", "charge_id", "external_id",
				"amount_cents", "currency"}); err != nil {
				return err
			}
		}
		for _, e := range p.Items {
			if err := w.Write(payoutLine(e)); err != nil {
				return err
			}
			in.After = e.ID
		}
		if !p.HasMore {
			w.Flush()
			return w.Error()
		}
	}
}

func payoutLine(e payout.Entry) []string {
	charge := ""
	if e.ChargeID != nil {
		charge = e.ChargeID.String()
	}
	return []string{e.CreatedAt.Format(time.RFC3339), e.ID.String(), e.Payout.String(), e.Kind, charge,
		text(e.ExternalID), minor(e.Amount), string(e.Currency)}
}

func minor(a money.Amount) string { return strconv.FormatInt(int64(a), 10) }

// text is a text that others chose.
func text(t *string) string {
	if t == nil {
		return ""
	}
	return spreadsheet.Cell(*t)
}
