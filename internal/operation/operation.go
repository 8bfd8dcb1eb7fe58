// Package operation records every call to a processor, or to a provider of donor-advised funds: stored before the call,
// closed when its outcome is known, and looked up by our reference in between. Nothing is submitted twice.
//
// Both are [Counterparties] with their own type of answer A. Resolver and Outcome are those of processors;
// ResolverOf[A] and OutcomeOf[A] are generic.
//
// A flow opens an operation in the transaction that decides ([OpenTx]), makes the call with [Call], and closes it in
// the transaction that writes the outcome ([CloseTx]). A [Resolver] finds every operation that was left open and passes
// its outcome to the same finish.
package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// Kind is what a counterparty was asked to do.
type Kind string

// The kinds. A grant is asked of a provider of donor-advised funds, everything else of the processor.
const (
	Authorize Kind = "authorize"
	Debit     Kind = "debit"
	Capture   Kind = "capture"
	Void      Kind = "void"
	Refund    Kind = "refund"
	Payout    Kind = "payout"
	Respond   Kind = "respond"
	Reverse   Kind = "reverse" // of an approval that came after it was given up
	Grant     Kind = "grant"
)

// State is how far a call has come.
type State string

// The states. An operation that is not submitted is watched for a day: if it turns up after all, it
// is reversed.
const (
	Open         State = "open"
	Approved     State = "approved"
	Declined     State = "declined"
	NotSubmitted State = "not_submitted"
)

// Answer is a counterparty's final answer to a call.
type Answer interface{ IsApproved() bool }

// StateOf is the final state of an answer; nil means that the counterparty never got the call.
func StateOf[A Answer](answer *A) State {
	switch {
	case answer == nil:
		return NotSubmitted
	case (*answer).IsApproved():
		return Approved
	}
	return Declined
}

// Operation is one call to a counterparty.
type Operation struct {
	ID            ids.Operation `db:"id"`
	ApplicationID int64         `db:"application_id"`
	MerchantID    int64         `db:"merchant_id"`
	ChargeID      ids.Charge    `db:"charge_id"` // zero for a payout or a grant
	// SubjectID is the object that the outcome changes: the charge, refund, payout, dispute or donation.
	SubjectID [16]byte `db:"subject_id"`
	Kind      Kind     `db:"kind"`
	Processor string   `db:"processor"` // the counterparty's name
	// ProcessorAccount is the counterparty's id of the account; nil of grants, and of calls that earlier versions
	// opened.
	ProcessorAccount *string        `db:"processor_account"`
	Reference        string         `db:"reference"` // ours, unique at the counterparty
	Amount           money.Amount   `db:"amount"`
	Currency         money.Currency `db:"currency"`
	State            State          `db:"state"`
	Note             *string        `db:"note"` // what the outcome's writer needs next to the answer
	// IdempotencyKey and RequestID are those of the request that wanted it.
	IdempotencyKey *string     `db:"idempotency_key"`
	RequestID      ids.Request `db:"request_id"`
	// Source says who wanted it. When it is opened, none is the API with a request, else a job.
	Source    outbox.Source `db:"source"`
	CreatedAt time.Time     `db:"created_at"` // machine time
}

// Account is where the call is made.
func (o Operation) Account() processor.Account {
	return processor.StoredAccount(o.Processor, o.ProcessorAccount, o.ApplicationID, o.MerchantID)
}

// At is the operation as a call at an account.
func (o Operation) At(account processor.Account) Operation {
	o.Processor, o.ProcessorAccount = account.Adapter, &account.External
	return o
}

// FollowUp is the call of an operation about an earlier one: original is our reference of that, and originalID the
// counterparty's id of what it made, if it has one ([processor.Answer.ExternalID]).
func (o Operation) FollowUp(original string, originalID *string) processor.FollowUp {
	f := processor.FollowUp{Reference: o.Reference, Account: o.Account(), Original: original, Amount: o.Amount,
		Currency: o.Currency}
	if originalID != nil {
		f.OriginalID = *originalID
	}
	return f
}

const columns = `id, application_id, merchant_id, charge_id, subject_id, kind, processor, processor_account,
	reference, amount, currency, state, note, idempotency_key, request_id, source, created_at`

// firstCheck is when an operation without an answer is first asked about: sooner only wastes
// look-ups on calls that are still in progress.
const firstCheck = 2 * time.Second

// watchFor is how long an operation that was given up is still looked up.
const watchFor = 24 * time.Hour

// New completes an operation that is to be opened: with an id, with that as its reference if it has none, and with the
// key of the request that wants it. claim may be nil.
func New(o Operation, claim *idempotency.Claim, machine time.Time) Operation {
	o.ID, o.State, o.CreatedAt = ids.NewOperation(machine), Open, machine
	if o.Reference == "" {
		o.Reference = o.ID.String()
	}
	if claim != nil {
		o.IdempotencyKey = &claim.Key
	}
	return o
}

// OpenTx queues the row of a call that is about to be made. The database refuses a second open
// authorization, debit, capture or void of one charge.
func OpenTx(tx *pg.Tx, o Operation) {
	tx.Row(nil, `
		INSERT INTO processor_operations (id, application_id, merchant_id, charge_id, subject_id, kind, processor,
			processor_account,
			reference, amount, currency, state, note, idempotency_key, request_id, source, next_check_at, created_at)
		SELECT o.id, o.application_id, o.merchant_id, o.charge_id, o.subject_id, o.kind, o.processor, o.account,
			o.reference, o.amount, o.currency, 'open', o.note, o.key, o.request_id, o.source, o.next, o.now
		FROM unnest(@rows::new_routed_operation[]) AS o`,
		pg.Args{"id": o.ID, "application_id": o.ApplicationID, "merchant_id": o.MerchantID, "charge_id": o.ChargeID,
			"subject_id": o.SubjectID, "kind": o.Kind, "processor": o.Processor, "account": o.ProcessorAccount,
			"reference": o.Reference,
			"amount":    o.Amount, "currency": o.Currency, "note": o.Note, "key": o.IdempotencyKey,
			"request_id": o.RequestID, "source": o.source(), "next": o.CreatedAt.Add(firstCheck), "now": o.CreatedAt})
}

// source says who wanted the operation.
func (o Operation) source() outbox.Source {
	if o.Source == "" && o.RequestID.IsZero() {
		return outbox.Job
	}
	return cmp.Or(o.Source, outbox.API)
}

// CloseTx queues the outcome of an operation that is open. One that was not submitted stays watched, unless we never
// sent it.
func CloseTx[A Answer](tx *pg.Tx, o OutcomeOf[A], machine time.Time) {
	var next *time.Time
	state := StateOf(o.Answer)
	if state == NotSubmitted && o.Unsent == nil {
		at := machine.Add(firstWatch)
		next = &at
	}
	answer := processorAnswer(o.Answer)
	tx.Row(o.ID, `
		UPDATE processor_operations o SET state = c.state, external_id = c.external_id, raw_code = c.raw_code,
			authorization_code = c.authorization_code, finished_at = c.now, next_check_at = c.next, checks = 0
		FROM unnest(@rows::operation_outcome[]) AS c
		WHERE o.id = c.id AND o.state = 'open'`,
		pg.Args{"id": o.ID, "state": state, "external_id": nullIfEmpty(answer.ExternalID),
			"raw_code":           nullIfEmpty(answer.RawCode),
			"authorization_code": nullIfEmpty(answer.AuthorizationCode), "now": machine, "next": next})
}

// processorAnswer is the answer if a processor gave it, and the zero one otherwise.
func processorAnswer(answer any) processor.Answer {
	if a, ok := answer.(*processor.Answer); ok && a != nil {
		return *a
	}
	return processor.Answer{}
}

func nullIfEmpty(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// FoundTx writes now that an operation that was given up was approved after all, and reports whether
// no one had written it before. What the answer does not have stays as it is.
func FoundTx[A Answer](ctx context.Context, tx *pg.Tx, o OutcomeOf[A]) (bool, error) {
	answer := processorAnswer(o.Answer)
	n, err := tx.Exec(ctx, `
		UPDATE processor_operations
			SET state = 'approved', next_check_at = NULL, external_id = coalesce(@external_id, external_id),
			raw_code = coalesce(@raw_code, raw_code), authorization_code = coalesce(@authorization_code,
				authorization_code)
		WHERE id = @id AND state = 'not_submitted'`, pg.Args{"id": o.ID, "external_id": nullIfEmpty(answer.ExternalID),
		"raw_code": nullIfEmpty(answer.RawCode), "authorization_code": nullIfEmpty(answer.AuthorizationCode)})
	return n == 1, err
}

// OfReference reads the operation of a kind that a processor knows by a reference, or returns resource_missing.
func OfReference(ctx context.Context, q pg.Querier, kind Kind, processor, reference string) (Operation, error) {
	return pg.Find[Operation](ctx, q, `
		SELECT `+columns+` FROM processor_operations WHERE processor = @processor AND reference = @reference
			AND kind = @kind`,
		pg.Args{"processor": processor, "reference": reference, "kind": kind})
}

// RawCodeTx queues the counterparty's own code of why a call that was approved came to nothing.
func RawCodeTx(tx *pg.Tx, kind Kind, processor, reference, code string) {
	tx.Later(`
		UPDATE processor_operations SET raw_code = @code WHERE processor = @processor AND reference = @reference
			AND kind = @kind`,
		pg.Args{"processor": processor, "reference": reference, "kind": kind, "code": code})
}

// GivenUp returns operations of a kind that carry a note, were given up, and are looked for no more, oldest first; but
// for those in whose place another one was made the moment that they were given up, as earlier versions did.
func GivenUp(ctx context.Context, q pg.Querier, kind Kind, note string, machine time.Time) ([]Operation, error) {
	return pg.All[Operation](ctx, q, `
		SELECT `+columns+` FROM processor_operations o
		WHERE kind = @kind AND state = 'not_submitted' AND note = @note AND next_check_at IS NULL
			AND created_at <= @before
			AND NOT EXISTS (SELECT FROM processor_operations n
				WHERE n.application_id = o.application_id AND n.charge_id = o.charge_id AND n.kind = o.kind
					AND n.created_at = o.finished_at)
		ORDER BY created_at LIMIT @batch`,
		pg.Args{"kind": kind, "note": note, "before": machine.Add(-watchFor - longestWait), "batch": batch})
}

// Refused returns operations of a kind that carry a note, were declined, and are at least so old, oldest first.
func Refused(ctx context.Context, q pg.Querier, kind Kind, note string, before time.Time) ([]Operation, error) {
	return pg.All[Operation](ctx, q, `
		SELECT `+columns+` FROM processor_operations
		WHERE kind = @kind AND state = 'declined' AND note = @note AND created_at <= @before
		ORDER BY created_at LIMIT @batch`, pg.Args{"kind": kind, "note": note, "before": before, "batch": batch})
}

// NoteTx queues another note of an operation.
func NoteTx(tx *pg.Tx, id ids.Operation, note string) {
	tx.Later(`UPDATE processor_operations SET note = @note WHERE id = @id`, pg.Args{"id": id, "note": note})
}

// ForgetTx changes the note of an operation that came to nothing and is looked for no more, and reports whether it had
// the old one.
func ForgetTx(ctx context.Context, tx *pg.Tx, id ids.Operation, old, note string) (bool, error) {
	n, err := tx.Exec(ctx, `
		UPDATE processor_operations SET note = @note
		WHERE id = @id AND state IN ('not_submitted', 'declined') AND note = @old
			AND next_check_at IS NULL`, pg.Args{"id": id, "old": old, "note": note})
	return n == 1, err
}

// SoonTx queues that an open operation is asked about soon, since its call has ended without an answer.
func SoonTx(tx *pg.Tx, id ids.Operation, machine time.Time) {
	tx.Later(`UPDATE processor_operations SET next_check_at = @next WHERE id = @id AND state = 'open'`,
		pg.Args{"id": id, "next": machine.Add(Backoff(0))})
}

// OpenOf returns the open operations whose outcome changes a subject, oldest first.
func OpenOf(ctx context.Context, q pg.Querier, applicationID int64, subject [16]byte) ([]Operation, error) {
	return pg.All[Operation](ctx, q, `
		SELECT `+columns+` FROM processor_operations
		WHERE application_id = @application_id AND subject_id = @subject AND state = 'open' ORDER BY id`,
		pg.Args{"application_id": applicationID, "subject": subject})
}

// IsOpen reports whether the outcome of an operation is not written yet.
func IsOpen(ctx context.Context, q pg.Querier, id ids.Operation) (bool, error) {
	return pg.Value[bool](ctx, q, `SELECT EXISTS (SELECT FROM processor_operations WHERE id = @id AND state = 'open')`,
		pg.Args{"id": id})
}

// Searches for operations after the answer to a commit was lost: the window of calls that follow is running.
const (
	searchFor   = 4 * time.Second
	searchPause = 100 * time.Millisecond
)

type openRow struct {
	ID ids.Operation `db:"id"`
}

// FindOpen returns which of some operations are open. If the database doesn't answer, it tries again for some seconds,
// and finds none if there is no answer then.
func FindOpen(ctx context.Context, q pg.Querier, all []ids.Operation) map[ids.Operation]bool {
	out := make(map[ids.Operation]bool, len(all))
	if len(all) == 0 {
		return out
	}
	ctx, cancel := context.WithTimeout(ctx, searchFor)
	defer cancel()
	for {
		open, err := pg.All[openRow](ctx, q, `
			SELECT id FROM processor_operations WHERE id = ANY (@ids::uuid[]) AND state = 'open'`, pg.Args{"ids": all})
		if err == nil {
			for _, o := range open {
				out[o.ID] = true
			}
			return out
		}
		select {
		case <-ctx.Done():
			return out
		case <-time.After(searchPause):
		}
	}
}

// Busy are the charges, of those that were asked about, that have an open call.
type Busy struct{ answer *pg.Answer[busyRow] }

type busyRow struct {
	ChargeID ids.Charge `db:"charge_id"`
}

// AskBusy has a batch read which of some charges, each with its application at the same place, have an open call that
// may change their status. The caller holds the charges' rows, as every caller that opens one does.
func AskBusy(b *pg.Batch, applications []int64, charges []ids.Charge) Busy {
	return Busy{pg.Ask[busyRow](b, `
		SELECT charge_id FROM processor_operations
		WHERE (application_id, charge_id) IN (SELECT * FROM unnest(@applications::bigint[], @charges::uuid[]))
			AND state = 'open' AND kind IN ('authorize', 'debit', 'capture', 'void')`,
		pg.Args{"applications": applications, "charges": charges})}
}

// Charges are their ids.
func (b Busy) Charges() []ids.Charge {
	rows := b.answer.Rows()
	out := make([]ids.Charge, len(rows))
	for i, r := range rows {
		out[i] = r.ChargeID
	}
	return out
}

// callTimeout bounds every call. Both ports promise that what they were asked later than that is not
// done.
const callTimeout = min(processor.CallTimeout, provider.CallTimeout)

// ErrNotSent is wrapped by the error of a call that was never sent. [Call] also wraps [processor.ErrUnsupported] in it.
// No one else sends it, so it has failed, and its outcome is not unknown.
var ErrNotSent = errors.New("operation: nothing was sent")

// NotSent wraps the error of a step before the call to the counterparty.
func NotSent(err error) error { return fmt.Errorf("%w: %w", ErrNotSent, err) }

// Call makes the call of an operation, bounded from the operation's creation on, as the counterparty's
// window is: a call made later could be approved after the resolver has given it up. An adapter's
// panic is an error: the outcome is unknown, and the binary lives on.
func Call[A Answer](ctx context.Context, o Operation, now time.Time, call func(context.Context) (A, error)) (answer A,
	err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callTimeout-now.Sub(o.CreatedAt))
	defer cancel()
	if err := ctx.Err(); err != nil {
		return answer, NotSent(err)
	}
	answer, err = guarded(func() (A, error) { return call(ctx) })
	if errors.Is(err, processor.ErrUnsupported) {
		return answer, NotSent(err)
	}
	return answer, err
}

func guarded[A Answer](call func() (A, error)) (answer A, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("operation: the adapter panicked: %v\n%s", r, debug.Stack())
		}
	}()
	return call()
}
