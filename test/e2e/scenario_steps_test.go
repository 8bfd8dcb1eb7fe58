package e2e

// step is one request of the scenario. $names in path and body stand for what earlier steps kept.
type step struct {
	say          string // what it is for, in the words of the document
	method, path string
	body         string // JSON; "" sends none
	status       int
	keep         map[string]string // name → path of the member to keep
	// want are members of the answer and the JSON text that they must have, in the order of the document.
	want []member
	// sums: the answer sums up all payments of the merchant, earlier ones included.
	sums bool
}

type member struct{ path, json string }

// scenario is a merchant's month: every figure in it follows from the fees of the demo (10 and 20 cents,
// AMEX 0.5 %, platform 5 cents and 1 %, ACH 25 cents and 0.8 %, returns 5.00, chargebacks 15.00).
var scenario = []step{
	{
		say: "Create a token of a payer's American Express card. On a page, `svcpay.js` does this; without a page, use a test case.", method: "POST", path: "/api/sandbox/tokens",
		body: `{"merchant_id": $merchant, "test_case": "approved_amex"}`, status: 201, keep: map[string]string{
			"amex": "id"},
		want: []member{{"card.brand", `"amex"`}, {"card.last4", `"0005"`}},
	},
	{
		say: "Authorize 125.00: the amount is held, not captured. The authorization fee is posted.", method: "POST",
		path: "/api/charges", body: `{"merchant_id": $merchant, "amount": 12500, "token": "$amex", "capture": false}`,
		status: 201, keep: map[string]string{"charge": "id"},
		want: []member{{"status", `"authorized"`}, {"amount_authorized", "12500"}, {"fee_total", "10"}},
	},
	{
		say: "Capture 100.00; the rest is released. The fees are now 10 + 20 + 0.5 % + 5 + 1 % = 1.85.", method: "POST",
		path: "/api/charges/$charge/capture", body: `{"amount": 10000}`, status: 200,
		want: []member{{"status", `"captured"`}, {"amount_captured", "10000"}, {"fee_total", "185"}, {"net", "9815"}},
	},
	{
		say: "Refund 40.00. No fee is returned.", method: "POST", path: "/api/refunds",
		body: `{"charge_id": "$charge", "amount": 4000, "reason": "requested_by_payer"}`, status: 201,
		want: []member{{"status", `"succeeded"`}, {"amount", "4000"}},
	},
	{
		say: "The payer disputes the other 60.00.", method: "POST", path: "/api/sandbox/charges/$charge/simulate",
		body: `{"outcome": "chargeback", "amount": 6000}`, status: 200,
		want: []member{{"amount_refunded", "4000"}, {"amount_disputed", "6000"}, {"amount_refundable", "0"},
			{"fee_total", "185"}},
	},
	{
		say: "The money is reserved and the chargeback fee posted.", method: "GET",
		path: "/api/disputes?charge_id=$charge", status: 200,
		keep: map[string]string{"dispute": "data.0.id"},
		want: []member{{"data.0.status", `"needs_response"`}, {"data.0.amount", "6000"}, {"data.0.fee_total", "1500"}},
	},
	{
		say: "The merchant submits evidence. This text wins in the sandbox.", method: "POST",
		path: "/api/disputes/$dispute/evidence",
		body: `{"evidence": {"uncategorized_text": "winning_evidence"}}`, status: 200,
		want: []member{{"status", `"under_review"`}},
	},
	{
		say:    "Another donor pays by bank debit. This account's bank will return the debit after it has settled.",
		method: "POST", path: "/api/sandbox/tokens",
		body: `{"merchant_id": $merchant, "test_case": "ach_returned_r10"}`, status: 201, keep: map[string]string{
			"bank": "id"},
		want: []member{{"kind", `"bank_us"`}},
	},
	{
		say: "Debit 200.00. The charge is pending until the debit settles.", method: "POST", path: "/api/charges",
		body:   `{"merchant_id": $merchant, "amount": 20000, "token": "$bank"}`,
		status: 201, keep: map[string]string{"debit": "id"},
		want: []member{{"type", `"ach"`}, {"status", `"pending"`}, {"fee_total", "0"}},
	},
	{
		say: "Move the application's clock by a day. The dispute is decided.", method: "POST",
		path: "/api/sandbox/clock", body: `{"advance": "24h"}`, status: 200, want: []member{{"object", `"clock"`}},
	},
	{
		say: "It is won: the reserved money is returned to the merchant, the fee is not.", method: "GET",
		path: "/api/disputes/$dispute", status: 200, want: []member{{"status", `"won"`}, {"fee_total", "1500"}},
	},
	{
		say: "Move the clock by a month. Everything due in this time happens at its time.", method: "POST",
		path: "/api/sandbox/clock", body: `{"advance": "744h"}`, status: 200, want: []member{{"object", `"clock"`}},
	},
	{
		say: "The debit settled on the fourth business day, with fees of 0.25 + 0.8 % + 0.05 + 1 % = 3.90, and was paid out. Then the bank returned it with R10, for another 5.00.", method: "GET", path: "/api/charges/$debit", status: 200,
		want: []member{{"status", `"returned"`}, {"return_code", `"R10"`}, {"fee_total", "890"}},
	},
	{
		say: "Two payouts have arrived, the newest first: 196.10 from the debit; and 43.15 from the card: 100.00 − 1.85 − 40.00 − 15.00.", method: "GET", path: "/api/payouts?merchant_id=$merchant", status: 200, sums: true,
		want: []member{{"data.0.amount", "19610"}, {"data.0.status", `"paid"`}, {"data.1.amount", "4315"},
			{"data.1.status", `"paid"`}},
	},
	{
		say: "The merchant owes 200.00, which was returned after its payout, and the return fee. The negative balance is carried forward.", method: "GET", path: "/api/balance?merchant_id=$merchant", status: 200, sums: true,
		want: []member{{"available", "-20500"}, {"pending", "0"}, {"reserved", "0"}, {"in_transit", "0"}},
	},
	{
		say: "Another donor gives 300.00 by card.", method: "POST", path: "/api/sandbox/tokens",
		body: `{"merchant_id": $merchant, "test_case": "approved"}`, status: 201, keep: map[string]string{"visa": "id"},
		want: []member{{"card.brand", `"visa"`}},
	},
	{
		say: "Charge the card. The fees are 10 + 20 + 5 + 1 % = 3.35.", method: "POST", path: "/api/charges",
		body: `{"merchant_id": $merchant, "amount": 30000, "token": "$visa"}`, status: 201,
		want: []member{{"status", `"captured"`}, {"fee_total", "335"}, {"net", "29665"}},
	},
	{
		say: "Move the clock by fifteen days.", method: "POST", path: "/api/sandbox/clock",
		body: `{"advance": "360h"}`, status: 200, want: []member{{"object", `"clock"`}},
	},
	{
		say: "The next payout is the new money less the negative balance: 296.65 − 205.00 = 91.65.", method: "GET",
		path: "/api/payouts?merchant_id=$merchant&limit=1", status: 200, sums: true,
		keep: map[string]string{"payout": "data.0.id"},
		want: []member{{"data.0.amount", "9165"}, {"data.0.status", `"paid"`}},
	},
	{
		say: "The balance is zero.", method: "GET", path: "/api/balance?merchant_id=$merchant", status: 200, sums: true,
		want: []member{{"available", "0"}, {"pending", "0"}, {"reserved", "0"}, {"in_transit", "0"}},
	},
}
