package check_test

import (
	"slices"
	"strings"
	"testing"

	"svcpay/internal/check"
)

// noOrigins are texts that look like origins, and must be none anywhere.
var noOrigins = []string{
	"", "*", "null", "shop.example", "https://", "https://.", "https://:8443", "//shop.example",
	"https://shop.example/", "https://shop.example/path", "https://shop.example?x", "https://shop.example#x",
	"https://user@shop.example", "https://u:p@shop.example", "https://*.example", "https://a..example",
	"https://.example",
	"https://shop.example https://evil", "https://shop.example;script-src", "https://shop.example,x", "https://'none'",
	"https://shop.example\r\nX: y", "https://shop.example\n", " https://shop.example", "https://shop.example\x00",
	"https://shöp.example", "https://a%20b",
	"javascript:alert(1)", "ftp://shop.example", "HTTPS://shop.example", "https://Shop.example",
	"https://shop.example:", "https://shop.example:443", "http://shop.example:80", "https://shop.example:0",
	"https://shop.example:08443", "https://shop.example:65536", "https://shop.example:x",
	"http://::1", "http://[::1", "http://[]", "http://[1.2.3.4]", "http://[::1]x",
	"https://" + strings.Repeat("x", 293),
}

func TestIsOrigin(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		"https://shop.example", "https://shop.example:8443", "https://shop.example:80", "http://shop.example:443",
		"http://localhost:65535",
		"http://[::1]:8081", "https://[2001:db8::1]", "http://127.0.0.1:8080", "https://a_b.xn--shp-sna.example.",
		"https://" + strings.Repeat("x", 292),
	} {
		if !check.IsOrigin(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range noOrigins {
		if check.IsOrigin(s) {
			t.Errorf("%q is taken for an origin", s)
		}
	}
}

func TestIsOriginPattern(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"https://shop.example", "https://*.example.org", "https://*.shop.example.co.uk",
		"http://*.localhost:8081", "https://*.example.org:8443", "https://*.nonprofit.github.io"} {
		if !check.IsOriginPattern(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range append(slices.Clone(noOrigins), "https://*", "https://*.org", "https://*.co.uk",
		"https://*.github.io", "*.example.org", "https://*.*.example.org", "https://a.*.example.org",
		"https://*a.example.org", "https://*.127.0.0.1", "https://*.[::1]", "https://*.example.org/x",
		"https://*.example.org:443", "https://*.example.org *", "https://*.Example.org", "https://*.example.org.") {
		if check.IsOriginPattern(s) {
			t.Errorf("%q is taken for a pattern of origins", s)
		}
	}
}

func TestMatchesOrigin(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, origin string
		want            bool
	}{
		{"https://shop.example", "https://shop.example", true},
		{"https://shop.example", "https://a.shop.example", false},
		{"https://*.example.org", "https://a.example.org", true},
		{"https://*.example.org", "https://a.b.example.org", true},
		{"https://*.example.org", "https://example.org", false},
		{"https://*.example.org", "https://evilexample.org", false},
		{"https://*.example.org", "https://a.example.org.evil.example", false},
		{"https://*.example.org", "http://a.example.org", false},
		{"https://*.example.org", "https://a.example.org:8443", false},
		{"https://*.example.org:8443", "https://a.example.org:8443", true},
		{"https://*.example.org", "null", false},
		{check.OriginOfDomain("give.example.org"), "https://give.example.org", true},
		{check.OriginOfDomain("give.example.org"), "https://a.give.example.org", false},
		{check.OriginOfDomain("give.example.org"), "https://give.example.org:8443", false},
		{check.OriginOfDomain("give.example.org"), "http://give.example.org", false},
		{check.OriginOfDomain("shop.localhost"), "http://shop.localhost:8081", true},
		{check.OriginOfDomain("shop.localhost"), "http://shop.localhost", true},
		{check.OriginOfDomain("shop.localhost"), "http://a.shop.localhost", false},
		{check.OriginOfDomain("localhost"), "http://localhost:1@evil.example", false},
	} {
		if got := check.MatchesOrigin(c.pattern, c.origin); got != c.want {
			t.Errorf("%s of %s: %v", c.origin, c.pattern, got)
		}
	}
}
