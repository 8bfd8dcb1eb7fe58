package merchant

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"

	"svcpay/internal/fault"
)

// Bounds of a merchant's domains.
const (
	maxDomains = 99
	maxDomain  = 253 // characters of a name in ASCII
)

// hosts reads names as browsers do, and names them as they do.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.CheckHyphens(false),
	idna.VerifyDNSLength(true))

// hostName is a name of two labels or more in ASCII.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// number is a last label that makes browsers read a host as an IPv4 address.
var number = regexp.MustCompile(`^([0-9]+|0x[0-9a-f]*)$`)

// ParseDomain reads the bare host name of a website: in lowercase letters, an international name as
// punycode. Localhost and names under it exist in a sandbox only. The fault is domain_invalid with a hint.
func ParseDomain(text string, sandbox bool) (string, error) {
	if hint := foreignPart(text); hint != "" {
		return "", domainFault(hint)
	}
	host, err := hosts.ToASCII(text)
	last := host[strings.LastIndexByte(host, '.')+1:]
	switch {
	case sandbox && host == local:
		return host, nil
	case strings.HasSuffix(host, "."):
		return "", domainFault("Leave the dot at the end out.")
	case host != "" && last == host:
		return "", domainFault("A website's name has a dot in it.")
	case err != nil, !utf8.ValidString(text), len(host) > maxDomain, !hostName.MatchString(host):
		return "", domainFault("This is not the name of a website.")
	case number.MatchString(last):
		return "", domainFault("An IP address is not possible; use a name.")
	case isLocal(host) && !sandbox:
		return "", domainFault("Names under localhost are for the sandbox.")
	case isPublicSuffix(host):
		return "", domainFault("This is a public suffix, such as co.uk. Enter the website's full name.")
	case mixesScripts(host):
		return "", domainFault("Each part of a name uses the letters of one script.")
	}
	return host, nil
}

// isPublicSuffix reports whether other people register their names under host (publicsuffix.org).
func isPublicSuffix(host string) bool {
	suffix, _ := publicsuffix.PublicSuffix(host)
	return suffix == host
}

// local is the name of this machine.
const local = "localhost"

// isLocal reports whether a website is on this machine, as those under localhost are.
func isLocal(host string) bool { return host == local || strings.HasSuffix(host, "."+local) }

// foreignPart reports what is in a text next to a host name: most often someone has pasted an
// address whole.
func foreignPart(text string) string {
	if _, err := netip.ParseAddr(strings.Trim(text, "[]")); err == nil {
		return "An IP address is not possible; use a name."
	}
	switch {
	case strings.Contains(text, "://"):
		return "Leave the scheme out."
	case strings.ContainsAny(text, "/?#\\"):
		return "Leave the path out."
	case strings.Contains(text, "*"):
		return "Wildcards are not possible; register each subdomain."
	case strings.Contains(text, "@"):
		return "Leave the user out."
	case strings.Contains(text, ":"):
		return "Leave the port out."
	}
	return ""
}

func domainFault(hint string) error {
	return fault.Invalid("domain_invalid", hint+" A domain is a bare host name such as give.example.org.")
}

// parseDomains reads a list of domains, reports each mistake by its place in the list, and leaves
// repetitions out.
func parseDomains(fs *fault.Fields, texts []string, sandbox bool) []string {
	out := []string{}
	if len(texts) > maxDomains {
		fs.Add("domains", "parameter_invalid", fmt.Sprintf("A merchant has at most %d domains.", maxDomains))
		return out
	}
	for i, text := range texts {
		host, err := ParseDomain(text, sandbox)
		fs.Check(fmt.Sprintf("domains[%d]", i), err)
		if err == nil && !slices.Contains(out, host) {
			out = append(out, host)
		}
	}
	return out
}
