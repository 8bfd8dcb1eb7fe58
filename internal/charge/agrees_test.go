package charge_test

import (
	"strings"
	"testing"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// What the database refuses of tokens, charges and operations, each by a row that differs from a good one in no more
// than this.
var refused = map[string][]map[string]any{
	"token_agrees(jsonb_populate_record(r, @change)) FROM tokens r WHERE r.kind = 'card'": {
		{"kind": "cheque"}, {"status": "lost"}, {"entry_mode": "told"}, {"last4": ""}, {"last4": "42424"},
		{"fingerprint": `\x00`},
		{"brand": nil}, {"bin": nil}, {"bin": "42424"}, {"exp_month": 0}, {"exp_month": 13}, {"exp_month": nil},
		{"exp_year": nil},
		{"funding": "borrowed"}, {"funding": nil}, {"country": nil}, {"routing": "110000000"}, {"bank_name": "Bank"},
		{"account_type": "checking"},
		{"status": "pending_verification"}, {"status": "pending_verification", "deposits": digest},
		{"deposits": `\x00`},
		{"verification_tries": -1}, {"verification_tries": 11}, {"status": "disabled"},
		{"disabled_reason": "return_R10"}, {"kind": "bank_us"},
	},
	"token_agrees(jsonb_populate_record(r, @change)) FROM tokens r WHERE r.kind = 'bank_us'": {
		{"kind": "card"}, {"kind": "bank_ca"}, {"brand": "visa"}, {"bin": "424242"}, {"exp_month": 1},
		{"exp_year": 2031}, {"funding": "debit"},
		{"country": "US"}, {"routing": nil}, {"routing": "12345678"}, {"routing": "1234567890"},
		{"routing": "12345678a"}, {"bank_name": nil},
		{"account_type": nil}, {"account_type": "loan"}, {"status": "pending_verification", "deposits": nil},
		{"status": "pending_verification", "deposits": digest, "disabled_reason": "return_R10"},
	},
	"charge_agrees(jsonb_populate_record(r, @change)) FROM charges r WHERE r.status = 'captured'": {
		{"type": "cheque"}, {"currency": "eur"}, {"currency": "eur", "funding_currency": "eur"},
		{"funding_currency": "cad"}, {"origin": "post"},
		{"stored_credential": "some"}, {"description": long(256)}, {"external_id": long(65)},
		{"statement_suffix": long(13)}, {"void_reason": long(256)},
		{"type": "ach", "capture": false}, {"amount": 0}, {"amount": 100_000_000}, {"amount_authorized": 1001},
		{"amount_authorized": 999},
		{"amount_captured": -1}, {"amount_captured": 0}, {"amount_captured": 1001}, {"amount_refunded": -1},
		{"amount_refund_pending": -1}, {"amount_disputed": -1},
		{"amount_disputed": 1}, {"amount_refunded": 501, "amount_refund_pending": 500},
		{"amount_disputed": 1, "amount_contested": 1, "amount_refunded": 1000},
		{"fee_total": -1}, {"status": "gone"}, {"status": "processing"}, {"status": "authorized"},
		{"authorized_at": nil}, {"captured_at": nil},
		{"available_on": nil}, {"next_step_at": nil}, {"status": "settled"}, {"status": "settled", "settled_at": now},
		{"settled_at": now},
		{"status": "returned", "settled_at": now, "returned_at": now, "next_step_at": nil}, {"returned_at": now},
		{"voided_at": now}, {"expired_at": now},
		{"failed_at": now}, {"failure": map[string]any{"code": "card_declined"}},
		{"status": "voided", "next_step_at": nil, "voided_at": now},
		{"status": "failed", "next_step_at": nil, "failed_at": now},
	},
	"operation_agrees(jsonb_populate_record(r, @change)) FROM processor_operations r WHERE r.state = 'approved'": {
		{"kind": "guess"}, {"kind": "payout"}, {"kind": "grant"}, {"charge_id": nil}, {"amount": 0},
		{"currency": "eur"}, {"source": "mail"}, {"state": "lost"},
		{"state": "open"}, {"state": "open", "finished_at": nil}, {"finished_at": nil}, {"next_check_at": now},
		{"state": "declined", "next_check_at": now},
	},
}

const (
	now    = "2026-11-25T12:00:00Z"
	digest = `\x0000000000000000000000000000000000000000000000000000000000000000`
)

func long(n int) string { return strings.Repeat("é", n) }

func TestWhatTheDatabaseRefuses(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	token, amount := w.Token("4242424242424242"), money.Amount(1000)
	w.BankToken(w.App.Merchants.US, w.USBank("000123456789"))
	if _, err := w.Charges.Create(t.Context(), w.Actor(),
		charge.CreateInput{MerchantID: &w.App.Merchants.US, Token: &token, Amount: &amount}, nil); err != nil {
		t.Fatal(err)
	}
	for from, changes := range refused {
		for _, change := range append(changes, map[string]any{}) {
			holds, err := pg.Value[bool](t.Context(), w.Pool, "SELECT "+from+" LIMIT 1", pg.Args{"change": change})
			if good := len(change) == 0; err != nil || holds != good {
				t.Errorf("%s, with %v: %v, %v", from, change, holds, err)
			}
		}
	}
}
