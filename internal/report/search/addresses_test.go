package search_test

import (
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/identity"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/token"
)

// formerAddresses are what a server of before writes where it keeps email addresses: it leaves the words, and the
// domain as it came.
var formerAddresses = []string{
	`UPDATE charges SET billing = jsonb_set(billing, '{email}', to_jsonb(@address::text))`,
	`UPDATE tokens SET billing = jsonb_set(billing, '{email}', to_jsonb(@address::text))`,
	`UPDATE daf_donations SET donor = jsonb_set(donor, '{email}', to_jsonb(@address::text))`,
	`UPDATE daf_workflows SET donor = jsonb_set(donor, '{email}', to_jsonb(@address::text))`,
	`INSERT INTO people (email, name, password_hash, created_at) VALUES (@address, 'Dana Reed', 'x', now())`,
	`INSERT INTO invitations (token_hash, email, role, scope, invited_by, created_at, expires_at)
		VALUES (sha256('a'), @address, 'support_staff', 'system', 'Kim', now(), now() + interval '1 day')`,
	`INSERT INTO receipts (application_id, merchant_id, charge_id, email, sent_by, request_id, created_at)
		SELECT application_id, merchant_id, id, @address, 'Kim', id, now() FROM charges`,
	`SET session_replication_role = replica`,
	`INSERT INTO bank_links (secret_hash, application_id, merchant_id, key_id, page_origin, scheme, language,
		color_scheme, state, authorization_id,
			email, created_at, expires_at)
		VALUES (sha256('b'), 1, 1001, gen_random_uuid(), 'https://give.example.org', 'ach', 'en', 'light', 'authorized',
			'ba_1', @address, now(), now())`,
	`SET session_replication_role = origin`,
}

const selectFormer = `
	SELECT coalesce(array_agg(DISTINCT address), '{}') FROM (
		SELECT email AS address FROM people UNION ALL SELECT email FROM invitations UNION ALL SELECT email FROM receipts
		UNION ALL SELECT email FROM bank_links UNION ALL SELECT billing->>'email' FROM charges
			UNION ALL SELECT billing->>'email' FROM tokens
		UNION ALL SELECT donor->>'email' FROM daf_donations UNION ALL SELECT donor->>'email' FROM daf_workflows) a
	WHERE beyond_ascii(address)`

func (w place) former(t *testing.T) []string {
	t.Helper()
	out, err := pg.Value[[]string](t.Context(), w.Pool, selectFormer, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// What a server of before wrote with a domain in Unicode gets the form in which it is compared, in every table that has
// addresses, and is found by either.
func TestAddressesOfServersOfBeforeAreNormalized(t *testing.T) {
	t.Parallel()
	w := open(t)
	w.oneOfEach(t)
	const unicodeForm, ascii = "Dana@BÜCHER.example", "Dana@xn--bcher-kva.example"
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range formerAddresses {
		if _, err := conn.Exec(t.Context(), statement, pgx.NamedArgs{"address": unicodeForm}); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	conn.Release()
	if got := w.former(t); !slices.Equal(got, []string{unicodeForm}) {
		t.Fatalf("before: %q", got)
	}
	for _, repair := range []func() (int, error){
		func() (int, error) { return w.Search.FoldWords(t.Context()) }, func() (int, error) {
			return w.Search.NormalizeAddresses(t.Context())
		},
	} {
		if n, err := repair(); err != nil || n == 0 {
			t.Fatalf("%d repaired, %v", n, err)
		}
		if n, err := repair(); err != nil || n != 0 {
			t.Fatalf("%d repaired again, %v", n, err)
		}
	}
	if got := w.former(t); len(got) > 0 {
		t.Errorf("left: %q", got)
	}
	for _, query := range []string{"email:" + unicodeForm, "email:dana@bücher.example", "email:" + ascii,
		"dana@bücher.example", "bucher", ascii, "xn--bcher-kva.example"} {
		if got := w.kindsFound(t, query); len(got) != 3 {
			t.Errorf("%s finds %v", query, got)
		}
	}
	for _, form := range []string{unicodeForm, "dana@bücher.example", ascii} {
		charges, err := w.Charges.List(t.Context(), w.Actor(),
			charge.ListInput{Page: page.Input[ids.Charge]{Limit: 10}, Email: &form})
		if err != nil || len(charges.Items) != 1 || charges.Items[0].Billing.Email != ascii {
			t.Errorf("%s: %+v, %v", form, charges, err)
		}
		tokens, err := w.Tokens.List(t.Context(), w.Actor(),
			token.ListInput{Page: page.Input[ids.Token]{Limit: 10}, Email: &form})
		if err != nil || len(tokens.Items) != 1 || tokens.Items[0].Billing.Email != ascii {
			t.Errorf("%s: %+v, %v", form, tokens, err)
		}
		donations, err := w.DAF.List(t.Context(), w.Actor(),
			daf.ListInput{Page: page.Input[ids.Donation]{Limit: 10}, Email: &form})
		if err != nil || len(donations.Items) != 1 || donations.Items[0].User.Email != ascii {
			t.Errorf("%s: %+v, %v", form, donations, err)
		}
	}
}

// Two accounts may have one address in two forms: neither takes the other's, and nothing else waits for them.
func TestTwoAccountsOfOneAddressStay(t *testing.T) {
	t.Parallel()
	w := open(t)
	_, err := w.Identity.CreatePerson(t.Context(),
		identity.NewPerson{Email: "dana@bücher.example", Name: "Dana", Password: "correct horse battery"})
	if err != nil {
		t.Fatal(err)
	}
	for _, former := range []string{"dana@bücher.example", "kim@bücher.example"} {
		if _, err := pg.Exec(t.Context(), w.Pool, `INSERT INTO people (email, name, password_hash, created_at)
			VALUES (@address, 'Two', 'x', now())`, pg.Args{"address": former}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []int{1, 0} { // what is left is no work to be done at once
		if n, err := w.Search.NormalizeAddresses(t.Context()); err != nil || n != want {
			t.Fatalf("%d rows, %v, want %d", n, err, want)
		}
	}
	got, err := pg.Value[[]string](t.Context(), w.Pool, `SELECT array_agg(email ORDER BY email COLLATE "C") FROM people
		WHERE email LIKE '%cher%'`, pg.Args{})
	if want := []string{"dana@bücher.example", "dana@xn--bcher-kva.example", "kim@xn--bcher-kva.example"}; err != nil ||
		!slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}
