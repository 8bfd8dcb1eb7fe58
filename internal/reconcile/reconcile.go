// Package reconcile compares three books: a processor's record of our calls, our operations, and our ledger.
//
// A run has four stages, each in batches of one transaction: it reads the processor's book from its cursor, compares
// the operations that have become old enough since the previous run, then the new postings of every ledger, and checks
// open mismatches again. Cursors move in the same transaction as the comparison, so any server continues a run that was
// killed.
//
// A provider of donor-advised funds has a book of grants, which the same runs compare with our donations ([Grants]).
//
// docs/reconciliation.md and judge.go list what must agree.
package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// graceFor is how much older than the processor's window an operation is before it is compared: what
// is still open then, or not in the book, will not become so on its own.
const graceFor = time.Hour

// batch is how many lines, operations, postings or differences one transaction deals with.
const batch = 500

// Deps are what the service works with.
type Deps struct {
	Pool *pgxpool.Pool
	Now  func() time.Time
	// Processor is the name of the adapter in the records, Book the book that its counterparty keeps, and Window how
	// long after its submission a call may turn up there.
	Processor string
	Book      processor.Book
	Window    time.Duration
	// OfMoney says that the book has lines only where money moved (see [processor.Terms.BookOfMoney]).
	OfMoney bool
	// Orphans also compares postings that no operation explains. Exactly one service of a deployment does so.
	Orphans bool
}

// Service reconciles one processor.
type Service struct {
	deps Deps
	runs
}

// New makes the service.
func New(d Deps) *Service {
	s := &Service{deps: d}
	s.runs = runs{pool: d.Pool, machine: d.Now, name: d.Processor, window: d.Window, batch: batch,
		stages: []stage{reading, operations, postings, rechecking}, books: s, calls: d.Processor}
	return s
}

// Services reconcile all processors of a deployment that keep a book.
type Services []*Service

// Of makes the services for the adapters of a deployment. machine is the machine's time.
func Of(pool *pgxpool.Pool, r *processor.Registry, machine func() time.Time) Services {
	var all Services
	windows, books := r.Windows(), r.Books()
	for _, name := range r.Names() {
		if book, ok := books[name]; ok {
			all = append(all, New(Deps{Pool: pool, Now: machine, Processor: name, Book: book, Window: windows[name],
				OfMoney: r.Terms(name).BookOfMoney, Orphans: len(all) == 0}))
		}
	}
	return all
}

// Run does the next step of each processor's run (see [Service.Run]), and reports whether there is more to do. A
// processor whose book cannot be read holds up no other: its error is returned when the others are done.
func (all Services) Run(ctx context.Context) (more bool, err error) {
	var errs []error
	for _, s := range all {
		again, err := s.Run(ctx)
		more, errs = more || again && err == nil, append(errs, err)
	}
	if err = errors.Join(errs...); err != nil && more {
		slog.WarnContext(ctx, "a processor's book could not be compared", "error", err.Error())
		return true, nil
	}
	return more, err
}

// runs are comparisons with one counterparty.
type runs struct {
	pool    *pgxpool.Pool
	machine func() time.Time
	name    string        // of the counterparty in the records
	window  time.Duration // how long after its submission a call may turn up
	batch   int
	stages  []stage
	books   books
	calls   string // what operations call the counterparty
	grants  bool   // they are grants, which are in a book of their own
}

// Name is that of the counterparty in the records.
func (s *runs) Name() string { return s.name }

// books is what differs between counterparties.
type books interface {
	// rewindTx begins a run.
	rewindTx(tx *pg.Tx)
	// read asks the counterparty for the next lines of its book, and returns what writes them down.
	read(ctx context.Context) (taking, error)
	// postingsTx takes the next batch of the postings.
	postingsTx(ctx context.Context, tx *pg.Tx, r Run) (part, error)
	// compareTx says what does not agree about references.
	compareTx(ctx context.Context, tx *pg.Tx, r Run, all []wanted) ([]Difference, error)
}

// taking takes the next batch of a stage.
type taking func(ctx context.Context, tx *pg.Tx, r Run) (part, error)

// Run does the next step of the day's run, which it begins if no one has, and reports whether there is
// more to do. Any number of binaries may call it at once and be killed anywhere.
func (s *runs) Run(ctx context.Context) (more bool, err error) {
	r, err := s.open(ctx)
	if errors.Is(err, pg.ErrNone) {
		id, err := s.begin(ctx, false)
		return id != 0, err // 0: today's is done, or another binary was quicker
	}
	if err != nil {
		return false, err
	}
	return true, s.step(ctx, r)
}

// RunNow compares everything that is old enough by now, whether or not the day's run was made, and
// returns what it did. A run that is open is finished first.
func (s *runs) RunNow(ctx context.Context) (Run, error) {
	mine := int64(0)
	for {
		r, err := s.open(ctx)
		none := errors.Is(err, pg.ErrNone)
		switch {
		case err != nil && !none:
			return Run{}, err
		case mine != 0 && (none || r.ID != mine):
			return s.find(ctx, mine)
		case none:
			mine, err = s.begin(ctx, true)
		default:
			err = s.step(ctx, r)
		}
		if err != nil {
			return Run{}, err
		}
	}
}
