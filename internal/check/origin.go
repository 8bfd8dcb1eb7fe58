package check

import (
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/net/publicsuffix"
)

const maxOrigin = 300 // bytes; a host name has 253 at most

// originForm has scheme, IPv6 address and port as its groups. It takes no character that a header
// or a source list could misread.
var originForm = regexp.MustCompile(
	`^(https?)://(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*\.?|\[([0-9a-f:.]+)\])(?::([1-9][0-9]{0,4}))?$`)

// IsOrigin reports whether s is a page's origin as browsers write it: http or https, a host in
// lowercase, a port unless it is the scheme's own, and nothing else.
func IsOrigin(s string) bool {
	if len(s) > maxOrigin {
		return false
	}
	m := originForm.FindStringSubmatch(s)
	return m != nil && isIPv6(m[2]) && isForeignPort(m[1], m[3])
}

func isIPv6(address string) bool {
	ip, err := netip.ParseAddr(address)
	return address == "" || err == nil && ip.Is6()
}

func isForeignPort(scheme, port string) bool {
	_, err := strconv.ParseUint(port, 10, 16)
	return port == "" || err == nil && port != map[string]string{"http": "80", "https": "443"}[scheme]
}

// IsOriginPattern reports whether s is an origin, or has "*." before its host for all hosts below. Below that host one
// owner decides: it is neither a public suffix, such as co.uk or github.io, nor an address.
func IsOriginPattern(s string) bool {
	scheme, host, wildcard := strings.Cut(s, "://*.")
	if !wildcard {
		return IsOrigin(s)
	}
	name, _, _ := strings.Cut(host, ":")
	_, address := netip.ParseAddr(name)
	_, suffix := publicsuffix.EffectiveTLDPlusOne(name)
	return IsOrigin(scheme+"://"+host) && address != nil && (suffix == nil || name == "localhost")
}

// OriginOfDomain is the pattern of the pages of a website by its host name: those that are served over TLS, and over
// any port of this machine.
func OriginOfDomain(host string) string {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return "http://" + host + anyPort
	}
	return "https://" + host
}

// anyPort ends a pattern of origins on all ports of a host.
const anyPort = ":*"

// IsOriginOfDomain reports whether s is a pattern as [OriginOfDomain] makes them.
func IsOriginOfDomain(s string) bool { return IsOrigin(strings.TrimSuffix(s, anyPort)) }

// MatchesOrigin reports whether an origin is the one of a pattern, or below it.
func MatchesOrigin(pattern, origin string) bool {
	if host, ok := strings.CutSuffix(pattern, anyPort); ok {
		return IsOrigin(origin) && (origin == host || strings.HasPrefix(origin, host+":"))
	}
	scheme, host, wildcard := strings.Cut(pattern, "://*")
	if !wildcard {
		return origin == pattern
	}
	name, same := strings.CutPrefix(origin, scheme+"://")
	return same && len(name) > len(host) && strings.HasSuffix(name, host)
}
