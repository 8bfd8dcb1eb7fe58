package charge

import (
	"context"
	"slices"
	"time"

	"svcpay/internal/idempotency"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
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

// claimTx takes the keys and writes the charges in processing, each with its operation and its
// event. Every input gets its own answer; an input that is refused leaves nothing behind.
func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, at moments, ins []claimIn) ([]claimOut, error) {
	machine := at[ins[0].applicationID].Machine // which differ by less than a millisecond or two
	chargeIDs := make([]ids.Charge, len(ins))
	entries := make([]idempotency.Entry, len(ins))
	for i, in := range ins {
		chargeIDs[i] = ids.NewCharge(machine)
		entries[i] = idempotency.Entry{Claim: in.claim, ObjectID: chargeIDs[i].Bytes()}
	}
	asked := askPayers(tx, ins)
	verdicts, err := idempotency.ClaimTx(ctx, tx, machine, entries)
	if err != nil {
		return nil, err
	}
	payers, err := asked.Rows(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]claimOut, len(ins))
	for i, in := range ins {
		out[i] = claimOut{payer: payers[i], prior: verdicts[i].Prior, refused: verdicts[i].Err}
		if !out[i].submits() {
			continue
		}
		if out[i].refused = payers[i].refuse(in, at[in.applicationID].At); out[i].refused != nil {
			idempotency.ReleaseTx(tx, in.claim)
			continue
		}
		out[i].charge = s.draft(chargeIDs[i], in, payers[i], at[in.applicationID].At)
		out[i].op = s.submission(out[i].charge, in, machine)
	}
	inserted := askInsert(tx, ins, out)
	announce := func() error { return inserted.announceTx(ctx, tx, at, ins, out) }
	take := func() error { return s.takeSealedTx(ctx, tx, out, machine) }
	first, then := take, announce // in one journey with the insertion
	if slices.ContainsFunc(out, claimOut.named) {
		first, then = announce, take // who is refused keeps their verification code
	}
	if err := first(); err != nil {
		return nil, err
	}
	return out, then()
}

// takeSealedTx reads the sealed payment data of the charges that will be submitted.
func (s *Service) takeSealedTx(ctx context.Context, tx *pg.Tx, out []claimOut, now time.Time) error {
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

func (s *Service) draft(id ids.Charge, in claimIn, p payer, now time.Time) Charge {
	body := in.in
	c := Charge{
		ID: id, Version: 1, ApplicationID: in.applicationID, MerchantID: *body.MerchantID,
		Amount: *body.Amount, Currency: *p.Currency, FundingCurrency: *p.Currency, Type: p.chargeType(),
		Origin: Origin(or(body.Origin, string(Ecommerce))), Recurring: or(body.Recurring, false),
		Capture: or(body.Capture, true), Status: Processing, Billing: *p.Billing, Token: in.token,
		PaymentMethod: p.method(),
		Processor:     ProcessorRef{Name: s.Processor.Name(), Reference: id.String()},
		Description:   body.Description, ExternalID: body.ExternalID, StatementSuffix: body.StatementSuffix,
		Metadata: body.Metadata, CreatedAt: instant.Of(now), UpdatedAt: instant.Of(now),
	}
	c.StoredCredential = p.storedCredential(c.Type, c.Recurring)
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

// named tells that the charge to submit has an external_id, which may be another's.
func (o claimOut) named() bool { return o.submits() && o.charge.ExternalID != nil }

// writtenRow is a charge that was inserted.
type writtenRow struct {
	ID ids.Charge `db:"id"`
}

// insertion is that of charges, whose answer need not be there yet; nil of none.
type insertion struct{ written *pg.Asked[writtenRow] }

// askInsert writes the charges that will be submitted.
func askInsert(tx *pg.Tx, ins []claimIn, out []claimOut) insertion {
	var rows []pg.Args
	for i, o := range out {
		if o.submits() {
			rows = append(rows, insertArgs(ins[i], o.charge))
		}
	}
	if len(rows) == 0 {
		return insertion{}
	}
	return insertion{pg.Ahead[writtenRow](tx, insertCharges, pg.Columns(rows))}
}

// announceTx queues the operation and the event of each charge that was written. A taken external_id is a refusal.
func (n insertion) announceTx(ctx context.Context, tx *pg.Tx, at moments, ins []claimIn, out []claimOut) error {
	if n.written == nil {
		return nil
	}
	written, err := n.written.Rows(ctx)
	if err != nil {
		return err
	}
	for i, o := range out {
		if !o.submits() {
			continue
		}
		if !slices.Contains(written, writtenRow{o.charge.ID}) {
			if out[i].refused, err = externalIDTaken(ctx, tx, ins[i].applicationID, o.charge.ExternalID); err != nil {
				return err
			}
			idempotency.ReleaseTx(tx, ins[i].claim)
			continue
		}
		if err := announceTx(tx, at[ins[i].applicationID], ins[i], o); err != nil {
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

// submission is the operation of a charge's submission.
func (s *Service) submission(c Charge, in claimIn, machine time.Time) operation.Operation {
	kind := operation.Authorize
	if c.Type != Card {
		kind = operation.Debit
	}
	o := operation.Operation{ID: ids.NewOperation(machine), ApplicationID: c.ApplicationID, MerchantID: c.MerchantID,
		ChargeID: c.ID, SubjectID: c.ID.Bytes(), Kind: kind, Processor: c.Processor.Name,
		Reference: c.Processor.Reference, Amount: c.Amount, Currency: c.Currency, State: operation.Open,
		RequestID: in.requestID, Source: outbox.API, CreatedAt: machine}
	if in.claim != nil {
		o.IdempotencyKey = &in.claim.Key
	}
	return o
}
