package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
	"svcpay/test/rig"
)

//go:embed floor.sql
var floorSQL string

// The databases of the cluster.
const (
	floorDatabase   = "floor"
	productDatabase = "product"
)

// cluster is a throw-away PostgreSQL that syncs to the disk.
type cluster struct {
	server   *localpg.Server
	dir, bin string
	settings []string
	pid      int
}

// startCluster starts one with the settings that the options ask for.
func startCluster(ctx context.Context, dir string, o options) (*cluster, error) {
	settings, err := o.settings()
	if err != nil {
		return nil, err
	}
	programs, err := localpg.Find(ctx, "", os.Getenv("HOME"), os.Geteuid() == 0)
	if err != nil {
		return nil, err
	}
	c := &cluster{dir: filepath.Join(dir, "pg"), bin: programs.Dir, settings: settings}
	if err := c.start(ctx); err != nil {
		return c, err
	}
	if err := c.exec(ctx, productDatabase, "CREATE DATABASE "+floorDatabase); err != nil {
		return c, err
	}
	return c, c.exec(ctx, floorDatabase, floorSQL)
}

// start starts the server, or starts it again.
func (c *cluster) start(ctx context.Context) (err error) {
	c.server, err = localpg.Start(ctx, localpg.Options{Dir: c.dir, Home: os.Getenv("HOME"), Database: productDatabase,
		Settings: c.settings})
	if err != nil {
		return err
	}
	c.pid, err = rig.Postmaster(rig.Data(c.dir))
	return err
}

func (c *cluster) url(database string) string { return localpg.URL(c.dir, database) }

// exec runs statements without arguments.
func (c *cluster) exec(ctx context.Context, database, sql string) error {
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, sql)
	return err
}

// value reads one value.
func value[T any](ctx context.Context, c *cluster, database, sql string, args ...any) (out T, err error) {
	conn, err := pgx.Connect(ctx, c.url(database))
	if err != nil {
		return out, err
	}
	defer conn.Close(ctx)
	return out, conn.QueryRow(ctx, sql, args...).Scan(&out)
}

// The scripts of the floors. A key is unique in the cluster: client, time and chance make it.
const (
	floorCharge = `\set token random(1, 400)
\set amount random(100, 100000)
\set key random(1, 9000000000000000)
SELECT floor_charge('floor-' || :client_id || '-' || :key, :token, :amount);
`
	floorList = `SELECT * FROM charges WHERE application_id = 1 ORDER BY id DESC LIMIT 51;
`
)

// benches reports whether pgbench came with this PostgreSQL: packages of a server alone have none.
func (c *cluster) benches() bool {
	_, err := os.Stat(filepath.Join(c.bin, "pgbench"))
	return err == nil
}

// pgbench runs a script on so many clients.
func (c *cluster) pgbench(ctx context.Context, database, script string, clients int,
	during time.Duration) (outcome, error) {
	dir, err := os.MkdirTemp("", "svcpay-pgbench-")
	if err != nil {
		return outcome{}, err
	}
	defer os.RemoveAll(dir)
	file, log := filepath.Join(dir, "script.sql"), filepath.Join(dir, "log")
	if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
		return outcome{}, err
	}
	u, err := url.Parse(c.url(database))
	if err != nil {
		return outcome{}, err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(c.bin, "pgbench"), "-n", "-M", "prepared", "-f", file, "-c",
		strconv.Itoa(clients),
		"-j", strconv.Itoa(min(clients, 2)), "-T", strconv.Itoa(max(1, int(during.Seconds()))), "-l", "--log-prefix="+
			log,
		"-h", u.Query().Get("host"), "-p", u.Query().Get("port"), "-U", u.User.Username(), database)
	if text, err := cmd.CombinedOutput(); err != nil {
		return outcome{}, fmt.Errorf("pgbench: %w\n%s", err, text)
	}
	files, err := filepath.Glob(log + ".*")
	if err != nil {
		return outcome{}, err
	}
	out := outcome{took: max(time.Second, during.Truncate(time.Second))}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			return out, err
		}
		if out.latencies, err = appendLog(out.latencies, text); err != nil {
			return out, err
		}
	}
	slices.Sort(out.latencies)
	return out, nil
}

// appendLog reads pgbench's log of transactions: client, number, microseconds, and more.
func appendLog(all []time.Duration, text []byte) ([]time.Duration, error) {
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 3 {
			return all, fmt.Errorf("pgbench: a line of its log is %q", lines.Text())
		}
		n, err := strconv.ParseInt(fields[2], 10, 64)
		if err != nil {
			return all, fmt.Errorf("pgbench: a line of its log is %q", lines.Text())
		}
		all = append(all, time.Duration(n)*time.Microsecond)
	}
	return all, nil
}

// stop ends the cluster.
func (c *cluster) stop() {
	if c.server == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	_ = c.server.Stop(ctx)
}
