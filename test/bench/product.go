package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"svcpay/test/rig"
)

// product is the real program on the cluster, built with a processor in memory.
type product struct {
	binary, addr, keys, log, database string
	name                              string // of the database
	listens                           string // where it answers; addr names its hosts, and those of its twin
	profile                           string // file for what the processor works on; "" for none
	cmd                               *exec.Cmd
	ready                             time.Duration // from the start to the first answer that it is
}

func newProduct(ctx context.Context, binary, dir string, c *cluster, database string) (*product, error) {
	addr, err := rig.FreeAddr()
	if err != nil {
		return nil, err
	}
	p := &product{binary: binary, addr: addr, listens: addr, keys: filepath.Join(dir, "keys.json"),
		log: filepath.Join(dir, "svcpay.log"), database: c.url(database), name: database}
	for _, args := range [][]string{{"migrate"}, {"vault-keys", p.keys}} {
		if _, err := p.run(ctx, args...); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// run runs a command of the program and returns what it prints.
func (p *product) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, p.binary, args...)
	cmd.Env = p.env()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("svcpay %s: %w\n%s", strings.Join(args, " "), err, said.Bytes())
	}
	return strings.TrimSpace(string(out)), nil
}

func (p *product) env(more ...string) []string {
	_, port, _ := net.SplitHostPort(p.addr)
	return append([]string{"PATH=" + os.Getenv("PATH"), "BENCH_PROFILE=" + p.profile, "DATABASE_URL=" + p.database,
		"SVCPAY_ENVIRONMENT=sandbox", "SVCPAY_ADDR=" + p.listens,
		"SVCPAY_BASE_URL=http://localhost:" + port, "SVCPAY_PAY_URL=http://pay.localhost:" +
			port, "SVCPAY_VAULT_KEY_FILE=" + p.keys,
		"SVCPAY_RATE_LIMIT_READS=0", "SVCPAY_RATE_LIMIT_WRITES=0", "SVCPAY_RATE_LIMIT_PAGES=0",
		"SVCPAY_RATE_LIMIT_PORTAL=0", "SVCPAY_WEBHOOK_LOCAL=true"}, more...)
}

// host is the name of a surface.
func (p *product) host(pay bool) string {
	_, port, _ := net.SplitHostPort(p.addr)
	if pay {
		return "pay.localhost:" + port
	}
	return "localhost:" + port
}

const startPatience = 60 * time.Second

// serve starts the service and waits until it is ready.
func (p *product) serve(settings ...string) error {
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	p.cmd = exec.Command(p.binary, "serve")
	p.cmd.Env, p.cmd.Stderr, p.cmd.Stdout = p.env(settings...), log, log
	began := time.Now()
	if err := p.cmd.Start(); err != nil {
		return err
	}
	for time.Since(began) < startPatience {
		if status, _, err := p.ask([]byte("GET /readyz HTTP/1.1\r\nHost: " + p.host(false) + "\r\n\r\n")); err == nil &&
			status < 300 {
			p.ready = time.Since(began)
			return nil
		}
		time.Sleep(5 * time.Millisecond)
	}
	p.stop()
	return errors.New("svcpay serve is not ready, see " + p.log)
}

// ask makes one request on a connection of its own. The body is a copy.
func (p *product) ask(request []byte) (int, []byte, error) {
	w, err := dial(p.listens)
	if err != nil {
		return 0, nil, err
	}
	defer w.close()
	return w.do(request)
}

func (p *product) pid() int {
	if p.cmd == nil {
		return -1
	}
	return p.cmd.Process.Pid
}

// turnProfile begins a profile, or ends it.
func (p *product) turnProfile() {
	if p.profile != "" && p.cmd != nil {
		_ = p.cmd.Process.Signal(syscall.SIGUSR1)
	}
}

func (p *product) stop() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	_ = p.cmd.Wait()
	p.cmd = nil
}

// request writes an HTTP request. Header lines end in CRLF.
func request(method, path, host, headers, body string) []byte {
	b := make([]byte, 0, 256+len(headers)+len(body))
	b = append(append(append(append(b, method...), ' '), path...), " HTTP/1.1\r\nHost: "...)
	b = append(append(append(b, host...), "\r\n"...), headers...)
	if body != "" {
		b = append(b, "Content-Type: application/json\r\nContent-Length: "...)
		b = append(strconv.AppendInt(b, int64(len(body)), 10), "\r\n"...)
	}
	return append(append(b, "\r\n"...), body...)
}
