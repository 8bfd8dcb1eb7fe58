package api

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

func (a answer) mandate(t testing.TB) token.Mandate {
	t.Helper()
	var out token.Mandate
	if err := json.Unmarshal(a.body, &out); err != nil || a.status >= 300 {
		t.Fatalf("no mandate but %d %s", a.status, a.body)
	}
	return out
}

func TestMandatesAreReadAndRevoked(t *testing.T) {
	t.Parallel()
	s := open(t)
	account := "/api/tokens/" + s.bank(t, s.Session()).Token.String()
	path := "/api/mandates/" + s.get(t, account).token(t).Mandate.String()
	read := s.get(t, path).want(t, 200, "")
	if m := read.mandate(t); m.Status != "active" || m.Token.String() != account[len("/api/tokens/"):] ||
		m.IP != "192.0.2.1" || read.header.Get("ETag") != `"1"` {
		t.Errorf("%s", read.body)
	}
	first := s.on(t, http.MethodPost, path+"/revoke", "", "k").want(t, 200, "")
	if m := first.mandate(t); m.Status != "revoked" || m.RevokedAt == nil || m.Version != 2 {
		t.Errorf("%s", first.body)
	}
	if again := s.on(t, http.MethodPost, path+"/revoke", "{}", "k").want(t, 200, ""); !again.replayed() ||
		!bytes.Equal(again.body, first.body) {
		t.Errorf("%s", again.body)
	}
	other := "/api/mandates/" + s.get(t, "/api/tokens/"+s.bank(t, s.Session()).Token.String()).token(t).Mandate.String()
	s.on(t, http.MethodPost, other+"/revoke", "", "k").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'k'`, pg.Args{})
	s.on(t, http.MethodPost, path+"/revoke", "", "k").want(t, 409, "idempotency_key_in_use")
	if again := s.on(t, http.MethodPost, path+"/revoke", "", "").want(t, 200, ""); again.header.Get("ETag") != `"2"` {
		t.Errorf("%v", again.header)
	}
	if saved := s.get(t, account).token(t); saved.Status != token.Disabled ||
		*saved.DisabledReason != "mandate_revoked" {
		t.Errorf("%+v", saved)
	}
	s.post(t, s.body(account[len("/api/tokens/"):])).want(t, 422, "token_disabled")
}

// Mandates are listed as everything is, by cursor and by each filter.
func TestMandatesAreListed(t *testing.T) {
	t.Parallel()
	s := open(t)
	var tokens, mandates []string
	for range 3 {
		saved, err := s.Tokens.Get(t.Context(), s.Actor(), s.bank(t, s.Session()).Token.String())
		if err != nil {
			t.Fatal(err)
		}
		tokens, mandates = append(tokens, saved.ID.String()), append(mandates, saved.Mandate.String())
		s.Clock.Advance(time.Minute)
	}
	s.on(t, http.MethodPost, "/api/mandates/"+mandates[1]+"/revoke", "{}", "").want(t, 200, "")
	us := fmt.Sprint(s.App.Merchants.US)
	for query, want := range map[string][]string{
		"order=asc": mandates, "limit=1": mandates[2:], "status=revoked": mandates[1:2],
		"status=active&order=asc":                 {mandates[0], mandates[2]},
		"order=asc&starting_after=" + mandates[0]: mandates[1:], "token=" +
			tokens[0]: mandates[:1], "scheme=ach&order=asc": mandates, "scheme=acss": nil,
		"order=asc&merchant_id=" + us: mandates, "merchant_id=" + fmt.Sprint(s.App.Merchants.CA): nil,
		"accepted_at[gt]=2000-01-01T00:00:00Z&order=asc": mandates, "accepted_at[lt]=2000-01-01T00:00:00Z": nil,
	} {
		if got := s.listed(t, "/api/mandates?"+query); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
