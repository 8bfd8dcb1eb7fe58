package pgtest

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/platform/pg"
)

// Sent is what a pool of [Watched] has sent, so that a test looks at the very statements that are run.
type Sent struct {
	mu  sync.Mutex
	all []Statement
}

// Statement is one with the names of its arguments in it, and the arguments.
type Statement struct {
	SQL  string
	Args pg.Args
}

// Watched makes another pool over a pool's database. What is sent through it is kept.
func Watched(t testing.TB, pool *pgxpool.Pool) (watched *pgxpool.Pool, sent *Sent) {
	t.Helper()
	sent = new(Sent)
	cfg := pool.Config()
	cfg.ConnConfig.Tracer = sent
	watched, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(watched.Close)
	return watched, sent
}

// Of are the statements with that text in them, each once, with the arguments of the first time.
func (s *Sent) Of(text string) (found []Statement) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := make(map[string]bool)
	for _, one := range s.all {
		if strings.Contains(one.SQL, text) && !seen[one.SQL] {
			seen[one.SQL] = true
			found = append(found, one)
		}
	}
	return found
}

// Only is the one statement with that text in it.
func (s *Sent) Only(t testing.TB, text string) Statement {
	t.Helper()
	found := s.Of(text)
	if len(found) != 1 {
		t.Fatalf("%d statements have %q in them", len(found), text)
	}
	return found[0]
}

func (s *Sent) keep(sql string, args []any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := Statement{SQL: sql}
	for _, arg := range args { // options come before the arguments
		if named, ok := arg.(pg.Args); ok {
			one.Args = named
		}
	}
	s.all = append(s.all, one)
}

// TraceQueryStart implements [pgx.QueryTracer].
func (s *Sent) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	s.keep(data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd implements [pgx.QueryTracer].
func (s *Sent) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart implements [pgx.BatchTracer].
func (s *Sent) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, q := range data.Batch.QueuedQueries {
		s.keep(q.SQL, q.Arguments)
	}
	return ctx
}

// TraceBatchQuery implements [pgx.BatchTracer].
func (s *Sent) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd implements [pgx.BatchTracer].
func (s *Sent) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
