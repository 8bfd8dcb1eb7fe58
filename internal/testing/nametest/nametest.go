// Package nametest is a DNS server for tests.
package nametest

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Resolver asks a name server that knows one address for every name, or none if ip is no address.
func Resolver(t testing.TB, ip netip.Addr) *net.Resolver {
	return Changing(t, func() netip.Addr { return ip })
}

// Changing asks a name server that may say something else each time.
func Changing(t testing.TB, ip func() netip.Addr) *net.Resolver {
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
				reply := answerTo(t, question, ip())
				if _, err := ours.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))),
					reply...)); err != nil {
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
		m.Answers = append(m.Answers,
			dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: ip.As16()}})
	}
	reply, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return reply
}
