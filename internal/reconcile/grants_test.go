package reconcile_test

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/reconcile"
	"svcpay/internal/testing/fixture"
)

// edited is the sandbox's provider with a book that a test writes in.
type edited struct {
	provider.Provider
	mu   sync.Mutex
	edit func([]provider.Line) []provider.Line
}

func (p *edited) Book(ctx context.Context, after int64, limit int) ([]provider.Line, error) {
	lines, err := p.Provider.Book(ctx, after, limit)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.edit != nil {
		lines = p.edit(lines)
	}
	return lines, err
}

// depositing is a provider that knows which money arrived.
type depositing struct {
	*edited
	arrived []provider.Arrival
	err     error
}

func (p *depositing) Arrivals(_ context.Context, after int64, limit int) ([]provider.Arrival, error) {
	var found []provider.Arrival
	for _, a := range p.arrived {
		if a.Number > after && len(found) < limit {
			found = append(found, a)
		}
	}
	return found, p.err
}

// granted is a world whose first application's US merchant has donations.
type granted struct {
	*fixture.World
	book *edited
	*reconcile.Grants
}

func grantsWorld(t *testing.T) granted {
	t.Helper()
	w := fixture.New(t)
	w.TakesDAF(w.App.Merchants.US)
	p := &edited{Provider: w.Funds}
	return granted{w, p, reconcile.NewGrants(reconcile.GrantDeps{Pool: w.Pool, Provider: p, Now: w.Clock.Now})}
}

func (w granted) donate(amount money.Amount) daf.Donation {
	w.T.Helper()
	us := w.App.Merchants.US
	session := w.Authorized(w.App, us, daf.Integrated, amount)
	out, err := w.DAF.Create(w.T.Context(), w.Actor(),
		daf.CreateInput{MerchantID: &us, WorkflowSessionID: &session, Amount: &amount, Anonymous: new(true)}, nil)
	if err != nil {
		w.T.Fatal(err)
	}
	return out.Object
}

func (w granted) sql(statement string, args pg.Args) {
	w.T.Helper()
	if n, err := pg.Exec(w.T.Context(), w.Pool, statement, args); err != nil || n == 0 {
		w.T.Fatalf("%d rows, %v", n, err)
	}
}

// compare makes a run after a while, and says what is open then.
func (w granted) compare(after time.Duration) (reconcile.Run, []reconcile.Difference) {
	w.T.Helper()
	w.Clock.Advance(after)
	r, err := w.RunNow(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	open, err := w.Open(w.T.Context())
	if err != nil {
		w.T.Fatal(err)
	}
	return r, open
}

func kindsOf(open []reconcile.Difference) (out []reconcile.Kind) {
	for _, d := range open {
		out = append(out, d.Kind)
	}
	return out
}

// Grants of any number agree, however small the batches are, and the processor's reconciliation knows nothing
// of them.
func TestGrantsAgree(t *testing.T) {
	t.Parallel()
	w := grantsWorld(t)
	w.SetBatch(2)
	for i := range 5 {
		w.donate(money.Amount(100 * (i + 1)))
	}
	if r, open := w.compare(3 * time.Hour); r.Lines != 5 || r.Operations != 5 || r.Postings != 0 || len(open) != 0 {
		t.Errorf("%+v, %+v", r, open)
	}
	if r, open := w.compare(3 * time.Hour); r.Lines != 5 || r.Operations != 0 || len(open) != 0 {
		t.Errorf("grants on their way are read again: %+v, %+v", r, open)
	}
	r, err := w.Reconcile[0].RunNow(t.Context())
	if open, again := w.Reconcile[0].Open(t.Context()); r.Operations != 0 || len(open) != 0 || err != nil ||
		again != nil {
		t.Errorf("the processor's: %+v, %+v", r, open)
	}
}

// What is planted in the book, or in our records, is found: that, and nothing else.
func TestPlantedDifferencesOfGrants(t *testing.T) {
	t.Parallel()
	line := func(change func(*provider.Line)) func([]provider.Line) []provider.Line {
		return func(all []provider.Line) []provider.Line {
			for i := range all {
				change(&all[i])
			}
			return all
		}
	}
	for name, c := range map[string]struct {
		book func([]provider.Line) []provider.Line
		ours string // a statement
		want []reconcile.Kind
		runs int // until it is found
	}{
		"missing here": {book: func(all []provider.Line) []provider.Line {
			if len(all) == 0 {
				return all
			}
			return append(all,
				provider.Line{Number: all[0].Number + 1, Reference: "daf_nobody", TrackingID: "AAAAAAAAAA",
					Account: all[0].Account, Amount: 700})
		}, want: []reconcile.Kind{reconcile.UnknownReference}},
		"missing there": {book: func([]provider.Line) []provider.Line { return nil },
			want: []reconcile.Kind{reconcile.MissingInBook}},
		"submitted twice": {book: func(all []provider.Line) []provider.Line {
			for _, l := range all {
				l.Number++
				return append(all, l)
			}
			return all
		}, want: []reconcile.Kind{reconcile.SubmittedTwice}},
		"another amount":      {book: line(func(l *provider.Line) { l.Amount += 100 }), want: []reconcile.Kind{reconcile.AmountDiffers}},
		"another account":     {book: line(func(l *provider.Line) { l.Account = processor.MerchantAccount(1, 1) }), want: []reconcile.Kind{reconcile.AccountDiffers}},
		"another tracking id": {book: line(func(l *provider.Line) { l.TrackingID = "ZZZZZZZZZZ" }), want: []reconcile.Kind{reconcile.TrackingDiffers}},
		"completed there":     {book: line(func(l *provider.Line) { l.State = provider.GrantCompleted }), want: []reconcile.Kind{reconcile.StateDiffers}, runs: 2},
		"canceled there":      {book: line(func(l *provider.Line) { l.State = provider.GrantCanceled }), want: []reconcile.Kind{reconcile.StateDiffers}, runs: 2},
		"canceled here": {ours: `UPDATE daf_donations SET status = 'canceled', canceled_at = created_at WHERE true`,
			want: []reconcile.Kind{reconcile.StateDiffers}, runs: 2},
		"completed here":    {ours: `UPDATE daf_donations SET status = 'completed', completed_at = created_at WHERE true`},
		"declined here":     {ours: `UPDATE processor_operations SET state = 'declined' WHERE kind = 'grant'`, want: []reconcile.Kind{reconcile.ApprovalDiffers}},
		"still open here":   {ours: `UPDATE processor_operations SET state = 'open', finished_at = NULL, next_check_at = created_at WHERE kind = 'grant'`, want: []reconcile.Kind{reconcile.OpenTooLong}},
		"nothing is wrong":  {},
		"declined, no line": {book: func([]provider.Line) []provider.Line { return nil }, ours: `UPDATE processor_operations SET state = 'declined' WHERE kind = 'grant'`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grantsWorld(t)
			d := w.donate(12_500)
			w.book.edit = c.book
			if c.ours != "" {
				w.sql(c.ours, nil)
			}
			for i := range max(c.runs, 1) {
				_, open := w.compare(3 * time.Hour)
				if early := i < c.runs-1; early && len(open) != 0 || !early && !slices.Equal(kindsOf(open), c.want) {
					t.Errorf("run %d: %+v", i+1, open)
				}
				for _, f := range open {
					if f.Reference != d.ID.String() && f.Reference != "daf_nobody" || f.ApplicationID == nil ||
						f.Kind != reconcile.UnknownReference && *f.OurAmount != 12_500 {
						t.Errorf("%+v", f)
					}
				}
			}
		})
	}
}

// What is found stays found once, and is resolved by the run that no longer finds it.
func TestDifferencesOfGrantsAreResolved(t *testing.T) {
	t.Parallel()
	w := grantsWorld(t)
	w.donate(12_500)
	w.sql(`UPDATE processor_operations SET state = 'declined' WHERE kind = 'grant'`, nil)
	for range 2 {
		if _, open := w.compare(3 * time.Hour); len(open) != 1 {
			t.Errorf("%+v", open)
		}
	}
	w.sql(`UPDATE processor_operations SET state = 'approved' WHERE kind = 'grant'`, nil)
	if r, open := w.compare(3 * time.Hour); len(open) != 0 || r.Resolved != 1 {
		t.Errorf("%+v, %+v", r, open)
	}
}

// The provider's own completions and cancellations agree once they are taken in, and are read until then.
func TestCompletedGrantsAgree(t *testing.T) {
	t.Parallel()
	w := grantsWorld(t)
	done := w.donate(12_500)
	w.compare(3 * time.Hour)
	w.Clock.Advance(20 * 24 * time.Hour)
	if _, err := w.Funds.Messages(t.Context(), "", 100); err != nil { // what is due happens
		t.Fatal(err)
	}
	state, err := pg.Value[string](t.Context(), w.Pool, `SELECT state FROM sandbox_daf_grants`, pg.Args{})
	if err != nil || state != string(provider.GrantCompleted) {
		t.Fatalf("%s, %v", state, err)
	}
	if _, open := w.compare(3 * time.Hour); len(open) != 0 {
		t.Errorf("too new to tell: %+v", open)
	}
	if _, open := w.compare(3 * time.Hour); !slices.Equal(kindsOf(open), []reconcile.Kind{reconcile.StateDiffers}) {
		t.Errorf("an event that was not taken in: %+v", open)
	}
	var in daf.UpdateInput
	completed := string(daf.Completed)
	in.Status.Given, in.Status.Value = true, &completed
	if _, err := w.DAF.Update(t.Context(), w.Actor(), done.ID.String(), in, nil); err != nil {
		t.Fatal(err)
	}
	if r, open := w.compare(3 * time.Hour); len(open) != 0 || r.Resolved != 1 {
		t.Errorf("%+v, %+v", r, open)
	}
	if r, _ := w.compare(3 * time.Hour); r.Lines != 0 {
		t.Errorf("what does not change any more is read again: %s", fmt.Sprint(r))
	}
}

// TestMoneyThatArrivedIsCompared: with what was deducted it must be the donation's amount, and of a donation that is
// not canceled. Money that has not arrived, or was returned, is no difference.
func TestMoneyThatArrivedIsCompared(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	reported := money.Amount(363)
	for name, c := range map[string]struct {
		arrived []provider.Arrival
		ours    string
		want    []reconcile.Kind
	}{
		"nothing":                     {},
		"all of it":                   {arrived: []provider.Arrival{{Amount: 12_137, Fee: 363, ReportedFee: &reported}}},
		"without a fee":               {arrived: []provider.Arrival{{Amount: 12_500}}},
		"in two parts":                {arrived: []provider.Arrival{{Amount: 2_400, Fee: 100}, {Amount: 9_700, Fee: 300}}},
		"less":                        {arrived: []provider.Arrival{{Amount: 12_000, Fee: 363}}, want: []reconcile.Kind{reconcile.ArrivalDiffers}},
		"more":                        {arrived: []provider.Arrival{{Amount: 12_500, Fee: 363}}, want: []reconcile.Kind{reconcile.ArrivalDiffers}},
		"less a fee that no one told": {arrived: []provider.Arrival{{Amount: 12_000, Fee: 500, ReportedFee: &reported}}, want: []reconcile.Kind{reconcile.ArrivalDiffers}},
		"returned":                    {arrived: []provider.Arrival{{}}},
		"canceled here": {arrived: []provider.Arrival{{Amount: 12_500}}, want: []reconcile.Kind{reconcile.StateDiffers, reconcile.ArrivalDiffers},
			ours: `UPDATE daf_donations SET status = 'canceled', canceled_at = created_at WHERE true`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := grantsWorld(t)
			d := w.donate(12_500)
			p := &depositing{edited: w.book}
			w.Grants = reconcile.NewGrants(reconcile.GrantDeps{Pool: w.Pool, Provider: p, Now: w.Clock.Now})
			w.SetBatch(1)
			w.compare(day) // the grant is read before its money
			reference, err := pg.Value[string](t.Context(), w.Pool,
				`SELECT reference FROM processor_operations WHERE kind = 'grant'`, pg.Args{})
			if err != nil || d.TrackingID == nil {
				t.Fatal(err)
			}
			for i, a := range c.arrived {
				a.Number, a.ID, a.Reference, a.At = int64(i+1), fmt.Sprint(i), reference, w.Clock.Now()
				p.arrived = append(p.arrived, a)
			}
			if c.ours != "" {
				w.sql(c.ours, nil)
			}
			_, open := w.compare(day)
			if !slices.Equal(kindsOf(open), c.want) {
				t.Errorf("%+v", open)
			}
			for _, found := range open {
				if found.Kind == reconcile.ArrivalDiffers && *found.BookAmount != c.arrived[0].Amount {
					t.Errorf("the difference says that %d arrived, not %d", *found.BookAmount, c.arrived[0].Amount)
				}
			}
			p.arrived = []provider.Arrival{{Number: 9, ID: "0", Reference: reference},
				{Number: 10, ID: "1", Reference: reference}}
			if _, open := w.compare(day); slices.Contains(kindsOf(open), reconcile.ArrivalDiffers) {
				t.Errorf("it was returned: %+v", open)
			}
		})
	}
}

// A provider whose deposits cannot be read is compared without them.
func TestDepositsThatCannotBeReadHoldUpNothing(t *testing.T) {
	t.Parallel()
	w := grantsWorld(t)
	w.donate(12_500)
	p := &depositing{edited: w.book, err: context.DeadlineExceeded}
	w.Grants = reconcile.NewGrants(reconcile.GrantDeps{Pool: w.Pool, Provider: p, Now: w.Clock.Now})
	if r, open := w.compare(3 * time.Hour); r.Lines != 1 || len(open) != 0 {
		t.Errorf("%+v, %+v", r, open)
	}
}
