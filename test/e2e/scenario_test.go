package e2e

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

var updateDocs = flag.Bool("update", false, "write anew what documents show of answers")

const scenarioDocument = "../../docs/scenario.md"

// TestScenario plays a merchant's month over HTTP, compares payouts, statements, balance and ledger to
// the cent, and holds the document to what was played.
func TestScenario(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	known := map[string]string{"merchant": strconv.FormatInt(p.app.Merchants.US, 10)}
	started := time.Now()
	for i, st := range scenario {
		st.play(t, &s.site, i, known)
	}
	end := clockOf(t, p)
	statementsAgree(t, &s.site, p, known["merchant"], started, end)
	entriesAgree(t, &s.site, known)
	want := document()
	if *updateDocs {
		if err := os.WriteFile(scenarioDocument, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(scenarioDocument); err != nil || !bytes.Equal(text, want) {
		t.Errorf("docs/scenario.md is not what was played (%v): go test ./test/e2e -run TestScenario -update", err)
	}
}

// playOnDemo plays the steps on the demo as a newcomer starts it. Its merchant has earlier payments: what sums them up
// is left to [TestScenario].
func (d *devServer) playOnDemo(t *testing.T) {
	t.Helper()
	known := map[string]string{"merchant": strconv.FormatInt(d.credentials.Merchants.US, 10)}
	for i, st := range scenario {
		if st.sums {
			st.want = nil
		}
		st.play(t, &d.site, i, known)
	}
}

var variable = regexp.MustCompile(`\$([a-z]+)`)

// filled replaces the names of what earlier steps kept.
func filled(text string, known map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string { return known[name[1:]] })
}

func (st step) play(t *testing.T, s *site, number int, known map[string]string) {
	t.Helper()
	var body any
	if st.body != "" {
		body = filled(st.body, known)
	}
	header := map[string]string{}
	if st.method == http.MethodPost {
		header["Idempotency-Key"] = fmt.Sprintf("scenario-%d", number)
	}
	a, err := s.api(st.method, filled(st.path, known), body, header)
	if err != nil || a.status != st.status {
		t.Fatalf("step %d, %s %s: %v, %d %s", number, st.method, st.path, err, a.status, a.body)
	}
	for name, path := range st.keep {
		known[name], _ = a.at(path).(string)
	}
	for _, m := range st.want {
		got, err := json.Marshal(a.at(m.path))
		if err != nil || string(got) != m.json {
			t.Errorf("step %d, %s %s: %s is %s, want %s\n%s", number, st.method, st.path, m.path, got, m.json, a.body)
		}
	}
}

// at returns a member by its path, whose numbers are places in lists.
func (a answer) at(path string) any {
	var value any
	if json.Unmarshal(a.body, &value) != nil {
		return nil
	}
	for name := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case map[string]any:
			value = v[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
	}
	return value
}

func clockOf(t *testing.T, p *place) time.Time {
	t.Helper()
	ahead := value[int64](t, p, `SELECT ahead FROM application_clocks WHERE application_id = @id`,
		pg.Args{"id": p.app.AppID})
	return time.Now().Add(time.Duration(ahead) * time.Microsecond)
}

// statementsAgree: each month opens with what the one before closed with, its lines make the
// difference, and all months together are what the ledger has.
func statementsAgree(t *testing.T, s *site, p *place, merchant string, from, until time.Time) {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	balance, totals := 0.0, map[string]float64{}
	first, last := from.In(zone).Format("2006-01"), until.In(zone).Format("2006-01")
	for month := first; month <= last; month = next(month) {
		a, err := s.api("GET", "/api/merchants/"+merchant+"/statement?month="+month, nil, nil)
		if err != nil || a.status != http.StatusOK {
			t.Fatalf("statement of %s: %v, %s", month, err, a)
		}
		if a.at("opening_balance") != balance {
			t.Errorf("%s opens with %v, the month before closed with %v", month, a.at("opening_balance"), balance)
		}
		lines, _ := a.at("lines").([]any)
		for _, l := range lines {
			line := l.(map[string]any)
			totals[line["group"].(string)] += line["amount"].(float64)
			balance += line["amount"].(float64)
		}
		if a.at("closing_balance") != balance {
			t.Errorf("%s closes with %v, its lines give %v", month, a.at("closing_balance"), balance)
		}
	}
	want := map[string]float64{"charges": 60000, "refunds": -4000, "fees": -185 - 1500 - 390 - 500 - 335,
		"returns": -20000, "payouts": -33090}
	if !maps.Equal(totals, want) || balance != 0 {
		t.Errorf("statements: %v, want %v; %v is left", totals, want, balance)
	}
	for kind, minor := range map[string]int64{"payout_paid": 33090, "refund": 4000, "return": 20000} {
		got := value[int64](t, p, `SELECT coalesce(sum(amount), 0)::bigint FROM ledger_entries WHERE kind = @kind
			AND 'processor_receivable' IN (debit, credit)`, pg.Args{"kind": kind})
		if got != minor {
			t.Errorf("the ledger has %d of %s, want %d", got, kind, minor)
		}
	}
	if off := value[int64](t, p, `SELECT count(*) FROM (SELECT FROM ledger_balances GROUP BY application_id, currency
		HAVING sum(balance) <> 0) off`, pg.Args{}); off != 0 {
		t.Error("the ledger does not balance")
	}
}

// next is the month after a month such as 2026-12.
func next(month string) string {
	m, err := time.Parse("2006-01", month)
	if err != nil {
		panic(err) // made by us
	}
	return m.AddDate(0, 1, 0).Format("2006-01")
}

// entriesAgree: the newest payout is the sum of its entries.
func entriesAgree(t *testing.T, s *site, known map[string]string) {
	t.Helper()
	a, err := s.api("GET", filled("/api/payouts/$payout/entries?limit=100", known), nil, nil)
	if err != nil || a.status != http.StatusOK {
		t.Fatalf("entries: %v, %s", err, a)
	}
	sum := 0.0
	entries, _ := a.at("data").([]any)
	for _, e := range entries {
		sum += e.(map[string]any)["amount"].(float64)
	}
	if sum != 9165 || len(entries) < 6 {
		t.Errorf("%d entries sum to %v", len(entries), sum)
	}
}

// document prints the scenario.
func document() []byte {
	var b bytes.Buffer
	b.WriteString("# A merchant's month\n\n" +
		"The test `go test ./test/e2e -run TestScenario` sends every request below to the real program and checks this page. Amounts are\n" +
		"in minor units; `$names` are ids from earlier responses. The fees are those of the demo that `make run` starts. The demo's\n" +
		"merchants have earlier payments, so their payouts and balances are larger than here, where the merchant is new.\n")
	for i, st := range scenario {
		fmt.Fprintf(&b, "\n%d. %s\n\n   ```\n   %s %s\n", i+1, st.say, st.method, st.path)
		if st.body != "" {
			fmt.Fprintf(&b, "   %s\n", st.body)
		}
		fmt.Fprintf(&b, "   → %d", st.status)
		for _, m := range st.want {
			fmt.Fprintf(&b, "  %s: %s", m.path, m.json)
		}
		b.WriteString("\n")
		for _, name := range slices.Sorted(maps.Keys(st.keep)) {
			fmt.Fprintf(&b, "   $%s is %s\n", name, st.keep[name])
		}
		b.WriteString("   ```\n")
	}
	b.WriteString(
		"\nAt the end, the monthly statements agree with payouts, balance and ledger to the cent: charges 600.00, refunds −40.00,\n" +
			"fees −29.10, returns −200.00, payouts −330.90; the balance is zero.\n")
	return b.Bytes()
}
