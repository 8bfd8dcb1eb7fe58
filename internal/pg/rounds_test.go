package pg_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/pg"
)

// planner is what rounds need the planner to be told.
type planner struct {
	Plans string `db:"plans"`
	Seq   string `db:"seq"`
}

const askPlanner = `SELECT current_setting('plan_cache_mode') AS plans, current_setting('enable_seqscan') AS seq`

var (
	ofRounds = planner{"force_generic_plan", "off"}
	ofOthers = planner{"auto", "on"}
)

// inRound is what holds within a round, and after it on the same connection.
func inRound(t *testing.T, pool *pgxpool.Pool) (within, after planner) {
	t.Helper()
	err := pg.InRound(t.Context(), pool, func(tx *pg.Tx) (err error) {
		within, err = pg.One[planner](t.Context(), tx, askPlanner, pg.Args{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after, err = pg.One[planner](t.Context(), pool, askPlanner, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	return within, after
}

// openRounds opens a pool of rounds on a database of the test's own, through what stands between.
func openRounds(t *testing.T, url string) *pg.Rounds {
	t.Helper()
	pool, err := pg.OpenRounds(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// What a round needs holds in it on any pool, and for good on that of rounds alone.
func TestRoundsTellThePlanner(t *testing.T) {
	t.Parallel()
	pool := newPool(t)
	if within, after := inRound(t, pool); within != ofRounds || after != ofOthers {
		t.Errorf("%+v, then %+v", within, after)
	}
	rounds := openRounds(t, pool.Config().ConnString())
	if within, after := inRound(t, rounds.Pool); within != ofRounds || after != ofRounds {
		t.Errorf("for rounds: %+v, then %+v", within, after)
	}
	if got, want := rounds.Config().MaxConns, pg.RoundConns(pool.Config().MaxConns); got != want {
		t.Errorf("%d connections at most, want %d", got, want)
	}
}

// A server learns of another's rounds, and that they are over. Its own are nobody else's.
func TestServersKnowOfEachOthersRounds(t *testing.T) {
	t.Parallel()
	url := newPool(t).Config().ConnString()
	one, other := openRounds(t, url), openRounds(t, url)
	becomes := func(r *pg.Rounds, want bool, when string) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); r.Others() != want; time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %t", when, !want)
			}
		}
	}
	becomes(one, true, "the other was just opened")
	other.Close()
	becomes(one, false, "the other is gone")
	inRound(t, one.Pool)
	third := openRounds(t, url)
	becomes(third, true, "one did a round")
	inRound(t, third.Pool)
	becomes(one, true, "a third did a round")
	one.Close()
	becomes(third, false, "it is alone with its own rounds")
}

// A pooler gives a session to others after each transaction: nothing is left in it.
func TestRoundsLeaveNothingBehindAPooler(t *testing.T) {
	t.Parallel()
	rounds := openRounds(t, renumbered(t, newPool(t)))
	if within, after := inRound(t, rounds.Pool); within != ofRounds || after != ofOthers {
		t.Errorf("%+v, then %+v", within, after)
	}
}

// renumbered is the address of what stands before a pool's database and, as poolers do, gives each session a number of its own.
func renumbered(t *testing.T, pool *pgxpool.Pool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	cfg := pool.Config().ConnConfig
	network, address := pgconn.NetworkAddress(cfg.Host, cfg.Port)
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial(network, address)
			if err != nil {
				_ = client.Close()
				return
			}
			go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
			go func() { _, _ = io.Copy(numbering{client}, server); _ = client.Close() }()
		}
	}()
	u := url.URL{Scheme: "postgres", User: url.UserPassword(cfg.User, cfg.Password), Host: l.Addr().String(), Path: cfg.Database, RawQuery: "sslmode=disable"}
	return u.String()
}

// numbering changes the number of the session in what a server says at its beginning.
type numbering struct{ io.Writer }

// keyData is how PostgreSQL's message begins that has the number: its kind, and its length.
var keyData = []byte("K\x00\x00\x00\x0c")

func (n numbering) Write(b []byte) (int, error) {
	changed := bytes.Clone(b)
	if at := bytes.Index(b, keyData); at >= 0 {
		changed[at+len(keyData)] ^= 0x40
	}
	return n.Writer.Write(changed)
}
