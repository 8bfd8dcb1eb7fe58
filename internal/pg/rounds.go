package pg

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// settled marks a connection for which what rounds need of the planner holds for good.
const settled = "svcpay: for rounds"

// RoundConns is how many connections for rounds there are at most beside so many of [Open]'s: half, but four.
func RoundConns(others int32) int32 { return max(others/2, fewestConns) }

// OpenRounds opens a pool beside one of [Open] for rounds alone: there, what [InRound] tells the planner is told once and not
// in each transaction, of which it is a twentieth of the work.
func OpenRounds(ctx context.Context, url string) (*pgxpool.Pool, error) {
	cfg, err := configOf(url)
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = RoundConns(cfg.MaxConns)
	cfg.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		if err := learnRows(ctx, conn); err != nil {
			return err
		}
		return settle(ctx, conn)
	}
	return connect(ctx, cfg)
}

// settle tells the planner, unless a pooler stands between: there, what is said to one session is another's a moment later. A
// pooler is known by the server's number, which is not the one that it gave to us.
func settle(ctx context.Context, conn *pgx.Conn) error {
	var server uint32
	if err := conn.QueryRow(ctx, `SELECT pg_backend_pid()`).Scan(&server); err != nil || server != conn.PgConn().PID() {
		return err
	}
	if _, err := conn.Exec(ctx, `SELECT set_config('plan_cache_mode', 'force_generic_plan', false), set_config('enable_seqscan', 'off', false)`); err != nil {
		return err
	}
	conn.PgConn().CustomData()[settled] = true
	return nil
}

func forRounds(conn *pgx.Conn) bool { return conn.PgConn().CustomData()[settled] != nil }
