package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

var tokenResource = resource{
	expands: map[string][]string{"Token": {"merchant"}},
	shapes: map[string]any{
		"Token": token.Token{}, "TokenList": list{}, "Token.card": token.SavedCard{},
		"Token.bank_account": token.SavedBank{},
		"UpdateToken":        token.UpdateInput{}, "UpdateToken.billing": token.BillingChange{},
		"VerifyToken":     token.VerifyInput{},
		"CreateTestToken": token.TestInput{}, "CreateTestToken.billing": token.BillingChange{},
		"TestDeposits": token.TestDeposits{}, "Mandate": token.Mandate{}, "MandateList": list{},
		"RevokeMandate": nothing{},
	},
	either: map[string][]string{"VerifyToken": {"amounts"}}, // descriptor_code
	enums:  map[string][]string{"TokenStatus": token.Statuses(), "TokenKind": token.Kinds()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/tokens/:id": func(_ *testing.T, s *site) string {
			return s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
		},
		"/api/sandbox/tokens/:id": func(t *testing.T, s *site) string { // of a bank account: no deposits verify a card
			return s.bank(t, s.SessionOf(s.Other, s.Other.Merchants.US)).Token.String()
		},
		"/api/mandates/:id": func(t *testing.T, s *site) string {
			created := s.bank(t, s.SessionOf(s.Other, s.Other.Merchants.US))
			saved, err := s.Tokens.Get(t.Context(), s.ActorOf(s.Other), created.Token.String())
			if err != nil {
				t.Fatal(err)
			}
			return saved.Mandate.String()
		},
	},
}

// bank makes a token of a US bank account in a payer's session.
func (s *site) bank(t testing.TB, session string) token.Created {
	t.Helper()
	out, err := s.Tokens.CreateBank(t.Context(), session, ids.NewRequest(s.Clock.Now()).String(), token.BankInput{
		Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber("000123456789"),
		AccountType: "checking",
		Billing:     s.Card(good).Billing, Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion,
			IP: "192.0.2.1", UserAgent: "test"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (a answer) token(t testing.TB) token.Token {
	t.Helper()
	var out token.Token
	if err := json.Unmarshal(a.body, &out); err != nil || a.status >= 300 {
		t.Fatalf("no token but %d %s", a.status, a.body)
	}
	return out
}

// on calls an operation of the API, with a key unless that is empty.
func (s *site) on(t testing.TB, method, path, body, key string) answer {
	t.Helper()
	in := call{method: method, path: path, body: body}
	if key != "" {
		in = in.header1("Idempotency-Key", key)
	}
	return s.send(t, in)
}

// once provokes what the key of a change can do: the same again is replayed, another request is
// refused, and so is one whose first is still in progress.
func (s *site) once(t *testing.T, method, path, body, other string, status int) answer {
	t.Helper()
	first := s.on(t, method, path, body, "k").want(t, status, "")
	again := s.on(t, method, path, body, "k").want(t, status, "")
	if !again.replayed() || first.replayed() || !bytes.Equal(first.body, again.body) ||
		first.header.Get("ETag") != again.header.Get("ETag") ||
		first.header.Get("Location") != again.header.Get("Location") {
		t.Errorf("first\n%v %s\nthen\n%v %s", first.header, first.body, again.header, again.body)
	}
	s.on(t, method, path, other, "k").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'k'`, pg.Args{})
	s.on(t, method, path, body, "k").want(t, 409, "idempotency_key_in_use")
	return first
}

func TestTokensAreReadAndListed(t *testing.T) {
	t.Parallel()
	s := open(t)
	card := s.Token(good)
	s.Clock.Advance(time.Second)
	account := s.bank(t, s.SessionOf(s.App, s.App.Merchants.USQ)).Token.String()
	read := s.get(t, "/api/tokens/"+card).want(t, 200, "")
	if saved := read.token(t); saved.Card.Last4 != "4242" || saved.Status != token.Active ||
		read.header.Get("ETag") != `"1"` {
		t.Errorf("%s", read.body)
	}
	if saved := s.get(t, "/api/tokens/"+account).token(t); saved.Status != token.PendingVerification ||
		saved.BankAccount.Last4 != "6789" || saved.Mandate == nil {
		t.Errorf("%+v", saved)
	}
	for query, want := range map[string]string{
		"": account + card, "?order=asc": card + account, "?limit=1": account, "?kind=bank_us": account,
		"?kind=card,wallet_a": card,
		"?status=active":      card, "?status=deleted,expired": "", "?starting_after=" +
			account: card, "?ending_before=" +
			card: account,
		fmt.Sprintf("?merchant_id=%d", s.App.Merchants.USQ): account, fmt.Sprintf("?merchant_id=%d",
			s.Other.Merchants.US): "",
		"?brand=visa,amex": card, "?brand=amex": "", "?last4=4242": card, "?last4=6789": account, "?last4=4243": "",
		"?email=DANA@example.org": account + card,
		"?email=dana":             "", "?last4=4242&brand=visa&email=dana%40example.org": card,
		"?created_at[gt]=" + read.token(t).CreatedAt.Format(time.RFC3339Nano): account,
	} {
		var page struct{ Data []token.Token }
		a := s.get(t, "/api/tokens"+query).want(t, 200, "")
		if err := json.Unmarshal(a.body, &page); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, item := range page.Data {
			got += item.ID.String()
		}
		if got != want {
			t.Errorf("%s: %s", query, a.body)
		}
	}
	s.get(t, "/api/tokens?status="+marker).want(t, 400, "parameter_invalid")
	s.get(t, "/api/tokens?kind="+marker).want(t, 400, "parameter_invalid")
	for _, query := range []string{"brand=", "brand=Visa", "last4=", "last4=42424", "email=",
		"email=" + strings.Repeat("x", 256), "kind=card&kind=card"} {
		s.get(t, "/api/tokens?"+query).want(t, 400, "parameter_invalid")
	}
}

func TestTokensAreUpdated(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := "/api/tokens/" + s.Token(good)
	body := fmt.Sprintf(`{"exp_month":11,"exp_year":%d,"billing":{"address_zip":"97302","email":"","phone":null}}`,
		s.Clock.Now().Year()+4)
	saved := s.once(t, http.MethodPut, path, body, `{"exp_month":12}`, 200).token(t)
	if saved.Version != 2 || saved.Card.ExpMonth != 11 || saved.Billing.AddressZip != "97302" ||
		saved.Billing.Email != "" || saved.Billing.FirstName != "Dana" {
		t.Errorf("%+v", saved)
	}
	if same := s.on(t, http.MethodPut, path, `{"exp_month":11}`, "").want(t, 200,
		""); same.header.Get("ETag") != `"2"` {
		t.Errorf("%v", same.header)
	}
	account := "/api/tokens/" + s.bank(t, s.Session()).Token.String()
	gone := "/api/tokens/" + s.Token(good)
	s.on(t, http.MethodDelete, gone, "", "").want(t, 200, "")
	for _, c := range []struct {
		path, body string
		status     int
		code       string
		param      string
	}{
		{path, `{"exp_month":13}`, 400, "parameter_invalid", "exp_month"},
		{path, `{"exp_month":"` + marker + `"}`, 400, "parameter_invalid", "exp_month"},
		{path, `{"exp_year":2020}`, 400, "parameter_invalid", "exp_year"},
		{path, `{"billing":"` + marker + `"}`, 400, "parameter_invalid", "billing"},
		{path, `{"billing":{"email":"` + marker + `"}}`, 400, "parameter_invalid", "billing.email"},
		{path, `{"billing":{"adress_zip":"` + marker + `"}}`, 400, "parameter_unknown", "billing.adress_zip"},
		{path, `{"exp_month":0,"billing":{"last_name":"4242 4242 4242 4242"}}`, 400, "validation_failed", "exp_month"},
		{account, `{"exp_month":1}`, 422, "token_type_mismatch", "exp_month"},
		{gone, `{}`, 422, "token_not_found", ""},
	} {
		if e := s.on(t, http.MethodPut, c.path, c.body, "").want(t, c.status, c.code).error(); e.Param != c.param {
			t.Errorf("%s: told of %q", c.body, e.Param)
		}
	}
	s.expire(t)
	s.on(t, http.MethodPut, path, `{}`, "").want(t, 410, "token_expired")
}

// expire lets every token of the first application expire.
func (s *site) expire(t *testing.T) {
	t.Helper()
	if err := s.Clocks.Advance(t.Context(), s.App.AppID, 400*24*time.Hour); err != nil {
		t.Fatal(err)
	}
	v, err := s.Clocks.Of(t.Context(), s.App.AppID)
	if err == nil {
		_, err = s.Tokens.ExpireTokens(t.Context(), v)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestTokensAreDeleted(t *testing.T) {
	t.Parallel()
	s := open(t)
	id, other := s.Token(good), s.Token(good)
	first := s.on(t, http.MethodDelete, "/api/tokens/"+id, "", "k").want(t, 200, "")
	if saved := first.token(t); saved.Status != token.Deleted || saved.Version != 2 {
		t.Errorf("%s", first.body)
	}
	if again := s.on(t, http.MethodDelete, "/api/tokens/"+id, "", "k").want(t, 200, ""); !again.replayed() ||
		!bytes.Equal(again.body, first.body) {
		t.Errorf("%s", again.body)
	}
	s.on(t, http.MethodDelete, "/api/tokens/"+other, "", "k").want(t, 422, "idempotency_key_reused")
	s.execute(t, `UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'k'`, pg.Args{})
	s.on(t, http.MethodDelete, "/api/tokens/"+id, "", "k").want(t, 409, "idempotency_key_in_use")
	if again := s.on(t, http.MethodDelete, "/api/tokens/"+id, "", "").want(t, 200,
		""); again.header.Get("ETag") != `"2"` || again.replayed() {
		t.Errorf("%v", again.header)
	}
	s.post(t, s.body(id)).want(t, 422, "token_not_found")
	if read := s.get(t, "/api/tokens/"+id).token(t); read.Status != token.Deleted {
		t.Errorf("%+v", read)
	}
}

// speechless is a processor that does not answer about deposits.
type speechless struct {
	processor.Processor
	silent atomic.Bool
}

func (s *speechless) Confirm(ctx context.Context, c processor.Confirmation) (processor.Confirmed, error) {
	if s.silent.Load() {
		return processor.Confirmed{}, errors.New("no answer")
	}
	return s.Processor.Confirm(ctx, c)
}

// Without the processor's answer nothing is counted, and the same key can be used again.
func TestVerificationWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	p := &speechless{}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		p.Processor = inner
		return p
	})
	s := serve(t, w, configOf(w), time.Minute)
	path := "/api/tokens/" + s.bank(t, s.SessionOf(s.App, s.App.Merchants.USQ)).Token.String() + "/verify"
	p.silent.Store(true)
	for range 2 {
		a := s.on(t, http.MethodPost, path, `{"amounts":[1,2]}`, "k").want(t, 503, "overloaded")
		if a.header.Get("Retry-After") != "10" || !a.error().Retryable {
			t.Errorf("%s", a.body)
		}
	}
	p.silent.Store(false)
	if a := s.on(t, http.MethodPost, path, `{"amounts":[1,2]}`, "k").want(t, 422,
		"verification_failed"); !bytes.Contains(a.body, []byte(`"remaining":9`)) {
		t.Errorf("%s", a.body)
	}
	s.on(t, http.MethodPost, path, `{"amounts":[32,45]}`, "").want(t, 200, "")
}

func TestBankAccountsAreVerified(t *testing.T) {
	t.Parallel()
	s := open(t)
	pending := func() string {
		return "/api/tokens/" + s.bank(t, s.SessionOf(s.App, s.App.Merchants.USQ)).Token.String()
	}
	path := pending()
	verify := func(path, amounts, key string) answer {
		return s.on(t, http.MethodPost, path+"/verify", `{"amounts":`+amounts+`}`, key)
	}
	for _, bad := range []string{`[32]`, `[32,45,1]`, `[0,45]`, `[32,100]`, `[32,null]`, `[32.5,45]`,
		`"` + marker + `"`, `{}`} {
		if e := verify(path, bad, "").want(t, 400, "parameter_invalid").error(); e.Param != "amounts" {
			t.Errorf("%s: told of %q", bad, e.Param)
		}
	}
	for body, want := range map[string][2]string{ // exactly one of the two
		`{}`: {"parameter_missing", "amounts"},
		`{"amounts":null,"descriptor_code":null}`:        {"parameter_missing", "amounts"},
		`{"amounts":[32,45],"descriptor_code":"SM11AA"}`: {"parameters_exclusive", "descriptor_code"},
		`{"descriptor_code":"` + marker + `"}`:           {"parameter_invalid", "descriptor_code"},
		`{"amounts":[0,45],"descriptor_code":"SM11AA"}`:  {"parameter_invalid", "amounts"},
		`{"amounts":[0,45],"descriptor_code":"SM11A"}`:   {"validation_failed", "amounts"},
	} {
		if e := s.on(t, http.MethodPost, path+"/verify", body, "").want(t, 400, want[0]).error(); e.Param != want[1] {
			t.Errorf("%s: told of %q", body, e.Param)
		}
	}
	wrong := verify(path, `[32,46]`, "w").want(t, 422, "verification_failed")
	if again := verify(path, `[32,46]`, "w").want(t, 422, "verification_failed"); !again.replayed() ||
		!bytes.Contains(wrong.body, []byte(`"remaining":9`)) ||
		!bytes.Contains(again.body, []byte(`"remaining":9`)) {
		t.Errorf("first %s\nthen %s", wrong.body, again.body)
	}
	if saved := s.once(t, http.MethodPost, path+"/verify", `{"amounts":[45,32]}`, `{"amounts":[1,2]}`,
		200).token(t); saved.Status != token.Active || saved.Version != 2 {
		t.Errorf("%+v", saved)
	}
	verify("/api/tokens/"+s.Token(good), `[32,45]`, "").want(t, 422, "token_type_mismatch")
	spoiled, gone := pending(), pending()
	code := s.on(t, http.MethodPost, spoiled+"/verify", `{"descriptor_code":"SM11AA"}`, "").want(t, 422,
		"verification_failed")
	// one wrong answer about the account was told already
	if code.error().Param != "descriptor_code" || !bytes.Contains(code.body, []byte(`"remaining":8`)) {
		t.Errorf("a code where there are two deposits: %s", code.body)
	}
	for left := 7; left >= 0; left-- {
		if a := verify(spoiled, `[1,2]`, "").want(t, 422, "verification_failed"); !bytes.Contains(a.body,
			fmt.Appendf(nil, `"remaining":%d`, left)) {
			t.Errorf("%d are left: %s", left, a.body)
		}
	}
	verify(spoiled, `[32,45]`, "").want(t, 422, "token_disabled")
	s.on(t, http.MethodDelete, gone, "", "").want(t, 200, "")
	verify(gone, `[32,45]`, "").want(t, 422, "token_not_found")
	s.expire(t)
	verify(spoiled, `[32,45]`, "").want(t, 410, "token_expired")
}

func TestTestCasesBecomeTokens(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := func(name string, merchantID int64) string {
		return fmt.Sprintf(`{"test_case":%q,"merchant_id":%d}`, name, merchantID)
	}
	const path = "/api/sandbox/tokens"
	a := s.once(t, http.MethodPost, path, body("approved", s.App.Merchants.US),
		body("approved_amex", s.App.Merchants.US), 201)
	if read := s.get(t, a.header.Get("Location")).want(t, 200, ""); !bytes.Equal(read.body, a.body) {
		t.Errorf("made as\n%s\nread as\n%s", a.body, read.body)
	}
	if c := s.post(t, s.body(a.token(t).ID.String())).want(t, 201, "").charge(t); c.PaymentMethod.Last4 != "4242" {
		t.Errorf("%+v", c)
	}
	bank := s.on(t, http.MethodPost, path, body("ach_settles", s.App.Merchants.USQ), "").want(t, 201, "").token(t)
	if bank.Status != token.Active || bank.BankAccount.Scheme != processor.ACH {
		t.Errorf("%+v", bank)
	}
	s.on(t, http.MethodPost, path, body("ach_settles", s.App.Merchants.CA), "").want(t, 422, "token_type_mismatch")
	s.on(t, http.MethodPost, path, body("approved", s.Other.Merchants.US), "").want(t, 403, "merchant_not_associated")
	s.on(t, http.MethodPost, path, body(marker, s.App.Merchants.US), "").want(t, 400, "parameter_invalid")
	s.on(t, http.MethodPost, path, body("approved", 0), "").want(t, 400, "parameter_invalid")
}
