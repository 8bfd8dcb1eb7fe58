package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestCopiesOfCharges(t *testing.T) {
	t.Parallel()
	all := copies(1000, 7)
	if all[0].table != "charges" {
		t.Error("charges are not first: they take longest")
	}
	entries := all[slices.IndexFunc(all, func(c copied) bool { return c.table == "ledger_entries" })]
	sql := strings.Join(strings.Fields(entries.statement([]string{"id", "kind", "charge_id"}, 1000, 1, 500)), " ")
	for _, part := range []string{
		"INSERT INTO ledger_entries (id, kind, charge_id) SELECT (clock || to_hex(t.nth) || substr(md5('entry' || t.nth || i), 1, 19))::uuid, t.kind, it FROM",
		"generate_series(1, 500)", "(1000 - i) * interval '31536000000 us'", "JOIN scale.ledger_entries t",
		"WHERE NOT (i % 50 = 0)"} {
		if !strings.Contains(sql, part) {
			t.Errorf("%q is not in %s", part, sql)
		}
	}
	if sql := all[0].statement([]string{"amount"}, 10, 1, 10); strings.Contains(sql, "WHERE NOT") ||
		!strings.Contains(sql, "SELECT t.amount FROM") {
		t.Errorf("charges: %s", sql)
	}
	if charges := all[0]; !strings.Contains(charges.set["billing"], "i / 7 % 7,") ||
		!strings.Contains(charges.set["billing"], "i % 100 ||") ||
		!strings.Contains(charges.set["payment_method"], "(i / 7 % 7)") {
		t.Errorf("payers: %v", charges.set)
	}
	for rows, want := range map[int]int{10_000_000: 10_000, 200_000: 200, 100_000_000: 10_000, 10: 1} {
		if got := different(rows); got != want {
			t.Errorf("%d charges have %d names, want %d", rows, got, want)
		}
	}
	if got := unless("a", "b"); got != "CASE WHEN i % 50 = 0 THEN b ELSE a END" {
		t.Error(got)
	}
}

func TestReadingsAndTheirGoals(t *testing.T) {
	t.Parallel()
	const rows = 10_000
	one := round{at(chargesAt, atLarge): {Rate: 80}, at(chargesAt, atNone): {Rate: 100}}
	names := make(map[string]bool)
	for _, r := range readings(rows) {
		one[at(r.name, atSmall)], one[at(r.name, atLarge)] = figure{P50: 10, Server: 1, Database: 1}, figure{
			P50: 15, Server: 1, Database: 2}
		names[r.name] = true
		for turn := range 20_000 {
			if path := r.path(turn); r.portal != strings.HasPrefix(path, "/portal") || strings.ContainsAny(path, " %") {
				t.Fatalf("%s asks for %s", r.name, path)
			}
		}
	}
	all := results(scaleGoals(rows), []round{one})
	if len(names) != 7 || len(all) != 15 {
		t.Fatalf("%d readings, %d results", len(names), len(all))
	}
	for _, r := range all[:14] {
		if r.ID != "G10" || r.Median != 1.5 || r.word() != "gate" {
			t.Errorf("%+v is %s", r, r.word())
		}
	}
	if last := all[14]; last.ID != "G11" || last.Median != 0.8 || last.word() != "MISSED" {
		t.Errorf("%+v", last)
	}
	for _, r := range results(scaleGoals(rows), []round{{}}) {
		if r.Missing != leftOut {
			t.Errorf("of nothing: %+v", r)
		}
	}
}

// A payer whose email address is looked for is in both databases.
func TestPayersThatAreLookedForAreInBoth(t *testing.T) {
	t.Parallel()
	const rows = 5000
	payers := rows / tenth / payerHas
	number := regexp.MustCompile(`payer(\d+)@`)
	for _, r := range readings(rows) {
		if r.name != "search by email" {
			continue
		}
		seen := make(map[string]bool)
		for turn := range 1000 {
			seen[number.FindStringSubmatch(r.path(turn))[1]] = true
		}
		if len(seen) != payers || seen["50"] {
			t.Errorf("%d payers are looked for of %d", len(seen), payers)
		}
	}
}
