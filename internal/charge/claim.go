package charge

import (
	"context"
	"errors"
	"slices"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
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
	b := tx.Batch()
	payers, sealed, claims := askPayers(b, ins), vault.Ask(b, tokensOf(ins), machine), idempotency.Ask(b, machine, entries)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	verdicts, err := claims.VerdictsTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	known := known{payers.Rows(), sealed.Sealed()}
	out := make([]claimOut, len(ins))
	for i, in := range ins {
		out[i] = claimOut{payer: known.payers[i], prior: verdicts[i].Prior, refused: verdicts[i].Err}
		if !out[i].submits() {
			continue
		}
		if out[i].refused = known.refuse(i, in, at[in.applicationID].At); out[i].refused != nil {
			idempotency.ReleaseTx(tx, in.claim)
			continue
		}
		out[i].charge = s.draft(chargeIDs[i], in, out[i].payer, at[in.applicationID].At)
		out[i].op = s.submission(out[i].charge, in, machine)
	}
	if err := insertTx(ctx, tx, ins, out); err != nil {
		return nil, err
	}
	for i, o := range out {
		if !o.submits() {
			continue
		}
		out[i].sealed = known.spendTx(tx, o.charge.Token)
		if err := announceTx(tx, at[ins[i].applicationID], ins[i], out[i]); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func tokensOf(ins []claimIn) []ids.Token {
	tokens := make([]ids.Token, len(ins))
	for i, in := range ins {
		tokens[i] = in.token
	}
	return tokens
}

// known is what requests are decided on: payers in the order of their requests, and the sealed data of tokens.
type known struct {
	payers []payer
	sealed map[ids.Token]vault.Sealed
}

// refuse applies the rules that need what is known. A token whose data is gone was deleted after its row was read: nothing can be sent.
func (k known) refuse(i int, in claimIn, now time.Time) error {
	if err := k.payers[i].refuse(in, now); err != nil {
		return err
	}
	if _, there := k.sealed[in.token]; !there {
		return errNoToken()
	}
	return nil
}

// spendTx gives a charge the sealed payment data of its token. What is for one authorization only is for the first in one batch, too.
func (k known) spendTx(tx *pg.Tx, token ids.Token) vault.Sealed {
	sealed := k.sealed[token]
	vault.SpendTx(tx, token, sealed)
	k.sealed[token] = sealed.Spent()
	return sealed
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
		Processor:     ProcessorRef{Name: s.deps.Processor.Name(), Reference: id.String()},
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

// writtenRow is a charge that was inserted.
type writtenRow struct {
	ID ids.Charge `db:"id"`
}

// insertTx writes the charges that will be submitted. A taken external_id is a refusal; where there is none, nobody waits
// for an answer.
func insertTx(ctx context.Context, tx *pg.Tx, ins []claimIn, out []claimOut) error {
	var of []int
	named := false
	for i, o := range out {
		if o.submits() {
			of = append(of, i)
			named = named || o.charge.ExternalID != nil
		}
	}
	if len(of) > 0 && !named {
		tx.Later(insertCharges, rowsOf(ins, out, of))
		return nil
	}
	return insertNamedTx(ctx, tx, ins, out, of)
}

func rowsOf(ins []claimIn, out []claimOut, of []int) pg.Args {
	rows := make([]pg.Args, len(of))
	for n, i := range of {
		rows[n] = insertArgs(ins[i], out[i].charge)
	}
	return pg.Rows(rows)
}

// insertNamedTx writes those of the charges at these places whose external_id nobody has, and refuses the others.
func insertNamedTx(ctx context.Context, tx *pg.Tx, ins []claimIn, out []claimOut, of []int) error {
	for len(of) > 0 {
		written, err := pg.All[writtenRow](ctx, tx, insertNamed, rowsOf(ins, out, of))
		if err != nil {
			return err
		}
		var again []int
		for _, i := range of {
			if slices.Contains(written, writtenRow{out[i].charge.ID}) {
				continue
			}
			refused, err := externalIDTaken(ctx, tx, ins[i].applicationID, out[i].charge.ExternalID)
			switch {
			case errors.Is(err, pg.ErrNone): // the other charge has given it up meanwhile
				again = append(again, i)
			case err != nil:
				return err
			default:
				out[i].refused = refused
				idempotency.ReleaseTx(tx, ins[i].claim)
			}
		}
		of = again
	}
	return nil
}

// announceTx queues the operation that the charge's submission will be, and the event of its creation.
func announceTx(tx *pg.Tx, m instant.Moment, in claimIn, out claimOut) error {
	c := out.charge
	object, err := outbox.Text(c)
	if err != nil {
		return err
	}
	operation.OpenTx(tx, out.op)
	event, _ := moves.Event("", Processing)
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: c.ApplicationID,
		MerchantID: c.MerchantID, Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version),
		Object: object, RequestID: in.requestID, Source: outbox.API})
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
