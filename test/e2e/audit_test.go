package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// record is a charge next to everything that was written because of it.
type record struct {
	ID            ids.Charge `db:"id"`
	ApplicationID int64      `db:"application_id"`
	Status        string     `db:"status"`
	Amount        int64      `db:"amount"`
	Captured      int64      `db:"amount_captured"`
	FeeTotal      int64      `db:"fee_total"`
	FeeLines      int64      `db:"fee_lines"`
	Key           *string    `db:"idempotency_key"`
	KeyState      *string    `db:"state"`
	Result        []byte     `db:"result"`
	Refusal       []byte     `db:"refusal"`
	Submissions   int64      `db:"submissions"` // rows in the processor's book
	Approvals     int64      `db:"approvals"`   // of these, approvals of exactly this amount
	Open          int64      `db:"open"`        // operations without an outcome
	PostedFees    int64      `db:"posted_fees"`
	PostedMoney   int64      `db:"posted_money"`
	Postings      int64      `db:"postings"`
	Events        []string   `db:"events"`
	Held          bool       `db:"held"` // before the merchant's rules were decided
}

const records = `
	SELECT c.id, c.application_id, c.status, c.amount, c.amount_captured, c.fee_total,
		jsonb_array_length(c.fees)::bigint AS fee_lines, o.idempotency_key, k.state, k.result, k.refusal,
		(SELECT count(*) FROM sandbox_processor_book b WHERE b.reference = c.processor_reference) AS submissions,
		(SELECT count(*) FROM sandbox_processor_book b WHERE b.reference = c.processor_reference
			AND b.amount = c.amount AND (b.answer->>'approved')::boolean) AS approvals,
		(SELECT count(*) FROM processor_operations o WHERE o.charge_id = c.id AND o.state = 'open') AS open,
		(SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries l
			WHERE l.source_id = c.id AND l.debit = 'merchant_pending' AND l.credit = 'application_fees') AS posted_fees,
		(SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries l
			WHERE l.source_id = c.id AND l.debit = 'processor_receivable'
				AND l.credit = 'merchant_pending') AS posted_money,
		(SELECT count(*) FROM ledger_entries l WHERE l.source_id = c.id) AS postings,
		(SELECT array_agg(e.type ORDER BY e.position) FROM events e WHERE e.object_id = c.id) AS events,
		o.note IS NOT NULL AS held
	FROM charges c JOIN processor_operations o ON o.charge_id = c.id AND o.kind = 'authorize'
	LEFT JOIN idempotency_keys k ON k.application_id = c.application_id AND k.key = o.idempotency_key
	ORDER BY c.id`

// outcomes says what each final status must have left: events, approvals at the processor, and
// which of the charge's own sums the ledger must show.
var outcomes = map[string]struct {
	event    string
	approved int64
	captured bool
}{
	"captured":   {"charge.captured", 1, true},
	"authorized": {"charge.authorized", 1, false},
	"failed":     {"charge.failed", 0, false},
}

// audit compares every record of the place with every other one. Each charge must be final.
func audit(t *testing.T, p *place) []record {
	t.Helper()
	all, err := pg.All[record](t.Context(), p.pool, records, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for _, wrong := range r.wrongs() {
			t.Errorf("audit: %s (%s): %s", r.ID, r.Status, wrong)
		}
		t.Logf("audit: %s %s: %d submitted, %d approved, money %d, fees %d in %d postings, key %s, %v",
			r.ID, r.Status, r.Submissions, r.Approvals, r.PostedMoney, r.PostedFees, r.Postings,
			deref(r.KeyState), r.Events)
	}
	for what, sql := range invariants {
		if n := value[int64](t, p, sql, pg.Args{}); n != 0 {
			t.Errorf("audit: %d %s", n, what)
		}
	}
	return all
}

// invariants are counts of what must not be.
var invariants = map[string]string{
	"merchants whose ledger does not sum to zero": `SELECT count(*) FROM (SELECT FROM ledger_balances
		GROUP BY application_id, merchant_id, currency HAVING sum(balance) <> 0) off`,
	"applications whose ledger does not sum to zero": `SELECT count(*) FROM (SELECT FROM ledger_balances
		GROUP BY application_id, currency HAVING sum(balance) <> 0) off`,
	"business keys posted twice": `SELECT count(*) FROM (SELECT FROM ledger_entries
		GROUP BY application_id, business_key HAVING count(*) > 1) twice`,
	"postings that belong to no charge": `SELECT count(*) FROM ledger_entries l
		WHERE NOT EXISTS (SELECT FROM charges c WHERE c.id = l.source_id AND c.merchant_id = l.merchant_id)`,
	"entries of the processor's book without a charge": `SELECT count(*) FROM sandbox_processor_book b
		WHERE NOT EXISTS (SELECT FROM charges c WHERE c.processor_reference = coalesce(b.original, b.reference))`,
	"fee records that differ from their charge": `SELECT count(*) FROM charges c WHERE c.fee_total <>
		(SELECT coalesce(sum(f.total), 0) FROM fee_events f WHERE f.source_id = c.id)`,
}

func (r record) wrongs() (wrongs []string) {
	must := func(ok bool, format string, args ...any) {
		if !ok {
			wrongs = append(wrongs, fmt.Sprintf(format, args...))
		}
	}
	want, final := outcomes[r.Status]
	must(final, "is not final")
	must(r.Submissions <= 1, "was submitted %d times", r.Submissions)
	events := []string{"charge.created", want.event}
	if r.Held && r.Events[1] == "charge.updated" { // when the rules passed
		events = []string{"charge.created", "charge.updated", want.event}
	}
	must(r.Approvals == want.approved || r.Held && r.Approvals == 1, "has %d approvals", r.Approvals)
	must(r.Open == 0, "has %d open operations", r.Open)
	must(slices.Equal(r.Events, events), "has the events %v", r.Events)
	money, postings := int64(0), r.FeeLines
	if want.captured {
		money, postings = r.Amount, postings+1
	}
	must(r.Captured == money && r.PostedMoney == money, "captured %d, posted %d", r.Captured, r.PostedMoney)
	must(r.PostedFees == r.FeeTotal, "posted fees of %d for a fee total of %d", r.PostedFees, r.FeeTotal)
	must(r.Postings == postings, "has %d postings instead of %d", r.Postings, postings)
	if r.Key != nil {
		must(deref(r.KeyState) == "done", "its key is %s", deref(r.KeyState))
		must((r.Refusal != nil) == (r.Status == "failed"), "its key's outcome is of another kind")
	}
	return wrongs
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// sameOutcome checks that a key's stored outcome is the charge as the API shows it.
func sameOutcome(t *testing.T, s *site, r record) {
	t.Helper()
	shown, err := s.api("GET", "/api/charges/"+r.ID.String(), nil, nil)
	if err != nil || shown.status != 200 {
		t.Fatalf("GET the charge: %v, %s", err, shown)
	}
	if r.Status != "failed" {
		if !bytes.Equal(r.Result, shown.body) {
			t.Errorf("the key keeps\n%s\nbut the charge is\n%s", r.Result, shown.body)
		}
		return
	}
	var refusal struct {
		Code   string
		Detail map[string]any
	}
	if err := json.Unmarshal(r.Refusal, &refusal); err != nil {
		t.Fatal(err)
	}
	code := shown.text("failure", "code")
	if code == "not_submitted" { // the card is not to blame
		code = "processor_error"
	}
	if refusal.Detail["charge_id"] != r.ID.String() || refusal.Code != code {
		t.Errorf("the key keeps %s, but the charge failed with %v", r.Refusal, shown.get("failure"))
	}
}
