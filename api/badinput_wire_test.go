package api

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/testing/fixture"
)

// Bounds of the server that is spoken to on the wire: those of the program are longer.
const (
	wireRead = 3 * time.Second // in which a starved machine must be able to send 400 KiB
	wireIdle = 300 * time.Millisecond
)

// wire is what is written to a connection, and the answers to it.
type wire struct {
	name string
	// send is written in pieces, with pauses of pause between them. {auth} stands for the lines of
	// host and credentials, {close} for these and the end of the connection.
	send  []string
	pause time.Duration
	// half closes our side after the last piece.
	half bool
	want []int
	// code is the last answer's; "" where HTTP itself speaks, or no error is told.
	code string
}

// setWire makes a site whose server waits as long as read for a request, and logs into the trap.
func setWire(t *testing.T, read time.Duration) trap {
	t.Helper()
	w := fixture.New(t)
	kept := new(spool)
	c := configOf(w)
	server := httptest.NewUnstartedServer(routerOf(c, time.Minute))
	server.Config.ReadHeaderTimeout, server.Config.ReadTimeout, server.Config.IdleTimeout = read, read, wireIdle
	server.Config.MaxHeaderBytes, server.Config.ErrorLog = 16<<10, log.New(kept, "", 0)
	server.Start()
	t.Cleanup(server.Close)
	return trap{&site{World: w, url: server.URL}, kept}
}

// exchange writes a case and reads what is answered until the server closes the connection.
func (s trap) exchange(w wire) (answers []answer, raw string, err error) {
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		return nil, "", err
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	auth := fmt.Sprintf("Host: api\r\nX-API-Key: %s\r\nX-App-ID: %d\r\n", s.App.SecretKey, s.App.AppID)
	for i, piece := range w.send {
		if i > 0 {
			time.Sleep(w.pause)
		}
		piece = strings.NewReplacer("{auth}", auth, "{close}", auth+"Connection: close\r\n").Replace(piece)
		_, _ = io.WriteString(conn, piece) // the server may have closed already
	}
	if tcp, ok := conn.(*net.TCPConn); ok && w.half {
		_ = tcp.CloseWrite()
	}
	var got bytes.Buffer
	r := bufio.NewReader(io.TeeReader(conn, &got))
	method, _, _ := strings.Cut(strings.Join(w.send, ""), " ")
	for {
		response, err := http.ReadResponse(r, &http.Request{Method: method})
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return answers, got.String(), err
		}
		if err != nil {
			return answers, got.String(), nil
		}
		body, _ := io.ReadAll(response.Body)
		if response.StatusCode != http.StatusContinue {
			answers = append(answers, answer{status: response.StatusCode, header: response.Header, body: body})
		}
	}
}

const (
	getCharges = "GET /api/charges?limit=1 HTTP/1.1\r\n"
	postCharge = "POST /api/charges HTTP/1.1\r\nContent-Type: application/json\r\n"
	wrongBody  = `{"a":"` + marker + `"}`
)

// ofHead has what is wrong with a request's first lines. HTTP itself says so.
var ofHead = []wire{
	{name: "NUL in a header", send: []string{getCharges + "{close}X-Request-Id: " + marker + "\x00b\r\n\r\n"}, want: []int{400}},
	{name: "carriage return in a header", send: []string{getCharges + "{close}X-Request-Id: " + marker + "\rSet-Cookie: a=b\r\n\r\n"}, want: []int{400}},
	{name: "delete in a header", send: []string{getCharges + "{close}X-Request-Id: " + marker + "\x7f\r\n\r\n"}, want: []int{400}},
	{name: "NUL in the key", send: []string{postCharge + "{close}Idempotency-Key: " + marker + "\x00\r\n\r\n"}, want: []int{400}},
	{name: "space before the colon", send: []string{getCharges + "{close}X-Marker : " + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "no colon", send: []string{getCharges + "{close}" + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "no name", send: []string{getCharges + "{close}: " + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "name not ASCII", send: []string{getCharges + "{close}X-\xe9: " + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "name with a space", send: []string{getCharges + "{close}X " + marker + ": a\r\n\r\n"}, want: []int{400}},
	{name: "folded first line", send: []string{getCharges + " " + marker + ": a\r\n{close}\r\n"}, want: []int{400}},
	{name: "no host", send: []string{getCharges + "X-App-ID: 1\r\nConnection: close\r\n\r\n"}, want: []int{400}},
	{name: "two hosts", send: []string{getCharges + "{close}Host: " + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "host that is none", send: []string{getCharges + "Host: a " + marker + "\r\nConnection: close\r\n\r\n"}, want: []int{400}},
	{name: "no method", send: []string{"/api/charges\r\n\r\n"}, want: []int{400}},
	{name: "nothing but lines", send: []string{"\r\n\r\n\r\n"}, want: []int{400}},
	{name: "not HTTP", send: []string{"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + marker + "\r\n\r\n"}, want: []int{400}},
	{name: "method no token", send: []string{"GE(T /api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "two spaces", send: []string{"GET  /api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "version 0.9", send: []string{"GET /api/charges\r\n\r\n"}, want: []int{400}},
	{name: "version that is none", send: []string{"GET /api/charges HTTP/" + marker + "\r\n{close}\r\n"}, want: []int{400}},
	{name: "version 3", send: []string{"GET /api/charges HTTP/3.0\r\n{close}\r\n"}, want: []int{505}},
	{name: "NUL in the path", send: []string{"GET /api/charges/\x00" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "space in the path", send: []string{"GET /api/charges/a " + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "broken escape", send: []string{"GET /api/charges/%zz" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "path without a slash", send: []string{"GET api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "large header", send: []string{getCharges + "{close}X-Marker: " + strings.Repeat(marker, 3000) + "\r\n\r\n"}, want: []int{431}},
	{name: "many headers", send: []string{getCharges + "{close}" + strings.Repeat("X-Marker: "+marker+"\r\n", 1500) + "\r\n"}, want: []int{431}},
	{name: "endless first line", send: []string{"GET /api/" + strings.Repeat(marker, 3000) + " HTTP/1.1\r\n{close}\r\n"}, want: []int{431}},
	{name: "expectation unheard of", send: []string{postCharge + "{close}Expect: " + marker + "\r\nContent-Length: 2\r\n\r\n{}"}, want: []int{417}},
}

// ofLength has what is wrong with the length of a body.
var ofLength = []wire{
	{name: "two lengths", send: []string{postCharge + "{close}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}"}, want: []int{400}},
	{name: "list of lengths", send: []string{postCharge + "{close}Content-Length: 2, 3\r\n\r\n{}"}, want: []int{400}},
	{name: "length negative", send: []string{postCharge + "{close}Content-Length: -1\r\n\r\n{}"}, want: []int{400}},
	{name: "length with a sign", send: []string{postCharge + "{close}Content-Length: +2\r\n\r\n{}"}, want: []int{400}},
	{name: "length no number", send: []string{postCharge + "{close}Content-Length: " + marker + "\r\n\r\n{}"}, want: []int{400}},
	{name: "length beyond numbers", send: []string{postCharge + "{close}Content-Length: 99999999999999999999\r\n\r\n{}"}, want: []int{400}},
	{name: "length hexadecimal", send: []string{postCharge + "{close}Content-Length: 0x2\r\n\r\n{}"}, want: []int{400}},
	{name: "length empty", send: []string{postCharge + "{close}Content-Length: \r\n\r\n{}"}, want: []int{400}},
	{name: "length and chunks", send: []string{postCharge + "{close}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"}, want: []int{400}, code: "validation_failed"},
	{name: "no length", send: []string{postCharge + "{close}\r\n{}"}, want: []int{400}, code: "json_invalid"},
	{name: "coding gzip", send: []string{postCharge + "{close}Transfer-Encoding: gzip\r\n\r\n{}"}, want: []int{501}},
	{name: "coding unheard of", send: []string{postCharge + "{close}Transfer-Encoding: " + marker + "\r\n\r\n{}"}, want: []int{501}},
	{name: "coding in a list", send: []string{postCharge + "{close}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"}, want: []int{501}},
	{name: "coding in disguise", send: []string{postCharge + "{close}Transfer-Encoding: \x0bchunked\r\n\r\n0\r\n\r\n"}, want: []int{400}},
	{name: "coding twice", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"}, want: []int{501}},
	{name: "chunk of no size", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "chunk negative", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "chunk too long", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("f", 17) + "\r\n{}\r\n0\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "chunk without an end", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n2\r\n{}" + marker + "0\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "chunks without a last", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"}, half: true, want: []int{400}, code: "json_invalid"},
	{name: "chunk with an extension", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n2;a=" + marker + "\r\n{}\r\n0\r\nX-Marker: " + marker + "\r\n\r\n"}, want: []int{400}, code: "validation_failed"},
	{name: "chunks of 400 KiB", send: []string{postCharge + "{close}Transfer-Encoding: chunked\r\n\r\n64000\r\n" + strings.Repeat(" ", 0x64000) + "\r\n0\r\n\r\n"}, want: []int{413}, code: "request_too_large"},
}

// ofTime has what comes late, in part or out of order.
var ofTime = []wire{
	{name: "nothing is sent", want: nil},
	{name: "head that stops", send: []string{getCharges + "X-Marker: " + marker}, want: nil},
	{name: "head letter by letter", send: strings.Split(strings.Repeat("G", 6), ""), pause: wireRead / 10, want: []int{400}},
	{name: "head cut off", send: []string{getCharges + "X-Marker: " + marker}, half: true, want: []int{400}},
	{name: "body that stops", send: []string{postCharge + "{close}Content-Length: 5000\r\n\r\n" + wrongBody}, want: []int{400}, code: "json_invalid"},
	{name: "body letter by letter", send: append([]string{postCharge + "{close}Content-Length: 5000\r\n\r\n"}, strings.Split(strings.Repeat("[", 6), "")...), pause: wireRead / 10, want: []int{400}, code: "json_invalid"},
	{name: "body cut off", send: []string{postCharge + "{close}Content-Length: 5000\r\n\r\n" + wrongBody}, half: true, want: []int{400}, code: "json_invalid"},
	{name: "body of a file cut off", send: []string{"POST /api/files?name=a HTTP/1.1\r\nContent-Type: application/pdf\r\n{close}Content-Length: 5000\r\n\r\n%PDF-1.7" + marker}, half: true, want: []int{400}, code: "parameter_invalid"},
	{name: "half closed, whole", send: []string{postCharge + "{close}Content-Length: 2\r\n\r\n{}"}, half: true, want: []int{400}, code: "validation_failed"},
	{name: "asks before sending", send: []string{postCharge + "{close}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n", "{}"}, pause: wireRead / 10, want: []int{400}, code: "validation_failed"},
	{name: "asks and sends nothing", send: []string{postCharge + "{close}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "asks of a wrong type", send: []string{"POST /api/charges HTTP/1.1\r\n{close}Expect: 100-continue\r\nContent-Length: 2\r\n\r\n"}, want: []int{415}, code: "content_type_unsupported"},
	{name: "three in a row", send: []string{strings.Repeat(getCharges+"{auth}\r\n", 2) + "GET /api/" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{200, 200, 404}, code: "route_missing"},
	{name: "broken after good ones", send: []string{strings.Repeat(getCharges+"{auth}\r\n", 2) + marker + "\r\n\r\n"}, want: []int{200, 200, 400}},
	{name: "request within a body", send: []string{strings.Replace(postCharge, "json", "xml", 1) + "{auth}Content-Length: 54\r\n\r\nDELETE /api/tokens/a HTTP/1.1\r\nX-Marker: " + marker + "\r\n\r\n" + getCharges + "{close}\r\n"}, want: []int{415, 200}},
	{name: "length of nothing, then a request", send: []string{postCharge + "{auth}Content-Length: 0\r\n\r\n" + getCharges + "{close}\r\n"}, want: []int{400, 200}},
	{name: "idle", send: []string{getCharges + "{auth}\r\n"}, want: []int{200}},
	{name: "bytes after the end", send: []string{getCharges + "{close}\r\n" + marker}, want: []int{200}},
}

// ofForm has requests of another form than most, which are served or refused as any.
var ofForm = []wire{
	{name: "version 1.0", send: []string{"GET /api/charges HTTP/1.0\r\n{auth}\r\n"}, want: []int{200}},
	{name: "version 1.0 without a host", send: []string{"GET /api/charges HTTP/1.0\r\nX-API-Key: " + marker + "\r\n\r\n"}, want: []int{401}, code: "app_id_missing"},
	{name: "version 1.0 with chunks", send: []string{"POST /api/charges HTTP/1.0\r\n{auth}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"}, want: []int{400}, code: "json_invalid"},
	{name: "lines that end bare", send: []string{"GET /api/charges HTTP/1.1\nHost: api\nConnection: close\n\n"}, want: []int{401}, code: "api_key_missing"},
	{name: "folded header", send: []string{getCharges + "{close}X-Marker: a\r\n " + marker + "\r\n\r\n"}, want: []int{200}},
	{name: "whole address", send: []string{"GET http://" + marker + "/api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{200}},
	{name: "fragment", send: []string{"GET /api/charges#" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{404}, code: "route_missing"},
	{name: "raw bytes in the path", send: []string{"GET /api/charges/\xff\xfe" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{404}, code: "resource_missing"},
	{name: "raw bytes in the query", send: []string{"GET /api/charges?\xff=" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}, code: "parameter_unknown"},
	{name: "control in the query", send: []string{"GET /api/charges?external_id=\x01" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}},
	{name: "long address", send: []string{"GET /api/charges?external_id=" + strings.Repeat("x", 5000) + " HTTP/1.1\r\n{close}\r\n"}, want: []int{400}, code: "parameter_invalid"},
	{name: "HEAD", send: []string{"HEAD /api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{200}},
	{name: "HEAD of nothing", send: []string{"HEAD /api/" + marker + " HTTP/1.1\r\n{close}\r\n"}, want: []int{404}},
	{name: "TRACE", send: []string{"TRACE /api/charges HTTP/1.1\r\n{close}X-Marker: " + marker + "\r\n\r\n"}, want: []int{405}, code: "method_not_allowed"},
	{name: "CONNECT", send: []string{"CONNECT " + marker + ":443 HTTP/1.1\r\n{close}\r\n"}, want: []int{404}},
	{name: "OPTIONS of everything", send: []string{"OPTIONS * HTTP/1.1\r\n{close}\r\n"}, want: []int{200}},
	{name: "long method", send: []string{strings.Repeat("G", 5000) + " /api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{405}, code: "method_not_allowed"},
	{name: "method in small letters", send: []string{"get /api/charges HTTP/1.1\r\n{close}\r\n"}, want: []int{405}, code: "method_not_allowed"},
	{name: "body of a GET", send: []string{getCharges + "{close}Content-Length: 22\r\n\r\n" + wrongBody}, want: []int{200}},
	{name: "body of a DELETE", send: []string{"DELETE /api/tokens/a HTTP/1.1\r\n{close}Content-Length: 17\r\n\r\n" + wrongBody}, want: []int{404}, code: "resource_missing"},
	{name: "upgrade to HTTP/2", send: []string{getCharges + "{auth}Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"}, want: []int{200}},
	{name: "upgrade to a socket", send: []string{getCharges + "{auth}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n"}, want: []int{200}},
	{name: "preface of HTTP/2", send: []string{"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"}, want: []int{404}},
}

func TestBadInputOnTheWire(t *testing.T) {
	t.Parallel()
	s := setWire(t, wireRead)
	before := s.written(t)
	var wg sync.WaitGroup
	for _, w := range slices.Concat(ofHead, ofLength, ofTime, ofForm) {
		wg.Go(func() { // most of the time goes by with waiting
			answers, raw, err := s.exchange(w)
			t.Run(w.name, func(t *testing.T) {
				if err != nil {
					t.Errorf("the server left the connection open: %v", err)
				}
				s.heard(t, w, answers, raw)
			})
		})
	}
	wg.Wait()
	if d := cmp.Diff(before, s.written(t)); d != "" {
		t.Errorf("something was written:\n%s", d)
	}
	if text := s.log.String(); strings.Contains(text, marker) {
		t.Errorf("the log repeats what was submitted:\n%s", text)
	}
}

// heard demands the answers of a case, and that they repeat nothing.
func (s trap) heard(t *testing.T, w wire, answers []answer, raw string) {
	t.Helper()
	var got []int
	for _, a := range answers {
		got = append(got, a.status)
	}
	if !slices.Equal(got, w.want) {
		t.Fatalf("answered %v, want %v\n%s", got, w.want, raw)
	}
	if strings.Contains(raw, marker) {
		t.Errorf("the answer repeats what was submitted: %s", raw)
	}
	if len(answers) == 0 {
		return
	}
	last := answers[len(answers)-1]
	if last.want(t, last.status, w.code); w.code == "" {
		return
	}
	if err := read(t).Components.Schemas["Error"].Value.VisitJSON(decoded(t, last.body)); err != nil {
		t.Errorf("the answer has not the form of errors: %v\n%s", err, last.body)
	}
	s.plain(t, last)
}
