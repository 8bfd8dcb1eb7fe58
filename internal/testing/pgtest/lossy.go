package pgtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
)

var errCut = errors.New("the connection was cut")

// commitBound is how a message begins to execute the statement that pgx has prepared for the text commit: the
// portal without a name, and the statement's name, which pgx makes of the text.
var commitBound = func() []byte {
	digest := sha256.Sum256([]byte("commit"))
	return []byte("\x00stmtcache_" + hex.EncodeToString(digest[:24]) + "\x00")
}()

// lossy is a connection that may lose the answer to a commit that the server has done.
type lossy struct {
	net.Conn
	armed *atomic.Bool // the next commit's answer is lost
	cut   bool
}

func (c *lossy) Write(b []byte) (int, error) {
	if bytes.Contains(b, commitBound) && c.armed.CompareAndSwap(true, false) {
		c.cut = true
	}
	return c.Conn.Write(b)
}

func (c *lossy) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b) // by then the server has committed
	if c.cut && err == nil {
		_ = c.Conn.Close()
		return 0, errCut
	}
	return n, err
}

// Lossy makes another pool over a pool's database. Once armed it loses the answer to the next commit, and is armed no
// more.
func Lossy(t testing.TB, pool *pgxpool.Pool) (lossyPool *pgxpool.Pool, armed *atomic.Bool) {
	t.Helper()
	armed = new(atomic.Bool)
	cfg := pool.Config()
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &lossy{Conn: conn, armed: armed}, err
	}
	lossyPool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(lossyPool.Close)
	return lossyPool, armed
}
