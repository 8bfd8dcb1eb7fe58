package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Test cards whose payments are approved, and disputed an hour after the capture.
const (
	Disputed    = "4000000000000259" // fraudulent
	NotReceived = "4000000000002685" // product_not_received
	Inquired    = "4000000000001976" // an inquiry, which becomes a chargeback if no one responds
)

// disputeReasons maps the last digits of the cards to dispute reasons.
var disputeReasons = map[string]string{Disputed[12:]: "fraudulent", NotReceived[12:]: "product_not_received",
	Inquired[12:]: "fraudulent"}

// Texts in uncategorized_text that decide a dispute. Without either, the dispute is lost.
const (
	WinningEvidence = "winning_evidence"
	LosingEvidence  = "losing_evidence"
)

// Times of a dispute.
const (
	disputedAfter = time.Hour           // after the capture
	respondWithin = 14 * 24 * time.Hour // after the opening or the escalation
	decidedSure   = 5 * 24 * time.Hour  // after deciding evidence, or a response to an inquiry
	decidedAfter  = 60 * 24 * time.Hour // after any other evidence
)

// Limits of evidence, in characters and bytes.
const (
	longestText = 20_000
	allTexts    = 150_000
	largestFile = 5 << 20
)

// evidenceTexts and evidenceFiles are the parameters of evidence.
var (
	evidenceTexts = strings.Fields(
		`access_activity_log billing_address cancellation_policy_disclosure cancellation_rebuttal
		customer_email_address customer_name customer_purchase_ip duplicate_charge_explanation duplicate_charge_id
		product_description refund_policy_disclosure refund_refusal_explanation service_date shipping_address
		shipping_carrier shipping_date shipping_tracking_number uncategorized_text`)
	evidenceFiles = strings.Fields(
		`cancellation_policy customer_communication customer_signature duplicate_charge_documentation receipt
		refund_policy service_documentation shipping_documentation uncategorized_file`)
)

// captured schedules the dispute of a captured payment if its card requires one.
func (f *Fake) captured(a *Account, charge object) {
	card := charge["payment_method_details"].(object)["card"].(object)["last4"].(string)
	if reason, ok := disputeReasons[card]; ok {
		f.later = append(f.later,
			later{f.now.Add(disputedAfter), func() { f.dispute(a, charge, reason, card == Inquired[12:]) }})
	}
}

// dispute opens a dispute about the unrefunded amount of a payment.
func (f *Fake) dispute(a *Account, charge object, reason string, inquiry bool) {
	left := charge["amount_captured"].(int64) - charge["amount_refunded"].(int64)
	if left == 0 {
		return
	}
	d := object{"id": f.id("dp"), "object": "dispute", "created": f.now.Unix(), "amount": left,
		"currency": charge["currency"], "charge": charge["id"],
		"payment_intent": charge["payment_intent"], "reason": reason, "status": "needs_response", "livemode": f.live,
		"metadata": object{}, "evidence": object{}, "is_charge_refundable": inquiry, "balance_transactions": list{},
		"evidence_details": object{"has_evidence": false, "past_due": false, "submission_count": 0}}
	charge["disputed"] = true
	a.disputes = append(a.disputes, d)
	f.respondSoon(a, d)
	if inquiry {
		d["status"] = "warning_needs_response"
		f.event(a, "charge.dispute.created", d, "")
		return
	}
	f.event(a, "charge.dispute.created", d, "")
	f.moves(a, d, -left, "charge.dispute.funds_withdrawn")
}

// moves records that the disputed money was withdrawn or reinstated.
func (f *Fake) moves(a *Account, d object, amount int64, event string) {
	f.move(a, "adjustment", amount, d)
	d["balance_transactions"] = append(d["balance_transactions"].(list), a.transactions[len(a.transactions)-1])
	f.event(a, event, d, "")
}

// respondSoon sets the due date of the response, and the outcome without one.
func (f *Fake) respondSoon(a *Account, d object) {
	due := f.now.Add(respondWithin)
	d["evidence_details"].(object)["due_by"] = due.Unix()
	f.later = append(f.later, later{due, func() {
		switch d["status"] {
		case "warning_needs_response":
			f.escalate(a, d)
		case "needs_response":
			f.end(a, d, "lost", "")
		}
	}})
}

// escalate turns an inquiry into a chargeback.
func (f *Fake) escalate(a *Account, d object) {
	before := d["status"]
	d["status"], d["is_charge_refundable"] = "needs_response", false
	f.respondSoon(a, d)
	f.updated(a, d, before, "")
	f.moves(a, d, -d["amount"].(int64), "charge.dispute.funds_withdrawn")
}

// updated emits an update of a dispute, with its previous status.
func (f *Fake) updated(a *Account, d object, before any, key string) {
	f.event(a, "charge.dispute.updated", d, key)
	if before != d["status"] {
		a.events[len(a.events)-1]["data"].(object)["previous_attributes"] = object{"status": before}
	}
}

// end decides a dispute.
func (f *Fake) end(a *Account, d object, status, key string) {
	d["status"], d["is_charge_refundable"] = status, status != "lost"
	f.event(a, "charge.dispute.closed", d, key)
	if status == "won" {
		f.moves(a, d, d["amount"].(int64), "charge.dispute.funds_reinstated")
	}
}

// Decide ends a dispute as the payer's bank, or Stripe itself, would.
func (f *Fake) Decide(a *Account, dispute, status string) {
	defer f.locked()()
	f.end(a, a.disputes.find(dispute), status, "")
}

// Disputes returns the ids of an account's disputes, the oldest first.
func (f *Fake) Disputes(a *Account) (ids []string) {
	defer f.locked()()
	for _, d := range a.disputes {
		ids = append(ids, d["id"].(string))
	}
	return ids
}

// Dispute returns the current state of a dispute.
func (f *Fake) Dispute(a *Account, id string) map[string]any {
	defer f.locked()()
	return clone(a.disputes.find(id))
}

// disputedNow reports whether a payment can't be refunded, because it is disputed.
func (a *Account) disputedNow(charge object) bool {
	return slices.ContainsFunc(a.disputes, func(d object) bool {
		return d["charge"] == charge["id"] && d["is_charge_refundable"] == false
	})
}

func (f *Fake) readDispute(a *Account, d object, c call) (object, *failure) {
	if c.Form.Get("expand[0]") != "payment_intent" {
		return d, nil
	}
	whole := clone(d)
	whole["payment_intent"] = a.intents.find(d["payment_intent"].(string))
	return whole, nil
}

// evidenceOf is the evidence of a request.
func evidenceOf(a *Account, form url.Values) (object, *failure) {
	evidence, characters := object{}, 0
	for name, values := range form {
		field, ok := strings.CutPrefix(strings.TrimSuffix(name, "]"), "evidence[")
		if !ok {
			continue
		}
		switch file := slices.Contains(evidenceFiles, field); {
		case file && a.files.find(values[0]) == nil:
			return nil, invalid("resource_missing")
		case !file && !slices.Contains(evidenceTexts, field):
			return nil, invalid("parameter_unknown")
		case field == "duplicate_charge_id" && a.charges.find(values[0]) == nil:
			return nil, invalid("resource_missing")
		case utf8.RuneCountInString(values[0]) > longestText:
			return nil, invalid("")
		}
		characters += utf8.RuneCountInString(values[0])
		evidence[field] = values[0]
	}
	if characters > allTexts {
		return nil, invalid("")
	}
	return evidence, nil
}

// updateDispute stores metadata and evidence, and submits the evidence unless the request has submit=false.
func (f *Fake) updateDispute(a *Account, d object, c call) (object, *failure) {
	evidence, err := evidenceOf(a, c.Form)
	details, before := d["evidence_details"].(object), d["status"]
	open := before == "needs_response" || before == "warning_needs_response"
	switch {
	case err != nil:
		return nil, err
	case len(evidence) > 0 && !open:
		return nil, invalid("")
	}
	metadata(d["metadata"].(object), c.Form)
	for name, value := range evidence {
		d["evidence"].(object)[name], details["has_evidence"] = value, true
	}
	if c.Form.Get("submit") != "false" && open && details["has_evidence"] == true {
		f.submitted(a, d)
	}
	f.updated(a, d, before, c.key())
	return d, nil
}

// submitted sends the evidence to the payer's bank, which decides later.
func (f *Fake) submitted(a *Account, d object) {
	details := d["evidence_details"].(object)
	details["submission_count"] = details["submission_count"].(int) + 1
	text, _ := d["evidence"].(object)["uncategorized_text"].(string)
	under, after, status := "under_review", decidedAfter, "lost"
	switch {
	case d["status"] == "warning_needs_response":
		under, after, status = "warning_under_review", decidedSure, "warning_closed"
	case strings.Contains(text, WinningEvidence):
		after, status = decidedSure, "won"
	case strings.Contains(text, LosingEvidence):
		after = decidedSure
	}
	d["status"] = under
	f.later = append(f.later, later{f.now.Add(after), func() {
		if d["status"] == under {
			f.end(a, d, status, "")
		}
	}})
}

// closeDispute accepts a chargeback.
func (f *Fake) closeDispute(a *Account, d object, c call) (object, *failure) {
	if d["status"] != "needs_response" {
		return nil, invalid("")
	}
	f.end(a, d, "lost", c.key())
	return d, nil
}

// file stores a file that is a PDF, a PNG or a JPEG.
func (f *Fake) file(a *Account, c call) (object, *failure) {
	if c.MultipartForm == nil || c.Form.Get("purpose") != "dispute_evidence" || len(c.MultipartForm.File["file"]) != 1 {
		return nil, invalid("parameter_missing")
	}
	h := c.MultipartForm.File["file"][0]
	content := make([]byte, min(h.Size, 512))
	opened, err := h.Open()
	if err != nil {
		return nil, invalid("")
	}
	defer func() { _ = opened.Close() }() // it is in memory
	if _, err := opened.Read(content); err != nil || h.Size > largestFile {
		return nil, invalid("")
	}
	kind := http.DetectContentType(content)
	if !slices.Contains([]string{"application/pdf", "image/png", "image/jpeg"}, kind) {
		return nil, invalid("")
	}
	o := object{"id": f.id("file"), "object": "file", "created": f.now.Unix(), "purpose": "dispute_evidence",
		"filename": h.Filename, "size": h.Size, "type": kind}
	a.files = append(a.files, o)
	return o, nil
}

// File is an uploaded file.
func (f *Fake) File(a *Account, id string) map[string]any {
	defer f.locked()()
	return a.files.find(id)
}

// Charge returns the id of the charge with a transfer group.
func (f *Fake) Charge(a *Account, group string) string {
	defer f.locked()()
	i := slices.IndexFunc(a.charges, func(o object) bool { return o["transfer_group"] == group })
	return a.charges[i]["id"].(string)
}

// Events returns the ids of an account's events whose type has a prefix, the oldest first.
func (f *Fake) Events(a *Account, prefix string) (ids []string) {
	defer f.locked()()
	for _, e := range a.events {
		if strings.HasPrefix(e["type"].(string), prefix) {
			ids = append(ids, e["id"].(string))
		}
	}
	return ids
}

// ChargeBack opens a chargeback with a reason about the unrefunded amount of a payment.
func (f *Fake) ChargeBack(a *Account, reference, reason string) {
	defer f.locked()()
	for _, charge := range a.charges {
		if charge["transfer_group"] == reference && charge["captured"] == true {
			f.dispute(a, charge, reason, false)
		}
	}
}
