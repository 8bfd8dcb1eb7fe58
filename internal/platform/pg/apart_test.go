package pg_test

import (
	"runtime"
	"strings"
	"testing"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

// What is set apart has its own connections: while it uses all of them, and waits, others have theirs.
func TestWhatIsApartLeavesTheOthersTheirConnections(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	pool, err := pg.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	apart, err := pg.OpenApart(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer apart.Close()
	if got, want := apart.Config().MaxConns, int32(max(2, runtime.NumCPU())); got != want {
		t.Errorf("%d connections are apart, want %d", got, want)
	}
	ctx := pg.Apart(t.Context(), apart)
	slow := make(chan error)
	for range apart.Config().MaxConns {
		go func() {
			_, err := pg.Value[string](ctx, pool, `SELECT pg_sleep(60)::text`, pg.Args{})
			slow <- err
		}()
	}
	for apart.Stat().AcquiredConns() < apart.Config().MaxConns {
		runtime.Gosched()
	}
	for range 20 {
		if n, err := pg.Value[int](t.Context(), pool, `SELECT 1`, pg.Args{}); err != nil || n != 1 {
			t.Errorf("meanwhile: %d, %v", n, err)
		}
	}
	if n := pool.Stat().AcquiredConns(); n != 0 {
		t.Errorf("%d connections of the others are in use", n)
	}
	for range apart.Config().MaxConns {
		if err := <-slow; !pg.IsSlow(err) {
			t.Errorf("a statement that takes a minute: %v", err)
		}
	}
	err = pg.InTx(ctx, pool, func(tx *pg.Tx) error {
		timeout, err := pg.Value[string](ctx, tx, `SHOW statement_timeout`, pg.Args{})
		if timeout != "2s" {
			t.Errorf("the time-out of a transaction apart is %s", timeout)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestTheURLMayHaveItsOwnTimeoutApart(t *testing.T) {
	t.Parallel()
	url := pgtest.URL(t)
	apart, err := pg.OpenApart(t.Context(), url+"&statement_timeout=700&pool_max_conns=90")
	if err != nil {
		t.Fatal(err)
	}
	defer apart.Close()
	timeout, err := pg.Value[string](t.Context(), apart, `SHOW statement_timeout`, pg.Args{})
	if err != nil || timeout != "700ms" || apart.Config().MaxConns != 22 || strings.Contains(url, "pool_max_conns") {
		t.Errorf("%s, %d connections, %v", timeout, apart.Config().MaxConns, err)
	}
	if ctx := pg.Apart(t.Context(), nil); ctx != t.Context() {
		t.Error("no pool changes the context")
	}
}
