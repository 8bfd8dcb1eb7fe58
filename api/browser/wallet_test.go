package browser

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"svcpay/internal/money"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/internal/wallet/sandbox"
)

// A wallet's payload goes to the same address as a card, and comes back as a token with what may be shown of it.
func TestPayloadsBecomeTokens(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	e := surface(ClientConfig{Tokens: w.Tokens, Log: slog.New(slog.DiscardHandler), Now: w.Clock.Now})
	us := w.App.Merchants.US
	card := sandbox.Card{Number: sensitive.NewPAN("378282246310005"), ExpMonth: 8, ExpYear: w.Clock.Now().Year() + 3}
	payload, err := w.Wallets.SealB(card, sandbox.Sale{Amount: 5000, Currency: money.USD, Bound: token.BoundTo(us)},
		w.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	send := func(key, kind, payload string) *httptest.ResponseRecorder {
		body := fmt.Sprintf(
			`{"session": %q, "type": %q, "payload": %s, "billing": {"first_name": "Dana", "last_name": "Reed"}}`,
			w.Session(), kind, payload)
		r := httptest.NewRequest(http.MethodPost, "/client/tokens", strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Idempotency-Key", key)
		a := httptest.NewRecorder()
		e.ServeHTTP(a, r)
		return a
	}
	a := send("one", "walletB", string(payload))
	var made token.Created
	if err := json.Unmarshal(a.Body.Bytes(), &made); err != nil || a.Code != http.StatusCreated || made.Card == nil ||
		made.Card.Brand != "amex" || *made.Card.Wallet != "wallet_b" {
		t.Errorf("%d %s, %v", a.Code, a.Body, err)
	}
	for name, a := range map[string]*httptest.ResponseRecorder{"used again": send("two", "walletB", string(payload)),
		"no payload":     send("three", "walletB", "null"),
		"another wallet": send("four", "walletC", string(payload))} {
		if a.Code == http.StatusCreated || strings.Contains(a.Body.String(), "378282246310005") {
			t.Errorf("%s: %d %s", name, a.Code, a.Body)
		}
	}
}
