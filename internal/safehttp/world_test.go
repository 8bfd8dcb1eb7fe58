package safehttp_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"svcpay/internal/safehttp"
)

// names is a name server that knows one address for every name, or none.
func names(t testing.TB, ip netip.Addr) *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		ours, theirs := net.Pipe()
		go func() {
			defer ours.Close()
			for { // as over TCP: two bytes of length before each message
				var length uint16
				if binary.Read(ours, binary.BigEndian, &length) != nil {
					return
				}
				question := make([]byte, length)
				if _, err := io.ReadFull(ours, question); err != nil {
					return
				}
				reply := answerTo(t, question, ip)
				if _, err := ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
					return
				}
			}
		}()
		return theirs, nil
	}}
}

func answerTo(t testing.TB, question []byte, ip netip.Addr) []byte {
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil || len(m.Questions) != 1 {
		t.Errorf("%v in a question", err)
		return nil
	}
	m.Response, m.Additionals = true, nil
	header := dnsmessage.ResourceHeader{Name: m.Questions[0].Name, Class: dnsmessage.ClassINET, TTL: 1}
	switch asked := m.Questions[0].Type; {
	case !ip.IsValid():
		m.RCode = dnsmessage.RCodeNameError
	case asked == dnsmessage.TypeA && ip.Is4():
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: ip.As4()}})
	case asked == dnsmessage.TypeAAAA && ip.Is6():
		m.Answers = append(m.Answers, dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
	}
	reply, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return reply
}

// get asks for a URL and tells what came of it.
func get(t testing.TB, p safehttp.Policy, url string) (safehttp.Answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	return safehttp.New(p).Do(r)
}

// serve answers on loopback as h does and tells the URL, with a name instead of the address.
func serve(t testing.TB, h http.HandlerFunc) (url string) {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return "http://shop.localhost:" + port
}
