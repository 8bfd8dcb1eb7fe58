package main

import (
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"
)

// addressOf finds the client of a request: the peer itself or, if that is one of the trusted proxies, the last address
// in X-Forwarded-For that is not. An entry that names no address, such as unknown, ends the search: what lies before it
// may have been written by anyone.
func addressOf(proxies []*net.IPNet) echo.IPExtractor {
	trusted := func(a netip.Addr) bool {
		return slices.ContainsFunc(proxies, func(p *net.IPNet) bool { return p.Contains(a.AsSlice()) })
	}
	return func(r *http.Request) string {
		client, ok := forwardedNode(r.RemoteAddr)
		if !ok {
			return ""
		}
		nodes := strings.Split(strings.Join(r.Header.Values(echo.HeaderXForwardedFor), ","), ",")
		for _, node := range slices.Backward(nodes) {
			if !trusted(client) {
				break
			}
			before, ok := forwardedNode(node)
			if !ok {
				break
			}
			client = before
		}
		return client.String()
	}
}

// nodePort is the port of a node, which a proxy may obfuscate (RFC 7239 section 6.3).
var nodePort = regexp.MustCompile(`^:([0-9]{1,5}|_[A-Za-z0-9._-]+)$`)

// forwardedNode reads an address as proxies write it: alone, with a port, in brackets, in quotes (RFC 7239 section 6).
// An obfuscated or unknown node has no address.
func forwardedNode(text string) (netip.Addr, bool) {
	text = strings.Trim(strings.TrimSpace(text), `"`)
	host, port := text, ""
	if inner, bracketed := strings.CutPrefix(text, "["); bracketed {
		host, port, bracketed = strings.Cut(inner, "]")
		if !bracketed {
			return netip.Addr{}, false
		}
	} else if i := strings.IndexByte(text, ':'); i >= 0 && i == strings.LastIndexByte(text, ':') {
		host, port = text[:i], text[i:]
	}
	a, err := netip.ParseAddr(host)
	if err != nil || port != "" && !nodePort.MatchString(port) {
		return netip.Addr{}, false
	}
	return a.Unmap().WithZone(""), true
}
