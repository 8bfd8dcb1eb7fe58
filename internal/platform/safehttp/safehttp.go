// Package safehttp sends requests to addresses that callers chose, such as a merchant's site or an application's
// webhook endpoint. It connects to public hosts only.
//
// Invariants: the address is checked when it is dialed, after the name was resolved, so that no DNS response leads to
// an internal host; a connection serves one exchange, or those of one [Line]; redirects are not followed and no proxy
// is used; a response is read up to a size limit, within a time limit.
package safehttp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// The bounds of an exchange.
const (
	// MaxBody is how much of an answer's body is read, in bytes, and MaxTime how long an exchange may last.
	MaxBody        = 16 << 10
	MaxTime        = 15 * time.Second
	maxHeader      = 16 << 10
	connectTimeout = 5 * time.Second
)

// Policy says what else than https to port 443 of public hosts may be reached. The zero Policy is
// what production has.
type Policy struct {
	// Local lets this machine's loopback be reached too, plain http be spoken and any port be used:
	// for sandboxes. Names under localhost are loopback without being looked up.
	Local bool
	// Timeout bounds a whole exchange; zero is MaxTime, and so is what is longer.
	Timeout time.Duration
	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
	// Roots are the certificates that hosts are known by; nil are the system's.
	Roots *x509.CertPool
	// Certificates are shown to hosts that ask who calls.
	Certificates []tls.Certificate
	// LocalPort is the port at which names under localhost are called, whatever a URL says; "" is the URL's.
	LocalPort string
}

// Client sends requests by one policy. Its methods may be called from several goroutines.
type Client struct {
	policy Policy
	dialer net.Dialer
	once   *http.Transport // each exchange has a connection of its own
	kept   atomic.Int64    // open connections of lines
}

// Answer is what a host said: at most MaxBody bytes of its body, and whether it had more.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	Cut    bool
}

// New makes a client.
func New(p Policy) *Client {
	if p.Timeout == 0 || p.Timeout > MaxTime {
		p.Timeout = MaxTime
	}
	c := &Client{policy: p}
	c.dialer = net.Dialer{Timeout: connectTimeout, Resolver: p.Resolver, Control: c.control}
	c.once = c.transport()
	c.once.DisableKeepAlives = true
	return c
}

func (c *Client) transport() *http.Transport {
	return &http.Transport{ // without Proxy: the environment's does not count
		DialContext: c.dial,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: c.policy.Roots,
			Certificates: c.policy.Certificates},
		TLSHandshakeTimeout:    connectTimeout,
		DisableCompression:     true,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// Do sends a request whose URL anybody may have chosen. It fails with an [Error], or with the
// context's error if the caller gave up. A redirect is an answer like any other.
func (c *Client) Do(r *http.Request) (Answer, error) {
	if err := c.Check(r.URL); err != nil {
		return Answer{}, err
	}
	return c.exchange(r, c.once)
}

func (c *Client) exchange(r *http.Request, by http.RoundTripper) (Answer, error) {
	asks := http.Client{Transport: by, Timeout: c.policy.Timeout, CheckRedirect: asAnswers}
	response, err := asks.Do(r)
	if err != nil {
		return Answer{}, failure(r.Context(), err)
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusSwitchingProtocols { // what follows is no body
		return Answer{Status: response.StatusCode, Header: response.Header}, nil
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, MaxBody+1))
	if err != nil {
		return Answer{}, failure(r.Context(), err)
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: body[:min(len(body), MaxBody)],
		Cut: len(body) > MaxBody}, nil
}

func asAnswers(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// dnsName is a name of several labels whose last has a letter in it. Of the forms of an IP address
// only the hexadecimal has that.
var dnsName = regexp.MustCompile(`^([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)+[a-z0-9-]*[a-z][a-z0-9-]*$`)

// Check reports whether requests to a URL could be sent at all, before its name is looked up: its
// scheme, host and port. It fails with an [Error].
func (c *Client) Check(u *url.URL) error {
	if !(u.Scheme == "https" || u.Scheme == "http" && c.policy.Local) {
		return refusal(SchemeNotAllowed, "only https is spoken here")
	}
	if u.User != nil || !c.mayName(strings.ToLower(u.Hostname())) {
		return refusal(HostNotAllowed, "not a name that is called here")
	}
	if port := u.Port(); port != "" && port != "443" && !c.policy.Local {
		return refusal(PortNotAllowed, "only port 443 is called")
	}
	return nil
}

// mayName reports whether a host is written in a way that may be called: by a name. A sandbox may call
// this machine, by its addresses too.
func (c *Client) mayName(host string) bool {
	if local(host) {
		return c.policy.Local
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return c.policy.Local && ip.Zone() == "" && ip.IsLoopback() && !ip.Is4In6()
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return len(host) <= 253 && dnsName.MatchString(host) && !strings.HasPrefix(last, "0x")
}

// IsHere reports whether a host is written as this machine: a name by RFC 6761, or an address.
func IsHere(host string) bool {
	ip, err := netip.ParseAddr(host)
	return local(strings.ToLower(host)) || err == nil && ip.IsLoopback()
}

// local reports whether a name is this machine's by RFC 6761.
func local(host string) bool { return host == "localhost" || strings.HasSuffix(host, ".localhost") }

// dial connects to a host. Each address that it has is judged by control before it is called.
func (c *Client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	if !local(strings.ToLower(host)) {
		return c.dialer.DialContext(ctx, network, address)
	}
	if c.policy.LocalPort != "" {
		port = c.policy.LocalPort
	}
	conn, err := c.dialer.DialContext(ctx, network, net.JoinHostPort("127.0.0.1", port))
	if err != nil {
		if six, err := c.dialer.DialContext(ctx, network, net.JoinHostPort("::1", port)); err == nil {
			return six, nil
		}
	}
	return conn, err
}

// control judges an address just before it is connected to.
func (c *Client) control(_, address string, _ syscall.RawConn) error {
	at, err := netip.ParseAddrPort(address)
	if err != nil {
		return refusal(HostNotFound, "not an address of the internet")
	}
	if c.policy.Local && at.Addr().Unmap().IsLoopback() {
		return nil
	}
	if !Public(at.Addr()) {
		return refusal(HostNotFound, "the host leads to an address that is not public")
	}
	if at.Port() != 443 && !c.policy.Local {
		return refusal(PortNotAllowed, "only port 443 is called")
	}
	return nil
}

// failure says why an exchange failed in the words of this package.
func failure(ctx context.Context, err error) error {
	if errors.Is(ctx.Err(), context.Canceled) {
		return ctx.Err()
	}
	var ours *Error
	if errors.As(err, &ours) {
		return ours
	}
	return &Error{Reason: reasonOf(err), cause: err}
}
