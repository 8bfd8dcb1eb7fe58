package safehttp_test

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/platform/safehttp"
	"svcpay/internal/testing/nametest"
)

// specials are the ranges that must not be reached, each with addresses in it: written down by hand
// next to the package's own list.
var specials = map[string][]string{
	"this network":           {"0.0.0.0", "0.0.0.1", "0.255.255.255"},
	"private 10":             {"10.0.0.0", "10.1.2.3", "10.255.255.255"},
	"private 172":            {"172.16.0.0", "172.20.0.1", "172.31.255.255"},
	"private 192":            {"192.168.0.0", "192.168.1.1", "192.168.255.255"},
	"carrier":                {"100.64.0.0", "100.100.100.200", "100.127.255.255"},
	"loopback":               {"127.0.0.0", "127.0.0.1", "127.1.2.3", "127.255.255.255"},
	"link-local":             {"169.254.0.0", "169.254.169.254", "169.254.255.255"},
	"protocol assignments":   {"192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"},
	"documentation":          {"192.0.2.0", "192.0.2.255", "198.51.100.7", "203.0.113.200"},
	"AS112 and AMT":          {"192.31.196.1", "192.52.193.1", "192.175.48.1"},
	"6to4 relays":            {"192.88.99.0", "192.88.99.1"},
	"benchmarking":           {"198.18.0.0", "198.19.255.255"},
	"multicast":              {"224.0.0.0", "224.0.0.251", "239.255.255.255"},
	"reserved and broadcast": {"240.0.0.0", "254.1.2.3", "255.255.255.255"},
	"unspecified, loopback":  {"::", "::1"},
	"IPv4-compatible":        {"::7f00:1", "::808:808"},
	"IPv4-mapped":            {"::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:8.8.8.8", "::ffff:0:0"},
	"IPv4-translated":        {"::ffff:0:7f00:1"},
	"NAT64":                  {"64:ff9b::127.0.0.1", "64:ff9b::8.8.8.8", "64:ff9b:1::1", "64:ff9b:1:ffff::a00:1"},
	"discard":                {"100::", "100::1", "100:0:0:1::1"},
	"Teredo":                 {"2001::1", "2001:0:53aa:64c::1", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"},
	"IPv6 benchmarking":      {"2001:2::1"},
	"ORCHID":                 {"2001:10::1", "2001:20::1", "2001:2f::1", "2001:30::1"},
	"protocol assignments 6": {"2001:1::1", "2001:1ff:ffff::1"},
	"IPv6 documentation":     {"2001:db8::", "2001:db8:1::1", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "3fff::1", "3fff:fff::1"},
	"6to4":                   {"2002::", "2002:7f00:1::", "2002:808:808::1", "2002:ffff:ffff::1"},
	"AS112 6":                {"2620:4f:8000::1"},
	"6bone":                  {"3ffe::1"},
	"segment routing":        {"5f00::1", "5f00:ffff::1"},
	"unique local":           {"fc00::", "fc00::1", "fd12:3456:789a::1", "fdff:ffff::1"},
	"IPv6 link-local":        {"fe80::", "fe80::1", "febf::1"},
	"site-local":             {"fec0::1", "feff::1"},
	"IPv6 multicast":         {"ff00::", "ff02::1", "ff0e::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"},
	"not allocated":          {"1::1", "4000::1", "8000::1", "e000::1"},
}

func eachSpecial(do func(what string, ip netip.Addr)) {
	for what, texts := range specials {
		for _, text := range texts {
			do(what+" "+text, netip.MustParseAddr(text))
		}
	}
}

func TestSpecialAddressesAreNotPublic(t *testing.T) {
	t.Parallel()
	eachSpecial(func(what string, ip netip.Addr) {
		if safehttp.Public(ip) {
			t.Errorf("%s is public", what)
		}
		if mapped := netip.AddrFrom16(ip.As16()); ip.Is4() && safehttp.Public(mapped) {
			t.Errorf("%s is public as %v", what, mapped)
		}
	})
	if safehttp.Public(netip.Addr{}) || safehttp.Public(netip.MustParseAddr("2606:4700:4700::1111").WithZone("1")) {
		t.Error("no address, or one with a zone, is public")
	}
}

func TestHostsOfTheInternetArePublic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
		"128.0.0.0", "169.253.255.255",
		"169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.0.3.0", "192.167.255.255", "192.169.0.0",
		"198.17.255.255",
		"198.20.0.0", "198.51.99.255", "198.51.101.0", "203.0.112.255", "203.0.114.0", "223.255.255.255", "2001:200::1",
		"2001:4860:4860::8888", "2001:db7::1", "2001:db9::1", "2003::1", "2606:4700:4700::1111", "2620:4f:8001::1",
		"2a00:1450::1", "3ffd::1", "2000::1",
	} {
		if !safehttp.Public(netip.MustParseAddr(text)) {
			t.Errorf("%s is not public", text)
		}
	}
}

// TestNothingIsPublicThatTheStandardLibraryCallsOtherwise: it knows fewer ranges.
func TestNothingIsPublicThatTheStandardLibraryCallsOtherwise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := [16]byte(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "bytes"))
		ip := netip.AddrFrom16(b)
		if rapid.Bool().Draw(t, "four") {
			ip = netip.AddrFrom4([4]byte(b[:4]))
		}
		if safehttp.Public(ip) && (!ip.IsGlobalUnicast() || ip.IsPrivate()) {
			t.Fatalf("%v is public", ip)
		}
	})
}

// forms are the ways to write an IPv4 address that some resolver or library understands.
func forms(ip netip.Addr) []string {
	b := ip.As4()
	n := binary.BigEndian.Uint32(b[:])
	six := func(prefix string) string { return fmt.Sprintf("[%s%x:%x]", prefix, n>>16, n&0xffff) }
	wide := strings.NewReplacer("0", "０", "1", "１", "2", "２", "3", "３", ".", "。").Replace(ip.String())
	return []string{
		ip.String(), ip.String() + ".", fmt.Sprintf("%d", n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0X%X",
			n), fmt.Sprintf("0%o", n),
		fmt.Sprintf("0%o.%d.%d.%d", b[0], b[1], b[2], b[3]), fmt.Sprintf("%03o.%03o.%03o.%04o", b[0], b[1], b[2], b[3]),
		fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]), fmt.Sprintf("%d.%d.0x%x", b[0], b[1], n&0xffff),
		fmt.Sprintf("%d.%d", b[0], n&0xffffff), fmt.Sprintf("%d.%d.%d", b[0], b[1], n&0xffff), wide,
		six("::ffff:"), six("::FFFF:"), six("::"), six("0:0:0:0:0:ffff:"), six("64:ff9b::"), six("::ffff:0:"),
		"[::ffff:" + ip.String() + "]",
		fmt.Sprintf("[2002:%x:%x::]", n>>16, n&0xffff), fmt.Sprintf("[2001:0:4136:e378:8000:63bf:%x:%x]", ^n>>16,
			^n&0xffff),
	}
}

// TestSpecialAddressesAreRefusedInEveryForm that they can be written in a URL.
func TestSpecialAddressesAreRefusedInEveryForm(t *testing.T) {
	t.Parallel()
	production, sandbox := safehttp.New(safehttp.Policy{}), safehttp.New(safehttp.Policy{Local: true})
	eachSpecial(func(what string, ip netip.Addr) {
		hosts := []string{"[" + ip.String() + "]", "[" + ip.StringExpanded() + "]",
			"[" + strings.ToUpper(ip.StringExpanded()) + "]", "[" + ip.String() + "%25eth0]"}
		if ip.Is4() {
			hosts = forms(ip)
		}
		for _, host := range hosts {
			u, err := url.Parse("https://" + host + "/")
			if err != nil {
				t.Fatalf("%s as %s: %v", what, host, err)
			}
			if err := production.Check(u); safehttp.ReasonOf(err) != safehttp.HostNotAllowed {
				t.Errorf("%s as %s: %v", what, host, err)
			}
			loopback, _ := netip.ParseAddr(u.Hostname())
			if err := sandbox.Check(u); safehttp.ReasonOf(err) != safehttp.HostNotAllowed &&
				(!loopback.IsLoopback() || loopback.Is4In6()) {
				t.Errorf("%s as %s in a sandbox: %v", what, host, err)
			}
		}
	})
}

// TestNamesThatLeadToSpecialAddressesAreRefused when they are dialed.
func TestNamesThatLeadToSpecialAddressesAreRefused(t *testing.T) {
	t.Parallel()
	eachSpecial(func(what string, ip netip.Addr) {
		if ip.Is4In6() && safehttp.Public(ip.Unmap()) {
			return // is dialed as the public address that it holds
		}
		_, err := get(t, safehttp.Policy{Resolver: nametest.Resolver(t, ip)}, "https://give.example.org/")
		if safehttp.ReasonOf(err) != safehttp.HostNotFound {
			t.Errorf("a name that leads to %s: %v", what, err)
		}
		if ip.Unmap().IsLoopback() {
			return
		}
		_, err = get(t, safehttp.Policy{Local: true, Resolver: nametest.Resolver(t, ip)},
			"http://give.example.org:8080/")
		if safehttp.ReasonOf(err) != safehttp.HostNotFound {
			t.Errorf("a name that leads a sandbox to %s: %v", what, err)
		}
	})
}
