package fake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/sensitive"
)

// card is a card that a request brought.
type card struct{ number, cvc, line1, zip string }

// declines are the test cards that are declined: the error's code, and the reason of the issuer.
var declines = map[string][2]string{
	"4000000000000002": {"card_declined", "generic_decline"},
	"4000000000009995": {"card_declined", "insufficient_funds"},
	"4000000000009987": {"card_declined", "lost_card"},
	"4000000000009979": {"card_declined", "stolen_card"},
	"4000000000000069": {"expired_card", ""},
	"4000000000000127": {"incorrect_cvc", ""},
	"4000000000000119": {"processing_error", ""},
	"4100000000000019": {"card_declined", "fraudulent"}, // blocked
	"4000002760003184": {"authentication_required", "authentication_required"},
}

// Test cards that are approved.
const (
	Approved      = "4242424242424242"
	Blocked       = "4100000000000019"
	CVCFails      = "4000000000000101"
	AddressFails  = "4000000000000010"
	RefundPending = "4000000000007726" // a refund is pending, and succeeds later
	RefundFails   = "4000000000005126" // a refund succeeds, and fails later
	LostAnswer    = "4000000000000077" // for faults: approved otherwise
)

// intentLife is how long an authorization can be captured.
const intentLife = 7 * 24 * time.Hour

func (f *Fake) method(a *Account, r call) (object, *failure) {
	form := r.Form
	if form.Get("type") != "card" {
		return f.bankMethod(a, form)
	}
	c := card{form.Get("card[number]"), form.Get("card[cvc]"), form.Get("billing_details[address][line1]"),
		form.Get("billing_details[address][postal_code]")}
	year, _ := strconv.Atoi(form.Get("card[exp_year]"))
	switch {
	case !a.RawCards:
		return nil, &failure{status: http.StatusPaymentRequired, kind: "invalid_request_error",
			message: "Sending credit card numbers directly to the Stripe API is generally unsafe. The number was " +
				c.number + "."}
	case f.live && c.number == Approved:
		return nil, &failure{status: http.StatusPaymentRequired, kind: "card_error", code: "card_declined",
			decline: "live_mode_test_card", message: "Declined."}
	case !sensitive.Luhn(c.number):
		return nil, &failure{status: http.StatusPaymentRequired, kind: "card_error", code: "incorrect_number",
			message: "Your card number " + c.number + " is incorrect."}
	case year < f.now.Year():
		return nil, &failure{status: http.StatusPaymentRequired, kind: "card_error", code: "invalid_expiry_year",
			message: "Your card's expiration year is invalid."}
	}
	id := f.id("pm")
	a.methods[id] = c
	return object{"id": id, "object": "payment_method", "type": "card", "created": f.now.Unix(),
		"card": object{"last4": c.number[len(c.number)-4:]}}, nil
}

// metadata adds what a request has of it.
func metadata(to object, form url.Values) object {
	for name, values := range form {
		if key, ok := strings.CutPrefix(name, "metadata["); ok {
			to[strings.TrimSuffix(key, "]")] = values[0]
		}
	}
	return to
}

func (f *Fake) intent(a *Account, r call) (object, *failure) {
	form := r.Form
	amount, err := strconv.ParseInt(form.Get("amount"), 10, 64)
	switch currency := form.Get("currency"); {
	case !a.knows(form):
		return nil, invalid("parameter_unknown")
	case err != nil || amount < 50:
		return nil, invalid("amount_too_small")
	case currency != "usd" && currency != "cad":
		return nil, invalid("parameter_invalid")
	case len(form.Get("statement_descriptor_suffix")) > 22, len(form.Get("statement_descriptor")) > 22:
		return nil, invalid("parameter_invalid")
	case form.Has("on_behalf_of") && !f.mayCharge(a, form.Get("on_behalf_of")):
		return nil, invalid("account_invalid")
	}
	i := object{"id": f.id("pi"), "object": "payment_intent", "created": f.now.Unix(), "amount": amount,
		"amount_capturable": int64(0), "currency": form.Get("currency"), "capture_method": form.Get("capture_method"),
		"status": "requires_payment_method", "payment_method_types": []any{form.Get("payment_method_types[0]")},
		"customer": orNil(form.Get("customer")), "transfer_group": form.Get("transfer_group"),
		"metadata": metadata(object{}, form), "latest_charge": nil, "livemode": f.live,
		"on_behalf_of": orNil(form.Get("on_behalf_of"))}
	a.intents = append(a.intents, i)
	return i, nil
}

const addressOfData = "payment_method_data[billing_details][address]"

// knows reports whether an account may send the parameters of a request that Stripe allows to some accounts only.
func (a *Account) knows(form url.Values) bool {
	for name := range form {
		if strings.HasPrefix(name, "payment_method_options[card][mit_exemption]") && !a.NetworkIDs ||
			(strings.HasPrefix(name, "payment_method_options[card][network_token]") ||
				strings.HasPrefix(name, "payment_method_data[card]")) && !a.WalletTokens {
			return false
		}
	}
	return true
}

// confirm tries a payment.
func (f *Fake) confirm(a *Account, i object, r call) (object, *failure) {
	if _, ok := a.debitable[r.Form.Get("payment_method")]; ok {
		return f.debit(a, i, r)
	}
	if !a.knows(r.Form) {
		return nil, invalid("parameter_unknown")
	}
	c, ok := a.methods[r.Form.Get("payment_method")]
	if token := "payment_method_data[card][network_token]"; !ok && r.Form.Get(token+"[number]") != "" {
		c = card{number: r.Form.Get(token + "[number]"), line1: r.Form.Get(addressOfData + "[line1]"),
			zip: r.Form.Get(addressOfData + "[postal_code]")}
		ok = r.Form.Get("payment_method_options[card][network_token][cryptogram]") != "" &&
			slices.Contains([]string{"apple_pay", "google_pay_dpan"}, r.Form.Get(token+"[tokenization_method]"))
	}
	if !ok {
		return nil, missing()
	}
	if i["status"] != "requires_payment_method" {
		return nil, invalid("payment_intent_unexpected_state")
	}
	charge := f.charge(i, c)
	a.charges = append(a.charges, charge)
	i["latest_charge"] = charge["id"]
	if why, refused := declines[c.number]; refused {
		return nil, f.declined(i, charge, why)
	}
	manual := i["capture_method"] == "manual"
	if manual {
		i["status"], i["amount_capturable"] = "requires_capture", i["amount"]
		f.later = append(f.later, later{f.now.Add(intentLife), func() {
			if i["status"] == "requires_capture" {
				_, _ = f.cancel(a, i, "automatic", "") // it can be canceled
			}
		}})
	} else {
		i["status"], charge["captured"], charge["amount_captured"] = "succeeded", true, i["amount"]
		f.move(a, "charge", charge["amount"].(int64), charge)
		f.captured(a, charge)
		f.event(a, "payment_intent.succeeded", i, r.key())
	}
	return a.expanded(i, r.Form), nil
}

func (f *Fake) charge(i object, c card) object {
	submitted := func(value, failing string) any {
		switch {
		case value == "":
			return nil
		case c.number == failing:
			return "fail"
		}
		return "pass"
	}
	cvc := submitted(c.cvc, CVCFails)
	if c.number == "4000000000000127" {
		cvc = "fail"
	}
	details := object{"last4": c.number[len(c.number)-4:], "authorization_code": fmt.Sprintf("%06d", f.serial),
		"network_transaction_id": "ntx" + random(),
		"checks": object{"cvc_check": cvc, "address_line1_check": submitted(c.line1, AddressFails),
			"address_postal_code_check": submitted(c.zip, AddressFails)}}
	if i["capture_method"] == "manual" {
		details["capture_before"] = f.now.Add(intentLife).Unix()
	}
	return object{"id": f.id("ch"), "object": "charge", "created": f.now.Unix(), "amount": i["amount"],
		"amount_captured": int64(0), "amount_refunded": int64(0), "currency": i["currency"], "captured": false,
		"status": "succeeded", "payment_intent": i["id"], "transfer_group": i["transfer_group"],
		"payment_method_details": object{"type": "card", "card": details}, "outcome": object{"type": "authorized"}}
}

func (f *Fake) declined(i, charge object, why [2]string) *failure {
	charge["status"], charge["failure_code"] = "failed", why[0]
	charge["outcome"] = object{"type": "issuer_declined", "reason": why[1]}
	if why[1] == "fraudulent" {
		charge["outcome"] = object{"type": "blocked", "reason": "highest_risk_level"}
	}
	last := object{"type": "card_error", "code": why[0], "message": "Your card was declined."}
	if why[1] != "" {
		last["decline_code"] = why[1]
	}
	i["last_payment_error"] = last
	return &failure{status: http.StatusPaymentRequired, kind: "card_error", code: why[0], decline: why[1],
		message: "Your card was declined.", charged: charge["id"].(string), intent: clone(i), executed: true}
}

// clone is an object as it is now.
func clone(o object) (out object) {
	if err := json.Unmarshal(encode(o), &out); err != nil {
		panic(err) // it was just encoded
	}
	return out
}

func (f *Fake) capture(a *Account, i object, r call) (object, *failure) {
	amount, err := strconv.ParseInt(r.Form.Get("amount_to_capture"), 10, 64)
	switch {
	case i["status"] != "requires_capture":
		return nil, invalid("payment_intent_unexpected_state")
	case err != nil || amount < 1 || amount > i["amount_capturable"].(int64):
		return nil, invalid("amount_too_large")
	}
	charge := a.charges.find(i["latest_charge"].(string))
	charge["captured"], charge["amount_captured"] = true, amount
	f.captured(a, charge)
	i["status"], i["amount_capturable"], i["amount_received"] = "succeeded", int64(0), amount
	metadata(i["metadata"].(object), r.Form)
	f.move(a, "charge", amount, charge)
	f.event(a, "payment_intent.succeeded", i, r.key())
	return i, nil
}

func (f *Fake) canceled(a *Account, i object, r call) (object, *failure) {
	return f.cancel(a, i, r.Form.Get("cancellation_reason"), r.key())
}

func (f *Fake) cancel(a *Account, i object, reason, key string) (object, *failure) {
	if i["status"] == "succeeded" || i["status"] == "canceled" || i["status"] == "processing" {
		return nil, invalid("payment_intent_unexpected_state")
	}
	i["status"], i["amount_capturable"], i["cancellation_reason"] = "canceled", int64(0), reason
	f.event(a, "payment_intent.canceled", i, key)
	return i, nil
}

func (f *Fake) refund(a *Account, r call) (object, *failure) {
	i := a.intents.find(r.Form.Get("payment_intent"))
	amount, err := strconv.ParseInt(r.Form.Get("amount"), 10, 64)
	switch {
	case i == nil:
		return nil, missing()
	case i["status"] != "succeeded" && i["status"] != "processing":
		return nil, invalid("charge_not_refundable")
	case err != nil || amount < 1:
		return nil, invalid("parameter_invalid_integer")
	}
	charge := a.charges.find(i["latest_charge"].(string))
	refunded := charge["amount_refunded"].(int64)
	switch left := charge["amount_captured"].(int64) - refunded; {
	case a.disputedNow(charge):
		return nil, invalid("charge_disputed")
	case left == 0:
		return nil, invalid("charge_already_refunded")
	case amount > left:
		return nil, invalid("")
	}
	charge["amount_refunded"] = refunded + amount
	o := object{"id": f.id("re"), "object": "refund", "created": f.now.Unix(), "amount": amount,
		"currency": charge["currency"], "status": "succeeded",
		"charge": charge["id"], "payment_intent": i["id"], "metadata": metadata(object{}, r.Form)}
	a.refunds = append(a.refunds, o)
	if charge["status"] == "pending" {
		o["status"], o["pending_reason"] = "pending", "charge_pending"
	}
	kind := "refund"
	if charge["payment_method_details"].(object)["type"] != "card" {
		kind = "payment_refund"
	}
	f.move(a, kind, -amount, o)
	card, _ := charge["payment_method_details"].(object)["card"].(object)
	switch card["last4"] {
	case RefundPending[12:]:
		o["status"], o["pending_reason"] = "pending", "processing"
		f.later = append(f.later, later{f.now.Add(48 * time.Hour), func() {
			o["status"] = "succeeded"
			f.event(a, "refund.updated", o, "")
		}})
	case RefundFails[12:]:
		f.later = append(f.later, later{f.now.Add(72 * time.Hour), func() {
			o["status"], o["failure_reason"] = "failed", "expired_or_canceled_card"
			charge["amount_refunded"] = charge["amount_refunded"].(int64) - amount
			f.move(a, "refund_failure", amount, o)
			f.event(a, "refund.failed", o, "")
		}})
	}
	f.event(a, "refund.created", o, r.key())
	return o, nil
}
