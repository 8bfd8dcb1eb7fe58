package token_test

import (
	"strings"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	walletsandbox "svcpay/internal/wallet/sandbox"
)

// A page's sheet gets its merchant session for a registered domain of a merchant that takes wallet A, and no attempt is
// counted.
func TestMerchantSessionsOfPages(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	g, err := w.Wallets.OpenGateway(w.Clock.Now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	d := w.Tokens.Deps()
	d.Wallets.SessionsA = g.Sessions()
	w.Tokens = token.New(d)
	us, plain, elsewhere := w.App.Merchants.US, w.Merchant(merchant.CreateInput{}).ID, w.App.Merchants.CA
	walletWorld(t, w, us)
	session, good := w.Session(), token.MerchantSessionInput{ValidationURL: walletsandbox.ValidationURL}
	for range 12 {
		out, err := w.Tokens.OpenWalletA(t.Context(), session, good)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Wallets.CheckSession(out, "shop.example", w.Clock.Now()); err != nil {
			t.Error(err)
		}
	}
	long := good
	long.DisplayName = strings.Repeat("ü", 80)
	if out, err := w.Tokens.OpenWalletA(t.Context(), session, long); err != nil ||
		!strings.Contains(string(out), strings.Repeat("ü", 64)+`"`) {
		t.Errorf("a long name: %s, %v", out, err)
	}
	// A session that has opened all its sheets opens no more, whatever it sends; its attempts at a token are left to
	// it.
	spent := w.Session()
	for range 20 {
		// which is refused, and counts
		_, _ = w.Tokens.OpenWalletA(t.Context(), spent,
			token.MerchantSessionInput{ValidationURL: "https://another.example/"})
	}
	if _, err := w.Tokens.OpenWalletA(t.Context(), spent, good); !fault.HasCode(err, "rate_limited") {
		t.Errorf("after 20 sheets: %v", err)
	}
	w.TokenIn(spent, "4242424242424242")
	w.Clock.Advance(time.Second)
	if _, err := w.Tokens.OpenWalletA(t.Context(), w.Session(), good); err != nil {
		t.Errorf("another session: %v", err)
	}
	for name, c := range map[string]struct {
		session string
		url     string
		code    string
	}{
		"too many":          {spent, good.ValidationURL, "rate_limited"},
		"no session":        {"cs_none", good.ValidationURL, "not_ready"},
		"not switched on":   {w.SessionOf(w.App, plain), good.ValidationURL, "payment_method_disabled"},
		"no domain":         {w.SessionOf(w.App, elsewhere), good.ValidationURL, "payment_method_disabled"},
		"another address":   {session, "https://127.0.0.1/", "invalid_token_data"},
		"the cloud's tales": {session, "http://169.254.169.254/", "invalid_token_data"},
	} {
		if _, err := w.Tokens.OpenWalletA(t.Context(), c.session,
			token.MerchantSessionInput{ValidationURL: c.url}); !fault.HasCode(err, c.code) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
