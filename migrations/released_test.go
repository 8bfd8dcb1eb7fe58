package migrations_test

import (
	"fmt"
	"testing"

	"svcpay/migrations"
)

// TestFailedChargesOfBeforeReleaseTheirExternalID: charges that failed before the migration leave their external_id to
// others, however many there are.
func TestFailedChargesOfBeforeReleaseTheirExternalID(t *testing.T) {
	t.Parallel()
	url, pool := at(t, 74)
	const failed = 2500 // some batches
	if _, err := pool.Exec(t.Context(), fmt.Sprintf(`
		INSERT INTO applications (name, api_version, created_at) SELECT 'Application', '2026-12-01', now()
			FROM generate_series(1, 2);
		SET session_replication_role = replica; -- neither tokens nor merchants are of interest
		INSERT INTO charges (id, application_id, merchant_id, token_id, status, amount, currency, funding_currency,
			type, origin, recurring,
			stored_credential, capture, payment_method, billing, external_id, metadata, failure, failed_at,
				processor_name, processor_reference,
			created_at, updated_at)
		SELECT gen_random_uuid(), a.id, 1, gen_random_uuid(), CASE WHEN n > 10 THEN 'failed'
			ELSE 'processing' END, 100, 'usd', 'usd', 'cc', 'ecommerce', false,
			'none', true, '{}', '{}', 'gift-' || n, '{}', CASE WHEN n > 10 THEN '{}'::jsonb END, CASE WHEN n > 10
				THEN now() END, 'sandbox', 'r' || a.id || '-' || n, now(), now()
		FROM applications a, generate_series(1, 10 + %d) n;
		SET session_replication_role = origin`, failed)); err != nil {
		t.Fatal(err)
	}
	if err := migrations.Up(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	var released, live, wrong int
	if err := pool.QueryRow(t.Context(), `
		SELECT count(*) FILTER (WHERE status = 'failed' AND external_id IS NULL AND released_external_id LIKE 'gift-%'),
			count(*) FILTER (WHERE status = 'processing' AND external_id LIKE 'gift-%'
				AND released_external_id IS NULL),
			count(*) FILTER (WHERE version <> 1)
		FROM charges`).Scan(&released, &live, &wrong); err != nil {
		t.Fatal(err)
	}
	var unfound int // by the words of what they released
	if err := pool.QueryRow(t.Context(), `
		SELECT count(*) FROM charges WHERE words IS DISTINCT FROM unfolded_words(charges)`).Scan(&unfound); err != nil {
		t.Fatal(err)
	}
	if unfound > 0 {
		t.Errorf("%d are not found by their external_id", unfound)
	}
	if released != 2*failed || live != 20 || wrong != 0 {
		t.Errorf("%d released, %d live, %d with another version", released, live, wrong)
	}
}
