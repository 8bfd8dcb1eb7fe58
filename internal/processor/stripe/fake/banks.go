package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// The routing number of the test bank, and the transit and institution numbers of the Canadian one. There are no other
// banks.
const (
	RoutingACH  = "110000000"
	RoutingACSS = "11000000"
)

// Test accounts. Debits of any other account succeed.
const (
	Debited         = "000123456789"
	DepositsFail    = "000666666661" // the deposits of its verification do not arrive
	LostVerify      = "000123456780" // for faults; its debits succeed otherwise
	DisputedLater   = "000555555559" // the debit succeeds, and is disputed later
	StaysProcessing = "000000000009"
)

// failing maps the test accounts whose debits fail later to Stripe's reason.
var failing = map[string]string{
	"000111111113": "account_closed",
	"000111111116": "no_account",
	"000222222227": "insufficient_funds",
	"000333333335": "debit_not_authorized",
	"000444444440": "invalid_currency",
	"000888888885": "tokenized_account_number_deactivated",
	"900222222227": "insufficient_funds",
}

// OverLimit is the test account whose debits are declined at once.
const OverLimit = "000777777771"

// How long a debit takes, and how long after its success it is disputed.
const (
	failsAfter         = 2 * 24 * time.Hour
	succeedsAfter      = 4 * 24 * time.Hour
	debitDisputedAfter = 6 * 24 * time.Hour
)

// Deposits of every verification: two amounts, or one with a code.
const depositCode = "SM11AA"

const (
	amountTries      = 3
	codeTries        = 10 // ACH only
	depositsFailAt   = 3 * 24 * time.Hour
	depositsExpireAt = 10 * 24 * time.Hour
)

// bank is a bank account in a request.
type bank struct{ kind, number, customer string }

// banking is an account's state for bank debits.
type banking struct {
	customers, setups list
	debitable         map[string]bank   // by PaymentMethod
	mandates          map[string]string // PaymentMethods by mandate
	tries             map[string]int    // failed attempts by SetupIntent
}

func newBanking() banking {
	return banking{debitable: map[string]bank{}, mandates: map[string]string{}, tries: map[string]int{}}
}

// orNil returns a text, or null for "".
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}

func (f *Fake) bankMethod(a *Account, form url.Values) (object, *failure) {
	kind := form.Get("type")
	b, routing, right := bank{kind: kind, number: form.Get(kind + "[account_number]")},
		form.Get("us_bank_account[routing_number]"), RoutingACH
	if kind == "acss_debit" {
		routing, right = form.Get("acss_debit[transit_number]")+form.Get("acss_debit[institution_number]"), RoutingACSS
	}
	switch {
	case form.Get("billing_details[name]") == "", kind == "acss_debit" && form.Get("billing_details[email]") == "":
		return nil, invalid("parameter_missing")
	case kind == "us_bank_account" && (form.Get("us_bank_account[account_holder_type]") == "" ||
		form.Get("us_bank_account[account_type]") == ""):
		return nil, invalid("parameter_missing")
	case routing != right:
		return nil, invalid("routing_number_invalid")
	case len(b.number) < 4:
		return nil, invalid("account_number_invalid")
	}
	id := f.id("pm")
	a.debitable[id] = b
	return object{"id": id, "object": "payment_method", "type": kind, "created": f.now.Unix(),
		kind: object{"last4": b.number[len(b.number)-4:]}}, nil
}

func (f *Fake) customer(a *Account, r call) (object, *failure) {
	c := object{"id": f.id("cus"), "object": "customer", "created": f.now.Unix(),
		"metadata": metadata(object{}, r.Form)}
	a.customers = append(a.customers, c)
	return c, nil
}

func (f *Fake) setup(a *Account, r call) (object, *failure) {
	form := r.Form
	kind := form.Get("payment_method_types[0]")
	switch {
	case a.customers.find(form.Get("customer")) == nil:
		return nil, missing()
	case kind != "us_bank_account" &&
		kind != "acss_debit", form.Get("payment_method_options["+kind+"][verification_method]") != "microdeposits":
		return nil, invalid("parameter_invalid")
	case kind == "acss_debit" &&
		(form.Get("payment_method_options[acss_debit][mandate_options][payment_schedule]") == "" ||
			form.Get("payment_method_options[acss_debit][mandate_options][transaction_type]") == "" ||
			form.Get("payment_method_options[acss_debit][currency]") == ""):
		return nil, invalid("parameter_missing")
	}
	s := object{"id": f.id("seti"), "object": "setup_intent", "created": f.now.Unix(), "customer": form.Get("customer"),
		"usage": form.Get("usage"), "payment_method_types": []any{kind}, "metadata": metadata(object{}, form),
		"status": "requires_payment_method", "livemode": f.live, "mandate": nil, "payment_method": nil,
		"next_action": nil, "last_setup_error": nil}
	a.setups = append(a.setups, s)
	return clone(s), nil
}

func (f *Fake) confirmSetup(a *Account, s object, r call) (object, *failure) {
	method := r.Form.Get("payment_method")
	b, ok := a.debitable[method]
	acceptance := r.Form.Get("mandate_data[customer_acceptance][type]")
	accepted, _ := strconv.ParseInt(r.Form.Get("mandate_data[customer_acceptance][accepted_at]"), 10, 64)
	switch {
	case !ok:
		return nil, missing()
	case s["status"] != "requires_payment_method":
		return nil, invalid("setup_intent_unexpected_state")
	case s["payment_method_types"].([]any)[0] != b.kind:
		return nil, invalid("setup_intent_invalid_parameter")
	case acceptance != "offline" &&
		(acceptance != "online" || r.Form.Get("mandate_data[customer_acceptance][online][ip_address]") == "" ||
			r.Form.Get("mandate_data[customer_acceptance][online][user_agent]") == ""), accepted > f.now.Unix():
		return nil, invalid("parameter_invalid")
	}
	s["payment_method"], s["status"] = method, "requires_action"
	s["next_action"] = object{"type": "verify_with_microdeposits",
		"verify_with_microdeposits": object{"arrival_date": f.now.Add(48 * time.Hour).Unix(),
			"microdeposit_type": "amounts"}}
	expiry := depositsExpireAt
	code := "payment_method_microdeposit_verification_timeout"
	if b.number == DepositsFail {
		expiry, code = depositsFailAt, "payment_method_microdeposit_failed"
	}
	f.later = append(f.later, later{f.now.Add(expiry), func() {
		if s["status"] == "requires_action" {
			f.failSetup(a, s, code)
		}
	}})
	return clone(s), nil
}

func (f *Fake) failSetup(a *Account, s object, code string) {
	s["status"], s["next_action"] = "requires_payment_method", nil
	s["last_setup_error"] = object{"type": "invalid_request_error", "code": code,
		"message": "The account was not verified."}
	f.event(a, "setup_intent.setup_failed", s, "")
}

// verify compares the payer's amounts or code with the deposits.
func (f *Fake) verify(a *Account, s object, r call) (object, *failure) {
	const wrong = "payment_method_microdeposit_verification_"
	id := s["id"].(string)
	amounts, code := []string{r.Form.Get("amounts[0]"), r.Form.Get("amounts[1]")}, r.Form.Get("descriptor_code")
	slices.Sort(amounts)
	is := func(first, second, text string) bool {
		return slices.Equal(amounts, []string{first, second}) || code == text
	}
	method := s["payment_method"]
	switch {
	case s["status"] != "requires_action":
		return nil, invalid("setup_intent_unexpected_state")
	case is("10", "11", "SM33CC"):
		f.failSetup(a, s, wrong+"attempts_exceeded")
		return nil, refused(wrong + "attempts_exceeded")
	case is("40", "41", "SM44DD"):
		f.failSetup(a, s, wrong+"timeout")
		return nil, refused(wrong + "timeout")
	case !is("32", "45", depositCode) || a.debitable[method.(string)].number == DepositsFail:
		limit := amountTries
		if code != "" && a.debitable[method.(string)].kind == "us_bank_account" {
			limit = codeTries
		}
		if a.tries[id]++; a.tries[id] >= limit {
			f.failSetup(a, s, wrong+"attempts_exceeded")
			return nil, refused(wrong + "attempts_exceeded")
		}
		if code != "" {
			return nil, refused(wrong + "descriptor_code_mismatch")
		}
		return nil, refused(wrong + "amounts_mismatch")
	}
	b, mandate := a.debitable[method.(string)], f.id("mandate")
	b.customer = s["customer"].(string)
	a.debitable[method.(string)], a.mandates[mandate] = b, method.(string)
	s["status"], s["next_action"], s["mandate"] = "succeeded", nil, mandate
	f.event(a, "setup_intent.succeeded", s, r.key())
	return clone(s), nil
}

// debit submits a debit of a verified bank account.
func (f *Fake) debit(a *Account, i object, r call) (object, *failure) {
	method, mandate := r.Form.Get("payment_method"), r.Form.Get("mandate")
	b := a.debitable[method]
	switch {
	case i["status"] != "requires_payment_method":
		return nil, invalid("payment_intent_unexpected_state")
	case i["payment_method_types"].([]any)[0] != b.kind, b.customer == "" ||
		b.customer != i["customer"], r.Form.Get("off_session") != "true":
		return nil, invalid("payment_intent_invalid_parameter")
	case a.mandates[mandate] != method:
		return nil, invalid("payment_intent_mandate_invalid")
	}
	charge := object{"id": f.id("py"), "object": "charge", "created": f.now.Unix(), "amount": i["amount"],
		"amount_captured": i["amount"], "amount_refunded": int64(0), "currency": i["currency"], "captured": true,
		"status": "pending", "disputed": false, "payment_intent": i["id"], "transfer_group": i["transfer_group"],
		"payment_method_details": object{"type": b.kind, b.kind: object{"last4": b.number[len(b.number)-4:]}}}
	a.charges = append(a.charges, charge)
	i["latest_charge"] = charge["id"]
	if b.number == OverLimit {
		e := f.failDebit(a, i, charge, "charge_exceeds_source_limit")
		e.status, e.intent, e.executed = http.StatusPaymentRequired, clone(i), true
		return nil, e
	}
	i["status"] = "processing"
	f.move(a, "payment", i["amount"].(int64), charge)
	f.event(a, "payment_intent.processing", i, r.key())
	f.ending(a, i, charge, b)
	return a.expanded(i, r.Form), nil
}

// ending schedules the outcome of a debit.
func (f *Fake) ending(a *Account, i, charge object, b bank) {
	code := failing[b.number]
	after, end := succeedsAfter, func() { f.succeedDebit(a, i, charge, b) }
	switch {
	case b.number == StaysProcessing:
		return
	case code != "":
		after, end = failsAfter, func() { f.failDebit(a, i, charge, code) }
	}
	f.atBanks = append(f.atBanks, later{f.now.Add(after), func() {
		if f.hasten != nil && !slices.Contains(f.hasten, ourReference(i)) {
			f.ending(a, i, charge, b)
			return
		}
		end()
	}})
}

func (f *Fake) succeedDebit(a *Account, i, charge object, b bank) {
	i["status"], i["amount_received"], charge["status"] = "succeeded", i["amount"], "succeeded"
	f.event(a, "payment_intent.succeeded", i, "")
	f.endRefunds(a, charge, "succeeded")
	if b.number == DisputedLater {
		f.atBanks = append(f.atBanks,
			later{f.now.Add(debitDisputedAfter), func() { f.disputeDebit(a, charge) }})
	}
}

// failDebit fails a debit. It returns the failure for a request that fails the debit immediately.
func (f *Fake) failDebit(a *Account, i, charge object, code string) *failure {
	if i["status"] == "processing" {
		f.move(a, "payment_failure_refund", -i["amount"].(int64), charge)
	}
	i["status"], charge["status"], charge["failure_code"], charge["amount_captured"] = "requires_payment_method",
		"failed", code, int64(0)
	i["last_payment_error"] = object{"type": "card_error", "code": code, "message": "The debit failed."}
	f.event(a, "payment_intent.payment_failed", i, "")
	f.endRefunds(a, charge, "failed")
	return &failure{kind: "card_error", code: code, message: "The debit failed.", charged: charge["id"].(string)}
}

// endRefunds completes the refunds that waited for a debit.
func (f *Fake) endRefunds(a *Account, charge object, status string) {
	for _, o := range a.refunds {
		if o["charge"] == charge["id"] && o["pending_reason"] == "charge_pending" && o["status"] == "pending" {
			o["status"] = status
			if status == "failed" {
				charge["amount_refunded"] = charge["amount_refunded"].(int64) - o["amount"].(int64)
				f.move(a, "refund_failure", o["amount"].(int64), o)
			}
			f.event(a, "refund."+map[string]string{"succeeded": "updated", "failed": "failed"}[status], o, "")
		}
	}
}

// disputeDebit makes the payer's bank reverse a debit that succeeded. The dispute is final.
func (f *Fake) disputeDebit(a *Account, charge object) {
	f.dispute(a, charge, "debit_not_authorized", false)
	f.end(a, a.disputes[len(a.disputes)-1], "lost", "")
}
