package apikey

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"svcpay/internal/fault"
)

func FuzzKeyText(f *testing.F) {
	for _, kind := range Kinds() {
		f.Add(newText(kind, Sandbox))
		f.Add(newText(kind, Production))
	}
	for _, text := range []string{"", "sk", "sk_sandbox_", "sk__", strings.Repeat("_", 50),
		"sk_sandbox_" + strings.Repeat("0", 38), "\x00", "sk_sandbox_é"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		k, err := parseText(text)
		if err != nil {
			if k != (keyText{}) {
				t.Errorf("%q is refused, but read as %+v", text, k)
			}
			return
		}
		head, ok := strings.CutPrefix(text, k.kind.prefix(k.env))
		if !ok || len(head) != randomLength+checksumLength || k.text != text || k.last4() != text[len(text)-4:] ||
			IsPrivate(text) != (k.kind != Public) {
			t.Errorf("%q is read as %+v", text, k)
		}
	})
}

func FuzzAllowedIPs(f *testing.F) {
	for _, text := range []string{"", "192.0.2.7", "192.0.2.0/24", "192.0.2.1/24", "2001:db8::/32", "::ffff:192.0.2.1",
		"fe80::1%eth0", "192.0.2.7/33", "0.0.0.0/0", "192.0.2.07", "192.0.2.0/024"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var fs fault.Fields
		got := parseAllowedIPs(&fs, Secret, []string{text})
		if len(fs) > 0 {
			return
		}
		if len(got) != 1 || got[0] != got[0].Masked() || got[0].Addr().Zone() != "" || got[0].Addr().Is4In6() {
			t.Fatalf("%q is read as %v", text, got)
		}
		if back, err := netip.ParsePrefix(got[0].String()); err != nil || back != got[0] {
			t.Errorf("%q is printed as %v", text, got)
		}
	})
}

func FuzzAllowedOrigins(f *testing.F) {
	for _, text := range []string{"", "https://shop.example", "https://shop.example:8443", "https://shop.example:443",
		"HTTPS://shop.example", "https://shop.example/", "null", "https://a@shop.example", "https://*.example",
		"https://*.example.org", "https://shop.example\x00", "javascript:1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var fs fault.Fields
		got := parseAllowedOrigins(&fs, Public, []string{text})
		if len(fs) > 0 {
			return
		}
		u, err := url.Parse(text)
		if err != nil || len(got) != 1 || got[0] != text || u.Scheme+"://"+u.Host != text ||
			(u.Scheme != "https" && u.Scheme != "http") || u.Host == "" || strings.ToLower(text) != text {
			t.Errorf("%q is read as %q", text, got)
		}
	})
}
