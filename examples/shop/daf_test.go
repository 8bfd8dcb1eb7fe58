package shop

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const dafID = "daf_01jq8z6k4t8m2x9v5c7b1n3d0f"

func dafJSON(kind, status, tracking, more string) string {
	return fmt.Sprintf(
		`{"id":%q,"object":"daf_donation","kind":%q,"status":%q,"amount":5100,"currency":"usd","tracking_id":%s,"external_id":%q,
		"fund":{"id":"f1","name":"Harbor Giving Fund"},"failure":null,"created_at":"2026-11-21T07:00:00.000Z"%s}`,
		dafID, kind, status, tracking, reference(nonce), more)
}

// giftJSON is a right request; replacements are pairs of old and new text.
func giftJSON(replacements ...string) string {
	return strings.NewReplacer(replacements...).Replace(`{"nonce":"` + nonce +
		`","merchant_id":1042,"workflowSessionId":"ws_abc","amount":5100,
		"user":{"firstName":" Dana ","lastName":"Reed","email":"dana@example.org","note":"For the pantry"},"covers_fee":true}`)
}

func (b *bench) give(t *testing.T, body string) (int, answer) {
	t.Helper()
	req := httptest.NewRequest(http.MethodPost, "/daf-donations", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(t, req)
}

func TestCreateDAFDonation(t *testing.T) {
	t.Parallel()
	b := newBench(t, says(201, dafJSON("integrated", "initiated", `"SBX4F2K9Q1"`, "")))
	status, got := b.give(t, giftJSON())
	want := receipt{ID: dafID, Status: "initiated", Amount: 5100, Currency: "usd", Fund: "Harbor Giving Fund",
		TrackingID: "SBX4F2K9Q1", CreatedAt: "2026-11-21T07:00:00.000Z"}
	if status != 201 || got.State != stateSucceeded || got.Receipt == nil || *got.Receipt != want {
		t.Fatalf("got %d %+v, receipt %+v", status, got, got.Receipt)
	}
	sent := b.api.seen()[0]
	if sent.method != "POST" || sent.path != "/api/dafDonations" || sent.key != reference(nonce) ||
		sent.header.Get("X-API-Key") != secret {
		t.Errorf("sent %s %s with key %q", sent.method, sent.path, sent.key)
	}
	for name, want := range map[string]any{"merchant_id": 1042.0, "amount": 5100.0, "workflowSessionId": "ws_abc",
		"external_id": reference(nonce)} {
		if sent.body[name] != want {
			t.Errorf("%s = %v, want %v", name, sent.body[name], want)
		}
	}
	user := sent.body["user"].(map[string]any)
	if _, both := sent.body["grantId"]; both || user["firstName"] != "Dana" ||
		sent.body["metadata"].(map[string]any)["donor_covers_fee"] != "yes" {
		t.Errorf("sent %v", sent.body)
	}
}

// Each row is what the API says and what the donor learns of it.
func TestCreateDAFDonationAnswers(t *testing.T) {
	t.Parallel()
	failed := `,"failure":{"code":"daf_session_declined","decline_code":"insufficient_funds"}`
	tests := map[string]struct {
		script []http.HandlerFunc
		status int
		state  string
		words  string
	}{
		"nonintegrated":           {[]http.HandlerFunc{says(201, dafJSON("nonintegrated", "unknown", "null", ""))}, 201, stateSucceeded, ""},
		"again":                   {[]http.HandlerFunc{says(200, dafJSON("integrated", "completed", `"SBX4F2K9Q1"`, ""))}, 201, stateSucceeded, ""},
		"outcome unknown":         {[]http.HandlerFunc{says(202, dafJSON("integrated", "initiated", "null", ""))}, 202, stateProcessing, ""},
		"declined":                {[]http.HandlerFunc{fails(402, "daf_session_declined", `,"decline_code":"insufficient_funds","donation_id":"daf_x"`)}, 402, stateDeclined, "did not make this grant"},
		"authorized too long ago": {[]http.HandlerFunc{fails(402, "daf_session_declined", `,"decline_code":"authorization_expired","donation_id":"daf_x"`)}, 402, stateDeclined, "within 15 minutes"},
		"never submitted":         {[]http.HandlerFunc{fails(502, "processor_error", `,"donation_id":"daf_x"`)}, 402, stateDeclined, "did not make this grant"},
		"recorded as failed":      {[]http.HandlerFunc{says(200, strings.Replace(dafJSON("integrated", "canceled", "null", ""), `,"failure":null`, failed, 1))}, 402, stateDeclined, "did not make"},
		"too late":                {[]http.HandlerFunc{fails(410, "daf_session_expired", "")}, 422, stateRefused, "authorize your gift again"},
		"forged":                  {[]http.HandlerFunc{fails(422, "daf_session_not_found", "")}, 422, stateRefused, "authorize your gift again"},
		"not enrolled":            {[]http.HandlerFunc{fails(422, "daf_not_enrolled", "")}, 422, stateRefused, "donor-advised funds at the moment"},
		"nobody there":            {[]http.HandlerFunc{hangsUp}, 503, stateUnreachable, "can’t reach"},
		"taken before": {[]http.HandlerFunc{
			fails(409, "idempotency_key_reused", ""),
			says(200, `{"data":[`+dafJSON("integrated", "initiated", `"SBX4F2K9Q1"`, "")+`]}`),
		}, 201, stateSucceeded, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			status, got := newBench(t, test.script...).give(t, giftJSON())
			if status != test.status || got.State != test.state || !strings.Contains(got.Message, test.words) {
				t.Errorf("got %d %+v", status, got)
			}
		})
	}
}

func TestDAFGiftsThatThePageCannotHaveSent(t *testing.T) {
	t.Parallel()
	b := newBench(t, hangsUp)
	for name, body := range map[string]string{
		"no authorization":   giftJSON(`"workflowSessionId":"ws_abc",`, ""),
		"two authorizations": giftJSON(`"amount"`, `"grantId":"gr_abc","amount"`),
		"another shape":      giftJSON("ws_abc", "../merchants"),
		"no amount":          giftJSON("5100", "0"),
		"an endless note":    giftJSON("For the pantry", strings.Repeat("x", maxNote+1)),
		"another merchant":   giftJSON("1042", "7"),
		"no nonce":           giftJSON(nonce, "x"),
		"more members":       giftJSON(`"covers_fee"`, `"secret":1,"covers_fee"`),
	} {
		if status, got := b.give(t, body); status != 400 || got.State != stateRefused {
			t.Errorf("%s: %d %+v", name, status, got)
		}
	}
	if calls := b.api.seen(); len(calls) != 0 {
		t.Errorf("the API was asked %d times", len(calls))
	}
}

func TestShowDAFDonation(t *testing.T) {
	t.Parallel()
	made := dafJSON("integrated", "completed", `"SBX4F2K9Q1"`, "")
	for name, test := range map[string]struct {
		path, asked string
		api         http.HandlerFunc
		state       string
	}{
		"by id":          {"/daf-donations/" + nonce + "?id=" + dafID, "/api/dafDonations/" + dafID, says(200, made), stateSucceeded},
		"by nonce":       {"/daf-donations/" + nonce, "/api/dafDonations?external_id=" + reference(nonce), says(200, `{"data":[`+made+`]}`), stateSucceeded},
		"someone else's": {"/daf-donations/" + otherNo + "?id=" + dafID, "/api/dafDonations/" + dafID, says(200, made), stateNone},
		"none":           {"/daf-donations/" + nonce, "/api/dafDonations?external_id=" + reference(nonce), says(200, `{"data":[]}`), stateNone},
		"a charge's id":  {"/daf-donations/" + nonce + "?id=" + chargeID, "", hangsUp, stateNone},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, test.api)
			if _, got := b.look(t, test.path); got.State != test.state {
				t.Errorf("got %+v", got)
			}
			if calls := b.api.seen(); test.asked == "" && len(calls) > 0 || test.asked != "" &&
				calls[0].path != test.asked {
				t.Errorf("asked %+v", calls)
			}
		})
	}
}
