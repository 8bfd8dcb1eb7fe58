package main

import (
	"fmt"
	"strings"
	"time"
)

// What the copies of charges are like.
const (
	templates = 400 // charges that are copied
	payerHas  = 10  // charges
	matches   = 100 // charges with one name, or with the same last digits, in the small database: more than a page
	span      = 365 * 24 * time.Hour
	batch     = 100_000
)

// copied is a table that has rows of every charge, and what differs in a copy: of, the column that names the
// charge; set, expressions for columns, in which i is the copy's number, at its time and clock what its ids begin with,
// it its charge, t the row that is copied and t.nth its number among the rows of its charge; but, which rows a failed
// charge has none of.
type copied struct {
	table, of string
	set       map[string]string
	but       string
}

// One charge of fifty was declined.
const isFailed = "i % 50 = 0"

func unless(captured, failed string) string {
	return "CASE WHEN " + isFailed + " THEN " + failed + " ELSE " + captured + " END"
}

// scaleID is an id of the copy's time. Those of one copy are in the order of its rows, as those of one statement are.
func scaleID(salt string) string {
	return "(clock || to_hex(t.nth) || substr(md5('" + salt + "' || t.nth || i), 1, 19))::uuid"
}

// named is a text of one length for each copy, since names that are given by time are in its order.
func named(prefix string) string { return "'" + prefix + "' || 1000000000 + i" }

// different is how many names and last digits there are, where the large database has so many charges.
func different(rows int) int { return max(1, min(10_000, rows/tenth/matches)) }

// copies are the tables, those that take longest first. Keys are those of the last week, since older ones have been
// purged.
func copies(rows, different int) []copied {
	subject := func(of string) string {
		return "CASE WHEN t." + of + " = t.charge THEN it ELSE " + scaleID("subject") + " END"
	}
	return []copied{
		{table: "charges", of: "id", set: map[string]string{
			"id": "it", "external_id": unless(named("order-"), "NULL"),
			"released_external_id": unless("NULL", named("order-")),
			"metadata":             "jsonb_build_object('campaign', (i % 1000)::text)",
			"billing": fmt.Sprintf(
				`t.billing || jsonb_build_object('first_name', 'Given' || i %% 997, 'last_name',
					'Family' || i / 7 %% %d,
				'email', 'payer' || i %% %d || '@example.org')`, different, max(1, rows/payerHas)),
			"payment_method":      fmt.Sprintf("t.payment_method || jsonb_build_object('last4', lpad((i / 7 %% %d)::text, 4, '0'))", different),
			"processor_reference": named("scale-"), "created_at": "at", "updated_at": "at",
			"status":            unless("t.status", "'failed'"),
			"amount_authorized": unless("t.amount_authorized", "0"),
			"amount_captured":   unless("t.amount_captured", "0"),
			"authorized_at":     unless("at", "NULL"), "captured_at": unless("at", "NULL"),
			"failed_at": unless("NULL", "at"),
			"fee_total": unless("t.fee_total", "0"), "fees": unless("t.fees", "'[]'"),
			"available_on": unless("t.available_on", "NULL"),
			"next_step_at": unless("at + interval '10 years'", "NULL"), // nothing is to become of them
			"failure": unless("NULL", `'{"code": "card_declined", "decline_code": "generic_decline", "message": "The card was declined.",
				"advice": "use_another_method", "retryable": false}'::jsonb`),
		}},
		{table: "ledger_entries", of: "charge_id", but: isFailed, set: map[string]string{
			"id": scaleID("entry"), "business_key": named("scale-") + " || '-' || t.nth",
			"source_id": subject("source_id"), "charge_id": "it",
			"created_at": "at",
		}},
		{table: "events", of: "object_id", set: map[string]string{
			"id": scaleID("event"), "object_id": "it", "created_at": "at",
			"sequence": "(SELECT last_sequence FROM scale.stream) + 2 * i + t.nth",
		}},
		{table: "fee_events", of: "source_id", but: isFailed, set: map[string]string{"source_id": "it", "occurred_at": "at"}},
		{table: "processor_operations", of: "charge_id", set: map[string]string{
			"id": scaleID("operation"), "charge_id": "it", "subject_id": subject("subject_id"),
			"reference":       named("scale-") + " || '-' || t.nth",
			"idempotency_key": named("scale-"), "created_at": "at", "finished_at": "at",
			"state": unless("t.state", "'declined'"),
		}},
		{table: "idempotency_keys", of: "object_id", but: fmt.Sprintf("i < %d", rows-rows*7/365),
			set: map[string]string{
				"key": named("scale-"), "object_id": "it", "created_at": "at", "expires_at": "now() + interval '1 day'",
			}},
	}
}

// statement copies a part of the rows.
func (t copied) statement(columns []string, rows, from, to int) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		if values[i] = "t." + c; t.set[c] != "" {
			values[i] = t.set[c]
		}
	}
	but := ""
	if t.but != "" {
		but = "WHERE NOT (" + t.but + ")"
	}
	step := span / time.Duration(rows)
	return fmt.Sprintf(`
		INSERT INTO %s (%s)
		SELECT %s FROM (SELECT i, at, clock, (clock || substr(md5('charge' || i), 1, 20))::uuid AS it
			FROM generate_series(%d, %d) i
			CROSS JOIN LATERAL (SELECT (SELECT hour FROM scale.stream) - (%d - i) * interval '%d us' AS at) moment
			CROSS JOIN LATERAL (SELECT '0' || to_hex((1000 * date_part('epoch', at))::bigint) AS clock) told
				OFFSET 0) made
		JOIN scale.%s t ON t.template = i %% (SELECT count(*) FROM scale.chosen) %s`,
		t.table, strings.Join(columns, ", "), strings.Join(values, ", "), from, to, rows, step.Microseconds(),
		t.table, but)
}
