package charge

import (
	"context"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// Summary is what a line about a charge says: lists for people read no more of each. Amounts are minor units
// of Currency.
type Summary struct {
	ID                  ids.Charge     `db:"id"`
	MerchantID          int64          `db:"merchant_id"`
	Amount              money.Amount   `db:"amount"`
	AmountCaptured      money.Amount   `db:"amount_captured"`
	AmountRefunded      money.Amount   `db:"amount_refunded"`
	AmountRefundPending money.Amount   `db:"amount_refund_pending"`
	AmountDisputed      money.Amount   `db:"amount_disputed"`
	Currency            money.Currency `db:"currency"`
	Type                Type           `db:"type"`
	Status              Status         `db:"status"`
	Payer               string         `db:"payer"` // their name; "" if it was not given
	Email               string         `db:"email"`
	Last4               string         `db:"last4"`        // of the card or bank account
	Brand               string         `db:"brand"`        // of the card
	Wallet              string         `db:"wallet"`       // that the card was in; "" for none
	BankName            string         `db:"bank_name"`    // of the bank account
	AccountType         string         `db:"account_type"` // of the bank account
	CreatedAt           instant.Time   `db:"created_at"`
}

// summarized reads what [Charge.Summary] tells. The members of JSON columns are taken out of them by the database,
// which takes less than to send and to decode the whole.
const summarized = `SELECT id, merchant_id, amount, amount_captured, amount_refunded, amount_refund_pending,
	amount_disputed, currency, type, status,
		concat_ws(' ', billing->>'first_name', billing->>'middle_name', billing->>'last_name') AS payer,
			coalesce(billing->>'email', '') AS email,
		coalesce(payment_method->>'last4', '') AS last4, coalesce(payment_method->>'brand', '') AS brand,
		coalesce(payment_method->>'wallet', '') AS wallet, coalesce(payment_method->>'bank_name', '') AS bank_name,
		coalesce(payment_method->>'account_type', '') AS account_type, created_at
	FROM charges`

// Summary is what a line about the charge says.
func (c Charge) Summary() Summary {
	out := Summary{ID: c.ID, MerchantID: c.MerchantID, Amount: c.Amount, AmountCaptured: c.AmountCaptured,
		AmountRefunded:      c.AmountRefunded,
		AmountRefundPending: c.AmountRefundPending, AmountDisputed: c.AmountDisputed, Currency: c.Currency,
		Type: c.Type, Status: c.Status,
		Payer: c.Billing.Name(), Email: c.Billing.Email, Last4: c.PaymentMethod.Last4, CreatedAt: c.CreatedAt}
	if card := c.PaymentMethod.CardMethod; card != nil {
		out.Brand = card.Brand
		if card.Wallet != nil {
			out.Wallet = *card.Wallet
		}
	}
	if bank := c.PaymentMethod.BankMethod; bank != nil {
		out.BankName, out.AccountType = bank.BankName, bank.AccountType
	}
	return out
}

// read is a summary as it was read, with one space between the payer's names.
func (s Summary) read() Summary {
	s.Payer = strings.Join(strings.Fields(s.Payer), " ")
	return s
}

// Summaries is [Service.List] for lines about charges.
func (s *Service) Summaries(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Summary], error) {
	args, err := s.readable(ctx, actor, in)
	if err != nil {
		return page.Of[Summary]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, summarized+selected, args, Summary.read)
}

// SummariesOf is [Service.Several] for lines that name charges.
func (s *Service) SummariesOf(ctx context.Context, actor authz.Actor,
	charges []ids.Charge) (map[ids.Charge]Summary, error) {
	if err := s.deps.Check.Check(actor, authz.ChargeRead); err != nil {
		return nil, err
	}
	all, err := pg.All[Summary](ctx, s.deps.Pool, summarized+` WHERE application_id = @application_id
		AND id = ANY (@charges::uuid[])`, pg.Args{"application_id": actor.ApplicationID, "charges": charges})
	out := make(map[ids.Charge]Summary, len(all))
	for _, c := range all {
		if actor.Sees(c.MerchantID) {
			out[c.ID] = c.read()
		}
	}
	return out, err
}
