package shop

import (
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestCreateDonationCharges(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(201, chargeJSON("captured", nonce, "")))
	status, got := b.post(t, donationJSON())
	if status != 201 || got.State != stateSucceeded || got.Receipt == nil {
		t.Fatalf("got %d %+v", status, got)
	}
	want := receipt{ID: chargeID, Status: "captured", Amount: 5000, Currency: "usd", Brand: "visa", Last4: "4242",
		CreatedAt: "2026-11-21T07:00:00.000Z"}
	if *got.Receipt != want {
		t.Errorf("receipt %+v", *got.Receipt)
	}
	sent := b.api.seen()[0]
	if sent.method != "POST" || sent.path != "/api/charges" || sent.key != reference(nonce) {
		t.Errorf("sent %s %s with key %q", sent.method, sent.path, sent.key)
	}
	if sent.header.Get("X-API-Key") != secret || sent.header.Get("X-App-ID") != "12" ||
		sent.header.Get("Origin") != "" {
		t.Errorf("headers %v", sent.header)
	}
	for name, want := range map[string]any{
		"merchant_id": 1042.0, "amount": 5000.0, "type": "cc", "currency": "usd", "funding_currency": "usd",
		"origin": "ecommerce",
		"token":  "tok_01abc", "external_id": reference(nonce), "description": "Donation to Riverside Food Bank",
	} {
		if sent.body[name] != want {
			t.Errorf("%s = %v, want %v", name, sent.body[name], want)
		}
	}
	if who := sent.body["metadata"].(map[string]any)["donor_name"]; who != "Dana Reed" {
		t.Errorf("donor_name = %v", who)
	}
}

func TestCreateDonationForOtherMerchant(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(201, chargeJSON("captured", nonce, "")))
	b.post(t, donationJSON("1042", "1043"))
	sent := b.api.seen()[0].body
	if sent["merchant_id"] != 1043.0 || sent["currency"] != "cad" || sent["funding_currency"] != "cad" {
		t.Errorf("sent %v", sent)
	}
	if status, got := b.post(t, donationJSON("1042", "7")); status != 422 || got.State != stateRefused ||
		len(b.api.seen()) != 1 {
		t.Errorf("an unknown merchant: %d %+v", status, got)
	}
}

func debitJSON(kind, status string) string {
	return strings.NewReplacer(`"status":"captured"`, `"type":"`+kind+`","status":"`+status+`"`,
		`"kind":"card","brand":"visa"`, `"kind":"bank_us","bank_name":"Alder Bank"`).
		Replace(chargeJSON("captured", nonce, ""))
}

func TestDebitsOfBankAccounts(t *testing.T) {
	t.Parallel()
	bank := func(more ...string) string {
		return donationJSON(append([]string{`"way":"card"`, `"way":"bank"`}, more...)...)
	}
	for name, test := range map[string]struct {
		body   string
		script http.HandlerFunc
		kind   string
		status int
		state  string
		words  string
	}{
		"on its way":          {bank(), says(201, debitJSON("ach", "pending")), "ach", 201, stateSucceeded, ""},
		"in Canada":           {bank("1042", "1043"), says(201, debitJSON("acss", "pending")), "acss", 201, stateSucceeded, ""},
		"not accepted":        {bank(), fails(402, "bank_account_unusable", ""), "ach", 402, stateDeclined, "Your bank declined"},
		"came back":           {bank(), says(201, debitJSON("ach", "returned")), "ach", 402, stateDeclined, "Your bank declined"},
		"not verified yet":    {bank(), fails(422, "bank_account_unverified", ""), "ach", 422, stateRefused, "must be verified"},
		"its mandate revoked": {bank(), fails(422, "token_disabled", ""), "ach", 422, stateRefused, "can no longer be used"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.script)
			status, got := b.post(t, test.body)
			if status != test.status || got.State != test.state || !strings.Contains(got.Message, test.words) {
				t.Errorf("got %d %+v", status, got)
			}
			if sent := b.api.seen()[0].body["type"]; sent != test.kind {
				t.Errorf("sent type %v", sent)
			}
			if r := got.Receipt; status == 201 && (r.Bank != "Alder Bank" || r.Last4 != "4242" || r.Brand != "") {
				t.Errorf("receipt %+v", r)
			}
		})
	}
}

// Each row is what the API says and what the donor learns of it.
func TestCreateDonationAnswers(t *testing.T) {
	t.Parallel()
	slow := func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	}
	good := says(201, chargeJSON("captured", nonce, ""))
	tests := map[string]struct {
		script []http.HandlerFunc
		status int
		state  string
		words  string
		calls  int
	}{
		"declined":            {[]http.HandlerFunc{fails(402, "card_declined", `,"decline_code":"insufficient_funds","advice":"use_another_method"`)}, 402, stateDeclined, "insufficient funds", 1},
		"declined, generic":   {[]http.HandlerFunc{fails(402, "card_declined", `,"decline_code":"generic_decline"`)}, 402, stateDeclined, "declined this card", 1},
		"a stolen card":       {[]http.HandlerFunc{fails(402, "card_declined", `,"decline_code":"stolen_card"`)}, 402, stateDeclined, "declined this card", 1},
		"declined, expired":   {[]http.HandlerFunc{fails(402, "expired_card", "")}, 402, stateDeclined, "has expired", 1},
		"declined, wrong CVC": {[]http.HandlerFunc{fails(402, "incorrect_cvc", "")}, 402, stateDeclined, "does not match", 1},
		"never submitted":     {[]http.HandlerFunc{fails(502, "processor_error", `,"charge_id":"ch_x","advice":"try_again_later"`)}, 402, stateDeclined, "declined this payment", 1},
		"processing":          {[]http.HandlerFunc{says(202, chargeJSON("processing", nonce, ""))}, 202, stateProcessing, "", 1},
		"in use, then done":   {[]http.HandlerFunc{fails(409, "idempotency_key_in_use", ""), good}, 201, stateSucceeded, "", 2},
		"in use for long":     {[]http.HandlerFunc{fails(409, "idempotency_key_in_use", "")}, 202, stateProcessing, "", 4},
		"connection lost":     {[]http.HandlerFunc{hangsUp, hangsUp, good}, 201, stateSucceeded, "", 3},
		"an answer too late":  {[]http.HandlerFunc{slow, good}, 201, stateSucceeded, "", 2},
		"broken for a moment": {[]http.HandlerFunc{fails(500, "internal_error", ""), says(502, "<html>gateway</html>"), good}, 201, stateSucceeded, "", 3},
		"broken for long":     {[]http.HandlerFunc{fails(503, "maintenance", "")}, 503, stateUnreachable, "can’t reach", 4},
		"nobody there":        {[]http.HandlerFunc{hangsUp}, 503, stateUnreachable, "can’t reach", 4},
		"not an answer":       {[]http.HandlerFunc{says(200, "hello")}, 503, stateUnreachable, "can’t reach", 4},
		"token expired":       {[]http.HandlerFunc{fails(410, "token_expired", "")}, 422, stateRefused, "enter them again", 1},
		"merchant closed":     {[]http.HandlerFunc{fails(422, "merchant_not_active", "")}, 422, stateRefused, "not taking gifts", 1},
		"too many attempts":   {[]http.HandlerFunc{fails(429, "card_testing_suspected", "")}, 429, stateRefused, "wait a minute", 1},
		"our own mistake":     {[]http.HandlerFunc{fails(400, "validation_failed", "")}, 502, stateRefused, "not charged", 1},
		"our key is wrong":    {[]http.HandlerFunc{fails(401, "api_key_invalid", "")}, 502, stateRefused, "not charged", 1},
		"sent elsewhere":      {[]http.HandlerFunc{http.RedirectHandler("/api/other", http.StatusTemporaryRedirect).ServeHTTP}, 502, stateRefused, "not charged", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.script...)
			status, got := b.post(t, donationJSON())
			if status != test.status || got.State != test.state || !strings.Contains(got.Message, test.words) {
				t.Errorf("got %d %+v", status, got)
			}
			calls := b.api.seen()
			if len(calls) != test.calls {
				t.Errorf("%d calls, want %d", len(calls), test.calls)
			}
			for _, c := range calls {
				if c.key != reference(nonce) {
					t.Errorf("a repetition has key %q", c.key)
				}
			}
			if strings.Contains(b.log.String(), secret) || strings.Contains(b.log.String(), "dana") {
				t.Errorf("the log gives away too much: %s", b.log)
			}
		})
	}
}

func TestDoublePostHasOneKey(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(201, chargeJSON("captured", nonce, "")))
	var wait sync.WaitGroup
	for range 2 {
		wait.Go(func() {
			if status, got := b.post(t, donationJSON()); status != 201 || got.Receipt == nil ||
				got.Receipt.ID != chargeID {
				t.Errorf("got %d %+v", status, got)
			}
		})
	}
	wait.Wait()
	calls := b.api.seen()
	if len(calls) != 2 || calls[0].key != calls[1].key || calls[0].key == reference(otherNo) {
		t.Errorf("calls %+v", calls)
	}
}

// The nonce made a charge before: with another card or amount its result is
// shown, and nothing is charged.
func TestUsedNonceShowsItsDonation(t *testing.T) {
	t.Parallel()
	list := says(200, `{"object":"list","data":[`+chargeJSON("captured", nonce, "")+`],"has_more":false}`)
	for _, refusal := range []http.HandlerFunc{fails(422, "idempotency_key_reused", ""),
		fails(409, "external_id_taken", "")} {
		b := newBench(t, refusal, list)
		status, got := b.post(t, donationJSON("5000", "9900"))
		if status != 201 || got.State != stateSucceeded || got.Receipt.Amount != 5000 {
			t.Errorf("got %d %+v", status, got)
		}
		if last := b.api.seen()[1]; last.method != "GET" || last.path != "/api/charges?external_id="+reference(nonce) {
			t.Errorf("asked %s %s", last.method, last.path)
		}
	}
}

func TestCreateDonationRefusesBadInput(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(201, chargeJSON("captured", nonce, "")))
	status, got := b.post(t, donationJSON("5000", "99", " Dana ", "  ", "Reed", "Re\\u0007ed", "dana@example.org",
		"dana@example", "97301", "<b>"))
	if status != 422 || got.State != stateInvalid || len(got.Errors) != 5 {
		t.Errorf("five mistakes: %d %+v", status, got)
	}
	for name, test := range map[string]struct {
		body    string
		headers []string
		status  int
	}{
		"too much money":   {donationJSON("5000", "1000001"), nil, 422},
		"a long name":      {donationJSON("Reed", strings.Repeat("é", 61)), nil, 422},
		"a named mailbox":  {donationJSON("dana@example.org", "Dana <dana@example.org>"), nil, 422},
		"cents in a float": {donationJSON("5000", "50.5"), nil, 400},
		"unknown member":   {donationJSON(`"amount"`, `"total":1,"amount"`), nil, 400},
		"more after it":    {donationJSON() + "{}", nil, 400},
		"not JSON":         {"amount=5000", nil, 400},
		"no way to give":   {donationJSON(`"way":"card",`, ""), nil, 400},
		"another way":      {donationJSON(`"card"`, `"cash"`), nil, 400},
		"short nonce":      {donationJSON(nonce, "12"), nil, 400},
		"not a token":      {donationJSON("tok_01abc", "4242424242424242"), nil, 400},
		"too long":         {donationJSON("Reed", strings.Repeat("x", maxBody)), nil, 413},
		"a form":           {donationJSON(), []string{"Content-Type", "application/x-www-form-urlencoded"}, 415},
		"no type":          {donationJSON(), []string{"Content-Type", ""}, 415},
		"another site":     {donationJSON(), []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"another subsite":  {donationJSON(), []string{"Sec-Fetch-Site", "same-site"}, 403},
		"another origin":   {donationJSON(), []string{"Sec-Fetch-Site", "", "Origin", "http://evil.example"}, 403},
	} {
		if status, got := b.post(t, test.body, test.headers...); status != test.status || got.Message == "" {
			t.Errorf("%s: %d %+v, want %d", name, status, got, test.status)
		}
	}
	if calls := b.api.seen(); len(calls) != 0 {
		t.Errorf("the API was asked: %+v", calls)
	}
}

func TestShowDonation(t *testing.T) {
	t.Parallel()
	byID := "/donations/" + nonce + "?id=" + chargeID
	list := func(charges string) http.HandlerFunc { return says(200, `{"data":[`+charges+`]}`) }
	failure := `,"failure":{"code":"card_declined","decline_code":"insufficient_funds","message":"internal words"}`
	for name, test := range map[string]struct {
		path   string
		script http.HandlerFunc
		status int
		state  string
		asked  string
	}{
		"processing":           {byID, says(200, chargeJSON("processing", nonce, "")), 202, stateProcessing, "/api/charges/" + chargeID},
		"captured since":       {byID, says(200, chargeJSON("captured", nonce, "")), 201, stateSucceeded, "/api/charges/" + chargeID},
		"failed since":         {byID, says(200, chargeJSON("failed", nonce, failure)), 402, stateDeclined, "/api/charges/" + chargeID},
		"gone":                 {byID, fails(404, "resource_missing", ""), 404, stateNone, "/api/charges/" + chargeID},
		"of someone else":      {byID, says(200, chargeJSON("captured", otherNo, "")), 404, stateNone, "/api/charges/" + chargeID},
		"API down":             {byID, fails(500, "internal_error", ""), 503, stateUnreachable, "/api/charges/" + chargeID},
		"by nonce":             {"/donations/" + nonce, list(chargeJSON("captured", nonce, "")), 201, stateSucceeded, "/api/charges?external_id=" + reference(nonce)},
		"by nonce, none":       {"/donations/" + nonce, list(""), 404, stateNone, "/api/charges?external_id=" + reference(nonce)},
		"by nonce, others":     {"/donations/" + nonce, list(chargeJSON("captured", otherNo, "")), 404, stateNone, "/api/charges?external_id=" + reference(nonce)},
		"no nonce":             {"/donations/x?id=" + chargeID, hangsUp, 404, stateNone, ""},
		"not the id of charge": {"/donations/" + nonce + "?id=../merchants", hangsUp, 404, stateNone, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.script)
			status, got := b.look(t, test.path)
			if status != test.status || got.State != test.state {
				t.Errorf("got %d %+v", status, got)
			}
			if calls := b.api.seen(); test.asked == "" && len(calls) != 0 || test.asked != "" &&
				calls[0].path != test.asked {
				t.Errorf("calls %+v", calls)
			}
		})
	}
}

func TestRetryAfterIsFollowedWithinReason(t *testing.T) {
	t.Parallel()
	c := &apiClient{waits: []time.Duration{time.Millisecond}}
	for seconds, want := range map[time.Duration]time.Duration{0: time.Millisecond, time.Second: time.Second,
		time.Hour: 2 * time.Second} {
		if got := c.wait(0, &apiError{retryAfter: seconds}); got != want {
			t.Errorf("Retry-After %v: waits %v, want %v", seconds, got, want)
		}
	}
}
