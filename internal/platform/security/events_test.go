package security_test

import (
	"bytes"
	"cmp"
	"fmt"
	"log/slog"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
	"svcpay/internal/testing/fixture"
)

// kept is what the table has of one kind and outcome.
type kept struct {
	Rows      int64 `db:"rows"`
	Events    int64 `db:"events"`
	Addresses int64 `db:"addresses"`
	Accounts  int64 `db:"accounts"`
}

func flushed(t *testing.T, w *fixture.World, kind security.Kind, outcome string) kept {
	t.Helper()
	if err := w.Security.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	out, err := pg.One[kept](t.Context(), w.Pool, `
		SELECT count(*) AS rows, coalesce(sum(count), 0)::bigint AS events, count(DISTINCT address) AS addresses,
			count(DISTINCT account) AS accounts
		FROM security_events WHERE kind = @kind AND outcome = @outcome`,
		pg.Args{"kind": string(kind), "outcome": outcome})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// address is one of many.
func address(n int) netip.Addr { return netip.AddrFrom4([4]byte{198, 51, byte(n >> 8), byte(n)}) }

// A thousand unknown keys from one address, and a thousand unknown accounts from as many addresses, leave a bounded
// number of rows, in which each event is counted.
func TestFloodsLeaveFewRowsAndEveryCount(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	add := func(kind security.Kind, account string, from netip.Addr) {
		w.Security.Add(t.Context(), security.Event{Kind: kind, Outcome: "wrong", Account: account,
			Actor: authz.Actor{Address: from}})
	}
	for n := range 1000 {
		add(security.APIKey, fmt.Sprint("key", n), address(7))
		add(security.SignIn, fmt.Sprint("account", n, "@example.org"), address(n))
		if n%300 == 0 {
			flushed(t, w, security.APIKey, "wrong")
		}
	}
	got := flushed(t, w, security.APIKey, "wrong")
	if got.Events != 1000 || got.Rows > 102 || got.Addresses != 1 ||
		got.Accounts < 99 {
		t.Errorf("keys: %+v", got)
	}
	if got := flushed(t, w, security.SignIn, "wrong"); got.Events != 1000 || got.Rows > 202 || got.Addresses < 100 {
		t.Errorf("accounts: %+v", got)
	}
	var total int64
	for n := range 500 { // someone's own account stays, whatever the number of addresses
		w.Security.Add(t.Context(), security.Event{Kind: security.SignIn, Outcome: "code_wrong",
			Actor: authz.Actor{PersonID: 5, Address: address(n)}})
		total++
	}
	flushed(t, w, security.SignIn, "code_wrong")
	of, err := pg.Value[int64](t.Context(), w.Pool, `SELECT sum(count)::bigint FROM security_events
		WHERE person_id = 5`, pg.Args{})
	if err != nil || of != total {
		t.Errorf("%d events of the person, not %d: %v", of, total, err)
	}
	w.Clock.Advance(time.Hour) // has room for new rows
	add(security.APIKey, "another", address(7))
	if after := flushed(t, w, security.APIKey, "wrong"); after.Accounts != got.Accounts+1 {
		t.Errorf("an hour later: %+v", after)
	}
}

// Two servers add to the same rows.
func TestServersShareRows(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	second := security.New(w.Pool, w.Audit, w.Keys.MAC("security events"), w.Clock.Now)
	for range 3 {
		for _, l := range []*security.Log{w.Security, second} {
			l.Add(t.Context(), security.Event{Kind: security.Proof, Outcome: "code_wrong", Account: "a@example.org"})
		}
	}
	if err := second.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := flushed(t, w, security.Proof, "code_wrong"); got != (kept{Rows: 1, Events: 6, Accounts: 1}) {
		t.Errorf("%+v", got)
	}
	text, err := pg.Value[string](t.Context(), w.Pool, `SELECT encode(account, 'escape') FROM security_events
		WHERE kind = 'proof'`, pg.Args{})
	if err != nil || strings.Contains(text, "example") {
		t.Errorf("an account in clear: %s, %v", text, err)
	}
}

// What a key was refused is in the audit log of its application alone, at 1, 10 and 100 times.
func TestApplicationsSeeWhatTheirKeysWereRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	id := ids.NewKey(w.Clock.Now())
	for range 150 {
		w.Security.Outcome(t.Context(), security.APIKey, authz.Actor{Role: authz.RoleSecretKey, KeyID: id,
			KeyName: "Shop", ApplicationID: w.App.AppID, Address: address(7)}, "",
			fault.New(fault.KindUnauthenticated, "api_key_expired", "Expired."))
		flushed(t, w, security.APIKey, "api_key_expired")
	}
	subject := id.String()
	for _, of := range []struct {
		who  authz.Actor
		want int
	}{{w.PersonOf(authz.RoleApplicationAdmin, w.App), 3}, {w.PersonOf(authz.RoleApplicationAdmin, w.Other), 0}} {
		entries, err := w.Audit.List(t.Context(), of.who, audit.ListInput{SubjectID: &subject,
			Page: page.Input[ids.AuditEntry]{Limit: 10}})
		if err != nil || len(entries.Items) != of.want {
			t.Fatalf("%d entries, not %d: %v", len(entries.Items), of.want, err)
		}
		slices.SortFunc(entries.Items, func(a, b audit.Entry) int { return cmp.Compare(b.Position, a.Position) })
		for i, e := range entries.Items {
			want := fmt.Sprintf(`"count":%s`, "1"+strings.Repeat("0", 2-i))
			if !bytes.Contains(e.After, []byte(want)) || !bytes.Contains(e.After, []byte("api_key_expired")) ||
				*e.Address != address(7) || e.Outcome != audit.Denied || e.ActorName != "Shop" {
				t.Errorf("entry %d: %s %v %s", i, e.After, e.Address, e.Outcome)
			}
		}
	}
}

// What the database does not take is written later; what fails on our side is no outcome of a proof.
func TestEventsWaitForTheDatabase(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	w.Security.Outcome(t.Context(), security.SignIn, authz.Actor{}, "", fault.Internal(fmt.Errorf("broken")))
	w.Security.Outcome(t.Context(), security.SignIn, authz.Actor{}, "", fmt.Errorf("broken"))
	w.Security.Outcome(t.Context(), security.SignIn, authz.Actor{PersonID: 1}, "", nil)
	rename := func(from, to string) {
		if _, err := w.Pool.Exec(t.Context(), `ALTER TABLE `+from+` RENAME TO `+to); err != nil {
			t.Fatal(err)
		}
	}
	rename("security_events", "gone")
	if err := w.Security.Flush(t.Context()); err == nil {
		t.Fatal("written to no table")
	}
	w.Security.Outcome(t.Context(), security.SignIn, authz.Actor{PersonID: 1}, "", nil)
	rename("gone", "security_events")
	log := &strings.Builder{}
	w.Security.Start(slog.New(slog.NewTextHandler(log, nil)))()
	if got := flushed(t, w, security.SignIn, security.Succeeded); got.Events != 2 || log.Len() > 0 {
		t.Errorf("%+v, log: %s", got, log)
	}
	all, err := pg.Value[int64](t.Context(), w.Pool, `SELECT count(*) FROM security_events
		WHERE kind = 'sign_in'`, pg.Args{})
	if err != nil || all != 1 {
		t.Errorf("%d rows, %v", all, err)
	}
	w.Clock.Advance(399 * 24 * time.Hour)
	for _, some := range []bool{false, true} {
		if n, err := w.Security.Purge(t.Context()); err != nil || some != (n > 0) {
			t.Errorf("%d purged: %v", n, err)
		}
		w.Clock.Advance(2 * 24 * time.Hour)
	}
}

// A log that is nil takes events and keeps none, and each event is observed.
func TestObservedEvents(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	var none *security.Log
	none.Add(t.Context(), security.Event{Kind: security.Vault, Outcome: "unreadable"})
	var seen []string
	w.Security.Observed = func(kind security.Kind, outcome string) { seen = append(seen, string(kind)+" "+outcome) }
	origin := security.Origin{Address: address(9), RequestID: ids.NewRequest(w.Clock.Now())}
	w.Security.Add(security.From(t.Context(), origin), security.Event{Kind: security.Limit, Outcome: "rate_limited"})
	if fmt.Sprint(seen) != "[limit rate_limited]" || w.Security.Dropped() != 0 {
		t.Errorf("%v, %d dropped", seen, w.Security.Dropped())
	}
	if got := flushed(t, w, security.Limit, "rate_limited"); got.Addresses != 1 {
		t.Errorf("%+v", got)
	}
	id, err := pg.Value[ids.Request](t.Context(), w.Pool, `SELECT request_id FROM security_events
		WHERE kind = 'limit'`, pg.Args{})
	if err != nil || id != origin.RequestID {
		t.Errorf("%s, %v", id, err)
	}
}
