package dispute_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"svcpay/internal/dispute"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/pgtest"
)

func TestMovesAndDatabaseKnowTheSameStates(t *testing.T) {
	t.Parallel()
	pool := pgtest.New(t)
	known := map[dispute.State]bool{}
	for _, m := range dispute.Moves() {
		known[m.To] = true
	}
	rules, err := pg.Value[string](t.Context(), pool, `
		SELECT string_agg('(' || pg_get_expr(conbin, conrelid) || ')', ' AND ') FROM pg_constraint
		WHERE conrelid = 'disputes'::regclass
			AND conname IN ('disputes_states', 'disputes_kind_check', 'disputes_status_check')`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range append(dispute.Kinds(), "") {
		for _, status := range append(dispute.Statuses(), "", "open") {
			ok, err := pg.Value[bool](t.Context(), pool, fmt.Sprintf(`SELECT %s FROM (SELECT '%s'::text AS kind,
				'%s'::text AS status) d`, rules, kind, status), pg.Args{})
			if want := known[dispute.State{Kind: dispute.Kind(kind), Status: dispute.Status(status)}]; err != nil ||
				ok != want {
				t.Errorf("%q %q: the database says %v, %v; the code %v", kind, status, ok, err, want)
			}
		}
	}
}

func TestMoves(t *testing.T) {
	t.Parallel()
	type pair struct{ from, to dispute.State }
	seen, reached, left := map[pair]bool{}, map[dispute.State]bool{{}: true}, map[dispute.State]bool{}
	for _, m := range dispute.Moves() {
		if seen[pair{m.From, m.To}] || m.From == m.To || !reached[m.From] || !strings.HasPrefix(m.Event, "dispute.") {
			t.Errorf("move %+v is double, idle, unreachable or silent", m)
		}
		if m.From.Kind == dispute.Chargeback && m.To.Kind == dispute.Retrieval {
			t.Errorf("move %+v makes a retrieval of a chargeback", m)
		}
		seen[pair{m.From, m.To}], reached[m.To], left[m.From] = true, true, true
	}
	for _, final := range []dispute.Status{dispute.Won, dispute.Accepted, dispute.Closed} { // a loss may still be won
		for _, kind := range dispute.Kinds() {
			if left[dispute.State{Kind: dispute.Kind(kind), Status: final}] {
				t.Errorf("%s is left", final)
			}
		}
	}
	if len(dispute.Statuses()) != 6 {
		t.Errorf("%v", dispute.Statuses())
	}
}

// TestStatesDocument compares docs/dispute-states.md with the moves that the code allows.
func TestStatesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| from | to | event |\n|---|---|---|\n")
	for _, m := range dispute.Moves() {
		from := "–"
		if m.From.Status != "" {
			from = fmt.Sprintf("%s `%s`", m.From.Kind, m.From.Status)
		}
		fmt.Fprintf(&want, "| %s | %s `%s` | `%s` |\n", from, m.To.Kind, m.To.Status, m.Event)
	}
	text, err := os.ReadFile("../../docs/dispute-states.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/dispute-states.md must contain this table:\n%s", want.String())
	}
	for _, name := range dispute.EvidenceNames() {
		if !strings.Contains(string(text), "`"+name+"`") {
			t.Errorf("docs/dispute-states.md does not name %s", name)
		}
	}
}
