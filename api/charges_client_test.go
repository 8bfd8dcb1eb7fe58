package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/fee"
	"svcpay/internal/processor"
	"svcpay/internal/token"
)

var chargeResource = resource{
	expands: map[string][]string{"Charge": {"merchant"}},
	shapes: map[string]any{
		"Charge": charge.Charge{}, "ChargeList": list{}, "CreateCharge": charge.CreateInput{},
		"UpdateCharge": charge.UpdateInput{}, "CaptureCharge": charge.CaptureInput{}, "VoidCharge": charge.VoidInput{},
		"Charge.failure": charge.Failure{}, "Charge.processor": charge.ProcessorRef{},
		"CardMethod": cardMethod{}, "CardMethod.checks": processor.Checks{}, "BankMethod": bankMethod{},
		"Billing": token.Billing{}, "FeeLine": fee.Line{},
	},
	always: map[string][]string{"FeeLine": {"schedule_id"}},
	enums:  map[string][]string{"ChargeStatus": charge.Statuses(), "FeeLine.fee": feeNames()},
	theirs: map[string]func(*testing.T, *site) string{
		"/api/charges/:id": func(t *testing.T, s *site) string {
			body := s.body(s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good), "merchant_id",
				fmt.Sprint(s.Other.Merchants.US))
			return s.send(t, call{method: http.MethodPost, path: "/api/charges", as: &s.Other, body: body}).charge(
				t).ID.String()
		},
	},
}

// feeNames are the fees that some event posts.
func feeNames() (out []string) {
	for _, set := range fee.Settings() {
		if len(set.Kinds) > 0 {
			out = append(out, set.Name)
		}
	}
	return out
}

// The two forms of a charge.PaymentMethod.
type (
	cardMethod struct {
		Kind  string `json:"kind"`
		Last4 string `json:"last4"`
		charge.CardMethod
	}
	bankMethod struct {
		Kind  string `json:"kind"`
		Last4 string `json:"last4"`
		charge.BankMethod
	}
)

func (a answer) charge(t testing.TB) charge.Charge {
	t.Helper()
	var c charge.Charge
	if err := json.Unmarshal(a.body, &c); err != nil || a.status >= 300 {
		t.Fatalf("no charge but %d %s", a.status, a.body)
	}
	return c
}

// post creates a charge from a body.
func (s *site) post(t testing.TB, body string) answer {
	t.Helper()
	return s.send(t, call{method: http.MethodPost, path: "/api/charges", body: body})
}

// postKey creates a charge with an idempotency key.
func (s *site) postKey(t testing.TB, key, body string) answer {
	t.Helper()
	return s.send(t,
		call{method: http.MethodPost, path: "/api/charges", body: body,
			header: map[string]string{"Idempotency-Key": key}})
}

// body is a good charge of a card, with members replaced by pairs of name and JSON text; the text
// "-" leaves a member out.
func (s *site) body(token string, pairs ...string) string {
	members := map[string]json.RawMessage{
		"merchant_id": json.RawMessage(fmt.Sprint(s.App.Merchants.US)), "amount": json.RawMessage("12500"),
		"token": json.RawMessage(`"` + token + `"`),
	}
	for i := 0; i < len(pairs); i += 2 {
		members[pairs[i]] = json.RawMessage(pairs[i+1])
		if pairs[i+1] == "-" {
			delete(members, pairs[i])
		}
	}
	var out []string
	for name, text := range members { // by hand: the texts may be no JSON
		out = append(out, fmt.Sprintf("%q:%s", name, text))
	}
	return "{" + strings.Join(out, ",") + "}"
}

// good is a card that is approved.
const good = "4242424242424242"
