package main

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Proxies write the address of a client in many forms, and each client has limits of its own.
func TestFormsOfForwardedAddresses(t *testing.T) {
	t.Parallel()
	_, proxy, err := net.ParseCIDR("10.0.0.0/8")
	if err != nil {
		t.Fatal(err)
	}
	const peer = "10.0.0.1"
	for forwarded, want := range map[string]string{
		"203.0.113.5":                        "203.0.113.5",
		"203.0.113.5:51008":                  "203.0.113.5", // Azure, IIS
		`"203.0.113.5:51008"`:                "203.0.113.5",
		"203.0.113.5:_hidden":                "203.0.113.5",
		"2001:db8::17":                       "2001:db8::17",
		"[2001:db8::17]":                     "2001:db8::17",
		"[2001:db8::17]:4711":                "2001:db8::17",
		`"[2001:db8::17]:4711"`:              "2001:db8::17",
		"::ffff:203.0.113.5":                 "203.0.113.5",
		"[::ffff:203.0.113.5]:80":            "203.0.113.5",
		"fe80::1%eth0":                       "fe80::1",
		" 203.0.113.5:1 ,\t10.0.0.2:2":       "203.0.113.5",
		"198.51.100.9, 203.0.113.5:3":        "203.0.113.5", // what lies before it may be forged
		"198.51.100.9, unknown":              peer,
		"198.51.100.9, unknown, 10.0.0.2:4":  "10.0.0.2",
		"_hidden":                            peer,
		"198.51.100.9, _hidden:80, 10.0.0.2": "10.0.0.2",
		"10.0.0.3:5, 10.0.0.2":               "10.0.0.3",
		"":                                   peer,
		"203.0.113.5:port":                   peer,
		"203.0.113.5:123456":                 peer,
		"[2001:db8::17":                      peer,
		"[203.0.113.5]x":                     peer,
		"203.0.113.256":                      peer,
		"example.org":                        peer,
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = peer + ":9999"
		r.Header.Set("X-Forwarded-For", forwarded)
		if got := addressOf([]*net.IPNet{proxy})(r); got != want {
			t.Errorf("%q is %s, want %s", forwarded, got, want)
		}
		r.RemoteAddr = "192.0.2.1:9999"
		if got := addressOf([]*net.IPNet{proxy})(r); got != "192.0.2.1" {
			t.Errorf("%q of a peer that is no proxy is %s", forwarded, got)
		}
	}
}
