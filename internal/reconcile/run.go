package reconcile

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/oklog/ulid/v2"

	"svcpay/internal/ledger"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
)

// stage is how far a run has come.
type stage string

// The stages, in their order.
const (
	reading    stage = "book"
	operations stage = "operations"
	postings   stage = "postings"
	rechecking stage = "open"
	done       stage = "done"
)

// after is the stage that follows another.
func (s *runs) after(now stage) stage {
	if i := slices.Index(s.stages, now) + 1; i < len(s.stages) {
		return s.stages[i]
	}
	return done
}

// Run is one comparison. What is younger than its Horizon is left to a later one.
type Run struct {
	ID        int64     `db:"id"`
	Stage     stage     `db:"stage"`
	Horizon   time.Time `db:"horizon"`
	StartedAt time.Time `db:"started_at"`
	// How much was read and compared, and how many differences appeared and went away.
	Lines      int `db:"lines"`
	Operations int `db:"operations"`
	Postings   int `db:"postings"`
	Found      int `db:"found"`
	Resolved   int `db:"resolved"`
}

const runColumns = `id, stage, horizon, started_at, lines, operations, postings, found, resolved`

// open returns the counterparty's run that is not finished; pg.ErrNone if there is none.
func (s *runs) open(ctx context.Context) (Run, error) {
	return pg.One[Run](ctx, s.pool, `
		SELECT `+runColumns+` FROM reconciliation_runs WHERE processor = @processor AND finished_at IS NULL`,
		pg.Args{"processor": s.name})
}

func (s *runs) find(ctx context.Context, id int64) (Run, error) {
	return pg.One[Run](ctx, s.pool, `SELECT `+runColumns+` FROM reconciliation_runs WHERE id = @id`, pg.Args{"id": id})
}

// begin opens a run and returns its id; 0 if one is open, or if the day's was made already and this
// would be another.
func (s *runs) begin(ctx context.Context, requested bool) (int64, error) {
	now := s.machine()
	var id int64
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		id, err = pg.Value[int64](ctx, tx, `
			INSERT INTO reconciliation_runs (processor, day, requested, stage, horizon, started_at)
			VALUES (@processor, @day, @requested, 'book', @horizon, @now) ON CONFLICT DO NOTHING RETURNING id`,
			pg.Args{"processor": s.name, "day": now.UTC(), "requested": requested,
				"horizon": now.Add(-graceFor - s.window), "now": now})
		if errors.Is(err, pg.ErrNone) {
			id = 0
			return nil
		}
		tx.Later(`
			INSERT INTO reconciliation_cursors (processor, line, operation)
			VALUES (@processor, 0, '00000000-0000-0000-0000-000000000000')
				ON CONFLICT DO NOTHING`, pg.Args{"processor": s.name})
		s.books.rewindTx(tx)
		return err
	})
	return id, err
}

// cursor is how far runs have come.
type cursor struct {
	Line      int64    `db:"line"`
	Operation [16]byte `db:"operation"`
	Arrival   int64    `db:"arrival"` // of money of grants
}

func (s *runs) cursor(ctx context.Context, q pg.Querier) (cursor, error) {
	return pg.One[cursor](ctx, q, `SELECT line, operation, arrival FROM reconciliation_cursors
		WHERE processor = @processor`,
		pg.Args{"processor": s.name})
}

// part is a batch of a stage: what to compare, and whether the stage has more.
type part struct {
	wanted []wanted
	more   bool
	// How many lines, operations or postings are in it.
	lines, operations, postings int
}

// step does one batch of a run, unless another binary has brought the run to another stage.
func (s *runs) step(ctx context.Context, r Run) (err error) {
	var take taking = s.openTx
	switch r.Stage {
	case reading:
		if take, err = s.books.read(ctx); err != nil {
			return err
		}
	case operations:
		take = s.operationsTx
	case postings:
		take = s.books.postingsTx
	case rechecking, done:
	}
	var appeared []Difference
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		appeared = nil
		held, err := pg.One[Run](ctx, tx, `SELECT `+runColumns+` FROM reconciliation_runs WHERE id = @id FOR UPDATE`,
			pg.Args{"id": r.ID})
		if err != nil || held.Stage != r.Stage {
			return err
		}
		p, err := take(ctx, tx, held)
		if err != nil {
			return err
		}
		c, err := s.judgeTx(ctx, tx, held, p.wanted)
		appeared = c.appeared
		s.advanceTx(tx, held, p, c)
		return err
	})
	if err != nil {
		return err
	}
	for _, d := range appeared {
		d.log(ctx)
	}
	return nil
}

// advanceTx queues how far a run has come.
func (s *runs) advanceTx(tx *pg.Tx, r Run, p part, c compared) {
	to, finished := r.Stage, (*time.Time)(nil)
	if !p.more {
		to = s.after(r.Stage)
	}
	if now := s.machine(); to == done {
		finished = &now
	}
	tx.Later(`
		UPDATE reconciliation_runs SET stage = @stage, finished_at = @finished, lines = lines + @lines,
			operations = operations + @operations, postings = postings + @postings, found = found + @found,
			resolved = resolved + @resolved
		WHERE id = @id`,
		pg.Args{"id": r.ID, "stage": to, "finished": finished, "lines": p.lines, "operations": p.operations,
			"postings": p.postings, "found": len(c.appeared), "resolved": c.resolved})
}

// rewindTx begins a run where the one before it ended.
func (s *Service) rewindTx(*pg.Tx) {}

// read asks the processor for the lines after the last one that was read.
func (s *Service) read(ctx context.Context) (taking, error) {
	c, err := s.cursor(ctx, s.pool)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, processor.CallTimeout)
	defer cancel()
	lines, err := s.deps.Book.Book(ctx, c.Line, s.batch)
	return func(ctx context.Context, tx *pg.Tx, _ Run) (part, error) { return s.linesTx(ctx, tx, c.Line, lines) }, err
}

// linesTx writes down a page of the book, and posts the processor's fees. Its references are compared at once, those of
// young operations excepted: they are compared when the operations are old enough. A page that another binary has
// written in the meantime is dropped.
func (s *Service) linesTx(ctx context.Context, tx *pg.Tx, after int64, lines []processor.BookLine) (part, error) {
	c, err := s.cursor(ctx, tx)
	if err != nil || c.Line != after {
		return part{more: true}, err
	}
	p := part{more: len(lines) == s.batch, lines: len(lines)}
	if p.lines == 0 {
		return p, nil
	}
	now := s.machine()
	for _, l := range lines {
		tx.Later(`
			INSERT INTO reconciliation_lines (processor, number, reference, kind, account, amount, currency,
				approved, at, read_at)
			VALUES (@processor, @number, @reference, @kind, @account, @amount, @currency, @approved, @at, @now)`,
			pg.Args{"processor": s.name, "number": l.Number, "reference": l.Reference, "kind": l.Kind,
				"account": l.Account,
				"amount":  l.Amount, "currency": l.Currency, "approved": l.Approved, "at": l.At, "now": now})
		if l.IsFee() {
			ledger.PostProcessorFeeTx(tx, ledger.ProcessorFee{Processor: s.name, External: l.Account, ID: l.Reference,
				Refunded: l.Kind == processor.FeeRefunded, Amount: l.Amount, Currency: l.Currency, At: l.At}, now)
		}
		p.wanted = append(p.wanted, wanted{Reference: l.Reference})
	}
	tx.Later(`UPDATE reconciliation_cursors SET line = @line WHERE processor = @processor`,
		pg.Args{"processor": s.name, "line": lines[p.lines-1].Number})
	return p, tx.Flush(ctx)
}

// referenced is a record with the reference that it is compared by.
type referenced struct {
	ID        [16]byte `db:"id"`
	Reference string   `db:"reference"`
}

// operationsTx takes the next operations that are older than the horizon.
func (s *runs) operationsTx(ctx context.Context, tx *pg.Tx, r Run) (part, error) {
	c, err := s.cursor(ctx, tx)
	if err != nil {
		return part{}, err
	}
	rows, err := pg.All[referenced](ctx, tx, `
		SELECT id, reference FROM processor_operations
		WHERE processor = @calls AND (kind = 'grant') = @grants AND id > @after AND id <= @up_to
			ORDER BY id LIMIT @batch`,
		pg.Args{"calls": s.calls, "grants": s.grants, "after": c.Operation, "up_to": firstOf(r.Horizon),
			"batch": s.batch})
	if err != nil || len(rows) == 0 {
		return part{}, err
	}
	p := part{more: len(rows) == s.batch, operations: len(rows)}
	for _, o := range rows {
		p.wanted = append(p.wanted, wanted{Reference: o.Reference})
	}
	tx.Later(`UPDATE reconciliation_cursors SET operation = @operation WHERE processor = @processor`,
		pg.Args{"processor": s.name, "operation": rows[len(rows)-1].ID})
	return p, nil
}

// ledgerAt is how far an application's ledger was compared.
type ledgerAt struct {
	ApplicationID int64    `db:"application_id"`
	Through       [16]byte `db:"through"`
}

// postingsTx takes the next postings of one application that are older than the horizon. What is
// compared are the operations that they should come from; without any, the postings themselves.
func (s *Service) postingsTx(ctx context.Context, tx *pg.Tx, r Run) (part, error) {
	at, err := pg.One[ledgerAt](ctx, tx, `
		SELECT a.id AS application_id, l.through FROM applications a, LATERAL (
			SELECT coalesce((SELECT through FROM reconciliation_ledgers WHERE processor = @processor
				AND application_id = a.id),
				'00000000-0000-0000-0000-000000000000') AS through) l
		WHERE EXISTS (SELECT FROM ledger_entries e WHERE e.application_id = a.id AND e.id > l.through
			AND e.id <= @up_to)
		ORDER BY a.id LIMIT 1`, pg.Args{"processor": s.name, "up_to": firstOf(r.Horizon)})
	if errors.Is(err, pg.ErrNone) {
		return part{}, nil
	}
	if err != nil {
		return part{}, err
	}
	rows, err := pg.All[referenced](ctx, tx, `
		SELECT e.id, coalesce(CASE WHEN o.processor = @processor THEN o.reference END,
			CASE WHEN e.ours AND o.id IS NULL AND @orphans THEN e.business_key END, '') AS reference
		FROM (
			SELECT id, application_id, business_key, kind, source_id,
				charge_id, `+ofCalls+` AS ours FROM ledger_entries e
			WHERE application_id = @application_id AND id > @after AND id <= @up_to ORDER BY id LIMIT @batch
		) e LEFT JOIN processor_operations o ON e.ours AND `+ofPosting+` ORDER BY e.id`,
		pg.Args{"application_id": at.ApplicationID, "after": at.Through, "up_to": firstOf(r.Horizon), "batch": s.batch,
			"processor": s.name, "orphans": s.deps.Orphans})
	if err != nil {
		return part{}, err
	}
	p := part{more: true} // another application's may follow
	last := at.Through
	for _, e := range rows {
		if e.ID != last {
			p.postings++
		}
		if last = e.ID; e.Reference != "" {
			p.wanted = append(p.wanted, wanted{e.Reference, &at.ApplicationID})
		}
	}
	tx.Later(`
		INSERT INTO reconciliation_ledgers (processor, application_id, through)
			VALUES (@processor, @application_id, @through)
		ON CONFLICT (processor, application_id) DO UPDATE SET through = excluded.through`,
		pg.Args{"processor": s.name, "application_id": at.ApplicationID, "through": last})
	return p, nil
}

// openTx takes open differences that this run has not looked at.
func (s *runs) openTx(ctx context.Context, tx *pg.Tx, r Run) (part, error) {
	rows, err := pg.All[wanted](ctx, tx, `
		SELECT reference, max(application_id) AS application_id FROM reconciliation_differences
		WHERE processor = @processor AND resolved_at IS NULL AND checked_run <> @run
		GROUP BY reference ORDER BY reference LIMIT @batch`,
		pg.Args{"processor": s.name, "run": r.ID, "batch": s.batch})
	return part{wanted: rows, more: len(rows) == s.batch}, err
}

// firstOf is the lowest id of a millisecond.
func firstOf(t time.Time) [16]byte {
	var id ulid.ULID
	_ = id.SetTime(ulid.Timestamp(t)) // it fails after the year 10889
	return id
}

// log reports a difference that has just appeared.
func (d Difference) log(ctx context.Context) {
	attrs := []slog.Attr{slog.String("kind", string(d.Kind)), slog.String("reference", d.Reference)}
	if d.ApplicationID != nil {
		attrs = append(attrs, slog.Int64("application_id", *d.ApplicationID))
	}
	if d.MerchantID != nil {
		attrs = append(attrs, slog.Int64("merchant_id", *d.MerchantID))
	}
	slog.LogAttrs(ctx, slog.LevelError, "a counterparty's book and ours do not agree", attrs...)
}
