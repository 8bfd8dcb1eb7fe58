package rig

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"time"
)

// Keeper is a caller that keeps its connection. It never repeats a request, which Go's client does
// when a kept connection dies, and makes a new connection only when it was told that the last one ends.
type Keeper struct {
	Addr     string
	Patience time.Duration // with one request
	Dials    int

	conn net.Conn
	from *bufio.Reader
}

// Send makes one request to a host name, as [Send] does. After an error the connection is closed.
func (k *Keeper) Send(host, method, path string, body any, header map[string]string) (Answer, error) {
	r, err := newRequest(k.Addr, host, method, path, body, header)
	if err != nil {
		return Answer{}, err
	}
	a, err := k.send(r)
	if err != nil {
		err = errors.Join(err, k.Close())
	}
	return a, err
}

func (k *Keeper) send(r *http.Request) (Answer, error) {
	if k.conn == nil {
		conn, err := net.Dial("tcp", k.Addr)
		if err != nil {
			return Answer{}, err
		}
		k.conn, k.from = conn, bufio.NewReader(conn)
		k.Dials++
	}
	if err := k.conn.SetDeadline(time.Now().Add(k.Patience)); err != nil {
		return Answer{}, err
	}
	if err := r.Write(k.conn); err != nil {
		return Answer{}, err
	}
	resp, err := http.ReadResponse(k.from, r)
	if err != nil {
		return Answer{}, err
	}
	a, err := read(resp)
	if err == nil && resp.Close {
		err = k.Close()
	}
	return a, err
}

// Refresh does what clients with a pool do before they use a kept connection: one that the other side
// has closed in the meantime is given up.
func (k *Keeper) Refresh() error {
	if k.conn == nil {
		return nil
	}
	if err := k.conn.SetReadDeadline(time.Now().Add(time.Millisecond)); err != nil {
		return err
	}
	var waits net.Error
	if _, err := k.from.Peek(1); errors.As(err, &waits) && waits.Timeout() {
		return nil
	}
	return k.Close()
}

// Close ends the connection, if there is one.
func (k *Keeper) Close() error {
	if k.conn == nil {
		return nil
	}
	err := k.conn.Close()
	k.conn = nil
	return err
}
