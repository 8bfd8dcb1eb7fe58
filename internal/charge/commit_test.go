package charge_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/charge"
	"svcpay/internal/fixture"
	"svcpay/internal/identity"
	"svcpay/internal/pg"
	"svcpay/internal/vault"
	"svcpay/policy"
)

var errCut = errors.New("the connection was cut")

// lossy is a connection that may lose the answer to a commit that the server has done.
type lossy struct {
	net.Conn
	armed *atomic.Bool // the next commit's answer is lost
	cut   bool
}

func (c *lossy) Write(b []byte) (int, error) {
	if bytes.Contains(b, []byte("commit\x00")) && c.armed.CompareAndSwap(true, false) {
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

// overLossy makes a second service over the world's database whose next commit is lost once armed.
func overLossy(t *testing.T, w *fixture.World) (*charge.Service, *pgxpool.Pool, *atomic.Bool) {
	t.Helper()
	armed := new(atomic.Bool)
	cfg := w.Pool.Config()
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, addr string) (net.Conn, error) {
		conn, err := dial(ctx, network, addr)
		return &lossy{Conn: conn, armed: armed}, err
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	check, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	return charge.New(charge.Deps{Pool: pool, Vault: vault.New(w.Keys), Processor: w.Processor, Operations: w.Operations, Check: check,
		Environment: identity.Sandbox, Clock: w.Clocks}), pool, armed
}

func TestCommitWhoseAnswerIsLostIsUnknown(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, pool, armed := overLossy(t, w)
	armed.Store(true)
	err := pg.InTx(t.Context(), pool, func(tx *pg.Tx) error {
		_, err := tx.Exec(t.Context(), `UPDATE applications SET name = 'Committed' WHERE id = @id`, pg.Args{"id": w.App.AppID})
		return err
	})
	if !errors.Is(err, pg.ErrCommit) || armed.Load() {
		t.Errorf("%v", err)
	}
	if n := count(t, w, `applications WHERE name = 'Committed'`, pg.Args{}); n != 1 {
		t.Error("the test lost the commit itself, not only its answer")
	}
}

func TestChargeGoesOnWhenTheClaimsCommitWasLost(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	service, _, armed := overLossy(t, w)
	in := input(w, good, 12_500)
	armed.Store(true)
	out, err := service.Create(t.Context(), w.Actor(), in, claimOf(w, "k"))
	if err != nil || out.Object.Status != charge.Captured || armed.Load() {
		t.Fatalf("%+v, %v", out.Object, err)
	}
	if n := count(t, w, `sandbox_processor_book`, pg.Args{}); n != 1 {
		t.Errorf("%d submissions", n)
	}
	audit(t, w)
}
