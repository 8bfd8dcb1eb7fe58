package browser

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// openers need no session: they make one, of a key and a merchant that fit each other.
var openers = []string{"/client/session"}

// inSession are the other routes of the library's, each with a request that would do something in a session.
var inSession = map[string]string{
	"/client/tokens": `{"session":%q,"type":"card","card":{"number":"4242424242424242","exp_month":8,"exp_year":2033,"cvc":"123"},
		"billing":{"first_name":"Dana","last_name":"Reed","address_line_1":"12 Elm Street","address_zip":"97301","address_country":"US"}}`,
	"/client/wallet-a/session": `{"session":%q}`,
	"/client/daf":              `{"session":%q,"amount":12500}`,
	"/client/bank":             `{"session":%q,"scheme":"acss"}`,
}

// knock sends a request to a route of the library's under a key of its own.
func knock(w *fixture.World, path, key, body string) *httptest.ResponseRecorder {
	e := surface(ClientConfig{Tokens: w.Tokens, Workflows: w.Workflows, Links: w.Links, Versions: []string{"3.2"},
		Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now})
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	a := httptest.NewRecorder()
	e.ServeHTTP(a, r)
	return a
}

func rowsOf(t *testing.T, w *fixture.World) int64 {
	t.Helper()
	n, err := pg.Value[int64](t.Context(), w.Pool, `SELECT (SELECT count(*) FROM tokens) + (SELECT count(*)
		FROM vault_keys)
		+ (SELECT count(*) FROM daf_workflows) + (SELECT count(*) FROM bank_links) + (SELECT count(*)
			FROM client_sessions)`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The router's own list: a route that comes is an opener, or asks for a session.
func TestEveryRouteOfTheLibraryAsksForASession(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var routes []string
	for _, r := range surface(ClientConfig{}).Routes() {
		if r.Method == http.MethodPost && strings.HasPrefix(r.Path, "/client/") {
			routes = append(routes, r.Path)
		}
	}
	slices.Sort(routes)
	if known := slices.Sorted(slices.Values(append(slices.Collect(maps.Keys(inSession)), openers...))); !slices.Equal(
		routes, known) {
		t.Fatalf("the router has %q,\nthis test %q", routes, known)
	}
	over := w.Session()
	w.Clock.Advance(24 * time.Hour)
	before := rowsOf(t, w)
	for path, body := range inSession {
		for what, session := range map[string]string{"none": "", "made up": "cs_x", "over": over,
			"a public key": w.App.PublicKey, "a secret key": w.App.SecretKey} {
			if a := knock(w, path, "knock", fmt.Sprintf(body, session)); a.Code != http.StatusUnauthorized ||
				!strings.Contains(a.Body.String(), `"not_ready"`) {
				t.Errorf("%s with %s: %d %s", path, what, a.Code, a.Body)
			}
		}
	}
	if n := rowsOf(t, w); n != before {
		t.Errorf("%d rows were written", n-before)
	}
}

// A session is of one application and one of its merchants; another application's merchant is answered as one that does
// not exist. What was made under a key is nothing to another page, merchant or application; the session that follows on
// the same page finds it, if it brings the same card of the same payer.
func TestSessionsAreWalls(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	open := func(key string, merchant int64) string {
		a := knock(w, "/client/session", "open",
			fmt.Sprintf(`{"public_key":%q,"merchant_id":%d,"page_origin":%q,"version":"3.2"}`, key, merchant,
				fixture.PageOrigin))
		return fmt.Sprint(a.Code, " ", strings.ReplaceAll(a.Body.String(), a.Header().Get("Request-Id"), ""))
	}
	if mine := open(w.App.PublicKey, w.App.Merchants.US); !strings.HasPrefix(mine, "200 ") {
		t.Errorf("my own: %s", mine)
	}
	if foreign, absent := open(w.App.PublicKey, w.Other.Merchants.US), open(w.App.PublicKey,
		999_999_999); foreign != absent || strings.HasPrefix(foreign, "200 ") {
		t.Errorf("another application's merchant: %s\none that does not exist: %s", foreign, absent)
	}
	elsewhere, err := w.Tokens.OpenSession(t.Context(),
		token.SessionInput{PublicKey: w.App.PublicKey, MerchantID: w.App.Merchants.US,
			PageOrigin: "https://any.example"})
	if err != nil {
		t.Fatal(err)
	}
	made := map[string]string{}
	for who, session := range map[string]string{"one payer": w.Session(), "another page": elsewhere.ID,
		"another merchant":      w.SessionOf(w.App, w.App.Merchants.USQ),
		"another application's": w.SessionOf(w.Other, w.Other.Merchants.US)} {
		for range 2 { // the second time it is the same one's
			a := knock(w, "/client/tokens", "the same key", fmt.Sprintf(inSession["/client/tokens"], session))
			if a.Code != http.StatusCreated {
				t.Fatalf("%s: %d %s", who, a.Code, a.Body)
			}
			made[a.Body.String()] = who
		}
	}
	if len(made) != 4 {
		t.Errorf("four payers under one key have %d answers: %v", len(made), made)
	}
	same := fmt.Sprintf(inSession["/client/tokens"], w.Session())
	if a := knock(w, "/client/tokens", "the same key", same); made[a.Body.String()] != "one payer" {
		t.Errorf("the session that follows: %d %s", a.Code, a.Body)
	}
	theirs := strings.Replace(same, "Dana", "Mallory", 1)
	if a := knock(w, "/client/tokens", "the same key", theirs); a.Code != http.StatusUnprocessableEntity ||
		strings.Contains(a.Body.String(), "tok_") {
		t.Errorf("another payer on the same page: %d %s", a.Code, a.Body)
	}
}
