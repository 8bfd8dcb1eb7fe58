package token_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/internal/vault"
)

func TestCardBecomesToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card("378282246310005")
	in.Billing.MiddleName = " "
	out, err := w.Tokens.CreateCard(t.Context(), w.Session(), "k", in)
	in.Billing.MiddleName = ""
	want := token.Card{Brand: "amex", Last4: "0005", ExpMonth: in.ExpMonth, ExpYear: in.ExpYear, Funding: "credit",
		CardholderName: "Dana Reed"}
	if err != nil || *out.Card != want || out.Billing != in.Billing || out.Livemode ||
		!strings.HasPrefix(out.Token.String(), "tok_") {
		t.Errorf("%+v, %v", out, err)
	}
	type row struct {
		ApplicationID int64 `db:"application_id"`
		MerchantID    int64 `db:"merchant_id"`
		BIN           string
		Status        string
		ExpiresAt     time.Time `db:"expires_at"`
	}
	r, err := pg.One[row](t.Context(), w.Pool, `SELECT application_id, merchant_id, bin, status, expires_at FROM tokens
		WHERE id = @id`, pg.Args{"id": out.Token})
	if err != nil || r.ApplicationID != w.App.AppID || r.MerchantID != w.App.Merchants.US || r.BIN != "378282" ||
		r.Status != "active" ||
		!r.ExpiresAt.Equal(w.Clock.Now().AddDate(0, 13, 0)) {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNothingInTheDatabaseShowsTheCard(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	const number = "4000056655665556"
	in := w.Card(number)
	session := w.Session()
	w.TokenIn(session, number)
	for what, needle := range map[string]string{"number": number, "its middle": number[6:12] + number[12:15],
		"session": strings.TrimPrefix(session, "cs_")} {
		if hits := holding(t, w, needle); len(hits) > 0 {
			t.Errorf("the %s stands in %v", what, hits)
		}
	}
	in.Billing.FirstName = "Zdzislawa" // planted: the search does find
	if _, err := w.Tokens.CreateCard(t.Context(), session, "planted", in); err != nil ||
		len(holding(t, w, "Zdzislawa")) == 0 || len(holding(t, w, "5556")) == 0 {
		t.Errorf("the search finds nothing, %v", err)
	}
}

func TestSessionOpensForItsPageAlone(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	open := func(spoil func(*token.SessionInput)) (token.Session, error) {
		in := token.SessionInput{PublicKey: w.App.PublicKey, MerchantID: w.App.Merchants.US,
			PageOrigin: "https://any.example"}
		spoil(&in)
		return w.Tokens.OpenSession(t.Context(), in)
	}
	s, err := open(func(*token.SessionInput) {})
	if err != nil || !strings.HasPrefix(s.ID, "cs_") || len(s.ID) != 46 || s.Merchant.ID != w.App.Merchants.US ||
		s.Livemode ||
		!s.ExpiresAt.Equal(w.Clock.Now().Add(30*time.Minute)) {
		t.Errorf("%+v, %v", s, err)
	}
	restricted := func(in *token.SessionInput) {
		in.PublicKey, in.PageOrigin = w.App.PublicKeyRestricted, fixture.PageOrigin
	}
	for _, c := range []struct {
		name  string
		spoil func(*token.SessionInput)
		want  string
	}{
		{"an allowed page", restricted, "<nil>"},
		{"an allowed page and its frames", func(in *token.SessionInput) {
			restricted(in)
			in.AncestorOrigins = []string{fixture.PageOrigin, "https://portal.example"}
		}, "<nil>"},
		{"another page", func(in *token.SessionInput) { restricted(in); in.PageOrigin = "https://evil.example" }, "origin_not_allowed"},
		{"a page below", func(in *token.SessionInput) { restricted(in); in.PageOrigin = fixture.PageOrigin + "/x" }, "origin_not_allowed"},
		{"another scheme", func(in *token.SessionInput) { restricted(in); in.PageOrigin = "http://shop.example" }, "origin_not_allowed"},
		{"a subdomain", func(in *token.SessionInput) { restricted(in); in.PageOrigin = "https://a.shop.example" }, "origin_not_allowed"},
		{"no origin", func(in *token.SessionInput) { in.PageOrigin = "" }, "origin_not_allowed"},
		{"a page without an origin", func(in *token.SessionInput) { in.PageOrigin = "null" }, "<nil>"},
		{"a file", func(in *token.SessionInput) { in.PageOrigin, in.AncestorOrigins = "null", []string{"file://"} }, "<nil>"},
		{"a file in another browser", func(in *token.SessionInput) { in.PageOrigin = "file://" }, "<nil>"},
		{"a file where pages are listed", func(in *token.SessionInput) { restricted(in); in.PageOrigin = "file://" }, "origin_not_allowed"},
		{"another protocol", func(in *token.SessionInput) { in.PageOrigin = "ftp://any.example" }, "origin_not_allowed"},
		{"a path", func(in *token.SessionInput) { in.PageOrigin = "https://any.example/x" }, "origin_not_allowed"},
		{"what no column takes", func(in *token.SessionInput) { in.PageOrigin = "https://any.example\x00" }, "origin_not_allowed"},
		{"a host too long", func(in *token.SessionInput) { in.PageOrigin = "https://" + strings.Repeat("x", 300) }, "origin_not_allowed"},
		{"another ancestor", func(in *token.SessionInput) { in.AncestorOrigins = []string{"https://evil.example"} }, "origin_not_allowed"},
		{"another application's merchant", func(in *token.SessionInput) { in.MerchantID = w.Other.Merchants.US }, "merchant_not_found"},
		{"an unknown merchant", func(in *token.SessionInput) { in.MerchantID = 1 }, "merchant_not_found"},
		{"a secret key", func(in *token.SessionInput) { in.PublicKey = w.App.SecretKey }, "invalid_public_key"},
	} {
		if s, err := open(c.spoil); code(err) != c.want {
			t.Errorf("%s: %+v, %v; want %s", c.name, s, err, c.want)
		}
	}
}

// allowAll is a policy for a deployment that the fixture does not make.
type allowAll struct{}

func (allowAll) Check(authz.Actor, authz.Permission) error { return nil }

func TestProductionNeedsAllowedOrigins(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	keys := apikey.New(w.Pool, apikey.Production, w.Clock.Now, allowAll{})
	tokens := token.New(token.Deps{
		Pool: w.Pool, Keys: keys, Merchants: w.Merchants, Vault: vault.New(w.Keys), Directory: w.Processor,
		Check: allowAll{}, Livemode: true, Now: w.Clock.Now,
	})
	for want, origins := range map[string][]string{"origin_not_allowed": nil, "<nil>": {fixture.PageOrigin}} {
		key, err := keys.Create(t.Context(), w.Admin(),
			apikey.CreateInput{Kind: apikey.Public, Name: "Pages", AllowedOrigins: origins})
		if err != nil {
			t.Fatal(err)
		}
		s, err := tokens.OpenSession(t.Context(),
			token.SessionInput{PublicKey: key.Text, MerchantID: w.App.Merchants.US, PageOrigin: fixture.PageOrigin})
		if code(err) != want || s.Livemode != (err == nil) {
			t.Errorf("origins %v: %+v, %v", origins, s, err)
		}
	}
}

// Which sites may embed a page changes nothing about the pages that may use a key.
func TestSessionOpensForPagesBelowADomain(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{"https://*.example.org"},
		AnyAncestor: true})
	for page, want := range map[string]string{
		"https://give.example.org": "<nil>", "https://a.give.example.org": "<nil>",
		"https://example.org": "origin_not_allowed", "https://evil.example": "origin_not_allowed",
		"null": "origin_not_allowed",
	} {
		_, err := w.Tokens.OpenSession(t.Context(), token.SessionInput{PublicKey: key.Text,
			MerchantID: w.App.Merchants.US, PageOrigin: page,
			AncestorOrigins: []string{page, "https://nonprofit.example"}})
		if code(err) != want {
			t.Errorf("%s: %v, want %s", page, err, want)
		}
	}
}

// A key for merchants' domains works on those of the merchant that is paid, next to its own origins.
func TestSessionOpensForPagesOfTheMerchantsDomains(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	us, ca := w.App.Merchants.US, w.App.Merchants.CA
	for id, domain := range map[int64]string{us: "give.example.org", ca: "don.example.ca"} {
		if _, err := w.Merchants.Update(t.Context(), w.Admin(), id,
			merchant.UpdateInput{Domains: patch.Set([]string{domain})}, nil); err != nil {
			t.Fatal(err)
		}
	}
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{"https://shop.example"},
		MerchantDomains: true})
	plain := w.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{"https://shop.example"}})
	for _, c := range []struct {
		key      string
		merchant int64
		page     string
		want     string
	}{
		{key.Text, us, "https://give.example.org", "<nil>"},
		{key.Text, us, "https://shop.example", "<nil>"},
		{key.Text, ca, "https://don.example.ca", "<nil>"},
		{key.Text, ca, "https://give.example.org", "origin_not_allowed"},
		{key.Text, us, "http://give.example.org", "origin_not_allowed"},
		{key.Text, us, "https://a.give.example.org", "origin_not_allowed"},
		{key.Text, 99, "https://give.example.org", "origin_not_allowed"},
		{key.Text, 99, "https://shop.example", "merchant_not_found"},
		{plain.Text, us, "https://give.example.org", "origin_not_allowed"},
	} {
		_, err := w.Tokens.OpenSession(t.Context(), token.SessionInput{PublicKey: c.key, MerchantID: c.merchant,
			PageOrigin: c.page})
		if code(err) != c.want {
			t.Errorf("%s for %d: %v, want %s", c.page, c.merchant, err, c.want)
		}
	}
}

func TestSessionHasTenAttemptsAndHalfAnHour(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session := w.Session()
	for range 10 {
		w.TokenIn(session, "4242424242424242")
	}
	_, err := w.Tokens.CreateCard(t.Context(), session, "11th", w.Card("4242424242424242"))
	if f, ok := fault.As(err); !ok || f.Code != "rate_limited" || f.Kind != fault.KindLimited ||
		f.RetryAfter != 30*time.Minute {
		t.Errorf("the 11th: %v", err)
	}
	fresh := w.Session()
	w.Clock.Advance(30*time.Minute - time.Millisecond)
	w.TokenIn(fresh, "4242424242424242")
	w.Clock.Advance(time.Millisecond)
	for name, id := range map[string]string{"ended": fresh, "unheard": "cs_x", "none": ""} {
		if _, err := w.Tokens.CreateCard(t.Context(), id, "k", w.Card("4242424242424242")); code(err) != "not_ready" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := w.Tokens.PurgeSessions(t.Context()); err != nil || n != 2 || count(t, w, "client_sessions") != 0 {
		t.Errorf("purged %d, %v", n, err)
	}
}

func TestSessionEndsWithItsKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Public})
	app := w.App
	app.PublicKey = key.Text
	session := w.SessionOf(app, app.Merchants.US)
	w.TokenIn(session, "4242424242424242")
	if _, err := w.APIKeys.Revoke(t.Context(), w.Admin(), key.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Tokens.CreateCard(t.Context(), session, "k", w.Card("4242424242424242")); code(err) != "not_ready" {
		t.Errorf("after the key was revoked: %v", err)
	}
	app.PublicKey = w.Issue(apikey.CreateInput{Kind: apikey.Public, ExpiresAt: w.Clock.Now().Add(time.Minute)}).Text
	session = w.SessionOf(app, app.Merchants.US)
	w.Clock.Advance(time.Minute)
	if _, err := w.Tokens.CreateCard(t.Context(), session, "k", w.Card("4242424242424242")); code(err) != "not_ready" {
		t.Errorf("after the key's time: %v", err)
	}
}

func TestRetryFindsTheFirstToken(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session, in := w.Session(), w.Card("4242424242424242")
	create := func(session, key string, in token.CardInput) (string, error) {
		out, err := w.Tokens.CreateCard(t.Context(), session, key, in)
		return out.Token.String(), err
	}
	first, err := create(session, "k", in)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	// the last follows one that ended in the meantime
	for _, session := range []string{session, session, session, w.Session()} {
		all.Go(func() {
			if again, err := create(session, "k", in); err != nil || again != first {
				t.Errorf("a retry gives %s, %v; want %s", again, err, first)
			}
		})
	}
	all.Wait()
	if n := count(t, w, "tokens") + count(t, w, "vault_values"); n != 2 {
		t.Errorf("%d rows, want one token and one sealed number", n)
	}
	other := w.Card("5555555555554444")
	if again, err := create(session, "k", other); code(err) != "idempotency_key_reused" {
		t.Errorf("another card with the same key: %s, %v", again, err)
	}
	for name, id := range map[string]func() (string, error){
		"another key":      func() (string, error) { return create(session, "k2", in) },
		"another merchant": func() (string, error) { return create(w.SessionOf(w.App, w.App.Merchants.USQ), "k", in) },
		"another page": func() (string, error) {
			s, err := w.Tokens.OpenSession(t.Context(),
				token.SessionInput{PublicKey: w.App.PublicKey, MerchantID: w.App.Merchants.US,
					PageOrigin: "https://any.example"})
			if err != nil {
				return "", err
			}
			return create(s.ID, "k", in)
		},
	} {
		if again, err := id(); err != nil || again == first {
			t.Errorf("%s: %s, %v", name, again, err)
		}
	}
}

func TestBadCardLeavesNothing(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	session := w.Session()
	in := w.Card("4242424242424241")
	in.ExpMonth = 13
	_, err := w.Tokens.CreateCard(t.Context(), session, "k", in)
	if f, ok := fault.As(err); !ok || f.Code != "validation_failed" || len(f.Fields) != 2 {
		t.Errorf("%v", err)
	}
	if count(t, w, "tokens") != 0 || count(t, w, "idempotency_keys") != 0 {
		t.Error("rows are left")
	}
	if _, err := w.Tokens.CreateCard(t.Context(), session, "k", w.Card("4242424242424242")); err != nil {
		t.Errorf("corrected, with the same key: %v", err)
	}
}

func TestSwipedCardNeedsNoCode(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := w.Card("4242424242424242")
	in.CVC, in.Swiped = sensitive.CVC{}, true
	out, err := w.Tokens.CreateCard(t.Context(), w.Session(), "k", in)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := w.Tokens.Get(t.Context(), w.Actor(), out.Token.String())
	if err != nil || kept.EntryMode != token.Swiped || count(t, w, "vault_cvcs") != 0 {
		t.Errorf("%+v, %v", kept, err)
	}
}
