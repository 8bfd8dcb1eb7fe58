package main

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"time"
)

// wire is one kept connection on which requests go out one after the other: a client that does more would take the
// server's share of the machine.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body bytes.Buffer
}

func dial(addr string) (*wire, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	return &wire{conn: conn, in: bufio.NewReaderSize(conn, 16<<10)}, nil
}

// patience bounds one request.
const patience = 60 * time.Second

// do sends a request and reads the answer to its end. The body is good until the next request.
func (w *wire) do(request []byte) (status int, body []byte, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, nil, err
	}
	answer, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return 0, nil, err
	}
	defer answer.Body.Close()
	w.body.Reset()
	_, err = w.body.ReadFrom(answer.Body)
	return answer.StatusCode, w.body.Bytes(), err
}

func (w *wire) close() { _ = w.conn.Close() }
