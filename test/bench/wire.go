package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net"
	"strconv"
	"time"
)

// wire is one kept connection on which requests go out one after the other, as raw HTTP/1.1: a client
// that does more would take the server's share of the machine.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
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

var errAnswer = errors.New("the answer is no HTTP/1.1")

// do sends a request and reads the answer to its end. The body is good until the next request.
func (w *wire) do(request []byte) (status int, body []byte, err error) {
	if err := w.conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return 0, nil, err
	}
	if _, err := w.conn.Write(request); err != nil {
		return 0, nil, err
	}
	return w.read()
}

func (w *wire) read() (status int, body []byte, err error) {
	line, err := w.in.ReadSlice('\n')
	if err != nil {
		return 0, nil, err
	}
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.1 ")) {
		return 0, nil, errAnswer
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, nil, errAnswer
	}
	length, chunked, err := w.head()
	if err != nil {
		return 0, nil, err
	}
	w.body = w.body[:0]
	if !chunked {
		err := w.take(length)
		return status, w.body, err
	}
	for {
		if line, err = w.in.ReadSlice('\n'); err != nil {
			return 0, nil, err
		}
		n, err := strconv.ParseInt(string(bytes.TrimSpace(line)), 16, 32)
		if err != nil {
			return 0, nil, errAnswer
		}
		if err := w.take(int(n)); err != nil {
			return 0, nil, err
		}
		if _, err := w.in.Discard(len("\r\n")); err != nil {
			return 0, nil, err
		}
		if n == 0 {
			return status, w.body, nil
		}
	}
}

// head reads the rest of the head.
func (w *wire) head() (length int, chunked bool, err error) {
	for {
		line, err := w.in.ReadSlice('\n')
		if err != nil {
			return 0, false, err
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			return length, chunked, nil
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return 0, false, errAnswer
			}
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
}

// take adds n bytes to the body.
func (w *wire) take(n int) error {
	at := len(w.body)
	if cap(w.body) < at+n {
		w.body = append(make([]byte, 0, 2*(at+n)), w.body...)
	}
	w.body = w.body[:at+n]
	_, err := io.ReadFull(w.in, w.body[at:])
	return err
}

func (w *wire) close() { _ = w.conn.Close() }
