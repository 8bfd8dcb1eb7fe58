package shop

import (
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func (b *bench) fetch(t *testing.T, method, path string) *httptest.ResponseRecorder {
	t.Helper()
	res := httptest.NewRecorder()
	b.shop.ServeHTTP(res, httptest.NewRequest(method, path, nil))
	return res
}

func TestPage(t *testing.T) {
	t.Parallel()
	b := newBench(t, hangsUp)
	res := b.fetch(t, "GET", "/")
	page, policy := res.Body.String(), res.Header().Get("Content-Security-Policy")
	used := regexp.MustCompile(`nonce="([^"]+)"`).FindStringSubmatch(page)
	if res.Code != 200 || used == nil {
		t.Fatalf("status %d: %s", res.Code, page)
	}
	want := "default-src 'none'; script-src https://pay.example.org 'nonce-" + used[1] +
		"'; style-src 'self'; img-src 'self' data:; font-src 'self'; " +
		"frame-src https://pay.example.org; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if policy != want {
		t.Errorf("policy %s", policy)
	}
	if again := b.fetch(t, "GET", "/").Header().Get("Content-Security-Policy"); again == policy {
		t.Error("two pages share a nonce")
	}
	for _, text := range []string{
		`src="https://pay.example.org/3.2/svcpay.js"`, `data-key="pk_sandbox_shown"`, `data-merchant="1042"`,
		`data-currency="usd"`, "Sandbox: cards to try", `href="/?merchant=1043"`,
	} {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %s", text)
		}
	}
	if strings.Contains(page, secret) || strings.Contains(page, "sk_") ||
		regexp.MustCompile(`style=|onclick=`).MatchString(page) {
		t.Error("the page holds a secret or an inline style or handler")
	}
}

func TestPageOfMerchant(t *testing.T) {
	t.Parallel()
	b := newBench(t, hangsUp)
	if page := b.fetch(t, "GET", "/?merchant=1043").Body.String(); !strings.Contains(page,
		`data-merchant="1043" data-currency="cad"`) {
		t.Error("the page is not for merchant 1043")
	}
	if res := b.fetch(t, "GET", "/?merchant=9"); res.Code != 404 {
		t.Errorf("an unknown merchant: %d", res.Code)
	}
}

func TestProductionPageHasNoTestCards(t *testing.T) {
	t.Parallel()
	cfg := testConfig("http://api.example.org", nil)
	cfg.PublicKey = "pk_production_shown"
	res := httptest.NewRecorder()
	New(cfg).ServeHTTP(res, httptest.NewRequest("GET", "/", nil))
	if res.Code != 200 || strings.Contains(res.Body.String(), "4242") {
		t.Errorf("status %d, or test cards in production", res.Code)
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	b := newBench(t, hangsUp)
	base := loadAssets().base
	for file, kind := range map[string]string{"shop.css": "text/css", "shop.js": "text/javascript",
		"card.js": "text/javascript"} {
		res := b.fetch(t, "GET", base+"/"+file)
		if res.Code != 200 || !strings.HasPrefix(res.Header().Get("Content-Type"), kind) ||
			!strings.Contains(res.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", file, res.Code, res.Header())
		}
	}
	if size := len(loadAssets().files["shop.css"]); size > 12<<10 {
		t.Errorf("the style sheet has %d bytes, more than 12 KB", size)
	}
	for _, path := range []string{"/assets/old/shop.css", base + "/none.js", base + "/..%2fpage.html"} {
		if res := b.fetch(t, "GET", path); res.Code != 404 {
			t.Errorf("%s: %d", path, res.Code)
		}
	}
}

func TestMethodsAndHeaders(t *testing.T) {
	t.Parallel()
	b := newBench(t, hangsUp)
	for path, method := range map[string]string{"/": "DELETE", "/donations": "GET", "/donations/" + nonce: "PUT"} {
		if res := b.fetch(t, method, path); res.Code != http.StatusMethodNotAllowed {
			t.Errorf("%s %s: %d", method, path, res.Code)
		}
	}
	res := b.fetch(t, "GET", "/donations/x")
	for name, want := range map[string]string{
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'", "X-Content-Type-Options": "nosniff",
		"Cache-Control": "no-store",
	} {
		if got := res.Header().Get(name); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestNewRefusesUselessConfig(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Config){
		"no merchant": func(c *Config) { c.Merchants = nil },
		"no address":  func(c *Config) { c.PayURL = "javascript:alert(1)" },
	} {
		cfg := testConfig("http://api.example.org", nil)
		spoil(&cfg)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s was accepted", name)
				}
			}()
			New(cfg)
		}()
	}
}

func TestEachMerchantHasItsAppeal(t *testing.T) {
	t.Parallel()
	cfg := testConfig("http://api.example.org", nil)
	cfg.Merchants[1].Appeal = WinterRelief
	b := &bench{shop: New(cfg)}
	for path, want := range map[string][]string{
		"/":               {FoodBank.Headline, "crate full of vegetables", `data-cents="50"`, `data-bank-processor="p"`, "routing number 110000000"},
		"/?merchant=1043": {WinterRelief.Headline, "Houses by a river", `data-cents="250"`, "transit 11000"},
	} {
		page := b.fetch(t, "GET", path).Body.String()
		for _, text := range want {
			if !strings.Contains(page, text) {
				t.Errorf("%s does not say %q", path, text)
			}
		}
	}
}
