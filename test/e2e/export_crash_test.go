package e2e

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// exported is how many charges the export of the test has.
const exported = 20_000

// TestExportSurvivesKills: a server that is killed while it writes an export leaves it to the next one, and
// the file has each charge once.
func TestExportSurvivesKills(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	s := p.serve(t, program)
	id := p.charged(t, s)
	a, err := s.api("POST", "/api/exports", map[string]any{"resource": "charges", "format": "jsonl"},
		map[string]string{"Idempotency-Key": "export"})
	if err != nil || a.status != 201 {
		t.Fatalf("%v, %s", err, a)
	}
	path := "/api/exports/" + a.text("id")
	for kill, done := 0, 0.0; kill < 2; kill++ {
		eventually(t, patience, "progress", func() bool {
			a, err := s.api("GET", path, nil, nil)
			if err != nil || a.status != 200 {
				return false
			}
			now, _ := a.get("progress", "done").(float64)
			more := now > done
			done = max(done, now)
			return more
		})
		s.kill(t)
		if state := value[string](t, p, `SELECT status FROM exports`, pg.Args{}); state != "running" {
			t.Fatalf("kill %d came too late: the export is %s", kill+1, state)
		}
		t.Logf("killed after %.0f of %d", done, exported)
		s = p.serve(t, program)
	}
	took := eventually(t, 2*patience, "the export", func() bool {
		a, err = s.api("GET", path, nil, nil)
		return err == nil && a.status == 200 && a.text("status") == "done"
	})
	t.Logf("done %s after the last kill", took.Round(time.Millisecond))
	file, err := s.api("GET", path+"/file", nil, map[string]string{"Accept": "application/jsonl"})
	if err != nil || file.status != 200 {
		t.Fatalf("%v, %d", err, file.status)
	}
	sum := sha256.Sum256(file.body)
	if a.text("sha256") != hex.EncodeToString(sum[:]) ||
		fmt.Sprint(a.get("size")) != fmt.Sprint(float64(len(file.body))) {
		t.Errorf("%s of %d bytes", a, len(file.body))
	}
	checkExported(t, file.body, id)
}

// charged makes a charge through the API, and copies of it in the database.
func (p *place) charged(t *testing.T, s *server) string {
	t.Helper()
	a, err := s.charge("export-charge", s.order(s.token(t, approvedCard), 12500))
	if err != nil || a.status != 201 {
		t.Fatalf("%v, %s", err, a)
	}
	const batch = 5000 // a statement may take five seconds
	for from := 2; from <= exported; from += batch {
		if _, err := pg.Exec(t.Context(), p.pool, `
		INSERT INTO charges (id, application_id, merchant_id, token_id, version, status, amount, amount_authorized,
			amount_captured, currency,
			funding_currency, type, origin, recurring, stored_credential, capture, payment_method, billing, metadata,
				fees, fee_total,
			processor_name, processor_reference, created_at, authorized_at, captured_at, settled_at,
				available_on, updated_at)
		SELECT (substr(id::text, 1, 8) || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, application_id,
			merchant_id, token_id, 1, 'settled',
			amount, amount, amount, currency, currency, type, origin, false, 'none', true, payment_method, billing,
				metadata, fees, fee_total,
			'sandbox', 'copy-' || n, created_at, created_at, created_at, created_at, available_on, created_at
		FROM charges, generate_series(@from::int, @to::int) n WHERE processor_reference NOT LIKE 'copy-%'`,
			pg.Args{"from": from, "to": min(from+batch-1, exported)}); err != nil {
			t.Fatal(err)
		}
	}
	return a.text("id")
}

// checkExported demands each charge once, in the order of ids, and the one that was really made.
func checkExported(t *testing.T, file []byte, id string) {
	t.Helper()
	n, last, seen := 0, "", false
	for lines := bufio.NewScanner(bytes.NewReader(file)); lines.Scan(); n++ {
		var c struct{ ID string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil || c.ID <= last {
			t.Fatalf("line %d: %v, %s after %s", n+1, err, c.ID, last)
		}
		last, seen = c.ID, seen || c.ID == id
	}
	if n != exported || !seen {
		t.Errorf("%d lines; the charge is there: %v", n, seen)
	}
}
