package operation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/daf/provider"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/testing/crash"
)

const (
	batch         = 64
	parallelAsks  = 8
	firstBackoff  = 150 * time.Millisecond
	longestWait   = 5 * time.Minute
	firstWatch    = time.Minute // after it was given up
	lookupTimeout = 5 * time.Second
)

// Backoff is the pause before the next look-up, after that many.
func Backoff(checks int) time.Duration {
	if checks > 11 { // 150 ms × 2^11 is above the longest
		return longestWait
	}
	return min(firstBackoff<<checks, longestWait)
}

// OutcomeOf is the outcome of an operation; a nil answer means that the counterparty never got it.
type OutcomeOf[A Answer] struct {
	Operation
	Answer *A
	// Unsent is why we sent nothing (see [ErrNotSent]); nil if we sent the call, or cannot know.
	Unsent error
}

// FinishOf writes the outcomes of operations in one transaction. It must leave alone what is written
// already: the request that made the call may have been quicker.
type FinishOf[A Answer] func(ctx context.Context, outcomes []OutcomeOf[A]) error

// Counterparties are whom calls are made to, as far as their outcomes go.
type Counterparties[A Answer] struct {
	// Lookup tells the outcome of an operation, or the port's ErrNotFound.
	Lookup func(ctx context.Context, o Operation) (A, error)
	// Windows says, by the name of each counterparty, how long after the submission a reference may still turn up; one
	// that is not found after it was never received. Operations of any other counterparty are left as they are.
	Windows map[string]time.Duration
}

// Processors are the counterparties of a registry.
func Processors(r *processor.Registry) Counterparties[processor.Answer] {
	lookup := func(ctx context.Context, o Operation) (processor.Answer, error) {
		return r.Lookup(ctx, o.Account(), o.Reference)
	}
	return Counterparties[processor.Answer]{Windows: r.Windows(), Lookup: lookup}
}

// Provider is a provider of donor-advised funds.
func Provider(p provider.Provider) Counterparties[provider.Answer] {
	return Counterparties[provider.Answer]{Windows: map[string]time.Duration{p.Name(): p.SettleWindow()},
		Lookup: func(ctx context.Context, o Operation) (provider.Answer, error) { return p.Lookup(ctx, o.Reference) }}
}

// ResolverOf asks the counterparties the outcome of calls without an answer.
type ResolverOf[A Answer] struct {
	pool           *pgxpool.Pool
	counterparties Counterparties[A]
	machine        func() time.Time
	finish         map[Kind]FinishOf[A]
	late           map[Kind]FinishOf[A]
}

// Those of processors.
type (
	// Outcome is the outcome of a call to a processor.
	Outcome = OutcomeOf[processor.Answer]
	// Finish writes the outcomes of calls to processors.
	Finish = FinishOf[processor.Answer]
	// Resolver asks the processors.
	Resolver = ResolverOf[processor.Answer]
)

// NewResolver makes a resolver without flows.
func NewResolver[A Answer](pool *pgxpool.Pool, c Counterparties[A], machine func() time.Time) *ResolverOf[A] {
	return &ResolverOf[A]{pool: pool, counterparties: c, machine: machine, finish: make(map[Kind]FinishOf[A]),
		late: make(map[Kind]FinishOf[A])}
}

// Handle sets who finishes operations of some kinds. It is called while the service is wired; a
// resolver looks after the kinds that it handles, and each kind has one resolver.
func (r *ResolverOf[A]) Handle(f FinishOf[A], kinds ...Kind) {
	for _, k := range kinds {
		r.finish[k] = f
	}
}

// HandleLate sets who deals with approvals of some kinds that turn up after they were given up.
func (r *ResolverOf[A]) HandleLate(f FinishOf[A], kinds ...Kind) {
	for _, k := range kinds {
		r.late[k] = f
	}
}

// Resolve asks about up to a batch of operations that are due, has what it learns written down, and
// says how many it asked about. Any number of binaries may run it at once.
func (r *ResolverOf[A]) Resolve(ctx context.Context) (int, error) {
	due, err := r.takeDue(ctx)
	if err != nil || len(due) == 0 {
		return 0, err
	}
	return len(due), r.settle(ctx, due)
}

// ResolveSubject asks at once about the open operations that change a subject.
func (r *ResolverOf[A]) ResolveSubject(ctx context.Context, applicationID int64, subject [16]byte) error {
	open, err := OpenOf(ctx, r.pool, applicationID, subject)
	if err != nil || len(open) == 0 {
		return err
	}
	return r.settle(ctx, open)
}

// takeDue leases due operations, those that someone waits for before those that were given up, by moving their next
// check ahead, though not past the end of the counterparty's window, when what is not found is known not to have
// arrived. The watch over one that was given up ends after a day.
func (r *ResolverOf[A]) takeDue(ctx context.Context) ([]Operation, error) {
	names := slices.Sorted(maps.Keys(r.counterparties.Windows))
	windows := make([]time.Duration, len(names))
	for i, name := range names {
		windows[i] = r.counterparties.Windows[name] + time.Millisecond
	}
	return pg.All[Operation](ctx, r.pool, `
		WITH open AS (
			SELECT id, checks FROM processor_operations
			WHERE next_check_at <= @now AND kind = ANY (@kinds) AND processor = ANY (@names) AND state = 'open'
			ORDER BY next_check_at LIMIT @batch FOR UPDATE SKIP LOCKED
		), given_up AS (
			SELECT id, checks FROM processor_operations
			WHERE next_check_at <= @now AND kind = ANY (@kinds) AND processor = ANY (@names) AND state <> 'open'
			ORDER BY next_check_at LIMIT @batch - (SELECT count(*) FROM open) FOR UPDATE SKIP LOCKED
		), due AS (SELECT * FROM open UNION ALL SELECT * FROM given_up)
		UPDATE processor_operations o SET checks = o.checks + 1, next_check_at = CASE
			WHEN o.state <> 'open' AND o.created_at + @watch::interval <= @now THEN NULL
			WHEN o.state = 'open' AND o.created_at + c.after > @now THEN least(w.at, o.created_at + c.after)
			ELSE w.at END
		FROM due, unnest(@names::text[], @windows::interval[]) AS c (name, after),
			LATERAL (SELECT @now::timestamptz
				+ least(@first::interval * power(2, least(due.checks, 11)), @longest::interval) AS at) w
		WHERE o.id = due.id AND o.processor = c.name
		RETURNING o.id, o.application_id, o.merchant_id, o.charge_id, o.subject_id, o.kind, o.processor,
			o.processor_account,
			o.reference, o.amount, o.currency, o.state, o.note, o.idempotency_key, o.request_id, o.source,
				o.created_at`,
		pg.Args{"now": r.machine(), "kinds": slices.Sorted(maps.Keys(r.finish)), "batch": batch,
			"first": firstBackoff, "longest": longestWait, "watch": watchFor, "names": names, "windows": windows})
}

// settle looks every operation up and has the outcomes written. If those of a kind cannot be written
// together, each is written on its own, so that one bad row cannot hold up the others.
func (r *ResolverOf[A]) settle(ctx context.Context, ops []Operation) error {
	known, waiting := r.ask(ctx, ops)
	crash.Point("resolve.asked")
	errs := []error{r.accept(ctx, waiting)}
	for _, g := range known {
		finish := r.finish[g.kind]
		if g.late {
			finish = r.late[g.kind]
			slog.ErrorContext(ctx, "calls that were given up were approved after all", "kind", string(g.kind),
				"count", len(g.outcomes))
		}
		if finish == nil {
			errs = append(errs, fmt.Errorf("operation: no finisher for %s", g.kind))
			continue
		}
		errs = append(errs, each(ctx, finish, g.outcomes))
	}
	return errors.Join(errs...)
}

// group is outcomes that are finished together.
type group[A Answer] struct {
	kind     Kind
	late     bool // approved after they were given up
	outcomes []OutcomeOf[A]
}

func each[A Answer](ctx context.Context, finish FinishOf[A], outcomes []OutcomeOf[A]) error {
	err := finish(ctx, outcomes)
	if err == nil || len(outcomes) == 1 {
		return err
	}
	slog.WarnContext(ctx, "a batch of outcomes could not be written at once", "error", err.Error())
	var errs []error
	for _, o := range outcomes {
		errs = append(errs, finish(ctx, []OutcomeOf[A]{o}))
	}
	return errors.Join(errs...)
}

// accept notes that the callers of operations without an outcome are told to wait.
func (r *ResolverOf[A]) accept(ctx context.Context, waiting []Operation) error {
	return pg.InTx(ctx, r.pool, func(tx *pg.Tx) error {
		for _, o := range waiting {
			if o.IdempotencyKey != nil {
				idempotency.AcceptTx(tx, o.Held())
			}
		}
		return nil
	})
}

// Held is the key of the request that wanted the operation; it must have one.
func (o Operation) Held() idempotency.Held {
	return idempotency.Held{ApplicationID: o.ApplicationID, Key: *o.IdempotencyKey, ObjectID: o.SubjectID}
}

// ask looks operations up, some at a time. Those without an outcome are waiting until the
// counterparty's window closes; after it they never reached it.
func (r *ResolverOf[A]) ask(ctx context.Context, ops []Operation) (known []group[A], waiting []Operation) {
	outcomes, learnt := make([]OutcomeOf[A], len(ops)), make([]bool, len(ops))
	var wg sync.WaitGroup
	slots := make(chan struct{}, parallelAsks)
	for i, o := range ops {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			outcomes[i], learnt[i] = r.askOne(ctx, o)
		})
	}
	wg.Wait()
	for i, o := range ops {
		late := o.State != Open
		switch {
		case late && (!learnt[i] || StateOf(outcomes[i].Answer) != Approved): // as it should be
		case learnt[i]:
			known = add(known, o.Kind, late, outcomes[i])
		default:
			waiting = append(waiting, o)
		}
	}
	return known, waiting
}

func add[A Answer](groups []group[A], kind Kind, late bool, o OutcomeOf[A]) []group[A] {
	for i, g := range groups {
		if g.kind == kind && g.late == late {
			groups[i].outcomes = append(g.outcomes, o)
			return groups
		}
	}
	return append(groups, group[A]{kind, late, []OutcomeOf[A]{o}})
}

func (r *ResolverOf[A]) askOne(ctx context.Context, o Operation) (OutcomeOf[A], bool) {
	window, ours := r.counterparties.Windows[o.Processor]
	if !ours { // no one of this deployment knows the reference, which says nothing about its outcome
		return OutcomeOf[A]{}, false
	}
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	asked := r.machine() // before the question: what arrives in the meantime must not be given up
	answer, err := guarded(func() (A, error) { return r.counterparties.Lookup(ctx, o) })
	switch {
	case err == nil:
		return OutcomeOf[A]{Operation: o, Answer: &answer}, true
	case errors.Is(err, processor.ErrNotFound), errors.Is(err, provider.ErrNotFound):
		return OutcomeOf[A]{Operation: o}, asked.Sub(o.CreatedAt) > window
	}
	slog.WarnContext(ctx, "a look-up failed", "operation", o.ID.String(), "error", err.Error())
	return OutcomeOf[A]{}, false
}
