package apikey_test

import (
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/testing/fixture"
)

func roll(t *testing.T, w *fixture.World, in apikey.RollInput) apikey.Rolled {
	t.Helper()
	out, err := w.APIKeys.Roll(t.Context(), w.Admin(), in)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBothKeysWorkWhileTheyOverlap(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	lengths := map[apikey.Overlap]time.Duration{"now": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 168 * time.Hour}
	if len(apikey.Overlaps()) != len(lengths) {
		t.Errorf("%v", apikey.Overlaps())
	}
	for _, overlap := range apikey.Overlaps() {
		old := w.Issue(apikey.CreateInput{
			Kind: apikey.Restricted, Name: "Reports", Rights: []authz.Right{"charge:read"}, Merchants: []int64{
				w.App.Merchants.US}, AllowedIPs: []string{"192.0.2.7"},
		})
		try := func(text, want string) {
			t.Helper()
			if _, err := enter(t, w, w.APIKeys, text, "192.0.2.7"); code(err) != want {
				t.Errorf("%s: %v, want %s", overlap, err, want)
			}
		}
		try(old.Text, "<nil>") // known before it is rolled
		out := roll(t, w, apikey.RollInput{ID: old.ID, Overlap: overlap})
		wantOld, wantNew := old.Key, old.Key
		wantOld.ExpiresAt, wantOld.ReplacedBy = instant.Ptr(w.Clock.Now().Add(lengths[overlap])), &out.New.ID
		wantNew.ID, wantNew.Last4, wantNew.CreatedAt = out.New.ID, out.New.Last4, instant.Of(w.Clock.Now())
		wantOld.Version++
		wantOld.LastUsedAt, wantOld.LastUsedIP = out.Old.LastUsedAt, out.Old.LastUsedIP // told elsewhere
		if !reflect.DeepEqual(out.Old, wantOld) || !reflect.DeepEqual(out.New.Key, wantNew) || out.New.ID == old.ID ||
			out.New.Text == old.Text {
			t.Errorf("%s: %+v", overlap, out)
		}
		if status, now := find(t, w, old.ID).Status(w.Clock.Now()),
			overlap == apikey.OverlapNone; (status == apikey.Expired) != now || (status == apikey.Replaced) == now {
			t.Errorf("%s: it is %s", overlap, status)
		}
		try(out.New.Text, "<nil>")
		if overlap != apikey.OverlapNone {
			w.Clock.Advance(lengths[overlap] - time.Millisecond)
			try(old.Text, "<nil>")
			w.Clock.Advance(time.Millisecond)
		}
		try(old.Text, "api_key_expired")
		try(out.New.Text, "<nil>")
	}
}

func TestRollingNeverMakesALifeLonger(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	end := w.Clock.Now().Add(2 * time.Hour)
	for overlap, want := range map[apikey.Overlap]time.Duration{apikey.OverlapHour: time.Hour,
		apikey.OverlapDay: 2 * time.Hour} {
		key := w.Issue(apikey.CreateInput{Kind: apikey.Public, ExpiresAt: end})
		out := roll(t, w, apikey.RollInput{ID: key.ID, Overlap: overlap})
		if !out.Old.ExpiresAt.Equal(w.Clock.Now().Add(want)) || !out.New.ExpiresAt.Equal(end) ||
			*out.New.PublicValue != out.New.Text {
			t.Errorf("%s: %+v", overlap, out)
		}
	}
}

func TestKeysThatAreNotRolled(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	revoked, expired, rolled := w.Issue(apikey.CreateInput{Kind: apikey.Secret}),
		w.Issue(apikey.CreateInput{Kind: apikey.Secret, ExpiresAt: w.Clock.Now().Add(time.Minute)}),
		w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	if _, err := w.APIKeys.Revoke(t.Context(), w.Admin(), revoked.ID); err != nil {
		t.Fatal(err)
	}
	roll(t, w, apikey.RollInput{ID: rolled.ID, Overlap: apikey.OverlapWeek})
	w.Clock.Advance(time.Minute)
	before := count(t, w)
	for name, key := range map[string]apikey.Issued{"revoked": revoked, "expired": expired, "rolled": rolled} {
		if _, err := w.APIKeys.Roll(t.Context(), w.Admin(),
			apikey.RollInput{ID: key.ID, Overlap: apikey.OverlapDay}); code(err) != "api_key_not_active" {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, overlap := range []apikey.Overlap{"", "2h", "NOW"} {
		if _, err := w.APIKeys.Roll(t.Context(), w.Admin(),
			apikey.RollInput{ID: rolled.ID, Overlap: overlap}); code(err) != "parameter_invalid" {
			t.Errorf("%q: %v", overlap, err)
		}
	}
	if after := count(t, w); after != before {
		t.Errorf("%d keys were made", after-before)
	}
	if k, err := w.APIKeys.Revoke(t.Context(), w.Admin(), rolled.ID); err != nil ||
		k.Status(w.Clock.Now()) != apikey.Revoked {
		t.Errorf("revoked before its time: %+v, %v", k, err)
	}
}

func TestOfManyRollsAtOnceOneIsMade(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	key := w.Issue(apikey.CreateInput{Kind: apikey.Secret})
	before := count(t, w)
	var made atomic.Int32
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			_, err := w.APIKeys.Roll(t.Context(), w.Admin(), apikey.RollInput{ID: key.ID, Overlap: apikey.OverlapDay})
			if err == nil {
				made.Add(1)
			} else if code(err) != "api_key_not_active" {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if made.Load() != 1 || count(t, w) != before+1 {
		t.Errorf("%d rolls, %d keys more", made.Load(), count(t, w)-before)
	}
}
