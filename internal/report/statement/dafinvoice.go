package statement

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/pg"
)

// DAFInvoice is what a merchant owes the service for the donations of a month: the fee of each that was
// completed, less those of donations that turned out not to be. Its lines are the entries of the ledger's
// invoice account of that month, so that invoices add up to the account. Amounts are US cents.
type DAFInvoice struct {
	Object string `json:"object"` // daf_invoice
	Period
	Lines       []DAFInvoiceLine `json:"lines"`       // in the order in which they were booked
	Donations   int              `json:"donations"`   // that were completed with a fee
	Fees        money.Amount     `json:"fees"`        // of those
	Corrections money.Amount     `json:"corrections"` // taken back: zero or less
	Total       money.Amount     `json:"total"`       // below zero it is the merchant's
}

// DAFInvoiceLine is a fee that accrued when a donation was completed, or that was taken back.
type DAFInvoiceLine struct {
	EntryID        ids.Entry     `db:"id" json:"entry_id"`
	Kind           string        `db:"kind" json:"kind"` // of the ledger
	DonationID     ids.Donation  `db:"donation_id" json:"donation_id"`
	TrackingID     *string       `db:"tracking_id" json:"tracking_id"`
	ExternalID     *string       `db:"external_id" json:"external_id"`
	DonationAmount money.Amount  `db:"donation_amount" json:"donation_amount"`
	Rate           money.Percent `db:"rate" json:"rate"`
	Amount         money.Amount  `db:"amount" json:"amount"` // negative if it was taken back
	CreatedAt      instant.Time  `db:"created_at" json:"created_at"`
}

// DAFInvoice puts a merchant's month together. A month that has begun and is not over is reported as it is so far.
func (s *Service) DAFInvoice(ctx context.Context, actor authz.Actor, in MonthInput) (DAFInvoice, error) {
	if err := s.deps.Check.Check(actor, authz.StatementRead); err != nil {
		return DAFInvoice{}, err
	}
	period, err := s.period(ctx, actor, in)
	if err != nil {
		return DAFInvoice{}, err
	}
	period.Currency = money.USD // as all donations are
	out := DAFInvoice{Object: "daf_invoice", Period: period}
	out.Lines, err = pg.All[DAFInvoiceLine](ctx, s.deps.Pool, `
		SELECT l.id, l.kind, d.id AS donation_id, d.tracking_id, d.external_id, d.amount AS donation_amount,
			coalesce((SELECT f->>'rate' FROM jsonb_array_elements(d.fees) f WHERE f->>'fee' = 'daf_percentage'),
				'0') AS rate,
			CASE WHEN l.debit = @account THEN l.amount ELSE -l.amount END AS amount, l.created_at
		FROM ledger_entries l JOIN daf_donations d ON d.application_id = l.application_id AND d.id = l.source_id
		WHERE l.application_id = @application_id AND l.merchant_id = @merchant_id AND l.created_at >= @from
			AND l.created_at < @until
			AND @account IN (l.debit, l.credit)
		ORDER BY l.created_at, l.id`,
		pg.Args{"account": ledger.DAFInvoice, "application_id": actor.ApplicationID, "merchant_id": in.MerchantID,
			"from": period.From, "until": period.Until})
	for _, l := range out.Lines {
		out.Total += l.Amount
		if l.Amount < 0 {
			out.Corrections += l.Amount
			continue
		}
		out.Donations, out.Fees = out.Donations+1, out.Fees+l.Amount
	}
	return out, err
}

// DAFInvoiceCSV writes an invoice as comma-separated values, a line for each of its own and one for the
// total. Amounts are minor units, times the merchant's.
func (s *Service) DAFInvoiceCSV(ctx context.Context, actor authz.Actor, in MonthInput, to io.Writer) error {
	d, err := s.DAFInvoice(ctx, actor, in)
	if err != nil {
		return err
	}
	zone, err := calendar.Zone(d.TimeZone)
	if err != nil {
		return err
	}
	w := csv.NewWriter(to)
	lines := [][]string{
		{"created_at", "entry_id", "kind", "donation_id", "tracking_id", "external_id", "donation_amount_cents", "rate",
			"amount_cents", "currency"}}
	for _, l := range d.Lines {
		lines = append(lines, []string{l.CreatedAt.In(zone).Format(time.RFC3339), l.EntryID.String(), l.Kind,
			l.DonationID.String(),
			text(l.TrackingID), text(l.ExternalID), minor(l.DonationAmount), l.Rate.String(), minor(l.Amount),
			string(d.Currency)})
	}
	lines = append(lines, []string{d.end().In(zone).Format(time.RFC3339), "", "total", "", "", "", "", "",
		minor(d.Total), string(d.Currency)})
	return w.WriteAll(lines)
}

// DAFInvoicePDF writes an invoice as a PDF file.
func DAFInvoicePDF(d DAFInvoice, paper Paper, to io.Writer) error {
	return writePDF(d.Period, "DAF invoice", paper, to, func(s *sheet) {
		s.donations(d, "Donations completed", "Fees", d.Fees, func(l DAFInvoiceLine) bool { return l.Amount >= 0 })
		if d.Corrections < 0 {
			s.donations(d, "Completed by mistake: fees taken back", "Taken back", d.Corrections,
				func(l DAFInvoiceLine) bool { return l.Amount < 0 })
		}
		s.title("", "", "Amount")
		what := "Due to SvcPay"
		if d.Total < 0 {
			what = "Credited to the merchant"
		}
		s.row(true, what, "", d.Total.Decimal())
	})
}

// donations is a table of some lines of an invoice, with their sum.
func (s *sheet) donations(d DAFInvoice, title, sum string, total money.Amount, shown func(DAFInvoiceLine) bool) {
	s.title(title, "Donation", "Fee")
	n := 0
	for _, l := range d.Lines {
		if !shown(l) {
			continue
		}
		n++
		what := fmt.Sprintf("%s   %s   %s %%", l.CreatedAt.In(s.zone).Format("Jan 2"), orDash(l.TrackingID), l.Rate)
		if l.ExternalID != nil {
			what += "   " + *l.ExternalID
		}
		s.row(false, what, l.DonationAmount.Decimal(), l.Amount.Decimal())
	}
	if n == 0 {
		s.row(false, "None in this month", "", "")
	}
	s.row(true, sum, fmt.Sprint(n), total.Decimal())
	s.Ln(6)
}

func orDash(t *string) string {
	if t == nil {
		return "-"
	}
	return *t
}
