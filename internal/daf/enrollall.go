package daf

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"svcpay/internal/authz"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

const (
	// examineBatch is how many merchants are looked at together, parallelCalls how many calls to the provider
	// about them are in progress at once.
	examineBatch  = 100
	parallelCalls = 4
)

// ErrSilent ends an examination when the provider answers none of its questions.
var ErrSilent = errors.New("the provider does not answer")

// EligibleInput says which merchants are examined, and whether those that are eligible are enrolled.
type EligibleInput struct {
	ApplicationID int64 // 0: of every application
	// Actor is who enrolls, in the application of each merchant.
	Actor authz.Actor
	Apply bool
	After int64 // only merchants with higher ids
	Calls int   // the most calls to the provider; 0: no limit
}

// BudgetError ends an examination that has used up its calls to the provider.
type BudgetError struct {
	After int64 // the last merchant that was examined
}

// Error implements error.
func (e *BudgetError) Error() string {
	return fmt.Sprintf("all allowed calls to the provider are used up after merchant %d", e.After)
}

// batch is how many merchants can be looked at with the calls that are left: each may need two.
func (in EligibleInput) batch(used int) int {
	if in.Calls == 0 {
		return examineBatch
	}
	return min(examineBatch, (in.Calls-used)/2)
}

// Examined is what was found of a merchant.
type Examined struct {
	ApplicationID int64
	MerchantID    int64
	Name          string
	EIN           string                 // "" without one
	Organization  *provider.Organization // nil if none was looked for, or found
	Outcome       Outcome
	Enrolled      bool  // just now; never without Apply
	Err           error // why the outcome is Failed
}

// EnrollEligible looks at the existing merchants in the order of their ids, reports them in batches, and
// enrolls those that are eligible if it shall. Whatever stops it, it can be run again: who is enrolled stays
// so, and an attempt without an outcome is continued under its reference. It fails with [ErrSilent], with a
// [BudgetError], or with what tell fails with.
func (s *Service) EnrollEligible(ctx context.Context, in EligibleInput, tell func([]Examined) error) error {
	used, calls := make(map[usedEIN]bool), 0
	for after := in.After; ; {
		limit := in.batch(calls)
		rows, err := pg.All[standing](ctx, s.deps.Pool, selectStanding+`
			WHERE m.id > @after AND (@application_id::bigint = 0 OR m.application_id = @application_id)
				ORDER BY m.id LIMIT @limit`,
			pg.Args{"after": after, "application_id": in.ApplicationID, "ein": nil, "but": ids.Enrollment{},
				"limit": max(limit, 1)})
		switch {
		case err != nil || len(rows) == 0:
			return err
		case limit < 1:
			return &BudgetError{after}
		}
		after = rows[len(rows)-1].ID
		found, n, err := s.examine(ctx, rows, in, used)
		calls += n
		if err := errors.Join(err, tell(found)); err != nil {
			return err
		}
	}
}

// CountMerchants says how many merchants [Service.EnrollEligible] looks at.
func (s *Service) CountMerchants(ctx context.Context, applicationID int64) (int, error) {
	return pg.Value[int](ctx, s.deps.Pool, `
		SELECT count(*)::int FROM merchants WHERE @application_id::bigint = 0 OR application_id = @application_id`,
		pg.Args{"application_id": applicationID})
}

// usedEIN is an EIN that one of an application's merchants is enrolled by, or would be.
type usedEIN struct {
	applicationID int64
	ein           string
}

// alone judges a merchant that no one has asked to enroll.
func (m standing) alone() Outcome {
	switch o := m.judge(deref(m.EIN)); {
	case o == Eligible && m.EIN == nil:
		return NoEIN
	case o == Eligible && m.Left:
		return OptedOut
	default:
		return o
	}
}

// aloneBy is alone of a merchant that is about to be enrolled by an EIN, which was its own when it was first looked at.
func (m standing) aloneBy(ein string) Outcome {
	if o := m.judge(ein); o != Eligible {
		return o
	}
	return m.alone()
}

// examine judges a batch, asks the directory about those that nothing else is in the way of, and then
// enrolls, each step for several at a time. It returns how many calls to the provider that took.
func (s *Service) examine(ctx context.Context, rows []standing, in EligibleInput,
	used map[usedEIN]bool) ([]Examined, int, error) {
	out := make([]Examined, len(rows))
	for i, m := range rows {
		out[i] = Examined{ApplicationID: m.ApplicationID, MerchantID: m.ID, Name: m.Name, EIN: deref(m.EIN),
			Outcome: m.alone()}
	}
	asked := each(ctx, out, func(i int) bool { return out[i].Outcome == Eligible }, func(i int) {
		out[i].Organization, out[i].Outcome = s.directory(ctx, out[i].EIN)
	})
	if err := ctx.Err(); err != nil {
		return nil, asked, err
	}
	silent := 0
	for i, e := range out {
		k := usedEIN{e.ApplicationID, e.EIN}
		switch {
		case e.Outcome == Unanswered:
			silent++
		case e.Outcome == Eligible && used[k]: // the first of two gets it
			out[i].Outcome = EINTaken
		case e.Outcome == Eligible:
			used[k] = true
		}
	}
	if asked > 0 && silent == asked {
		return out, asked, ErrSilent
	}
	if in.Apply {
		due := func(i int) bool { return out[i].Outcome == Eligible || out[i].Outcome == InProgress }
		asked += each(ctx, out, due, func(i int) { s.enrollAlone(ctx, in.Actor, rows[i], &out[i]) })
	}
	return out, asked, ctx.Err()
}

// enrollAlone enrolls a merchant that is eligible, or continues the attempt in progress.
func (s *Service) enrollAlone(ctx context.Context, actor authz.Actor, m standing, found *Examined) {
	cause := merchant.Cause{Source: outbox.Job}
	actor.ApplicationID = m.ApplicationID
	var e Enrollment
	var err error
	if found.Outcome == Eligible {
		e, err = s.enroll(ctx, m, *found.Organization, 0, cause, standing.aloneBy, s.recordTx(actor))
	} else if e, err = lastEnrollment(ctx, s.deps.Pool, m.ApplicationID, m.ID); err == nil && e.State == Processing {
		e, err = s.ask(ctx, e, cause)
	}
	found.Outcome, found.Enrolled = outcomeOf(e, err)
	if found.Outcome == Failed {
		found.Err = err
		slog.ErrorContext(ctx, "a merchant could not be enrolled", "merchant_id", m.ID, "error", err.Error())
	}
}

// outcomeOf is the outcome of an attempt, and whether the merchant is enrolled now.
func outcomeOf(e Enrollment, err error) (Outcome, bool) {
	if f, ok := fault.As(err); ok {
		for _, known := range Meanings() { // the merchant changed since it was examined
			if known.Outcome.refusal().Code == f.Code {
				return known.Outcome, false
			}
		}
	}
	switch {
	case err != nil:
		return Failed, false
	case e.State == Enrolled:
		return Eligible, true
	case e.State == Refused:
		return *e.Refusal, false
	case e.State == Processing:
		return InProgress, false
	}
	return OptedOut, false
}

// each does something for those members of a batch that are wanted, several at a time, until ctx ends, and
// says how many it did it for.
func each(ctx context.Context, batch []Examined, wanted func(int) bool, do func(int)) (n int) {
	var wg sync.WaitGroup
	defer wg.Wait()
	slots := make(chan struct{}, parallelCalls)
	for i := range batch {
		if !wanted(i) {
			continue
		}
		slots <- struct{}{}
		if ctx.Err() != nil {
			return n
		}
		n++
		wg.Go(func() {
			defer func() { <-slots }()
			do(i)
		})
	}
	return n
}
