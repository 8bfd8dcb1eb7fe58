package check

import (
	"net/netip"
	"regexp"
	"strconv"
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
