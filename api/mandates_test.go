package api

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"svcpay/internal/pg"
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
	if m := read.mandate(t); m.Status != "active" || m.Token.String() != account[len("/api/tokens/"):] || m.IP != "192.0.2.1" || read.header.Get("ETag") != `"1"` {
		t.Errorf("%s", read.body)
	}
	first := s.on(t, http.MethodPost, path+"/revoke", "", "k").want(t, 200, "")
	if m := first.mandate(t); m.Status != "revoked" || m.RevokedAt == nil || m.Version != 2 {
		t.Errorf("%s", first.body)
	}
	if again := s.on(t, http.MethodPost, path+"/revoke", "{}", "k").want(t, 200, ""); !again.replayed() || !bytes.Equal(again.body, first.body) {
		t.Errorf("%s", again.body)
	}
	other := "/api/mandates/" + s.get(t, "/api/tokens/"+s.bank(t, s.Session()).Token.String()).token(t).Mandate.String()
	s.on(t, http.MethodPost, other+"/revoke", "", "k").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'k'`, pg.Args{})
	s.on(t, http.MethodPost, path+"/revoke", "", "k").want(t, 409, "idempotency_key_in_use")
	if again := s.on(t, http.MethodPost, path+"/revoke", "", "").want(t, 200, ""); again.header.Get("ETag") != `"2"` {
		t.Errorf("%v", again.header)
	}
	if saved := s.get(t, account).token(t); saved.Status != token.Disabled || *saved.DisabledReason != "mandate_revoked" {
		t.Errorf("%+v", saved)
	}
	s.post(t, s.body(account[len("/api/tokens/"):])).want(t, 422, "token_disabled")
}
