package migrations_test

import (
	"testing"

	"svcpay/migrations"
)

// TestSandboxLinesOfBefore: lines of the version before, and of its servers that still run, belong to the only
// processor that they know.
func TestSandboxLinesOfBefore(t *testing.T) {
	t.Parallel()
	url, pool := at(t, 119)
	const insert = `INSERT INTO sandbox_processor_book (kind, reference, account, amount, currency, captured, approved,
		last4, test_case, answer, visible_at, account_at, created_at)
			VALUES ('authorize', 'r', 'app-1/merchant-1', 7, 'usd', false, true, '', '', '{}', now(), now(), now())`
	if _, err := pool.Exec(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	tx, err := pool.Begin(t.Context()) // a server that writes at the time
	if err == nil {
		_, err = tx.Exec(t.Context(), insert)
	}
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- migrations.Up(t.Context(), url) }()
	await(t, pool, "the migration waits", `query ILIKE '%name_sandbox_processors%' AND wait_event_type = 'Lock'`, 1)
	if _, err := pool.Exec(t.Context(), `SET lock_timeout = '5s'; `+insert+`; RESET lock_timeout`); err != nil {
		t.Errorf("another server waits for the migration: %v", err)
	}
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), insert); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := pool.QueryRow(t.Context(), `SELECT count(*) FROM sandbox_processor_book
		WHERE processor = 'sandbox'`).Scan(&n); err != nil || n != 4 {
		t.Errorf("%d of 4 lines, %v", n, err)
	}
}
