package charge

import (
	"context"
	"errors"
	"slices"
	"time"

	"svcpay/internal/charge/rule"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/vault"
)

// request is one caller's wish for a charge.
type request struct {
	applicationID int64
	token         ids.Token // zero: not a token's form
	in            CreateInput
	claim         *idempotency.Claim
	id            ids.Request
}

// claimed is a charge that was claimed, with what its call needs.
type claimed struct {
	operation.Claimed[Charge]
	sealed vault.Sealed
	payer  payer
	rules  rule.Decision
}

// facts are what a request is decided on. Without sealed data the token was deleted after its row was read: nothing can
// be sent.
type facts struct {
	payer     payer
	hasSealed bool
	at        time.Time
}

// decide applies the rules to one request: the charge to submit, or the reason why there is none.
func (s *Service) decide(r request, id ids.Charge, known facts) (Charge, error) {
	if err := known.payer.refuse(r.in, known.at); err != nil {
		return Charge{}, err
	}
	if !known.hasSealed {
		return Charge{}, errNoToken()
	}
	want := accounts.Want{ApplicationID: r.applicationID, MerchantID: *r.in.MerchantID,
		Method: known.payer.chargeType().method(), Currency: *known.payer.Currency}
	down := s.deps.Processors.Holds
	if s.deps.Processors.Terms(or(known.payer.VerifiedBy, "")).OwnVerification {
		down = nil // no other account can debit it
	}
	account, ok := known.payer.Routes.Choose(s.deps.Processors, want, down)
	if !ok {
		return Charge{}, accounts.NotConfigured(want)
	}
	return s.draft(id, r, known.payer, account, known.at), nil
}

// claimTx takes the keys and writes the charges in processing, each with its operation and its event. Every request
// gets its own answer; one that is refused leaves nothing behind.
func (s *Service) claimTx(ctx context.Context, tx *pg.Tx, at moments, requests []request) ([]claimed, error) {
	machine := at[requests[0].applicationID].Machine // which differ by less than a millisecond or two
	chargeIDs := make([]ids.Charge, len(requests))
	entries := make([]idempotency.Entry, len(requests))
	for i, r := range requests {
		chargeIDs[i] = ids.NewCharge(machine)
		entries[i] = idempotency.Entry{Claim: r.claim, ObjectID: chargeIDs[i].Bytes()}
	}
	b := tx.Batch()
	payers, vaulted, claims := askPayers(b, requests), vault.Ask(b, tokensOf(requests), machine), idempotency.Ask(b,
		machine, entries)
	if err := b.Run(ctx); err != nil {
		return nil, err
	}
	verdicts, err := claims.VerdictsTx(ctx, tx)
	if err != nil {
		return nil, err
	}
	known, sealed := payers.Rows(), vaulted.Sealed()
	out := make([]claimed, len(requests))
	for i, r := range requests {
		out[i] = claimed{Claimed: operation.Claimed[Charge]{Prior: verdicts[i].Prior, Refused: verdicts[i].Err},
			payer: known[i]}
		if !out[i].Proceeds() {
			continue
		}
		_, hasSealed := sealed[r.token]
		out[i].Object, out[i].Refused = s.decide(r, chargeIDs[i],
			facts{out[i].payer, hasSealed, at[r.applicationID].At})
		if out[i].Refused != nil {
			idempotency.ReleaseTx(tx, r.claim)
			continue
		}
	}
	if err := insertTx(ctx, tx, requests, out); err != nil {
		return nil, err
	}
	if err := s.blockTx(ctx, tx, at, requests, out); err != nil {
		return nil, err
	}
	for i, o := range out {
		if !o.Proceeds() {
			continue
		}
		m := at[requests[i].applicationID]
		if o.rules.Blocked == "" {
			out[i].sealed = spendTx(tx, o.Object.Token, sealed)
			out[i].Operation = s.submission(o, requests[i], machine)
			operation.OpenTx(tx, out[i].Operation)
		}
		err := announceTx(tx, m, requests[i], o.Object)
		if err == nil && o.rules.Blocked != "" {
			out[i], err = s.failBlockedTx(ctx, tx, m, requests[i], o)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func tokensOf(requests []request) []ids.Token {
	tokens := make([]ids.Token, len(requests))
	for i, r := range requests {
		tokens[i] = r.token
	}
	return tokens
}

// spendTx gives a charge the sealed payment data of its token. What is for one authorization only is for the first in
// one batch, too.
func spendTx(tx *pg.Tx, token ids.Token, all map[ids.Token]vault.Sealed) vault.Sealed {
	sealed := all[token]
	vault.SpendTx(tx, token, sealed)
	all[token] = sealed.Spent()
	return sealed
}

func (s *Service) draft(id ids.Charge, r request, p payer, account processor.Account, now time.Time) Charge {
	body := r.in
	c := Charge{
		ID: id, Version: 1, ApplicationID: r.applicationID, MerchantID: *body.MerchantID,
		Amount: *body.Amount, Currency: *p.Currency, FundingCurrency: *p.Currency, Type: p.chargeType(),
		Origin: Origin(or(body.Origin, string(Ecommerce))), Recurring: or(body.Recurring, false),
		Capture: or(body.Capture, true), Status: Processing, Billing: *p.Billing, Token: r.token,
		PaymentMethod: p.method(),
		Processor:     ProcessorRef{Name: account.Adapter, Reference: id.String()}, ProcessorAccount: &account.External,
		Description: body.Description, ExternalID: body.ExternalID, StatementSuffix: body.StatementSuffix,
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

// insertTx writes the charges that will be submitted. A taken external_id is a refusal; where there is none, no one
// waits for an answer.
func insertTx(ctx context.Context, tx *pg.Tx, requests []request, out []claimed) error {
	var of []int
	named := false
	for i, o := range out {
		if o.Proceeds() {
			of = append(of, i)
			named = named || o.Object.ExternalID != nil
		}
	}
	if len(of) > 0 && !named {
		tx.Later(insertCharges, rowsOf(requests, out, of))
		return nil
	}
	return insertNamedTx(ctx, tx, requests, out, of)
}

func rowsOf(requests []request, out []claimed, of []int) pg.Args {
	rows := make([]pg.Args, len(of))
	for n, i := range of {
		rows[n] = insertArgs(requests[i], out[i].Object)
	}
	return pg.Rows(rows)
}

// insertNamedTx writes those of the charges at these places whose external_id no one has, and refuses the others.
func insertNamedTx(ctx context.Context, tx *pg.Tx, requests []request, out []claimed, of []int) error {
	for len(of) > 0 {
		written, err := pg.All[writtenRow](ctx, tx, insertNamed, rowsOf(requests, out, of))
		if err != nil {
			return err
		}
		var again []int
		for _, i := range of {
			if slices.Contains(written, writtenRow{out[i].Object.ID}) {
				continue
			}
			refused, err := externalIDTaken(ctx, tx, requests[i].applicationID, out[i].Object.ExternalID)
			switch {
			case errors.Is(err, pg.ErrNone): // the other charge has given it up in the meantime
				again = append(again, i)
			case err != nil:
				return err
			default:
				out[i].Refused = refused
				idempotency.ReleaseTx(tx, requests[i].claim)
			}
		}
		of = again
	}
	return nil
}

// announceTx queues the event of a charge's creation.
func announceTx(tx *pg.Tx, m instant.Moment, r request, c Charge) error {
	object, err := outbox.Text(c)
	if err != nil {
		return err
	}
	event, _ := moves.Event("", Processing)
	return outbox.EmitTx(tx, m, outbox.Event{ApplicationID: c.ApplicationID,
		MerchantID: c.MerchantID, Type: event, ObjectID: c.ID.Bytes(), Position: int64(c.Version),
		Object: object, RequestID: r.id, Source: outbox.API})
}

// submission is the operation of a charge's submission. It notes the rules that are decided when the processor has
// answered.
func (s *Service) submission(o claimed, r request, machine time.Time) operation.Operation {
	c, kind := o.Object, operation.Authorize
	if c.Type != Card {
		kind = operation.Debit
	}
	return operation.New(operation.Operation{ApplicationID: c.ApplicationID, MerchantID: c.MerchantID, ChargeID: c.ID,
		SubjectID: c.ID.Bytes(), Kind: kind, Reference: c.Processor.Reference, Amount: c.Amount, Currency: c.Currency,
		Note: rule.Note(o.rules.Then), RequestID: r.id, Source: outbox.API}.At(c.Account()), r.claim, machine)
}
