package pgtest

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
)

const (
	clonePrefix    = "t_"
	templatePrefix = "template_"
	keepTemplates  = 3 // the trees and branches someone switches between
	templateLock   = 7301
)

// template is a migrated database that is only ever copied.
type template struct {
	print   string // of the schema
	migrate func(ctx context.Context, url string) error
}

func (m template) name() string { return templatePrefix + m.print }

// clone copies the template to a new database.
func (m template) clone(ctx context.Context, dir, name string) error {
	return administer(ctx, dir, func(conn *pgx.Conn) error { return m.copy(ctx, conn, dir, name) })
}

// copy makes the template first if this process is the first to need it.
func (m template) copy(ctx context.Context, conn *pgx.Conn, dir, name string) error {
	ok, err := exists(ctx, conn, m.name())
	if err != nil {
		return err
	}
	if !ok {
		if err := m.create(ctx, conn, dir); err != nil {
			return err
		}
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+quote(name)+" TEMPLATE "+quote(m.name())+" STRATEGY "+strategy(dir))
	return err
}

// strategy is the faster way to copy: both were measured in both places.
func strategy(dir string) string {
	if strings.HasPrefix(dir, memoryDir) {
		return "FILE_COPY"
	}
	return "WAL_LOG"
}

// create holds a session lock: of all processes one migrates, the others wait.
// The database gets its name when it is complete.
func (m template) create(ctx context.Context, conn *pgx.Conn, dir string) error {
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock($1)`, templateLock); err != nil {
		return err
	}
	defer func() { _, _ = conn.Exec(ctx, `SELECT pg_advisory_unlock($1)`, templateLock) }()
	if ok, err := exists(ctx, conn, m.name()); ok || err != nil {
		return err
	}
	unfinished := clonePrefix + "unfinished"
	if err := drop(ctx, conn, unfinished); err != nil {
		return err
	}
	if _, err := conn.Exec(ctx, "CREATE DATABASE "+quote(unfinished)+" TEMPLATE template0"); err != nil {
		return err
	}
	if err := m.migrate(ctx, localpg.URL(dir, unfinished)); err != nil {
		return err
	}
	if err := m.describe(ctx, conn, dir, unfinished); err != nil {
		return err
	}
	for _, sql := range []string{
		"ALTER DATABASE " + quote(unfinished) + " WITH ALLOW_CONNECTIONS false",
		"ALTER DATABASE " + quote(unfinished) + " RENAME TO " + quote(m.name()),
	} {
		if _, err := conn.Exec(ctx, sql); err != nil {
			return err
		}
	}
	return nil
}

// tidy drops what killed tests left and all but the newest templates. Only the
// supervisor may call it, when no test process lives.
func tidy(ctx context.Context, dir string) error {
	return administer(ctx, dir, func(conn *pgx.Conn) error {
		const unused = `SELECT datname::text FROM pg_database WHERE starts_with(datname, $1)
			UNION ALL (SELECT datname::text FROM pg_database WHERE starts_with(datname, $2)
				ORDER BY oid DESC OFFSET $3)`
		rows, err := conn.Query(ctx, unused, clonePrefix, templatePrefix, keepTemplates)
		if err != nil {
			return err
		}
		names, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := drop(ctx, conn, name); err != nil {
				return err
			}
		}
		_, err = conn.Exec(ctx, "DELETE FROM free_databases")
		return err
	})
}

// admin is this process's connection for what is not in a test's database.
var admin struct {
	sync.Mutex
	dir  string
	conn *pgx.Conn
}

// administer does something in the server's own database.
func administer(ctx context.Context, dir string, do func(*pgx.Conn) error) error {
	admin.Lock()
	defer admin.Unlock()
	if admin.dir != dir || admin.conn == nil || admin.conn.IsClosed() {
		conn, err := pgx.Connect(ctx, localpg.URL(dir, "postgres"))
		if err != nil {
			return err
		}
		if admin.conn != nil {
			_ = admin.conn.Close(ctx)
		}
		admin.dir, admin.conn = dir, conn
	}
	return do(admin.conn)
}

func exists(ctx context.Context, conn *pgx.Conn, name string) (ok bool, err error) {
	err = conn.QueryRow(ctx, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&ok)
	return ok, err
}

func drop(ctx context.Context, conn *pgx.Conn, name string) error {
	if _, err := conn.Exec(ctx, "DROP DATABASE IF EXISTS "+quote(name)+" WITH (FORCE)"); err != nil {
		return fmt.Errorf("drop %s: %w", name, err)
	}
	return nil
}

func quote(name string) string { return pgx.Identifier{name}.Sanitize() }
