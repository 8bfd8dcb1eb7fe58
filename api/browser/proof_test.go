package browser

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/assembly"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// An address that tokenizes many cards at once is asked for proofs of work, and gets few tokens even with them. An
// answer with a challenge has no token, and no wait that would have the controller send the same request again.
func TestOneAddressIsChallenged(t *testing.T) {
	t.Parallel()
	w := fixture.New(t, func(d *assembly.Deps) { d.WatchCards, d.Exempt, d.EasierProofs = true, nil, 10 })
	e := surface(ClientConfig{Tokens: w.Tokens, Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now})
	send := func(session, key, number string, proof *token.Proof) (*httptest.ResponseRecorder, token.Challenge) {
		t.Helper()
		body := map[string]any{"session": session, "type": "card", "card": map[string]any{"number": number,
			"exp_month": 8, "exp_year": w.Clock.Now().Year() + 3, "cvc": "123"}, "billing": map[string]any{}}
		if proof != nil {
			body["proof"] = proof
		}
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(http.MethodPost, "/client/tokens", strings.NewReader(string(text)))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		a := httptest.NewRecorder()
		e.ServeHTTP(a, r)
		var out struct {
			Error struct {
				Code      string
				Wait      int `json:"retry_after"`
				Challenge token.Challenge
			}
		}
		_ = json.Unmarshal(a.Body.Bytes(), &out) // a token has no error
		if challenged := out.Error.Code == "card_testing_suspected"; challenged != (out.Error.Challenge.Seed != "") ||
			challenged && (a.Code != http.StatusTooManyRequests || out.Error.Wait != 0) {
			t.Errorf("%d %s", a.Code, a.Body)
		}
		return a, out.Error.Challenge
	}
	tokens, challenges, refused := 0, 0, 0
	for n := range 100 {
		number := ""
		for check := 0; number == "" || !sensitive.Luhn(number); check++ {
			number = fmt.Sprintf("4242%011d%d", n, check)
		}
		session, key := w.Session(), fmt.Sprint("k", n)
		a, c := send(session, key, number, nil)
		if c.Seed != "" {
			challenges++
			a, _ = send(session, key, number, &token.Proof{Seed: c.Seed, Solution: c.Solve()})
		}
		switch a.Code {
		case http.StatusCreated:
			tokens++
		case http.StatusTooManyRequests:
			refused++
		default:
			t.Fatalf("%d %s", a.Code, a.Body)
		}
	}
	if tokens != 70 || challenges != 90 || refused != 30 {
		t.Errorf("%d tokens, %d challenges, %d refused", tokens, challenges, refused)
	}
}
