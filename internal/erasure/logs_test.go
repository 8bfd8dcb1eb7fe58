package erasure_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/platform/pg"
)

// The request log may be long: it is read to its end, a part at a time.
func TestTheRequestLogIsReadToItsEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	copies := func(path string) {
		_, err := w.Pool.Exec(t.Context(), `
			INSERT INTO request_logs SELECT (jsonb_populate_record(l, jsonb_build_object('id', gen_random_uuid()))).*
			FROM request_logs l, generate_series(1, 1200) WHERE l.path = $1`, path)
		w.must(err)
	}
	copies("/api/charges")
	copies("/api/me")
	if _, err := w.erase(address); err != nil {
		t.Fatal(err)
	}
	if left := w.found(); len(left) > 0 {
		t.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
	if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM request_logs WHERE path = '/api/me'`,
		pg.Args{}); err != nil || n != 1201 {
		t.Errorf("%d entries of others are left, %v", n, err)
	}
}

// In a query an address may be written in several ways, of which each is found.
func TestAnAddressIsFoundHoweverAQueryWritesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, query := range []string{"email=o'q+gifts@giver.example", "email=o'q+gifts%40giver.example",
		"email=o'q%2Bgifts%40giver.example", "email=o%27q%2Bgifts%40giver.example", "email=O%27q%2bgifts@giver.example",
		"q=email%3Ao%27q%2Bgifts%40giver.example+failed"} {
		w.log("/api/tokens", query, nil)
	}
	w.log("/api/tokens", "email=o%27q%2Bgifts%40giver.example.org&broken=%zz%4", nil)
	w.log("/api/tokens", "email=q%2Bgifts%40giver.example", nil)
	w.must(w.RequestLogs.Flush(t.Context()))
	if _, err := w.erase("o'q+gifts@giver.example"); err != nil {
		t.Fatal(err)
	}
	left, err := pg.Value[[]string](t.Context(), w.Pool, `SELECT array_agg(query) FROM request_logs
		WHERE path = '/api/tokens'`, pg.Args{})
	if err != nil || !slices.Equal(left, []string{"email=q%2Bgifts%40giver.example"}) {
		t.Errorf("left %q, %v", left, err)
	}
}

// An address with an international domain is found in the form that requests have of it, whichever is erased.
func TestAnInternationalAddressIsErasedInEveryForm(t *testing.T) {
	t.Parallel()
	for _, form := range []string{"noor@bücher.example", "Noor@xn--bcher-kva.example"} {
		w := newWorld(t)
		card := w.Card("4242424242424242")
		card.Billing.Email = "noor@BÜCHER.example"
		created, err := w.Tokens.CreateCard(t.Context(), w.Session(), "international", card)
		w.must(err)
		for _, query := range []string{"email=noor@bücher.example", "email=noor%40b%C3%BCcher.example",
			"email=noor%40B%C3%9CCHER.example",
			"email=noor%40xn--bcher-kva.example", "email=NOOR@XN--BCHER-KVA.example"} {
			w.log("/api/tokens", query, nil)
		}
		for _, body := range []string{`{"email":"noor@bücher.example"}`, `{"email":"noor@BÜCHER.example"}`,
			`{"email":"noor@xn--bcher-kva.example"}`} {
			w.log("/api/tokens", "", []byte(body))
		}
		w.must(w.RequestLogs.Flush(t.Context()))
		gone, err := w.erase(form)
		if err != nil || len(gone.Tokens) != 1 || gone.Tokens[0] != created.Token {
			t.Errorf("%s: %+v, %v", form, gone, err)
		}
		if n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM request_logs
			WHERE path = '/api/tokens'`, pg.Args{}); err != nil || n != 0 {
			t.Errorf("%s: %d entries are left, %v", form, n, err)
		}
	}
}

// named has a payer with an address of theirs give names, which are all that requests have of them.
func (w *world) named(first, last string) (email string) {
	w.T.Helper()
	email = fmt.Sprintf("%x@names.example", first+last)
	card := w.Card("4242424242424242")
	card.Billing.FirstName, card.Billing.LastName, card.Billing.Email = first, last, email
	_, err := w.Tokens.CreateCard(w.T.Context(), w.Session(), first+last, card)
	w.must(err)
	return email
}

// In a query a name may be written in several ways, too, in either case, and whatever letters the database's locale
// knows.
func TestANameIsFoundHoweverAQueryWritesIt(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	payers := []string{w.named("José", "García Márquez"), w.named("ÉDITH", "Élan"), w.named("Mary Ann", "O'Brien")}
	for _, query := range []string{"q=Jos%C3%A9+Garc%C3%ADa+M%C3%A1rquez", "q=JOS%C3%89%20GARC%c3%8dA%20M%C3%81RQUEZ",
		"q=José García Márquez",
		"q=%C3%89dith&r=%C3%A9lan", "q=édith+%C3%89LAN", "q=ÉDITH ÉLAN", "q=Mary+Ann+O%27Brien",
		"q=mary%20ann%20o'brien", "first=O%27BRIEN&last=Mary%20Ann"} {
		w.log("/api/tokens", query, nil)
	}
	w.log("/api/tokens", "", []byte(`{"note":"for\nMary Ann\nO'Brien"}`))
	w.log("/api/tokens", "q=Mary+Anne+O%27Brien", nil)
	w.must(w.RequestLogs.Flush(t.Context()))
	for _, email := range payers {
		if _, err := w.erase(email); err != nil {
			t.Fatal(err)
		}
	}
	left, err := pg.Value[[]string](t.Context(), w.Pool, `SELECT array_agg(query) FROM request_logs
		WHERE path = '/api/tokens'`, pg.Args{})
	if err != nil || !slices.Equal(left, []string{"q=Mary+Anne+O%27Brien"}) {
		t.Errorf("left %q, %v", left, err)
	}
}

// A short name is found as a word of its own, and not in the names of paths and members.
func TestAShortNameLeavesTheRequestsOfOthers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	email := w.named("A", "P")
	w.log("/api/p/a", "of=api&page=1", []byte(`{"first_name":"Ap","last_name":"Pa"}`))
	w.log("/api/tokens", "", []byte(`{"first_name":"A","last_name":"P"}`))
	w.log("/api/tokens", "q=a%20p", nil)
	w.must(w.RequestLogs.Flush(t.Context()))
	before, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM request_logs
		WHERE path <> '/api/tokens'`, pg.Args{})
	w.must(err)
	if _, err := w.erase(email); err != nil {
		t.Fatal(err)
	}
	left, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM request_logs`, pg.Args{})
	if err != nil || left != before {
		t.Errorf("%d entries are left of %d, %v", left, before, err)
	}
}
