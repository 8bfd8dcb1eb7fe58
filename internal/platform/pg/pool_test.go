package pg_test

import (
	"net/url"
	"runtime"
	"testing"

	"svcpay/internal/platform/pg"
)

func TestTheURLSaysHowManyConnectionsThereAre(t *testing.T) {
	t.Parallel()
	base := newPool(t).Config().ConnString()
	for more, want := range map[string]int32{"": int32(4 * runtime.NumCPU()), "pool_max_conns=5": 5,
		"pool_max_conns=1": 4, "pool_max_conns=90": 90} {
		u, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		u.RawQuery += "&" + more
		pool, err := pg.Open(t.Context(), u.String())
		if err != nil {
			t.Fatal(err)
		}
		if got := pool.Config().MaxConns; got != want {
			t.Errorf("%q: %d connections at most, want %d", more, got, want)
		}
		pool.Close()
	}
}
