package refund_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/fixture"
	"svcpay/internal/identity"
	"svcpay/internal/pg"
	"svcpay/internal/processor"
	"svcpay/internal/refund"
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
func overLossy(t *testing.T, w *fixture.World) (*refund.Service, *atomic.Bool) {
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
	return refund.New(refund.Deps{Pool: pool, Charges: w.Charges, Processor: w.Processor, Operations: w.Operations, Check: check,
		Environment: identity.Sandbox, Clock: w.Clocks}), armed
}

func TestRefundGoesOnWhenTheClaimsCommitWasLost(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	service, armed := overLossy(t, w)
	for want, c := range map[refund.Status]string{refund.Succeeded: captured(t, w, 100).ID.String(), refund.Pending: debited(t, w, 100).ID.String()} {
		armed.Store(true)
		out, err := service.Create(t.Context(), w.Actor(), refund.CreateInput{ChargeID: &c}, claimOf(w, c))
		if err != nil || out.Object.Status != want || armed.Load() {
			t.Errorf("%+v, %v; want %s", out.Object, err, want)
		}
	}
	if n := count(t, w, "refunds", pg.Args{}); n != 2 || len(p.calls) != 1 {
		t.Errorf("%d refunds, %d calls", n, len(p.calls))
	}
	audit(t, w)
}

func TestOutcomeWhoseCommitWasLostIsFoundOut(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	service, armed := overLossy(t, w)
	c, claim := captured(t, w, 100), claimOf(w, "k")
	p.refund = func(ctx context.Context, f processor.FollowUp) (processor.Answer, error) {
		armed.Store(true)
		return p.Processor.Refund(ctx, f)
	}
	out, err := service.Create(t.Context(), w.Actor(), of(c, 0), claim)
	if err != nil || !out.Unknown || out.Object.Status != refund.Pending || armed.Load() {
		t.Errorf("%+v, %v", out, err)
	}
	if again := create(t, w, of(c, 0), claim); again.Prior == nil || again.Prior.State != "done" {
		t.Errorf("%+v", again)
	}
	if r := get(t, w, out.Object.ID); r.Status != refund.Succeeded || r.Version != 2 || len(p.calls) != 1 {
		t.Errorf("%s", jsonOf(t, r))
	}
	audit(t, w)
}
