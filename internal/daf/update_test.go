package daf_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// TestStatesDocument compares docs/daf-states.md with the moves that the code allows.
func TestStatesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| kind | from | to | by | events |\n|---|---|---|---|---|\n")
	for _, m := range daf.Moves() {
		from := "–"
		if m.From != "" {
			from = "`" + string(m.From) + "`"
		}
		fmt.Fprintf(&want, "| %s | %s | `%s` | %s | `%s` |\n", m.Kind, from, m.To, m.By, strings.Join(m.Events, "`, `"))
	}
	text, err := os.ReadFile("../../docs/daf-states.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/daf-states.md must contain this table:\n%s", want.String())
	}
}

// TestDatabaseAllowsTheStatusesOfEachKind compares the database's CHECK with the moves.
func TestDatabaseAllowsTheStatusesOfEachKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	check, err := pg.Value[string](t.Context(), w.Pool,
		`SELECT pg_get_expr(conbin, conrelid) FROM pg_constraint WHERE conname = 'daf_donations_status'`, pg.Args{})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range daf.Kinds() {
		reached := map[string]bool{}
		for _, m := range daf.Moves() {
			if string(m.Kind) == kind {
				reached[string(m.To)] = true
			}
		}
		got, err := pg.All[struct{ Status string }](t.Context(), w.Pool,
			`SELECT status FROM unnest(@all::text[]) status, (SELECT @kind::text AS kind) k WHERE `+check,
			pg.Args{"all": append(daf.Statuses(), "settled", ""), "kind": kind})
		if err != nil || len(got) != len(reached) {
			t.Errorf("%s: the database allows %v, the moves reach %v: %v", kind, got, reached, err)
		}
		for _, s := range got {
			if !reached[s.Status] {
				t.Errorf("%s: the database allows %s", kind, s.Status)
			}
		}
	}
}

// at makes a donation that is in a status.
func (w *world) at(kind daf.Kind, s daf.Status) daf.Donation {
	w.T.Helper()
	d := w.make(kind, 2_500)
	var err error
	switch {
	case d.Status == s:
	case kind == daf.Integrated && s == daf.Canceled:
		err = w.DAF.Canceled(w.T.Context(), event(d, "e", w.Clock.Now()))
	default:
		_, err = w.set(d.ID, s)
	}
	if err != nil {
		w.T.Fatal(err)
	}
	return w.get(d.ID)
}

// Every donation in every status is given every status by hand: it moves as the table says, or nothing
// happens at all.
func TestEveryMoveByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, kind := range []daf.Kind{daf.Integrated, daf.Nonintegrated} {
		for _, from := range daf.Statuses() {
			if kind == daf.Integrated && from == string(daf.Unknown) {
				continue
			}
			for _, to := range daf.Statuses() {
				d := w.at(kind, daf.Status(from))
				before := w.told(d.ID)
				moves := daf.Moves()
				i := slices.IndexFunc(moves, func(m daf.Move) bool {
					return m.Kind == kind && string(m.From) == from && string(m.To) == to && m.By == daf.ByHand
				})
				after, err := w.set(d.ID, daf.Status(to))
				what := fmt.Sprintf("%s, %s to %s", kind, from, to)
				switch {
				case from == to:
					if err != nil || !reflect.DeepEqual(after, d) || !slices.Equal(w.told(d.ID), before) {
						t.Errorf("%s: %v, %s", what, err, jsonOf(t, after))
					}
				case i < 0:
					if f, ok := fault.As(err); !ok || f.Code != "daf_status_not_allowed" ||
						f.Detail["status"] != from || f.Param != "status" || w.get(d.ID).Version != d.Version {
						t.Errorf("%s: %v", what, err)
					}
				default:
					told := w.told(d.ID)[len(before):]
					if err != nil || string(after.Status) != to || after.Version != d.Version+1 ||
						!slices.Equal(told, moves[i].Events) ||
						(after.CompletedAt != nil) != (to == "completed") ||
						(after.CanceledAt != nil) != (to == "canceled") {
						t.Errorf("%s: %v, %s, %v", what, err, jsonOf(t, after), told)
					}
					if h := after.StatusHistory; len(h) != len(d.StatusHistory)+1 || string(h[len(h)-1].Status) != to {
						t.Errorf("%s: %s", what, jsonOf(t, h))
					}
				}
			}
		}
	}
	w.audit()
}

// However often donations go to and fro, each move is in the books once, and the sums are those of what is
// completed.
func TestBooksFollowTheStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom([]daf.Kind{daf.Integrated, daf.Nonintegrated}).Draw(t, "kind")
		d := w.make(kind, 12_500)
		completions := 0
		for range rapid.IntRange(1, 6).Draw(t, "moves") {
			to := rapid.SampledFrom(daf.Statuses()).Draw(t, "to")
			before := d.Status
			moved, err := w.set(d.ID, daf.Status(to))
			if err != nil && code(err) != "daf_status_not_allowed" {
				t.Fatal(err)
			}
			if err == nil && moved.Status == daf.Completed && before != daf.Completed {
				completions++
			}
			d = w.get(d.ID)
		}
		n, err := pg.Value[int](w.T.Context(), w.Pool,
			`SELECT count(*)::int FROM ledger_entries
				WHERE source_id = @id
					AND kind IN ('daf_percentage', 'daf_provider_percentage')`, pg.Args{"id": d.ID.Bytes()})
		if want := 2 * completions; err != nil || kind == daf.Integrated && n != want ||
			kind == daf.Nonintegrated && n != 0 {
			t.Fatalf("%s: %d postings of %d completions, %v", kind, n, completions, err)
		}
	})
	if n := w.count(`ledger_balances b WHERE account = 'daf_invoice' AND balance <> (
			SELECT coalesce(sum(250), 0) FROM daf_donations d WHERE d.merchant_id = b.merchant_id
				AND status = 'completed' AND kind = 'integrated')`); n != 0 {
		t.Error("the invoice account does not hold the service's fees of what is completed")
	}
	w.audit()
}

func TestUpdateMergesAndSaysWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Nonintegrated, 100)
	actor := w.Actor()
	actor.KeyName = "Server"
	update := func(in daf.UpdateInput) daf.Donation {
		t.Helper()
		out, err := w.DAF.Update(t.Context(), actor, d.ID.String(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.get(d.ID); !reflect.DeepEqual(got, out.Object) {
			t.Errorf("it is read as %s\nwas told as %s", jsonOf(t, got), jsonOf(t, out.Object))
		}
		return out.Object
	}
	a := update(daf.UpdateInput{Note: patch.Set("Called\nthe donor"), ExternalGrantID: patch.Set("fund-77"),
		Metadata: patch.Set(map[string]string{"a": "b"})})
	if a.Version != 2 || deref(a.Note) != "Called\nthe donor" || deref(a.ExternalGrantID) != "fund-77" ||
		a.Metadata["a"] != "b" || a.Status != daf.Unknown || len(a.StatusHistory) != 1 {
		t.Errorf("%s", jsonOf(t, a))
	}
	if again := update(daf.UpdateInput{Note: patch.Set("Called\nthe donor"),
		Status: patch.Set("unknown")}); again.Version != 2 {
		t.Errorf("nothing made version %d", again.Version)
	}
	in := status(daf.Completed)
	in.Note = patch.Set("The check came")
	b := update(in)
	if h := b.StatusHistory[1]; deref(b.Note) != "The check came" || deref(h.Note) != "The check came" ||
		deref(h.KeyName) != "Server" || h.Source != daf.FromAPI || h.At != b.UpdatedAt {
		t.Errorf("%s", jsonOf(t, b))
	}
	c := update(daf.UpdateInput{Note: patch.Clear[string](), ExternalGrantID: patch.Clear[string](),
		Metadata: patch.Clear[map[string]string]()})
	if c.Note != nil || c.ExternalGrantID != nil || len(c.Metadata) != 0 ||
		deref(c.StatusHistory[1].Note) != "The check came" || c.Status != daf.Completed {
		t.Errorf("%s", jsonOf(t, c))
	}
	if got := w.told(d.ID); !slices.Equal(got,
		[]string{"daf_donation.created", "daf_donation_updated", "daf_donation_updated", "daf_donation.completed",
			"daf_donation_updated"}) {
		t.Errorf("%v", got)
	}
	type previous struct {
		Previous map[string]any `db:"previous_attributes"`
	}
	p, err := pg.One[previous](t.Context(), w.Pool, `SELECT previous_attributes FROM events
		WHERE type = 'daf_donation.completed'`, pg.Args{})
	if err != nil || p.Previous["status"] != "unknown" || p.Previous["version"] != 2.0 ||
		p.Previous["completed_at"] != nil || p.Previous["amount"] != nil {
		t.Errorf("%v, %v", p, err)
	}
	w.audit()
}

func TestUpdateMistakes(t *testing.T) {
	t.Parallel()
	in := daf.UpdateInput{Status: patch.Clear[string](), Note: patch.Set(""),
		ExternalGrantID: patch.Set(strings.Repeat("x", 65)), Metadata: patch.Set(map[string]string{"": ""})}
	got := map[string]bool{}
	for _, f := range in.Validate() {
		got[f.Param] = f.Code == "parameter_invalid"
	}
	if want := map[string]bool{"status": true, "note": true, "external_grant_id": true,
		"metadata": true}; !maps.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if fs := status("settled").Validate(); len(fs) != 1 {
		t.Errorf("%v", fs)
	}
	w := newWorld(t)
	for _, id := range []string{"", "daf_1", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "daf_01jq8z6k4t8m2x9v5c7b1n3d0f"} {
		if _, err := w.DAF.Update(t.Context(), w.Actor(), id, daf.UpdateInput{}, nil); code(err) != "resource_missing" {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// Of several changes that start from one version one wins; the others are told the version that there is.
func TestOneOfConcurrentChangesWins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Nonintegrated, 100)
	to := []daf.Status{daf.Initiated, daf.Completed, daf.Canceled, daf.Initiated, daf.Completed}
	var wg sync.WaitGroup
	errs := make([]error, len(to))
	for i, s := range to {
		wg.Go(func() {
			in := status(s)
			in.IfVersion = ptr(1)
			_, errs[i] = w.DAF.Update(t.Context(), w.Actor(), d.ID.String(), in, nil)
		})
	}
	wg.Wait()
	won := 0
	for i, err := range errs {
		f, ok := fault.As(err)
		switch {
		case err == nil:
			won++
			if got := w.get(d.ID); got.Status != to[i] {
				t.Errorf("%s won and %s is there", to[i], got.Status)
			}
		case !ok || f.Code != "object_changed" || f.Detail["version"] != 2:
			t.Errorf("%v, %v", err, f)
		}
	}
	if won != 1 || w.get(d.ID).Version != 2 {
		t.Errorf("%d won", won)
	}
	w.audit()
}

func TestUpdateHappensOncePerKey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Nonintegrated, 100)
	in := status(daf.Completed)
	in.IfVersion = ptr(1)
	for range 3 {
		out, err := w.DAF.Update(t.Context(), w.Actor(), d.ID.String(), in, w.claim("k"))
		if err != nil || w.get(d.ID).Version != 2 {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

func TestSeveralAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	moves, stays, refused := w.make(daf.Nonintegrated, 100), w.at(daf.Nonintegrated, daf.Canceled),
		w.make(daf.Integrated, 100)
	changed := w.make(daf.Nonintegrated, 100)
	in := daf.BulkInput{Status: daf.Canceled, Note: ptr("The fund closed"),
		Donations: []daf.BulkOne{
			{ID: moves.ID.String(), IfVersion: ptr(1), Pairs: map[string]string{"check_number": "1042"}},
			{ID: refused.ID.String()},
			{ID: "daf_01jq8z6k4t8m2x9v5c7b1n3d0f"}, {ID: stays.ID.String(), IfVersion: ptr(9)},
			{ID: changed.ID.String(), IfVersion: ptr(9)}}}
	person := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: w.App.AppID,
		RequestID: ids.NewRequest(w.Clock.Now()), PersonID: 7, PersonName: "Pat Doe"}
	out, err := w.DAF.SetStatuses(t.Context(), person, in)
	if err != nil || len(out) != 5 {
		t.Fatalf("%+v, %v", out, err)
	}
	got := make([]string, len(out))
	for i, r := range out {
		got[i] = string(r.Donation.Status)
		if r.Refused != nil {
			got[i] = r.Refused.Code
		}
		if r.ID != in.Donations[i].ID {
			t.Errorf("%d is of %s", i, r.ID)
		}
	}
	if want := []string{"canceled", "daf_status_not_allowed", "resource_missing", "canceled",
		"object_changed"}; !slices.Equal(got, want) {
		t.Errorf("%v", got)
	}
	if m, none := w.get(moves.ID).Metadata, w.get(stays.ID).Metadata; m["check_number"] != "1042" || len(none) != 0 {
		t.Errorf("%v, %v", m, none)
	}
	if h := w.get(moves.ID).StatusHistory[1]; h.Source != daf.FromPortal || deref(h.User) != "Pat Doe" ||
		h.KeyName != nil || deref(h.Note) != "The fund closed" {
		t.Errorf("%s", jsonOf(t, h))
	}
	if n := w.count(`audit_entries WHERE permission = 'donation:update' AND outcome = 'done'
		AND actor_name = 'Pat Doe'`); n != 1 {
		t.Errorf("%d entries in the audit log", n)
	}
	if n := w.count(`events WHERE source = 'portal' AND type LIKE 'daf%'`); n != 2 {
		t.Errorf("%d events come from the portal", n)
	}
	if d := w.get(refused.ID); d.Version != refused.Version {
		t.Errorf("%s", jsonOf(t, d))
	}
	many := make([]daf.BulkOne, 51)
	for what, bad := range map[string]daf.BulkInput{"none": {Status: daf.Canceled},
		"too many": {Donations: many, Status: daf.Canceled}, "no status": {Donations: many[:1]},
		"long": {Status: daf.Canceled,
			Donations: []daf.BulkOne{{}, {Pairs: map[string]string{"check_number": strings.Repeat("7", 501)}}}}} {
		if _, err := w.DAF.SetStatuses(t.Context(), person, bad); code(err) != "parameter_invalid" {
			t.Errorf("%s: %v", what, err)
		}
	}
	w.audit()
}

// People of an organization see its merchants' donations and no others.
func TestOrganizationsAreWalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.make(daf.Nonintegrated, 100)
	person := func(organization int64) authz.Actor {
		a := authz.Actor{Role: authz.RoleOrganizationStaff, ApplicationID: w.App.AppID, OrganizationID: organization,
			RequestID: ids.NewRequest(w.Clock.Now())}
		if organization == w.App.OrganizationID {
			a.Merchants = []int64{w.App.Merchants.US}
		}
		return a
	}
	for organization, sees := range map[int64]bool{w.App.OrganizationID: true, w.App.OrganizationID + 1: false,
		w.Other.OrganizationID: false} {
		want := "<nil>"
		if !sees {
			want = "resource_missing"
		}
		_, get := w.DAF.Get(t.Context(), person(organization), d.ID.String())
		_, update := w.DAF.Update(t.Context(), person(organization), d.ID.String(), daf.UpdateInput{}, nil)
		page, err := w.DAF.List(t.Context(), person(organization),
			daf.ListInput{Page: page.Input[ids.Donation]{Limit: 10}})
		if code(get) != want || code(update) != want || err != nil || len(page.Items) > 0 != sees {
			t.Errorf("organization %d: %v, %v, %d listed", organization, get, update, len(page.Items))
		}
	}
}
