package api

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/assembly"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/simulate"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

// fetch reads a page that anyone may read.
func fetch(t *testing.T, address string) []byte {
	t.Helper()
	response, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %v", address, response.StatusCode, err)
	}
	return text
}

func jsonOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestUnknownHostsAreAnsweredInTheFormOfThePath(t *testing.T) {
	t.Parallel()
	e := echo.New()
	e.Any("/*", Misdirected(configOf(fixture.New(t))))
	send := func(path string) (*http.Request, answer) {
		r, w := httptest.NewRequest(http.MethodGet, path, nil), httptest.NewRecorder()
		e.ServeHTTP(w, r)
		return r, answer{status: w.Code, header: w.Header(), body: w.Body.Bytes()}
	}
	for _, path := range []string{"/api/charges", "/api/none", "/merchants", "/dafDonations"} {
		r, a := send(path)
		a.want(t, 421, "host_unknown")
		holdOutside(t, r, a)
		if id := a.error().RequestID; id == "" || id != a.header.Get("Request-Id") {
			t.Errorf("%s: the request is %q", path, id)
		}
	}
	if _, a := send("/portal"); a.status != 421 || strings.Contains(a.header.Get("Content-Type"), "json") {
		t.Errorf("a page is answered %d %v", a.status, a.header)
	}
}

// Each test case of the list is taken by the operation that it is for.
func TestEveryTestCaseOfTheListWorks(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	cases := readAs[simulate.TestCases](t, s.get(t, "/api/sandbox/test_cases").want(t, 200, ""))
	if len(cases.Data) != len(assembly.SandboxCases()) || len(cases.Data) < 40 {
		t.Errorf("%d cases", len(cases.Data))
	}
	for _, c := range cases.Data {
		merchant := s.App.Merchants.US
		if c.Method == "acss" {
			merchant = s.App.Merchants.CA
		}
		switch c.For {
		case "tokens":
			s.on(t, http.MethodPost, "/api/sandbox/tokens",
				jsonOf(t, map[string]any{"test_case": c.Name, "merchant_id": merchant}), "").want(t, 201, "")
		case "daf_sessions":
			s.on(t, http.MethodPost, "/api/sandbox/daf_sessions",
				jsonOf(t, map[string]any{"test_case": c.Name, "merchant_id": merchant, "amount": 12500}),
				"").want(t, 200, "")
		}
	}
}

// A server makes donations of every test case without a browser: what the session gives is what the donation takes.
func TestDonationsAreMadeOfTestSessions(t *testing.T) {
	t.Parallel()
	s := donationSite(t)
	for name, want := range map[string]struct {
		status int
		code   string
		state  daf.Status
	}{
		"daf_completed": {201, "", daf.Initiated}, "daf_nonintegrated": {201, "", daf.Unknown},
		"daf_declined": {402, "daf_session_declined", ""},
		"daf_timeout":  {202, "", ""}, "daf_canceled": {201, "", daf.Initiated},
	} {
		body := map[string]any{"test_case": name, "merchant_id": s.App.Merchants.US, "amount": 12500}
		session := readAs[simulate.DAFSession](t,
			s.on(t, http.MethodPost, "/api/sandbox/daf_sessions", jsonOf(t, body), "").want(t, 200, ""))
		if (session.WorkflowSessionID == "") == (session.GrantID == "") || session.Amount != 12500 {
			t.Errorf("%s: %+v", name, session)
		}
		donation := map[string]any{"merchant_id": session.MerchantID, "amount": session.Amount, "user": session.User}
		if session.GrantID != "" {
			donation["grantId"], donation["user"] = session.GrantID, daf.User{FirstName: "Dana", LastName: "Reed",
				Email: "dana@example.org"}
		} else {
			donation["workflowSessionId"] = session.WorkflowSessionID
		}
		a := s.on(t, http.MethodPost, "/api/dafDonations", jsonOf(t, donation), "").want(t, want.status, want.code)
		if want.state != "" && a.donation(t).Status != want.state {
			t.Errorf("%s: the donation is %s", name, a.body)
		}
	}
	ask := func(body map[string]any, status int, code string) {
		all := map[string]any{"test_case": "daf_completed", "merchant_id": s.App.Merchants.US, "amount": 12500}
		for k, v := range body {
			all[k] = v
		}
		s.on(t, http.MethodPost, "/api/sandbox/daf_sessions", jsonOf(t, all), "").want(t, status, code)
	}
	ask(map[string]any{"test_case": "approved"}, 400, "parameter_invalid")
	ask(map[string]any{"amount": 12550}, 422, "daf_amount_not_whole_dollar")
	ask(map[string]any{"amount": 0}, 400, "amount_too_small")
	ask(map[string]any{"amount": 4_900_000}, 400, "amount_too_large")
	ask(map[string]any{"amount": 1.5}, 400, "amount_not_integer")
	ask(map[string]any{"merchant_id": s.Other.Merchants.US}, 403, "merchant_not_associated")
	ask(map[string]any{"merchant_id": s.App.Merchants.CA}, 422, "daf_not_eligible")
	// each makes the check before fail as well, which is then the one that is named
	for _, c := range []struct{ change, code string }{
		{`daf_provider_connect_id = NULL`, "daf_not_enrolled"},
		{`has_daf_provider = false`, "daf_not_enabled"},
		{`status = 'suspended'`, "merchant_not_active"},
	} {
		s.execute(t, `UPDATE merchants SET `+c.change+` WHERE id = @id`, pg.Args{"id": s.App.Merchants.US})
		ask(nil, 422, c.code)
	}
}

func TestTestTokensOfEveryForm(t *testing.T) {
	t.Parallel()
	s := open(t)
	s.execute(t, `UPDATE merchants SET has_wallet_a = true WHERE id = @id`, pg.Args{"id": s.App.Merchants.US})
	create := func(body string) answer {
		return s.on(t, http.MethodPost, "/api/sandbox/tokens", `{"merchant_id":`+jsonOf(t, s.App.Merchants.US)+`,`+
			body+`}`, "")
	}
	card := `"test_case":"approved"`
	swiped := create(card+`,"swiped":true,"billing":{"first_name":"Kim","address_zip":"10001","email":""}`).want(t, 201,
		"").token(t)
	if swiped.EntryMode != token.Swiped || swiped.Billing.FirstName != "Kim" || swiped.Billing.LastName != "Reed" ||
		swiped.Billing.AddressZip != "10001" || swiped.Billing.Email != "" {
		t.Errorf("swiped: %+v", swiped)
	}
	for _, wallet := range []string{"wallet_a", "wallet_b"} {
		paid := create(card+`,"wallet":"`+wallet+`"`).want(t, 201, "").token(t)
		if string(paid.Kind) != wallet || paid.EntryMode != token.FromWallet || paid.Card.Wallet == nil ||
			*paid.Card.Wallet != wallet {
			t.Errorf("%s: %+v", wallet, paid)
		}
		if c := s.post(t, s.body(paid.ID.String())).charge(t); c.Status != charge.Captured {
			t.Errorf("%s: the charge is %s", wallet, c.Status)
		}
	}
	unverified := create(`"test_case":"ach_settles","verified":false`).want(t, 201, "").token(t)
	if unverified.Status != token.PendingVerification {
		t.Errorf("unverified: %+v", unverified)
	}
	path := "/api/sandbox/tokens/" + unverified.ID.String() + "/deposits"
	deposits := readAs[token.TestDeposits](t, s.get(t, path).want(t, 200, ""))
	verified := s.on(t, http.MethodPost, "/api/tokens/"+unverified.ID.String()+"/verify",
		jsonOf(t, map[string]any{"amounts": deposits.Amounts}), "").want(t, 200, "").token(t)
	if verified.Status != token.Active {
		t.Errorf("verified: %+v", verified)
	}
	s.get(t, "/api/sandbox/tokens/"+swiped.ID.String()+"/deposits").want(t, 422, "token_type_mismatch")
	create(card+`,"verified":false`).want(t, 422, "token_type_mismatch")
	create(`"test_case":"ach_settles","swiped":true`).want(t, 422, "token_type_mismatch")
	create(`"test_case":"ach_settles","wallet":"wallet_b"`).want(t, 422, "token_type_mismatch")
	create(card+`,"swiped":true,"wallet":"wallet_b"`).want(t, 400, "parameters_exclusive")
	create(card+`,"billing":{"address_country":"usa"}`).want(t, 400, "parameter_invalid")
	create(`"test_case":"approved_jcb","wallet":"wallet_a"`).want(t, 422, "network_not_supported")
	s.execute(t, `UPDATE merchants SET has_wallet_a = false WHERE id = @id`, pg.Args{"id": s.App.Merchants.US})
	create(card+`,"wallet":"wallet_a"`).want(t, 422, "payment_method_disabled")
}
