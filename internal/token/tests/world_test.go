package token_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
)

func code(err error) string {
	if f, ok := fault.As(err); ok {
		return f.Code
	}
	return fmt.Sprint(err)
}

func count(t *testing.T, w *fixture.World, table string) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM `+table, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// account is a complete bank account of that number.
func account(number string) token.BankInput {
	return token.BankInput{
		Scheme: processor.ACH, Routing: "110000000", Number: sensitive.NewAccountNumber(number),
		AccountType: "checking", Billing: token.Billing{FirstName: "Dana", LastName: "Reed", Email: "dana@example.org"},
		Mandate: token.Acceptance{Accepted: true, TextVersion: token.MandateVersion, IP: "192.0.2.7",
			UserAgent: "Browser/1"},
	}
}

// bank makes a token of a bank account for a merchant of the first application.
func bank(t *testing.T, w *fixture.World, merchantID int64, in token.BankInput) token.Token {
	t.Helper()
	out, err := w.Tokens.CreateBank(t.Context(), w.SessionOf(w.App, merchantID),
		ids.NewRequest(w.Clock.Now()).String(), in)
	if err != nil {
		t.Fatal(err)
	}
	return get(t, w, out.Token.String())
}

func get(t *testing.T, w *fixture.World, id string) token.Token {
	t.Helper()
	out, err := w.Tokens.Get(t.Context(), w.Actor(), id)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// event is what was notified of an object.
type event struct {
	Type     string
	Position int
	Object   json.RawMessage
	Previous map[string]any `db:"previous_attributes"`
	Source   string
	Request  ids.Request `db:"request_id"`
}

func events(t *testing.T, w *fixture.World, id ids.Token) []event {
	t.Helper()
	out, err := pg.All[event](t.Context(), w.Pool, `
		SELECT type, position::int AS position, object, previous_attributes, source, request_id FROM events
			WHERE object_id = @id ORDER BY position`,
		pg.Args{"id": id.Bytes()})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// told fails unless each version of a token after its first has one event, the last of which holds
// the token as it is.
func told(t *testing.T, w *fixture.World, now token.Token, what ...string) []event {
	t.Helper()
	all := events(t, w, now.ID)
	for i, e := range all {
		if e.Type != "token.updated" || e.Position != i+2 {
			t.Errorf("event %d is %s at %d", i, e.Type, e.Position)
		}
	}
	if len(all) != now.Version-1 || len(all) != len(what) {
		t.Fatalf("%d events, version %d, want %d", len(all), now.Version, len(what))
	}
	for i, name := range what {
		if _, ok := all[i].Previous[name]; !ok {
			t.Errorf("event %d does not tell what %s was: %v", i, name, all[i].Previous)
		}
	}
	if len(all) > 0 {
		var told, is any
		text, err := json.Marshal(now)
		if err == nil {
			err = json.Unmarshal(text, &is)
		}
		if err == nil {
			err = json.Unmarshal(all[len(all)-1].Object, &told)
		}
		if a, b := fmt.Sprint(told), fmt.Sprint(is); err != nil || a != b {
			t.Errorf("told as\n%s, is\n%s, %v", a, b, err)
		}
	}
	return all
}

// sealed says how many values the vault has of a token.
func sealed(t *testing.T, w *fixture.World, id ids.Token) int {
	t.Helper()
	n, err := pg.Value[int](t.Context(), w.Pool, `
		SELECT count(*)::int FROM vault_keys k LEFT JOIN vault_values v USING (token_id)
			WHERE token_id = @id`, pg.Args{"id": id})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// claim is that of a request with a key.
func claim(w *fixture.World, key, body string) *idempotency.Claim {
	return &idempotency.Claim{ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/x",
		Fingerprint: sha256.Sum256([]byte(body)),
		Params:      map[string]string{}, RequestID: ids.NewRequest(w.Clock.Now())}
}

// keepPayout keeps a merchant's own bank account.
func keepPayout(t *testing.T, w *fixture.World, applicationID, merchantID int64,
	in token.BankInput) (token.PayoutAccountToKeep, error) {
	t.Helper()
	a, err := w.Tokens.SealPayoutAccount(t.Context(), applicationID, merchantID, in)
	if err == nil {
		err = pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) error { return a.KeepTx(tx, instant.Both(w.Clock.Now())) })
	}
	return a, err
}
