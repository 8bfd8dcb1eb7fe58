package erasure_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/erasure"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
)

// fill puts a few thousand payers into what their tables have.
func (w *world) fill() {
	w.T.Helper()
	const n = 3000
	var tokens []string
	for range n {
		raw, err := ids.NewToken(w.Clock.Now()).UUIDValue()
		w.must(err)
		tokens = append(tokens, raw.String())
	}
	w.exec(`INSERT INTO tokens (id, application_id, merchant_id, kind, status, last4, brand, bin, exp_month, exp_year,
		funding, country,
			fingerprint, entry_mode, billing, expires_at, created_at, updated_at)
		SELECT n.id::uuid, application_id, merchant_id, kind, status, lpad((n.k % 2000)::text, 4, '0'), brand, bin,
			exp_month, exp_year, funding, country,
			fingerprint, entry_mode, jsonb_build_object('email', 'one' || n.k || '@example.org'), expires_at,
				created_at, updated_at
		FROM tokens, unnest(@tokens::text[]) WITH ORDINALITY AS n (id, k)
			WHERE lower(billing->>'email') = lower(@address)`,
		pg.Args{"tokens": tokens, "address": address})
	w.Copies(w.charge, n, time.Second, func(k int) map[string]any {
		return map[string]any{"token_id": tokens[k-1],
			"billing":        map[string]string{"email": fmt.Sprintf("one%d@example.org", k)},
			"payment_method": map[string]string{"kind": "card", "last4": fmt.Sprintf("%04d", k%2000)}}
	})
	w.exec(`INSERT INTO daf_donations (id, application_id, merchant_id, kind, status, amount, currency, grant_id,
		fund_id, fund_name, fees,
			fee_total, donor, anonymous, metadata, body_hash, created_at, updated_at)
		SELECT gen_random_uuid(), application_id, merchant_id, kind, 'unknown', amount, currency, 'grant' || k, fund_id,
			fund_name, fees,
			fee_total, jsonb_build_object('email', 'one' || k || '@example.org'), anonymous, metadata, body_hash,
				created_at, updated_at
		FROM daf_donations, generate_series(1, 3000) k`, nil)
	w.exec(`INSERT INTO daf_workflows (secret_hash, application_id, merchant_id, key_id, session_hash, page_origin,
		donor, created_at, expires_at)
		SELECT sha256(k::text::bytea), application_id, merchant_id, key_id, session_hash, page_origin,
			jsonb_build_object('email', 'one' || k || '@example.org'), created_at, expires_at
				FROM daf_workflows, generate_series(1, 3000) k`, nil)
	w.exec(`INSERT INTO receipts (application_id, merchant_id, charge_id, email, sent_by, request_id, created_at)
		SELECT application_id, merchant_id, charge_id, 'one' || k || '@example.org', sent_by, request_id, created_at
			FROM receipts, generate_series(1, 3000) k`, nil)
	w.exec(`INSERT INTO idempotency_keys
		SELECT (jsonb_populate_record(i, jsonb_build_object('key', 'k' || k, 'object_id', gen_random_uuid(),
			'expires_at', i.expires_at - k * interval '1 minute'))).*
				FROM idempotency_keys i, generate_series(1, 3000) k WHERE i.key = 'gift'`, nil)
	for more := 1; more > 0; {
		var err error
		more, err = w.Events.Number(w.T.Context())
		w.must(err)
	}
	w.exec(`ANALYZE events, tokens, charges, daf_donations, daf_workflows, receipts, idempotency_keys`, nil)
}

func (w *world) exec(sql string, args pg.Args) {
	w.T.Helper()
	_, err := pg.Exec(w.T.Context(), w.Pool, sql, args)
	w.must(err)
}

// wide is a step of a plan that reads all of a table, or all that an application has in one.
var wide = regexp.MustCompile(`Seq Scan on [^(]*|SubPlan|Index Cond: \(application_id = [^ ]+\)\n`)

// A payer is found by indexes, however much an application has.
func TestAPayerIsFoundByIndexes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.fill()
	all := pg.Args{"application_id": w.App.AppID, "address": address, "objects": [][16]byte{w.charge.ID.Bytes()},
		"last": w.Clock.Now(), "batch": 100}
	for name, sql := range erasure.Statements {
		args := maps.Clone(all)
		maps.DeleteFunc(args, func(arg string, _ any) bool { return !strings.Contains(sql, "@"+arg) })
		err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error {
			if _, err := tx.Exec(t.Context(), "SET LOCAL enable_seqscan = off", nil); err != nil {
				return err
			}
			plan, err := pg.All[struct {
				Text string `db:"QUERY PLAN"`
			}](t.Context(), tx, "EXPLAIN "+sql, args)
			var text strings.Builder
			for _, line := range plan {
				text.WriteString(line.Text + "\n")
			}
			if found := wide.FindString(text.String()); found != "" || !strings.Contains(text.String(), "Index Cond") {
				t.Errorf("%s: %q\n%s", name, found, text.String())
			}
			return err
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Of keys that end at one moment more are read than a page holds, and those of before and after it, too. One whose
// answer is open refuses.
func TestKeysOfOneMomentAreReadTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	copies := func(key string, later time.Duration, n int, object ids.Charge) {
		w.exec(`INSERT INTO idempotency_keys
			SELECT (jsonb_populate_record(i, jsonb_build_object('key', @key::text || k, 'object_id', @object::uuid,
				'expires_at', i.expires_at + @later::interval))).*
					FROM idempotency_keys i, generate_series(1, @n::int) k WHERE i.key = 'gift'`,
			pg.Args{"key": key, "object": object, "later": later, "n": n})
	}
	copies("before", -30*time.Second, 1, w.charge.ID)
	copies("at", time.Hour, 5, w.charge.ID)
	copies("other", time.Hour, 2, ids.NewCharge(w.Clock.Now()))
	w.exec(`UPDATE idempotency_keys SET result = '{}' WHERE key LIKE 'other%'`, nil)
	copies("after", 2*time.Hour, 1, w.charge.ID)
	found, err := erasure.FindKeys(t.Context(), w.Pool, w.App.AppID, []ids.Charge{w.charge.ID}, 2)
	slices.Sort(found)
	if err != nil ||
		!slices.Equal(found, []string{"after1", "at1", "at2", "at3", "at4", "at5", "before1", "gift", "receipt"}) {
		t.Errorf("%q, %v", found, err)
	}
	if _, err := w.erase(address); err != nil {
		t.Fatal(err)
	}
	if left := w.found(); len(left) > 0 {
		t.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
}

// A key whose answer is open stays beyond its time, and refuses as any other does.
func TestAnOpenKeyRefusesBeyondItsTime(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.exec(`UPDATE idempotency_keys SET state = 'claimed', result = NULL WHERE key = 'gift'`, nil)
	w.Clock.Advance(8 * 24 * time.Hour)
	if _, err := w.erase(address); !fault.HasCode(err, "payer_busy") {
		t.Error(err)
	}
}

// The parts of an application's files are deleted a few at a time.
func TestAllPartsOfFilesAreDeleted(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	now := w.Clock.Now()
	w.exec(`INSERT INTO exports (id, application_id, resource, format, filters, status, sha256, created_at,
		completed_at, expires_at, updated_at)
		VALUES (@id, @app, 'charges', 'csv', @filters, 'done', '', @now, @now, @now, @now)`,
		pg.Args{"id": ids.NewExport(now), "app": w.App.AppID, "now": now, "filters": json.RawMessage(`{}`)})
	w.exec(`INSERT INTO export_chunks SELECT application_id, id, n, '' FROM exports, generate_series(1, 250) n`, nil)
	if _, err := w.erase(address); err != nil {
		t.Fatal(err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM export_chunks`, pg.Args{}); err != nil ||
		n != 0 {
		t.Errorf("%d parts are left, %v", n, err)
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM exports WHERE status = 'expired'`,
		pg.Args{}); err != nil || n != 1 {
		t.Errorf("%d files are over, %v", n, err)
	}
}
