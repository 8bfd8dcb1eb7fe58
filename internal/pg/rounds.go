package pg

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Rounds are the connections of one server for rounds alone, under a name of its own.
type Rounds struct {
	*pgxpool.Pool

	others, known atomic.Bool
}

// How long what was seen of other servers is believed, and how long the look may take.
const (
	believed    = time.Second
	lookTimeout = time.Second
)

// settled marks a connection for which what rounds need of the planner holds for good.
const settled = "svcpay: for rounds"

// RoundConns is how many connections for rounds there are at most beside so many of [Open]'s: half, but four.
func RoundConns(others int32) int32 { return max(others/2, fewestConns) }

// OpenRounds opens a pool beside one of [Open] for rounds alone: there, what [InRound] tells the planner is told once and not
// in each transaction, of which it is a twentieth of the work.
func OpenRounds(ctx context.Context, url string) (*Rounds, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = RoundConns(cfg.MaxConns)
	name := rand.Text()
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := learnRows(ctx, conn); err != nil {
			return err
		}
		return settle(ctx, conn, name)
	}
	pool, err := connect(ctx, cfg)
	if err != nil {
		return nil, err
	}
	return &Rounds{Pool: pool}, nil
}

// Others says whether other servers did rounds on the database a moment ago. Nobody waits for it: it tells what was seen last, and has
// somebody look again if that was a second ago. Behind a pooler, whose connections are nobody's for long, it sees nobody.
func (r *Rounds) Others() bool {
	if r.known.CompareAndSwap(false, true) {
		go r.look()
	}
	return r.others.Load()
}

func (r *Rounds) look() {
	ctx, cancel := context.WithTimeout(context.Background(), lookTimeout)
	defer cancel()
	defer time.AfterFunc(believed, func() { r.known.Store(false) })
	var seen bool
	err := r.QueryRow(ctx, `
		SELECT EXISTS (SELECT FROM pg_stat_activity
			WHERE datname = current_database() AND application_name LIKE '% rounds %' AND application_name <> current_setting('application_name')
			AND (state = 'active' OR state_change > clock_timestamp() - interval '2 s'))`).Scan(&seen)
	r.others.Store(err == nil && seen)
}

// settle tells the planner, and gives the connection a name by which servers are told apart, unless a pooler stands between: there,
// what is said to one session is another's a moment later. A pooler is known by the server's number, which is not the one that it
// gave to us.
func settle(ctx context.Context, conn *pgx.Conn, name string) error {
	var server uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&server); err != nil || server != conn.PgConn().PID() {
		return err
	}
	if _, err := conn.Exec(ctx, `
		SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false),
			set_config('application_name', current_setting('application_name') || ' rounds ' || $1, false)`, name); err != nil {
		return err
	}
	conn.PgConn().CustomData()[settled] = true
	return nil
}

func forRounds(conn *pgx.Conn) bool { return conn.PgConn().CustomData()[settled] != nil }
