package charge

import (
	"context"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/token"
	"svcpay/internal/vault"
)

// claimIn is one request that wants a charge.
type claimIn struct {
	applicationID int64
	token         ids.Token // zero: not a token's form
	in            CreateInput
	claim         *idempotency.Claim
	requestID     ids.Request
}

// claimOut is what became of it: a charge to submit, what an earlier request left, or a refusal.
type claimOut struct {
	charge  Charge
	op      operation.Operation
	sealed  vault.Sealed
	payer   payer
	prior   *idempotency.Prior
	refused error
}

// payer is what the claim must know of merchant and token.
type payer struct {
	Ordinal        int             `db:"ordinal"`
	MerchantStatus *string         `db:"merchant_status"`
	Currency       *money.Currency `db:"currency"`
	Descriptor     *string         `db:"statement_descriptor"`
	TokenStatus    *token.Status   `db:"token_status"`
	TokenExpiresAt *time.Time      `db:"token_expires_at"`
	Brand          *string         `db:"brand"`
	BIN            *string         `db:"bin"`
	Last4          *string         `db:"last4"`
	ExpMonth       *int            `db:"exp_month"`
	ExpYear        *int            `db:"exp_year"`
	Funding        *string         `db:"funding"`
	Country        *string         `db:"country"`
	Billing        *token.Billing  `db:"billing"`
	NetworkID      *string         `db:"network_transaction_id"`
}

// claimTx takes the keys and writes the charges in processing, each with its operation and its
// event. Every input gets its own answer; an input that is refused leaves nothing behind.
func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, m instant.Moment, ins []claimIn) ([]claimOut, error) {
	chargeIDs := make([]ids.Charge, len(ins))
	entries := make([]idempotency.Entry, len(ins))
	for i, in := range ins {
		chargeIDs[i] = ids.NewCharge(m.Machine)
		entries[i] = idempotency.Entry{Claim: in.claim, ObjectID: chargeIDs[i].Bytes()}
	}
	verdicts, err := idempotency.ClaimTx(ctx, tx, m.Machine, entries)
	if err != nil {
		return nil, err
	}
	payers, err := payersTx(ctx, tx, ins)
	if err != nil {
		return nil, err
	}
	out := make([]claimOut, len(ins))
	for i, in := range ins {
		out[i] = claimOut{payer: payers[i], prior: verdicts[i].Prior, refused: verdicts[i].Err}
		if !out[i].submits() {
			continue
		}
		if out[i].refused = payers[i].refuse(in, m.At); out[i].refused != nil {
			idempotency.ReleaseTx(tx, in.claim)
			continue
		}
		out[i].charge = s.draft(chargeIDs[i], in, payers[i], m.At)
		out[i].op = s.authorization(out[i].charge, in, m.Machine)
	}
	if err := insertTx(ctx, tx, m, ins, out); err != nil {
		return nil, err
	}
	return out, s.takeCardsTx(ctx, tx, out, m.Machine)
}

// takeCardsTx reads the sealed cards of the charges that will be submitted.
func (s *Service) takeCardsTx(ctx context.Context, tx *pg.Tx, out []claimOut, now time.Time) error {
	var tokens []ids.Token
	for _, o := range out {
		if o.submits() {
			tokens = append(tokens, o.charge.Token)
		}
	}
	if len(tokens) == 0 {
		return nil
	}
	sealed, err := vault.TakeTx(ctx, tx, tokens, now)
	for i, o := range out {
		if o.submits() {
			card := sealed[o.charge.Token]
			out[i].sealed = card
			card.CVC = nil // for one authorization only, in one batch too
			sealed[o.charge.Token] = card
		}
	}
	return err
}

func (o claimOut) submits() bool { return o.prior == nil && o.refused == nil }

func payersTx(ctx context.Context, tx *pg.Tx, ins []claimIn) ([]payer, error) {
	applications, merchants, tokens := make([]int64, len(ins)), make([]int64, len(ins)), make([]ids.Token, len(ins))
	for i, in := range ins {
		applications[i], merchants[i], tokens[i] = in.applicationID, *in.in.MerchantID, in.token
	}
	return pg.All[payer](ctx, tx, `
		SELECT w.ordinal::int AS ordinal, m.status AS merchant_status, m.currency, m.statement_descriptor,
			t.status AS token_status, t.expires_at AS token_expires_at, t.brand, t.bin, t.last4, t.exp_month,
			t.exp_year, t.funding, t.country, t.billing, t.network_transaction_id
		FROM unnest(@applications::bigint[], @merchants::bigint[], @tokens::uuid[])
			WITH ORDINALITY AS w (application_id, merchant_id, token_id, ordinal)
		LEFT JOIN merchants m ON m.application_id = w.application_id AND m.id = w.merchant_id
		LEFT JOIN tokens t ON t.application_id = w.application_id AND t.merchant_id = w.merchant_id AND t.id = w.token_id
		ORDER BY w.ordinal`,
		pg.Args{"applications": applications, "merchants": merchants, "tokens": tokens})
}

// refuse applies the rules that need the merchant and the token; nil means go ahead.
func (p payer) refuse(in claimIn, now time.Time) error {
	switch {
	case p.MerchantStatus == nil:
		return merchant.ErrNotAssociated
	case *p.MerchantStatus != string(merchant.Active):
		return fault.Refused("merchant_not_active", "This merchant takes no new charges at present.").On("merchant_id")
	case in.in.Currency != nil && money.Currency(*in.in.Currency) != *p.Currency:
		return fault.Invalid("currency_unsupported", "This merchant is charged for in "+string(*p.Currency)+" only.").On("currency")
	case in.in.FundingCurrency != nil && money.Currency(*in.in.FundingCurrency) != *p.Currency:
		return fault.Refused("funding_currency_mismatch", "The funding currency must be the merchant's: amounts are not converted.").
			On("funding_currency")
	case p.TokenStatus == nil, *p.TokenStatus == token.Deleted:
		return fault.Refused("token_not_found", "There is no such token for this merchant.").On("token")
	case *p.TokenStatus == token.Disabled:
		return fault.Refused("token_disabled", "This token can no longer be charged.").On("token")
	case *p.TokenStatus == token.Expired, !now.Before(*p.TokenExpiresAt):
		return fault.New(fault.KindGone, "token_expired", "This token has expired.").On("token")
	}
	return nil
}

// storedCredential says how this charge uses the token's card, in the networks' sense.
func (p payer) storedCredential(recurring bool) processor.StoredCredential {
	switch known := p.NetworkID != nil; {
	case recurring && !known:
		return processor.Initial
	case recurring:
		return processor.Recurring
	case known:
		return processor.Unscheduled
	}
	return processor.NotStored
}

func (s *Service) draft(id ids.Charge, in claimIn, p payer, now time.Time) Charge {
	body := in.in
	c := Charge{
		ID: id, Version: 1, ApplicationID: in.applicationID, MerchantID: *body.MerchantID,
		Amount: *body.Amount, Currency: *p.Currency, FundingCurrency: *p.Currency, Type: Card,
		Origin: Origin(or(body.Origin, string(Ecommerce))), Recurring: or(body.Recurring, false),
		Capture: or(body.Capture, true), Status: Processing, Billing: *p.Billing, Token: in.token,
		PaymentMethod: PaymentMethod{Kind: "card", Brand: *p.Brand, Last4: *p.Last4, BIN: *p.BIN,
			ExpMonth: *p.ExpMonth, ExpYear: *p.ExpYear, Funding: *p.Funding, Country: *p.Country},
		Processor:   ProcessorRef{Name: s.Processor.Name(), Reference: id.String()},
		Description: body.Description, ExternalID: body.ExternalID, StatementSuffix: body.StatementSuffix,
		Metadata: body.Metadata, CreatedAt: instant.Of(now), UpdatedAt: instant.Of(now),
	}
	c.StoredCredential = p.storedCredential(c.Recurring)
	if c.Metadata == nil {
		c.Metadata = map[string]string{}
	}
	return s.derive(c)
}

func or[T any](given *T, otherwise T) T {
	if given == nil {
		return otherwise
	}
	return *given
}

// insertTx writes the charges that will be submitted, each with its operation and its event. A
// taken external_id is a refusal.
func insertTx(ctx context.Context, tx *pg.Tx, m instant.Moment, ins []claimIn, out []claimOut) error {
	var places []int
	var args []pg.Args
	for i, o := range out {
		if o.submits() {
			places, args = append(places, i), append(args, insertArgs(ins[i], o.charge))
		}
	}
	if len(places) == 0 {
		return nil
	}
	written, err := tx.Each(ctx, insertCharge, args)
	if err != nil {
		return err
	}
	for k, i := range places {
		if written[k] == 0 {
			if out[i].refused, err = externalIDTakenTx(ctx, tx, out[i].charge); err != nil {
				return err
			}
			idempotency.ReleaseTx(tx, ins[i].claim)
			continue
		}
		if err := announceTx(tx, m, ins[i], out[i]); err != nil {
			return err
		}
	}
	return nil
}

// announceTx queues the operation that the charge's submission will be, and the event of its creation.
func announceTx(tx *pg.Tx, m instant.Moment, in claimIn, out claimOut) error {
	c := out.charge
	operation.OpenTx(tx, out.op)
	event, _ := move("", Processing)
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: c.ApplicationID,
		MerchantID: c.MerchantID, Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version),
		Object: c, RequestID: in.requestID, Source: outbox.API})
}

// authorization is the operation of a charge's submission.
func (s *Service) authorization(c Charge, in claimIn, machine time.Time) operation.Operation {
	o := operation.Operation{ID: ids.NewOperation(machine), ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		ChargeID: c.ID, SubjectID: c.ID.Bytes(), Kind: operation.Authorize, Processor: c.Processor.Name,
		Reference: c.Processor.Reference, Amount: c.Amount, Currency: c.Currency, State: operation.Open,
		RequestID: in.requestID, CreatedAt: machine}
	if in.claim != nil {
		o.IdempotencyKey = &in.claim.Key
	}
	return o
}
