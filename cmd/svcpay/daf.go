package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/daf"
	"svcpay/internal/identity"
	"svcpay/internal/merchant"
	"svcpay/internal/operation"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/seal"
)

type dafCommand struct {
	Connect        connectDAFCommand     `cmd:"" help:"Connect the deployment to its provider of donor-advised funds, or replace its credentials."`
	Test           testDAFCommand        `cmd:"" help:"Check the connection with the provider, and list what is missing."`
	EnrollEligible enrollEligibleCommand `cmd:"" help:"List existing merchants that are eligible for DAF Pay, or enroll them with --apply."`
}

type enrollEligibleCommand struct {
	Application int64 `placeholder:"N" help:"Only this application's merchants. Default: all applications."`
	Apply       bool  `help:"Enroll those that are eligible. Without it nothing is changed."`
	After       int64 `placeholder:"N" help:"Only merchants with ids above this one: where an earlier run stopped."`
	MaxCalls    int   `placeholder:"N" help:"Stop before more calls than this to the provider, and print where to continue. Each merchant takes up to two. Default: no limit."`
	All         bool  `help:"List every merchant with its outcome, not only those that are eligible."`
}

// Help implements kong.HelpProvider.
func (enrollEligibleCommand) Help() string {
	return databaseHelp +
		" It can be stopped at any time and run again: it continues where it stopped, and enrolls no merchant twice. " +
		"The exit status is 1 if the provider did not respond for some merchants, or if an error kept some from being enrolled."
}

// donations are the use-cases of DAF Pay, for a command that works on the database alone.
func donations(o opened, c config, box *seal.Box) *daf.Service {
	clocks, live := clock.New(o.pool, machineTime), c.environment == apikey.Production
	parties := partiesOf(c, box, o.pool, machineTime, clocks)
	return daf.New(daf.Deps{Pool: o.pool, Check: o.rules, Provider: parties.funds, Clock: clocks, Livemode: live,
		Contact: assembly.DAFContact(identity.New(o.pool, machineTime, o.rules)),
		Merchants: merchant.New(merchant.Deps{Pool: o.pool, Clock: clocks, Livemode: live,
			Processors: parties.processors}),
		Grants: operation.NewResolver(o.pool, operation.Provider(parties.funds), machineTime)})
}

// Run looks at the merchants, enrolls if it shall, and reports.
func (c enrollEligibleCommand) Run(w *world) error {
	settings, box, err := counterpartySettings(w)
	if err != nil {
		return err
	}
	return useDatabase(w, c.Application, func(o opened) error {
		return c.enroll(w, donations(o, settings, box))
	})
}

func (c enrollEligibleCommand) enroll(w *world, s *daf.Service) (err error) {
	r := enrollReport{enrollEligibleCommand: c, world: w, found: make(map[daf.Outcome]int)}
	if r.total, err = s.CountMerchants(w.ctx, c.Application); err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, enrollLine, "MERCHANT", "APPLICATION", "EIN", "FOUND", "NAME → ORGANIZATION")
	err = s.EnrollEligible(w.ctx, daf.EligibleInput{ApplicationID: c.Application, Actor: operator(w.env, 0),
		Apply: c.Apply, After: c.After, Calls: c.MaxCalls}, r.tell)
	if spent, ok := errors.AsType[*daf.BudgetError](err); ok {
		err = fmt.Errorf("%w; continue with --after %d", err, spent.After)
	}
	return errors.Join(r.end(), err)
}

// enrollLine is a line of the list.
const enrollLine = "%-9v %-12v %-11v %-23v %v\n"

// enrolledNow is what the report calls a merchant that has just been enrolled.
const enrolledNow daf.Outcome = "enrolled"

// enrollReport is what a run tells while it goes, and in the end.
type enrollReport struct {
	enrollEligibleCommand
	*world
	total, done int
	found       map[daf.Outcome]int
	failed      error     // the first error on our side
	told        time.Time // when progress was
}

// tell lists the merchants of a batch, and every second how far the run has come.
func (r *enrollReport) tell(batch []daf.Examined) error {
	for _, e := range batch {
		what := e.Outcome
		if e.Enrolled {
			what = enrolledNow
		}
		r.found[what]++
		r.failed = cmp.Or(r.failed, e.Err)
		if !r.All && e.Outcome != daf.Eligible {
			continue
		}
		name := e.Name
		if e.Organization != nil {
			name += " → " + e.Organization.Name
		}
		if _, err := fmt.Fprintf(r.stdout, enrollLine, e.MerchantID, e.ApplicationID, cmp.Or(e.EIN, "-"), what,
			name); err != nil {
			return err
		}
	}
	r.done += len(batch)
	if now := time.Now(); now.Sub(r.told) >= time.Second || r.done >= r.total {
		r.told = now
		fmt.Fprintf(r.stderr, "%d of %d merchants\n", r.done, r.total)
	}
	return nil
}

// end prints how many of each there are. It fails if the provider has not responded about some, or an error kept some
// from being enrolled.
func (r *enrollReport) end() error {
	if err := r.summary(r.stdout); err != nil {
		return err
	}
	if !r.Apply {
		fmt.Fprintln(r.stdout, "\nNothing was changed. With --apply those that are eligible are enrolled.")
	}
	left := r.found[daf.Unanswered]
	if r.Apply {
		left += r.found[daf.InProgress] + r.found[daf.Eligible]
	}
	var errs []error
	if left > 0 {
		errs = append(errs, fmt.Errorf("the provider has not responded about %d merchants; run this again", left))
	}
	if r.failed != nil {
		errs = append(errs, fmt.Errorf("%d merchants could not be enrolled because of an error; the first: %w",
			r.found[daf.Failed], r.failed))
	}
	return errors.Join(errs...)
}

func (r *enrollReport) summary(out io.Writer) error {
	t := newTable(out, "\nMERCHANTS\tFOUND\tMEANING")
	if n := r.found[enrolledNow]; n > 0 {
		fmt.Fprintf(t, "%d\t%s\tThe merchant has just been enrolled.\n", n, enrolledNow)
	}
	for _, m := range daf.Meanings() {
		if n := r.found[m.Outcome]; n > 0 {
			fmt.Fprintf(t, "%d\t%s\t%s\n", n, m.Outcome, m.Text)
		}
	}
	return t.Flush()
}
