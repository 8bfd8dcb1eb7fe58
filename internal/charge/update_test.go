package charge_test

import (
	"fmt"
	"maps"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"svcpay/internal/charge"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

type update = charge.UpdateInput

func amend(w *fixture.World, id ids.Charge, in update) (charge.Charge, error) {
	out, err := w.Charges.Update(w.T.Context(), w.Actor(), id.String(), in, nil)
	return out.Object, err
}

// told is what an event says.
type told struct {
	Type     string         `db:"type"`
	Source   string         `db:"source"`
	Request  ids.Request    `db:"request_id"`
	Object   charge.Charge  `db:"object"`
	Previous map[string]any `db:"previous_attributes"`
}

func events(t *testing.T, w *fixture.World, id ids.Charge) []told {
	t.Helper()
	out, err := pg.All[told](t.Context(), w.Pool, `
		SELECT type, source, request_id, object, previous_attributes FROM events WHERE object_id = @id
			ORDER BY position`, pg.Args{"id": id})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestUpdateIsToldOnce(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	in := input(w, good, 100)
	in.Metadata = map[string]string{"campaign": "spring", "desk": "4"}
	c := create(t, w, in, nil).Object
	w.Clock.Advance(time.Minute)
	got, err := amend(w, c.ID,
		update{Description: patch.Set("Gala"), Metadata: patch.Set(map[string]string{"campaign": "gala"})})
	if err != nil || *got.Description != "Gala" || !maps.Equal(got.Metadata, map[string]string{"campaign": "gala"}) ||
		got.Version != c.Version+1 ||
		!got.UpdatedAt.Equal(w.Clock.Now()) || got.CreatedAt != c.CreatedAt || got.Status != c.Status {
		t.Fatalf("%+v, %v", got, err)
	}
	if read := get(t, w, c.ID); jsonOf(t, read) != jsonOf(t, got) {
		t.Errorf("read as\n%s\nupdated to\n%s", jsonOf(t, read), jsonOf(t, got))
	}
	all := events(t, w, c.ID)
	e := all[len(all)-1]
	previous := fmt.Sprintf(
		`{"description":null,"metadata":{"campaign":"spring","desk":"4"},"updated_at":"%s","version":%d}`,
		c.UpdatedAt.Format("2006-01-02T15:04:05.000Z"), c.Version)
	if e.Type != "charge.updated" || e.Source != "api" || e.Request.IsZero() || jsonOf(t, e.Previous) != previous ||
		jsonOf(t, e.Object) != jsonOf(t, got) {
		t.Errorf("%+v\nwant %s", e, previous)
	}
	for name, same := range map[string]update{
		"nothing":      {},
		"the same":     {Description: patch.Set("Gala"), Metadata: patch.Set(map[string]string{"campaign": "gala"})},
		"none of none": {ExternalID: patch.Clear[string]()},
	} {
		if again, err := amend(w, c.ID, same); err != nil || jsonOf(t, again) != jsonOf(t, got) ||
			len(events(t, w, c.ID)) != len(all) {
			t.Errorf("%s: %+v, %v", name, again, err)
		}
	}
	audit(t, w)
}

func TestUpdateMerges(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, input(w, good, 100), nil).Object
	texts := func(label string, most int) *rapid.Generator[patch.Member[string]] {
		return rapid.Custom(func(t *rapid.T) patch.Member[string] {
			switch rapid.IntRange(0, 2).Draw(t, label) {
			case 0:
				return patch.Member[string]{}
			case 1:
				return patch.Clear[string]()
			}
			return patch.Set(rapid.StringOfN(rapid.RuneFrom([]rune("abé ")), 1, 3, most).Draw(t, label))
		})
	}
	rapid.Check(t, func(r *rapid.T) {
		before := get(t, w, c.ID)
		in := update{Description: texts("description", 255).Draw(r, "d"),
			ExternalID: texts("external", 64).Draw(r, "e")}
		if rapid.Bool().Draw(r, "metadata") {
			in.Metadata = patch.Set(rapid.MapOfN(rapid.StringMatching(`[a-z]{1,2}`), rapid.StringMatching(`[a-z]{0,2}`),
				0, 2).Draw(r, "m"))
		} else if rapid.Bool().Draw(r, "clear") {
			in.Metadata = patch.Clear[map[string]string]()
		}
		got, err := amend(w, c.ID, in)
		if err != nil {
			r.Fatal(err)
		}
		want := before
		want.Description, want.ExternalID = in.Description.On(before.Description), in.ExternalID.On(before.ExternalID)
		if in.Metadata.Given {
			want.Metadata = map[string]string{}
			if in.Metadata.Value != nil {
				want.Metadata = *in.Metadata.Value
			}
		}
		if jsonOf(t, want) != jsonOf(t, before) {
			want.Version++
			want.UpdatedAt = got.UpdatedAt
		}
		if jsonOf(t, got) != jsonOf(t, want) || jsonOf(t, get(t, w, c.ID)) != jsonOf(t, want) {
			r.Fatalf("%+v of\n%s gives\n%s", in, jsonOf(t, before), jsonOf(t, got))
		}
	})
	audit(t, w)
}

func TestUpdatesThatAreRefused(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	c := create(t, w, input(w, good, 100), nil).Object
	long := strings.Repeat("x", 501)
	next, foreign := c.Version+1, w.ActorOf(w.Other)
	for name, tt := range map[string]struct {
		in   update
		want string
	}{
		"a long description":  {update{Description: patch.Set(long[:256])}, "parameter_invalid"},
		"a card number":       {update{Description: patch.Set(good)}, "parameter_invalid"},
		"an empty reference":  {update{ExternalID: patch.Set("")}, "parameter_invalid"},
		"a long value":        {update{Metadata: patch.Set(map[string]string{"a": long})}, "parameter_invalid"},
		"two mistakes":        {update{ExternalID: patch.Set(""), Description: patch.Set("\n")}, "validation_failed"},
		"another version":     {update{Description: patch.Set("x"), IfVersion: &next}, "object_changed"},
		"nothing, of another": {update{IfVersion: &next}, "object_changed"},
	} {
		if _, err := amend(w, c.ID, tt.in); code(err) != tt.want {
			t.Errorf("%s: %v, want %s", name, err, tt.want)
		}
	}
	for name, id := range map[string]string{"another application's": c.ID.String(), "no id": "ch_x",
		"unknown": ids.NewCharge(w.Clock.Now()).String()} {
		if _, err := w.Charges.Update(t.Context(), foreign, id, update{Description: patch.Set("x")},
			nil); code(err) != "resource_missing" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if now := get(t, w, c.ID); jsonOf(t, now) != jsonOf(t, c) || len(events(t, w, c.ID)) != c.Version {
		t.Errorf("%+v", now)
	}
	if _, err := amend(w, c.ID, update{Description: patch.Set("x"), IfVersion: &c.Version}); err != nil {
		t.Errorf("its own version: %v", err)
	}
}

// Of many charges that want one external_id, one gets it; the others are told which.
func TestOneChargeGetsAnExternalID(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	token := w.Token(good)
	var made []charge.Charge
	for range 8 {
		in := input(w, good, 100)
		in.Token = &token
		made = append(made, create(t, w, in, nil).Object)
	}
	errs := make([]error, len(made))
	var all sync.WaitGroup
	for i, c := range made {
		all.Go(func() { _, errs[i] = amend(w, c.ID, update{ExternalID: patch.Set("gift 1")}) })
	}
	all.Wait()
	var winner string
	for i, err := range errs {
		if err == nil {
			winner += made[i].ID.String()
		}
	}
	for i, err := range errs {
		if f, ok := fault.As(err); err != nil &&
			(!ok || f.Code != "external_id_taken" || f.Detail["charge_id"] != winner) {
			t.Errorf("%s: %+v, the charge that has it is %q", made[i].ID, err, winner)
		}
	}
	// Two that pass it on: no one fails because it was free for a moment.
	holder := mustID(t, winner)
	var errA, errB error
	other := made[0].ID
	if other == holder {
		other = made[1].ID
	}
	for range 20 {
		all.Go(func() { _, errA = amend(w, holder, update{ExternalID: patch.Clear[string]()}) })
		all.Go(func() { _, errB = amend(w, other, update{ExternalID: patch.Set("gift 1")}) })
		all.Wait()
		if errA != nil || (errB != nil && code(errB) != "external_id_taken") {
			t.Fatalf("given up: %v, taken: %v", errA, errB)
		}
		if errB == nil {
			holder, other = other, holder
		} else if _, err := amend(w, holder, update{ExternalID: patch.Set("gift 1")}); err != nil {
			t.Fatal(err)
		}
	}
	audit(t, w)
}

// An external_id that is given up while a charge asks for it is taken or free, and neither fails the charge otherwise.
func TestAnExternalIDComesAndGoes(t *testing.T) {
	t.Parallel()
	w := fixture.New(t)
	holder := create(t, w, input(w, good, 100), nil).Object.ID
	var over atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for set := true; !over.Load(); set = !set {
			id := patch.Clear[string]()
			if set {
				id = patch.Set("gift")
			}
			if _, err := amend(w, holder, update{ExternalID: id}); err != nil && code(err) != "external_id_taken" {
				t.Error(err)
			}
		}
	})
	in := input(w, good, 200)
	in.ExternalID = ptr("gift")
	for range 150 {
		got, err := w.Charges.Create(t.Context(), w.Actor(), in, nil)
		switch {
		case err == nil:
			if _, err := amend(w, got.Object.ID, update{ExternalID: patch.Clear[string]()}); err != nil {
				t.Error(err)
			}
		case code(err) != "external_id_taken":
			t.Error(err)
		}
	}
	over.Store(true)
	all.Wait()
	audit(t, w)
}

// What an application writes on a charge while its call is in progress stays, and so does the outcome.
func TestUpdateOfAChargeInProcessing(t *testing.T) {
	t.Parallel()
	w, p := newScripted(t)
	p.authorize = p.lose
	c := create(t, w, input(w, good, 100), claimOf(w, "k")).Object
	if c.Status != charge.Processing {
		t.Fatalf("%+v", c)
	}
	out, err := w.Charges.Update(t.Context(), w.Actor(), c.ID.String(), update{Description: patch.Set("Gala")},
		claimOf(w, "u"))
	if err != nil || out.Object.Version != 2 || out.Object.Status != charge.Processing {
		t.Fatalf("%+v, %v", out, err)
	}
	if again, err := w.Charges.Update(t.Context(), w.Actor(), c.ID.String(), update{Description: patch.Set("Gala")},
		claimOf(w, "u")); err != nil || again.Prior == nil {
		t.Errorf("%+v, %v", again, err)
	}
	w.Clock.Advance(time.Minute)
	resolve(t, w, 1)
	if now := get(t, w, c.ID); now.Status != charge.Captured || *now.Description != "Gala" || now.Version != 3 {
		t.Errorf("%+v", now)
	}
	audit(t, w)
}
