package migrations_test

import (
	"testing"

	"svcpay/migrations"
)

// TestDisputesOfBeforeAreAddedUp: what charges lost to disputes and what these cost is on the charges, of disputes of
// before the migration, and of those that a server of before writes beside it, which knows nothing of the charges'
// columns.
func TestDisputesOfBeforeAreAddedUp(t *testing.T) {
	t.Parallel()
	url, pool := at(t, 95)
	if _, err := pool.Exec(t.Context(), `
		INSERT INTO applications (name, api_version, created_at) VALUES ('Application', '2026-12-01', now());
		SET session_replication_role = replica; -- neither tokens nor merchants are of interest
		INSERT INTO charges (id, application_id, merchant_id, token_id, status, amount, currency, funding_currency,
			type, origin, recurring,
			stored_credential, capture, payment_method, billing, metadata, words, processor_name, processor_reference,
				created_at, updated_at)
		SELECT gen_random_uuid(), a.id, 1, gen_random_uuid(), 'processing', 1000 + n, 'usd', 'usd', 'cc',
			'ecommerce', false, 'none', true, '{}', '{}', '{}', '', 'sandbox', 'r' || n, now(), now()
		FROM applications a, generate_series(1, 2500) n;
		INSERT INTO disputes (id, application_id, merchant_id, charge_id, kind, status, amount, disputed, currency,
			reason, respond_by, processor_name, processor_dispute, fee_total, closed_at, created_at, updated_at)
		SELECT gen_random_uuid(), application_id, 1, c.id, 'chargeback', (ARRAY['lost', 'won', 'needs_response',
			'accepted'])[n], 100 * n, 0, 'usd', 'fraudulent', now(),
			'sandbox', c.id || '-' || n, 1500, CASE WHEN n <> 3 THEN now() END, now(), now()
		FROM charges c, generate_series(1, 4) n WHERE c.amount > 1010;
		SET session_replication_role = origin`); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	wrong := func(lost, fees int) (n int) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `
			SELECT count(*) FROM charges WHERE (amount_lost, dispute_fee_total, version) IS DISTINCT FROM
				(CASE WHEN amount > 1010 THEN $1 ELSE 0 END, CASE WHEN amount > 1010 THEN $2
					ELSE 0 END, 1)`, lost, fees).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := wrong(500, 6000); n > 0 {
		t.Errorf("%d charges of before with other amounts", n)
	}
	if _, err := pool.Exec(t.Context(), `UPDATE disputes SET status = 'lost', fee_total = 2000, closed_at = now()
		WHERE status = 'needs_response'`); err != nil {
		t.Fatal(err)
	}
	if n := wrong(800, 6500); n > 0 {
		t.Errorf("%d charges with other amounts after a change of their disputes", n)
	}
}
