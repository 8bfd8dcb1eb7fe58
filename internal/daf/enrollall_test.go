package daf_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
)

// examined runs over all merchants and says what was found of each.
func (w enrolling) examined(t testing.TB, apply bool) map[int64]daf.Examined {
	t.Helper()
	out := make(map[int64]daf.Examined)
	in := daf.EligibleInput{Actor: w.Admin(), Apply: apply}
	if err := w.daf.EnrollEligible(t.Context(), in, collect(out)); err != nil {
		t.Fatal(err)
	}
	return out
}

func collect(into map[int64]daf.Examined) func([]daf.Examined) error {
	return func(batch []daf.Examined) error {
		for _, e := range batch {
			into[e.MerchantID] = e
		}
		return nil
	}
}

func outcomes(of map[int64]daf.Examined) map[int64]daf.Outcome {
	out := make(map[int64]daf.Outcome)
	for id, e := range of {
		out[id] = e.Outcome
	}
	return out
}

// crowd makes a merchant of each sort, and says what is to be found of them before any is enrolled.
func (w enrolling) crowd(t testing.TB) map[int64]daf.Outcome {
	t.Helper()
	left := w.charityOf("20-2000001")
	if _, err := w.enroll(t, left.ID, "20-2000001"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.daf.OptOut(t.Context(), w.OrganizationAdmin(), left.ID); err != nil {
		t.Fatal(err)
	}
	suspended := w.charityOf("11-1111112")
	if _, err := w.Merchants.SetStatus(t.Context(), w.Admin(),
		merchant.StatusInput{MerchantID: suspended.ID, Status: merchant.Suspended, Reason: "A test"}); err != nil {
		t.Fatal(err)
	}
	return map[int64]daf.Outcome{
		w.App.Merchants.US: daf.Eligible, w.App.Merchants.USQ: daf.Eligible, w.App.Merchants.CA: daf.MerchantNotUS,
		w.Other.Merchants.US: daf.Eligible, w.Other.Merchants.USQ: daf.Eligible,
		w.Other.Merchants.CA: daf.MerchantNotUS,
		left.ID:              daf.OptedOut, suspended.ID: daf.MerchantNotActive,
		w.charityOf("").ID: daf.NoEIN, w.charityOf("11-1111111").ID: daf.NotFound,
		w.charityOf(lapsed).ID: daf.NotInGoodStanding, w.charityOf(league).ID: daf.NotCharity,
		w.charityOf(foreign).ID: daf.OrganizationNotUS, w.Merchant(merchant.CreateInput{}).ID: daf.MerchantNotNonprofit,
		w.charityOf(good).ID: daf.Eligible, w.charityOf(good).ID: daf.EINTaken,
	}
}

func TestEligibleMerchantsAreEnrolled(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	want := w.crowd(t)
	calls := len(w.directory.calls)
	if d := cmp.Diff(want, outcomes(w.examined(t, false))); d != "" {
		t.Errorf("a dry run finds:\n%s", d)
	}
	if len(w.directory.calls) != calls {
		t.Errorf("a dry run enrolls %v", w.directory.calls[calls:])
	}
	n, err := w.daf.CountMerchants(t.Context(), 0)
	if other, again := w.daf.CountMerchants(t.Context(), w.Other.AppID); n != len(want) || other != 3 ||
		errors.Join(err, again) != nil {
		t.Errorf("%d and %d merchants, %v, %v", n, other, err, again)
	}
	found := w.examined(t, true)
	if d := cmp.Diff(want, outcomes(found)); d != "" {
		t.Errorf("enrolling finds:\n%s", d)
	}
	for id, e := range found {
		m, err := w.Merchants.Find(t.Context(), e.ApplicationID, id)
		if is := m.DAFProviderConnectID != nil; err != nil || is != (e.Outcome == daf.Eligible) || is != e.Enrolled {
			t.Errorf("%+v: %v", e, m.DAFProviderConnectID)
		}
		if e.Enrolled {
			want[id] = daf.AlreadyEnrolled
			if len(w.told(t, id)) != 1 {
				t.Errorf("%d is told %v", id, w.told(t, id))
			}
		}
	}
	if d := cmp.Diff(want, outcomes(w.examined(t, true))); d != "" || len(w.directory.calls) != calls+5 {
		t.Errorf("%d calls; the second time it finds:\n%s", len(w.directory.calls)-calls, d)
	}
}

// A run with a budget makes no more calls than that, and the next ones continue it.
func TestARunHasABudget(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	want := w.crowd(t)
	found, runs := map[int64]daf.Examined{}, 0
	for in := (daf.EligibleInput{Actor: w.Admin(), Apply: true, Calls: 3}); runs < 50; runs++ {
		before := w.directory.asked + len(w.directory.calls)
		err := w.daf.EnrollEligible(t.Context(), in, collect(found))
		if n := w.directory.asked + len(w.directory.calls) - before; n > in.Calls {
			t.Fatalf("%d calls", n)
		}
		spent, ok := errors.AsType[*daf.BudgetError](err)
		if !ok {
			if err != nil {
				t.Fatal(err)
			}
			break
		}
		in.After = spent.After
	}
	if diff := cmp.Diff(want, outcomes(found)); diff != "" || runs < 2 {
		t.Errorf("after %d runs: %s", runs, diff)
	}
}

func TestEligibleMerchantsOfOneApplication(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	found := make(map[int64]daf.Examined)
	if err := w.daf.EnrollEligible(t.Context(), daf.EligibleInput{ApplicationID: w.Other.AppID, Actor: w.Admin(), Apply: true},
		collect(found)); err != nil || len(found) != 3 {
		t.Errorf("%v, %v", found, err)
	}
	if m := w.get(t, w.App.Merchants.US); m.DAFProviderConnectID != nil {
		t.Errorf("%+v", m)
	}
}

// many makes merchants that can all be enrolled, at most 100.
func (w enrolling) many(n int) (all []int64) {
	for i := range n {
		all = append(all, w.charityOf(fmt.Sprintf("%s%02d", sandbox.GoodBlock, i)).ID)
	}
	return all
}

// Whatever stops a run, the next goes on: no one is asked for twice who has an answer, and everybody is
// enrolled once.
func TestARunThatWasStoppedIsContinued(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	ids := w.many(100)
	var mu sync.Mutex
	answered := make(map[string]int)
	n := 0
	ctx, stop := context.WithCancel(t.Context())
	w.directory.plan(nil, func(e provider.Enrollment) error {
		mu.Lock()
		defer mu.Unlock()
		if n++; n == 50 {
			stop()
		}
		if n%10 == 0 { // the answer is lost
			return errDown
		}
		answered[e.EIN]++
		return nil
	})
	told := make(map[int64]daf.Examined)
	if err := w.daf.EnrollEligible(ctx, daf.EligibleInput{Actor: w.Admin(), Apply: true}, collect(told)); !errors.Is(err,
		context.Canceled) {
		t.Fatal(err)
	}
	enrolled, waiting := 0, 0
	for _, e := range told {
		if e.Enrolled {
			enrolled++
		}
		if e.Outcome == daf.InProgress {
			waiting++
		}
	}
	if enrolled < 40 || enrolled > 55 || waiting < 5 {
		t.Errorf("%d are enrolled, %d wait", enrolled, waiting)
	}
	w.Clock.Advance(time.Second)
	for range 3 {
		maps.Copy(told, w.examined(t, true))
	}
	for _, id := range ids {
		if m := w.get(t, id); m.DAFProviderConnectID == nil || m.Version != 2 || len(w.told(t, id)) != 1 {
			t.Errorf("%+v", m)
		}
	}
	for ein, times := range answered {
		if times != 1 {
			t.Errorf("%s was answered %d times", ein, times)
		}
	}
	attempts, err := pg.Value[int](t.Context(), w.Pool, `SELECT count(*)::int FROM daf_enrollments
		WHERE state = 'enrolled'`, pg.Args{})
	if err != nil || attempts != len(ids)+4 { // the demo's merchants are four more
		t.Errorf("%d attempts, %v", attempts, err)
	}
}

func TestASilentProviderEndsARun(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	w.many(100)
	w.directory.down = true
	batches := 0
	in := daf.EligibleInput{Actor: w.Admin(), Apply: true}
	err := w.daf.EnrollEligible(t.Context(), in, func(batch []daf.Examined) error {
		batches++
		return nil
	})
	if !errors.Is(err, daf.ErrSilent) || batches != 1 || len(w.directory.calls) != 0 {
		t.Errorf("%v after %d batches", err, batches)
	}
	w.directory.down = false
	full := errors.New("nothing more can be told")
	if err := w.daf.EnrollEligible(t.Context(), daf.EligibleInput{},
		func([]daf.Examined) error { return full }); !errors.Is(err, full) {
		t.Errorf("%v", err)
	}
}

// TestOutcomesDocument compares docs/daf.md with the outcomes that the code has.
func TestOutcomesDocument(t *testing.T) {
	t.Parallel()
	var want strings.Builder
	want.WriteString("| outcome | meaning |\n|---|---|\n")
	for _, m := range daf.Meanings() {
		fmt.Fprintf(&want, "| `%s` | %s |\n", m.Outcome, m.Text)
	}
	text, err := os.ReadFile("../../docs/daf.md")
	if err != nil || !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/daf.md must contain this table, %v:\n%s", err, want.String())
	}
}

// Two runs at once enroll each merchant once.
func TestTwoRunsAtOnce(t *testing.T) {
	t.Parallel()
	w := enrollWorld(t)
	ids := w.many(60)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			if err := w.daf.EnrollEligible(t.Context(), daf.EligibleInput{Actor: w.Admin(), Apply: true},
				func([]daf.Examined) error { return nil }); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, id := range ids {
		if m := w.get(t, id); m.DAFProviderConnectID == nil || m.Version != 2 || len(w.told(t, id)) != 1 {
			t.Errorf("%+v", m)
		}
	}
}

// What an organization decides while a run asks the directory about its merchant counts.
func TestARunEnrollsNobodyWhoLeftMeanwhile(t *testing.T) {
	t.Parallel()
	for want, change := range map[daf.Outcome]func(enrolling, int64) error{
		daf.OptedOut: func(w enrolling, id int64) error {
			_, enrolled := w.enroll(t, id, good)
			_, left := w.daf.OptOut(t.Context(), w.OrganizationAdmin(), id)
			return errors.Join(enrolled, left)
		},
		daf.NoEIN: func(w enrolling, id int64) error {
			_, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET ein = NULL WHERE id = @id`, pg.Args{"id": id})
			return err
		},
	} {
		w := enrollWorld(t)
		if _, err := pg.Exec(t.Context(), w.Pool, `UPDATE merchants SET nonprofit = false, has_daf_provider = false`,
			pg.Args{}); err != nil {
			t.Fatal(err)
		}
		id := w.charityOf(good).ID
		w.directory.looked = func() {
			if err := change(w, id); err != nil {
				t.Error(err)
			}
		}
		got := w.examined(t, true)[id]
		if m := w.get(t, id); got.Outcome != want || got.Enrolled || m.DAFProviderConnectID != nil {
			t.Errorf("%s: it is %s, enrolled %v: %+v", want, got.Outcome, got.Enrolled, m)
		}
	}
}
