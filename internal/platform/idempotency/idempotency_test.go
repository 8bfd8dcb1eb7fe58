package idempotency_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// request is a claim of the first application on key, with a parameter amount.
func request(w *fixture.World, key, amount string) *idempotency.Claim {
	return &idempotency.Claim{
		ApplicationID: w.App.AppID, Key: key, Method: "POST", Path: "/api/charges",
		Fingerprint: sha256.Sum256([]byte(amount)), Params: map[string]string{"amount": amount, "token": "same"},
		RequestID: ids.NewRequest(w.Clock.Now()),
	}
}

// claim makes entries of claims and gives their verdicts and objects; then runs, in the same transaction.
func claim(t *testing.T, w *fixture.World, then func(*pg.Tx, []idempotency.Entry) error,
	claims ...*idempotency.Claim) ([]idempotency.Verdict, []idempotency.Entry) {
	t.Helper()
	var entries []idempotency.Entry
	for _, c := range claims {
		entries = append(entries, idempotency.Entry{Claim: c, ObjectID: ids.NewCharge(w.Clock.Now()).Bytes()})
	}
	var verdicts []idempotency.Verdict
	err := pg.InTx(t.Context(), w.Pool, func(tx *pg.Tx) (err error) {
		if verdicts, err = idempotency.ClaimTx(t.Context(), tx, w.Clock.Now(), entries); err == nil && then != nil {
			err = then(tx, entries)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return verdicts, entries
}

func in(t *testing.T, w *fixture.World, fn func(*pg.Tx) error) {
	t.Helper()
	if err := pg.InTx(t.Context(), w.Pool, fn); err != nil {
		t.Fatal(err)
	}
}

func held(w *fixture.World, e idempotency.Entry) idempotency.Held {
	return idempotency.Held{ApplicationID: w.App.AppID, Key: e.Claim.Key, ObjectID: e.ObjectID}
}

func fresh(v idempotency.Verdict) bool { return v.Prior == nil && v.Err == nil }

func TestVerdictsPerEntry(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	first, entries := claim(t, w, nil, request(w, "a", "1"), request(w, "b", "1"), nil)
	for i, v := range first {
		if !fresh(v) {
			t.Errorf("entry %d: %+v", i, v)
		}
	}
	again, _ := claim(t, w, nil, request(w, "a", "1"), nil, request(w, "b", "2"), request(w, "c", "1"))
	if p := again[0].Prior; p == nil || p.State != idempotency.Claimed || p.ObjectID != entries[0].ObjectID ||
		p.RequestID != entries[0].Claim.RequestID || !p.CreatedAt.Equal(w.Clock.Now()) {
		t.Errorf("the same request: %+v", p)
	}
	if !fresh(again[1]) || !fresh(again[3]) {
		t.Errorf("without a key %+v, with a new one %+v", again[1], again[3])
	}
	if f, ok := fault.As(again[2].Err); !ok || f.Code != "idempotency_key_reused" || again[2].Prior != nil {
		t.Errorf("another request: %+v", again[2])
	}
	theirs := request(w, "a", "9")
	theirs.ApplicationID = w.Other.AppID
	if v, _ := claim(t, w, nil, theirs); !fresh(v[0]) {
		t.Errorf("another application's key: %+v", v[0])
	}
}

func TestReusedKeyNamesWhatDiffers(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claim(t, w, nil, request(w, "a", "1"))
	other := request(w, "a", "2")
	other.Params = map[string]string{"amount": "2", "recurring": "x"}
	v, _ := claim(t, w, nil, other)
	f, ok := fault.As(v[0].Err)
	if !ok || !reflect.DeepEqual(f.Detail,
		map[string]any{"differing_parameters": []string{"amount", "recurring", "token"}}) {
		t.Errorf("%+v", f)
	}
}

// meant is a request in one form of several that mean the same.
func meant(w *fixture.World, form, meaning string) *idempotency.Claim {
	c := request(w, "a", form)
	c.Meaning = sha256.Sum256([]byte(meaning))
	return c
}

func TestRequestsOfOneMeaningAreTheSame(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, first := claim(t, w, nil, meant(w, "short", "x"))
	same := func(form, meaning string, want bool) {
		t.Helper()
		v, _ := claim(t, w, nil, meant(w, form, meaning))
		if got := v[0].Prior != nil && v[0].Prior.ObjectID == first[0].ObjectID; got != want ||
			got == (v[0].Err != nil) {
			t.Errorf("%s, which means %s: %+v", form, meaning, v[0])
		}
	}
	same("short", "x", true)
	same("long", "x", true)
	same("other", "y", false)
	if v, _ := claim(t, w, nil, request(w, "a", "long")); v[0].Err == nil { // a server of an earlier release
		t.Errorf("known without a meaning: %+v", v[0])
	}
	// Such a server takes the key when it has expired, and leaves the meaning of the request of before.
	in(t, w, func(tx *pg.Tx) error {
		tx.Later(`UPDATE idempotency_keys SET fingerprint = @fingerprint`,
			pg.Args{"fingerprint": request(w, "a", "next").Fingerprint[:]})
		return nil
	})
	same("next", "z", true)
	same("short", "x", false)
	same("long", "x", false)
}

func TestRequestsWithoutAMeaningAreKnownByWhatWasSent(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claim(t, w, nil, request(w, "a", "1"))
	if v, _ := claim(t, w, nil, request(w, "a", "2")); v[0].Err == nil {
		t.Errorf("another request: %+v", v[0])
	}
	if v, _ := claim(t, w, nil, meant(w, "1", "x")); v[0].Prior == nil {
		t.Errorf("the same request: %+v", v[0])
	}
	if v, _ := claim(t, w, nil, meant(w, "2", "x")); v[0].Err == nil {
		t.Errorf("another request: %+v", v[0])
	}
}

func TestReleasedKeyIsFree(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	release := func(tx *pg.Tx, es []idempotency.Entry) error {
		idempotency.ReleaseTx(tx, es[0].Claim)
		idempotency.ReleaseTx(tx, nil)
		return nil
	}
	claim(t, w, release, request(w, "a", "1"))
	if v, entries := claim(t, w, nil, request(w, "a", "2")); !fresh(v[0]) {
		t.Errorf("%+v", v[0])
	} else {
		in(t, w, func(tx *pg.Tx) error {
			return idempotency.FinishTx(tx, held(w, entries[0]), idempotency.Outcome{Result: []byte(`{}`)})
		})
	}
	in(t, w, func(tx *pg.Tx) error { idempotency.ReleaseTx(tx, request(w, "a", "2")); return nil })
	if v, _ := claim(t, w, nil, request(w, "a", "2")); fresh(v[0]) {
		t.Error("a finished key was released")
	}
}

func TestOutcomesAreForGood(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, entries := claim(t, w, nil, request(w, "good", "1"), request(w, "bad", "1"))
	accept := func() {
		in(t, w, func(tx *pg.Tx) error { idempotency.AcceptTx(tx, held(w, entries[0])); return nil })
	}
	accept()
	if v, _ := claim(t, w, nil, request(w, "good", "1")); v[0].Prior.State != idempotency.Accepted {
		t.Errorf("accepted: %+v", v[0].Prior)
	}
	refusal := fault.New(fault.KindDeclined, "card_declined", "Declined.").On("token").With("charge_id", "ch_1")
	finish := func(good, bad idempotency.Outcome) {
		in(t, w, func(tx *pg.Tx) error {
			if err := idempotency.FinishTx(tx, held(w, entries[0]), good); err != nil {
				return err
			}
			return idempotency.FinishTx(tx, held(w, entries[1]), bad)
		})
	}
	finish(idempotency.Outcome{Result: json.RawMessage(`{ "a" : 1 }`)}, idempotency.Outcome{Refusal: refusal})
	finish(idempotency.Outcome{Refusal: refusal}, idempotency.Outcome{Result: json.RawMessage(`{}`)})
	accept()
	for range 2 {
		v, _ := claim(t, w, nil, request(w, "good", "1"), request(w, "bad", "1"))
		if p := v[0].Prior; p.State != idempotency.Done || string(p.Outcome.Result) != `{ "a" : 1 }` ||
			p.Outcome.Refusal != nil {
			t.Errorf("result %+v", p)
		}
		if p := v[1].Prior; p.State != idempotency.Done || p.Outcome.Result != nil ||
			!reflect.DeepEqual(p.Outcome.Refusal, refusal) {
			t.Errorf("refusal %+v", p)
		}
	}
	if p, err := idempotency.Find(t.Context(), w.Pool, request(w, "good", "1")); err != nil ||
		p.State != idempotency.Done {
		t.Errorf("found %+v, %v", p, err)
	}
	if p, err := idempotency.Find(t.Context(), w.Pool, request(w, "unheard", "1")); err != nil || p != nil {
		t.Errorf("found %+v, %v", p, err)
	}
}

func TestKeysAreForgottenAfterTheirLife(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	_, old := claim(t, w, nil, request(w, "a", "1"), request(w, "b", "1"))
	w.Clock.Advance(idempotency.Life - time.Millisecond)
	if v, _ := claim(t, w, nil, request(w, "a", "1")); fresh(v[0]) {
		t.Error("forgotten too soon")
	}
	w.Clock.Advance(time.Millisecond)
	if v, _ := claim(t, w, nil, request(w, "a", "1")); fresh(v[0]) {
		t.Error("taken from work that is still under way")
	}
	in(t, w, func(tx *pg.Tx) error {
		return idempotency.FinishTx(tx, held(w, old[0]), idempotency.Outcome{Result: json.RawMessage(`"late"`)})
	})
	v, _ := claim(t, w, nil, request(w, "a", "2"))
	if !fresh(v[0]) {
		t.Errorf("remembered too long: %+v", v[0])
	}
	in(t, w, func(tx *pg.Tx) error { // the first owner of the key wakes up: it is not his any more
		idempotency.AcceptTx(tx, held(w, old[0]))
		return idempotency.FinishTx(tx, held(w, old[0]), idempotency.Outcome{Result: json.RawMessage(`"old"`)})
	})
	if p, err := idempotency.Find(t.Context(), w.Pool, request(w, "a", "2")); err != nil ||
		p.State != idempotency.Claimed {
		t.Errorf("another's outcome was stored: %+v, %v", p, err)
	}
	purged := func() int64 {
		n, err := idempotency.Purge(t.Context(), w.Pool, w.Clock.Now())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := purged(); n != 0 {
		t.Errorf("purged %d keys that are under way", n)
	}
	in(t, w, func(tx *pg.Tx) error {
		return idempotency.FinishTx(tx, held(w, old[1]), idempotency.Outcome{Result: json.RawMessage(`"late"`)})
	})
	if n := purged(); n != 1 {
		t.Errorf("purged %d; want b alone", n)
	}
}

func TestOneOfManyAtOnceGetsTheKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for round := range 5 {
		var won, prior atomic.Int64
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				v, _ := claim(t, w, nil, request(w, fmt.Sprint("key", round), "1"))
				if fresh(v[0]) {
					won.Add(1)
				} else if v[0].Prior != nil {
					prior.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 || prior.Load() != 15 {
			t.Errorf("%d got the key, %d a prior", won.Load(), prior.Load())
		}
	}
}

func TestTransactionsThatTakeTheSameKeysDoNotBlockEachOther(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	for round := range 5 {
		var runs, won atomic.Int64
		var all sync.WaitGroup
		for turn := range 4 {
			all.Go(func() {
				var entries []idempotency.Entry
				for i := range 40 {
					// one way and the other, from different ends
					key := fmt.Sprint(round, "-", (i*(1+2*(turn%2)*19)+turn*7)%40)
					entries = append(entries,
						idempotency.Entry{Claim: request(w, key, "1"), ObjectID: ids.NewCharge(w.Clock.Now()).Bytes()})
				}
				var verdicts []idempotency.Verdict
				in(t, w, func(tx *pg.Tx) (err error) {
					runs.Add(1)
					verdicts, err = idempotency.ClaimTx(t.Context(), tx, w.Clock.Now(), entries)
					return err
				})
				for _, v := range verdicts {
					if fresh(v) {
						won.Add(1)
					}
				}
			})
		}
		all.Wait()
		if runs.Load() != 4 || won.Load() != 40 { // a deadlock would have one of them run again
			t.Errorf("%d runs of 4 transactions, %d of 40 keys", runs.Load(), won.Load())
		}
	}
}

func TestWaiterTakesAReleasedKey(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	claimed, let := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		claim(t, w, func(tx *pg.Tx, es []idempotency.Entry) error {
			close(claimed)
			<-let
			idempotency.ReleaseTx(tx, es[0].Claim)
			return nil
		}, request(w, "a", "1"))
	})
	<-claimed
	all.Go(func() {
		if v, _ := claim(t, w, nil, request(w, "a", "2")); !fresh(v[0]) {
			t.Errorf("%+v", v[0])
		}
	})
	waitForLock(t.Context(), t, w)
	close(let)
	all.Wait()
}

// waitForLock returns when some session of the test's database waits for another.
func waitForLock(ctx context.Context, t *testing.T, w *fixture.World) {
	t.Helper()
	for {
		n, err := pg.Value[int](ctx, w.Pool, `SELECT count(*)::int FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock'`, pg.Args{})
		if err != nil {
			t.Error(err)
		}
		if n > 0 || err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}
