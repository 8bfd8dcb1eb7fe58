package safehttp

import "net/netip"

// unicast is where IPv6 addresses of the internet are allocated. Everything else there is special:
// loopback, mapped and compatible IPv4, NAT64 (64:ff9b::/96, 64:ff9b:1::/48), discard (100::/64),
// segment routing (5f00::/16), unique local (fc00::/7), link-local, site-local and multicast.
var unicast = netip.MustParsePrefix("2000::/3")

// special are the ranges of IANA's registries of special-purpose addresses, and those that are
// reserved: outside of them an address is the internet's.
var special = prefixes(
	"0.0.0.0/8",         // this network
	"10.0.0.0/8",        // private
	"100.64.0.0/10",     // shared by a carrier's customers
	"127.0.0.0/8",       // loopback
	"169.254.0.0/16",    // link-local, where clouds tell their machines' secrets
	"172.16.0.0/12",     // private
	"192.0.0.0/24",      // protocol assignments
	"192.0.2.0/24",      // documentation
	"192.31.196.0/24",   // AS112
	"192.52.193.0/24",   // AMT
	"192.88.99.0/24",    // 6to4 relays, deprecated
	"192.168.0.0/16",    // private
	"192.175.48.0/24",   // AS112
	"198.18.0.0/15",     // benchmarking
	"198.51.100.0/24",   // documentation
	"203.0.113.0/24",    // documentation
	"224.0.0.0/4",       // multicast
	"240.0.0.0/4",       // reserved, and broadcast
	"2001::/23",         // protocol assignments: Teredo, benchmarking, ORCHID
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4, which holds an IPv4 address
	"2620:4f:8000::/48", // AS112
	"3ffe::/16",         // 6bone, returned
	"3fff::/20",         // documentation
)

func prefixes(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// Public reports whether an address is a host's on the internet. An IPv4 address in the clothes of an
// IPv6 one is not, and neither is one with a zone.
func Public(ip netip.Addr) bool {
	if !ip.IsValid() || ip.Zone() != "" || ip.Is6() && !unicast.Contains(ip) {
		return false
	}
	for _, p := range special {
		if p.Contains(ip) {
			return false
		}
	}
	return true
}
