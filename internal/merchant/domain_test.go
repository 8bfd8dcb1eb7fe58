package merchant_test

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/idna"
	"golang.org/x/net/publicsuffix"
	"golang.org/x/text/unicode/rangetable"
	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
)

func TestDomainsAreBareHostNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	for text, want := range map[string]string{
		"give.example.org":                "give.example.org",
		"GIVE.Example.ORG":                "give.example.org",
		"example.org":                     "example.org",
		"1e100.net":                       "1e100.net",
		"4chan.org":                       "4chan.org",
		"a.b.c.d.example.org":             "a.b.c.d.example.org",
		"r3---sn-apo3qvuoxuxbt.example":   "r3---sn-apo3qvuoxuxbt.example",
		"bücher.example":                  "xn--bcher-kva.example",
		"BÜCHER.example":                  "xn--bcher-kva.example",
		"straße.example":                  "xn--strae-oqa.example",
		"xn--bcher-kva.example":           "xn--bcher-kva.example",
		"XN--BCHER-KVA.example":           "xn--bcher-kva.example",
		"例え。テスト":                          "xn--r8jz45g.xn--zckzah",
		"ｇｉｖｅ．example．org":                "give.example.org",
		"مثال.إختبار":                     "xn--mgbh0fb.xn--kgbechtv",
		long + ".example.org":             long + ".example.org",
		strings.Repeat("a.", 125) + "org": strings.Repeat("a.", 125) + "org",
	} {
		if got, err := merchant.ParseDomain(text, false); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestDomainsThatAreNone(t *testing.T) {
	t.Parallel()
	const (
		address, dot, scheme, path, wildcard, port = "An IP address", "Leave the dot", "Leave the scheme",
			"Leave the path", "Wildcards", "Leave the port"
		user, single, none = "Leave the user", "A website's name has a dot",
			"This is not the name"
	)
	long := strings.Repeat("a", 64)
	for text, hint := range map[string]string{
		"https://give.example.org": scheme, "http://give.example.org/": scheme, "HTTPS://x.org": scheme,
		"ftp://x.org": scheme, "://x.org": scheme,
		"//give.example.org": path, "give.example.org/": path, "give.example.org/donate": path,
		"give.example.org?x": path, "give.example.org#x": path, `give.example.org\x`: path,
		"*.example.org": wildcard, "give.*.org": wildcard, "*": wildcard,
		"give.example.org:443": port, "give.example.org:": port, "localhost:8080": port, ":80": port,
		"dana@example.org": user, "dana:secret@example.org": user,
		"127.0.0.1": address, "8.8.8.8": address, "::1": address, "[::1]": address, "2606:4700::1111": address,
		"1.2.3": address, "127.1": address, "0x7f.1": address,
		"1.2.3.0x4": address, "１２７.０.０.１": address, "x.1": address, "x.0x": address, "fe80::1%eth0": address,
		"give.example.org.": dot, "give.example.org。": dot, "org.": dot,
		"org": single, "intranet": single, "2130706433": single, "0x7f000001": single,
		"": none, ".": dot, "..": dot, ".example.org": none, "give..example.org": none, " give.example.org": none,
		"give.example.org ": none, "give example.org": none,
		"give_x.example.org": none, "-give.example.org": none, "give-.example.org": none, "give.example.org\n": none,
		"give\x00.example.org": none, "give,x.org": none,
		"xn--\x80.example": none, "xn--a.example": none, "xn--0.example": none, "a\u200db.example": none,
		"\ufffd.example": none, "\xff.example": none,
		long + ".example.org": none, strings.Repeat("a.", 126) +
			"org": none, "%67ive.example.org": none, "give.example.org;x": none, "<b>.org": none, "א1a.example": none,
	} {
		for _, sandbox := range []bool{true, false} {
			got, err := merchant.ParseDomain(text, sandbox)
			f, ok := fault.As(err)
			if !ok || f.Code != "domain_invalid" || !strings.HasPrefix(f.Message, hint) ||
				!strings.HasSuffix(f.Message, " A domain is a bare host name such as give.example.org.") {
				t.Errorf("%q: %s, %v; want %q", text, got, err, hint)
			}
		}
	}
}

func TestNamesUnderLocalhostAreTheSandboxes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"localhost": "localhost", "LocalHost": "localhost",
		"shop.localhost": "shop.localhost", "A.Shop.LOCALHOST": "a.shop.localhost",
		"localhost.example.org": "localhost.example.org"} {
		if got, err := merchant.ParseDomain(text, true); err != nil || got != want {
			t.Errorf("%s in a sandbox: %s, %v", text, got, err)
		}
		if got, err := merchant.ParseDomain(text, false); (err == nil) != strings.HasSuffix(text, "org") {
			t.Errorf("%s: %s, %v", text, got, err)
		}
	}
}

func TestPublicSuffixesAreNoDomains(t *testing.T) {
	t.Parallel()
	for text, own := range map[string]string{"co.uk": "give.co.uk", "CO.UK": "give.co.uk", "com.au": "give.com.au",
		"github.io":    "give.github.io",
		"give.kobe.jp": "city.kobe.jp", "any.ck": "give.any.ck", "www.ck": "www.ck",
		"公司.cn": "give.公司.cn", "xn--55qx5d.cn": "give.xn--55qx5d.cn", "ｃｏ．ｕｋ": "give.co.uk"} {
		for _, sandbox := range []bool{true, false} {
			_, err := merchant.ParseDomain(text, sandbox)
			f, _ := fault.As(err)
			if text != own &&
				(f == nil || f.Code != "domain_invalid" || !strings.HasPrefix(f.Message, "This is a public suffix")) {
				t.Errorf("%s: %v", text, err)
			}
			if _, err := merchant.ParseDomain(own, sandbox); err != nil {
				t.Errorf("%s: %v", own, err)
			}
		}
	}
}

// No letter of another script is accepted among Latin ones, in its own form or in punycode.
func TestDomainsDoNotMixScripts(t *testing.T) {
	t.Parallel()
	with := strings.Fields("Common Inherited Latin Han Hiragana Katakana Bopomofo Hangul")
	seen := 0
	for name, table := range unicode.Scripts {
		if slices.Contains(with, name) {
			continue
		}
		rangetable.Visit(table, func(r rune) {
			if !unicode.IsLetter(r) {
				return
			}
			seen++
			text := "p" + string(r) + "ypal.example"
			ascii, _ := idna.Punycode.ToASCII(text)
			for _, form := range []string{text, ascii} {
				if got, err := merchant.ParseDomain(form, true); err == nil {
					t.Errorf("%s letter %U: %q is %s", name, r, form, got)
				}
			}
		})
	}
	if seen < 10_000 {
		t.Errorf("%d letters", seen)
	}
	for _, mixed := range []string{"xn--pypal-4ve.com", "give.pаypal.com", "аpple.localhost", "ひらがなㄅ.example",
		"한글かな.example"} {
		_, err := merchant.ParseDomain(mixed, true)
		if f, _ := fault.As(err); f == nil ||
			!strings.HasPrefix(f.Message, "Each part of a name uses the letters of one script.") {
			t.Errorf("%s: %v", mixed, err)
		}
	}
	for _, own := range []string{"пожертвования.example", "give.пример.example", "δωρεά.example", "日本のtv.example",
		"한국tv.example", "ㄅ台灣a.example", "пример-24.рф"} {
		if _, err := merchant.ParseDomain(own, false); err != nil {
			t.Errorf("%s: %v", own, err)
		}
	}
}

// holdDomain checks what must be true of every text that is taken as a domain.
func holdDomain(t interface{ Fatalf(string, ...any) }, text string, sandbox bool) {
	got, err := merchant.ParseDomain(text, sandbox)
	if err != nil {
		f, ok := fault.As(err)
		if !ok || f.Code != "domain_invalid" || len(text) > 20 && strings.Contains(f.Message, text) {
			t.Fatalf("%q: %v", text, err)
		}
		return
	}
	if again, err := merchant.ParseDomain(got, sandbox); err != nil || again != got {
		t.Fatalf("%q is %q, which is %q, %v", text, got, again, err)
	}
	if _, err := publicsuffix.EffectiveTLDPlusOne(got); err != nil && got != "localhost" {
		t.Fatalf("%q is %q: %v", text, got, err)
	}
	u, err := url.Parse("https://" + got + "/x")
	if err != nil || u.Hostname() != got || u.Port() != "" || u.User != nil || u.Path != "/x" {
		t.Fatalf("%q is %q, which makes the URL %v, %v", text, got, u, err)
	}
	_, err = netip.ParseAddr(got)
	plain := strings.IndexFunc(got, func(r rune) bool {
		return !unicode.IsLower(r) && !unicode.IsDigit(r) && r != '-' && r != '.' || r > 127
	}) < 0
	if err == nil || !plain || len(got) > 253 || !strings.Contains(got, ".") && got != "localhost" || got[0] == '.' ||
		got[len(got)-1] == '.' || strings.Contains(got, "..") {
		t.Fatalf("%q is %q", text, got)
	}
}

func TestDomainsOfAnyText(t *testing.T) {
	t.Parallel()
	label := rapid.StringMatching(`[a-z0-9]([a-z0-9-]{0,10}[a-z0-9])?`)
	rapid.Check(t, func(t *rapid.T) {
		holdDomain(t, rapid.String().Draw(t, "text"), rapid.Bool().Draw(t, "sandbox"))
		holdDomain(t, rapid.StringMatching(`[a-zA-Z0-9:./@_*%\[\]-]{1,40}`).Draw(t, "text"),
			rapid.Bool().Draw(t, "sandbox"))
		name := strings.Join(rapid.SliceOfN(label, 1, 5).Draw(t, "labels"), ".") + ".example"
		if strings.Contains("."+name, ".xn--") {
			return
		}
		upper := strings.ToUpper(name)
		for _, text := range []string{name, upper} {
			if got, err := merchant.ParseDomain(text, false); err != nil || got != name {
				t.Fatalf("%q: %q, %v", text, got, err)
			}
		}
		around := rapid.SampledFrom([][2]string{{"https://", ""}, {"", "/"}, {"", ":443"}, {"*.", ""}, {"", "."},
			{"u@", ""}, {" ", ""}, {".", ""}, {"", "."}}).Draw(t, "around")
		if got, err := merchant.ParseDomain(around[0]+name+around[1], true); err == nil {
			t.Fatalf("%q was read as %q", around[0]+name+around[1], got)
		}
	})
}

func FuzzParseDomain(f *testing.F) {
	for _, text := range []string{"give.example.org", "bücher.example", "xn--bcher-kva.example", "127.0.0.1", "[::1]",
		"https://x.org/", "*.x.org", "shop.localhost", "x.0x7f", "a。b"} {
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, sandbox bool) { holdDomain(t, text, sandbox) })
}
