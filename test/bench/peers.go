package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"time"

	"svcpay/test/rig"
)

// mocked is the cell of stripe-mock.
const mocked = "stripe-mock, 32 connections"

// peerCells match the service's cells that have a peer.
var peerCells = regexp.MustCompile("^(" + charges32 + "|" + mocked + "|" + hooksInstant + "|" + hooksRiver + ")$")

// peer is stripe-mock, which answers as Stripe's API would and keeps nothing.
type peer struct {
	addr string
	cmd  *exec.Cmd
}

func startPeer(binary string) (*peer, error) {
	addr, err := rig.FreeAddr()
	if err != nil {
		return nil, err
	}
	p := &peer{addr: addr, cmd: exec.Command(binary, "-http-addr", addr)}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	for began := time.Now(); time.Since(began) < startPatience; time.Sleep(5 * time.Millisecond) {
		if conn, err := net.Dial("tcp", p.addr); err == nil {
			return p, conn.Close()
		}
	}
	p.stop()
	return nil, errors.New("stripe-mock does not answer")
}

func (p *peer) stop() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// charges makes charges at it, in its API's own form.
func (p *peer) charges(_ context.Context, during time.Duration) (outcome, error) {
	const form = "amount=5000&currency=usd&source=tok_visa"
	post := fmt.Appendf(nil, "POST /v1/charges HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer sk_test_bench\r\n"+
		"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n\r\n%s", p.addr, len(form), form)
	return load{addr: p.addr, connections: 32, call: func(int) []byte { return post }}.closed(during)
}

// peers prints figures of the service next to those of others. There are no gates: the others do less or something
// else.
func (b *bench) peers(ctx context.Context, o options, to io.Writer) (err error) {
	if b.peer, err = startPeer(o.peer); err != nil {
		return err
	}
	defer b.peer.stop()
	o.only = peerCells
	rounds, err := b.rounds(ctx, o, to)
	if err != nil {
		return err
	}
	printCells([]string{charges32, mocked, hooksInstant, hooksRiver}, rounds, to)
	return nil
}
