package check_test

import (
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
