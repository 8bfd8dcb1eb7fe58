package sandbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

const (
	disputedAfter   = time.Hour           // of the capture, for cards with that fate
	retrievalDays   = 10 * 24 * time.Hour // to answer a retrieval
	chargebackDays  = 14 * 24 * time.Hour // to answer a chargeback, and to decide it
	decidedAfter    = 24 * time.Hour      // of evidence that is sure, and of the answer to a retrieval
	winningEvidence = "winning_evidence"
	losingEvidence  = "losing_evidence"
)

// The reasons of disputes that no one gave another.
const (
	chargebackReason = "fraudulent"
	retrievalReason  = "unrecognized"
)

// The decline codes of responses.
const (
	noDispute     = "dispute_not_found"
	notAnswerable = "dispute_not_answerable"
)

// disputes is what the payer's bank will ask about a line that captured, if its card has that fate.
func (p *Processor) disputes(c Case, l line) []due {
	if !l.captured || !c.Disputed && !c.Retrieved {
		return nil
	}
	reference := l.reference
	if l.original != nil {
		reference = *l.original
	}
	opening := due{Account: l.account, Reference: reference,
		disputed: disputed{Retrieval: c.Retrieved, Amount: l.amount, Currency: l.currency}}
	return p.open(opening, l.at.Add(disputedAfter))
}

// open completes the opening of a dispute and adds what follows if no one answers it.
func (p *Processor) open(d due, at time.Time) []due {
	d.Kind, d.DueAt, d.Dispute = processor.DisputeOpened, at, "case_"+unique(p.machine())
	if d.Reason == "" {
		d.Reason = chargebackReason
		if d.Retrieval {
			d.Reason = retrievalReason
		}
	}
	until := at.Add(chargebackDays)
	if !d.Retrieval {
		d.RespondBy = &until
		return []due{d, d.unanswered()}
	}
	until = at.Add(retrievalDays)
	d.RespondBy = &until
	escalation := d.escalate(until)
	escalation[0].Deadline = true
	return append([]due{d}, escalation...)
}

// unanswered is the loss of a chargeback that no one answers.
func (d due) unanswered() due {
	d.Kind, d.DueAt, d.Deadline = processor.DisputeLost, *d.RespondBy, true
	return d
}

// escalate is a retrieval becoming a chargeback, which can be answered again.
func (d due) escalate(at time.Time) []due {
	until := at.Add(chargebackDays)
	d.Kind, d.DueAt, d.Retrieval, d.RespondBy, d.Deadline = processor.DisputeEscalated, at, false, &until, false
	return []due{d, d.unanswered()}
}

// Respond implements processor.Processor.
func (p *Processor) Respond(ctx context.Context, r processor.Response) (processor.Answer, error) {
	at, err := p.timeOf(ctx, r.Account.External)
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	var l line
	err = pg.InTx(ctx, p.pool, func(tx *pg.Tx) error {
		now := p.machine()
		l = line{kind: "respond", reference: r.Reference, original: &r.Dispute, account: r.Account.External,
			amount: r.Amount, currency: r.Currency, visible: now, now: now, at: at}
		d, pending, err := p.disputeTx(ctx, tx, r.Account.External, r.Dispute)
		switch {
		case errors.Is(err, pg.ErrNone):
			l.decline(noDispute)
		case err != nil:
			return err
		case len(pending) == 0 || !pending[0].Deadline || !pending[0].DueAt.After(at):
			l.decline(notAnswerable)
		default:
			l.decline("")
			dropTx(tx, pending)
			p.scheduleTx(tx, d.outcome(r, at))
		}
		tx.Later(insertLine, p.args(l))
		return nil
	})
	if err != nil {
		return processor.Answer{}, fmt.Errorf("sandbox: %w", err)
	}
	return l.answer, nil
}

// outcome is what an answer leads to. Acceptance is an end on its own, which no event tells.
func (d due) outcome(r processor.Response, now time.Time) []due {
	says := func(what string) bool {
		for _, text := range r.Evidence {
			if strings.Contains(text, what) {
				return true
			}
		}
		return false
	}
	switch {
	case r.Accept:
		return nil
	case d.Retrieval:
		d.Kind, d.DueAt = processor.DisputeClosed, now.Add(decidedAfter)
	case says(winningEvidence):
		d.Kind, d.DueAt = processor.DisputeWon, now.Add(decidedAfter)
	case says(losingEvidence):
		d.Kind, d.DueAt = processor.DisputeLost, now.Add(decidedAfter)
	default:
		d.Kind, d.DueAt = processor.DisputeLost, now.Add(chargebackDays)
	}
	return []due{d}
}

// disputeTx locks a dispute of which the feed has told, and returns how it stands by its last event
// and what is still to happen to it, soonest first: its deadlines until it is answered, then its
// outcome, nothing after its end. It is pg.ErrNone if that account has no such dispute.
func (p *Processor) disputeTx(ctx context.Context, tx *pg.Tx, account, dispute string) (due, []due, error) {
	const last = `
		SELECT 0::bigint AS id, account, at AS due_at, kind, reference, return_code, dispute, retrieval, reason, amount,
			currency, respond_by, false AS deadline
		FROM sandbox_processor_feed f
		WHERE processor = @processor AND dispute = @dispute AND dispute <> '' AND account = @account
		ORDER BY f.id DESC LIMIT 1`
	args := pg.Args{"processor": p.name, "dispute": dispute, "account": account}
	d, err := pg.One[due](ctx, tx, last, args)
	if err != nil {
		return due{}, nil, err
	}
	if _, err := p.lockTx(ctx, tx, account, d.Reference); err != nil {
		return due{}, nil, err
	}
	all, err := p.pendingTx(ctx, tx, d.Reference)
	if err != nil {
		return due{}, nil, err
	}
	pending := slices.DeleteFunc(all, func(e due) bool { return e.Dispute != dispute })
	// An event of it that left the schedule until then is seen now.
	d, err = pg.One[due](ctx, tx, last, args)
	return d, pending, err
}

// disputedTx is the sum of a payment's chargebacks, those included that retrievals may become, past
// and to come.
func (p *Processor) disputedTx(ctx context.Context, tx *pg.Tx, reference string) (money.Amount, error) {
	return pg.Value[money.Amount](ctx, tx, `
		SELECT coalesce(sum(amount), 0)::bigint FROM (
			SELECT amount FROM sandbox_processor_feed
			WHERE processor = @processor AND reference = @reference
				AND (kind = 'dispute_escalated' OR kind = 'dispute_opened' AND NOT retrieval)
			UNION ALL
			SELECT amount FROM sandbox_processor_schedule
			WHERE processor = @processor AND reference = @reference
				AND (kind = 'dispute_escalated' OR kind = 'dispute_opened' AND NOT retrieval)
		) d`, pg.Args{"processor": p.name, "reference": reference})
}
