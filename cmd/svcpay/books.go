package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/reconcile"
)

const databaseHelp = "Reads DATABASE_URL and SVCPAY_ENVIRONMENT, as svcpay serve does."

// openDatabase connects to a service's database, which must have this version's schema.
func openDatabase(w *world) (*pgxpool.Pool, error) {
	c, err := databaseConfigFrom(w.env)
	if err != nil {
		return nil, err
	}
	slog.SetDefault(newLog(w.stderr))
	if err := checkSchema(w.ctx, c.databaseURL); err != nil {
		return nil, err
	}
	pool, err := pg.Open(w.ctx, c.databaseURL)
	if err != nil {
		return nil, err
	}
	if err := checkClock(w.ctx, pool); err != nil {
		pool.Close()
		return nil, err
	}
	return pool, nil
}

// opened is what a command works with that an operator runs on a service's database.
type opened struct {
	config
	pool  *pgxpool.Pool
	rules authz.Checker
	actor authz.Actor
}

// useDatabase reads the database's settings and more of those names, opens the database for an application, or with 0
// for none, and lets work have it.
func useDatabase(w *world, applicationID int64, work func(opened) error, more ...string) error {
	o := opened{actor: operator(w.env, applicationID)}
	var err error
	if o.config, err = databaseConfigFrom(w.env, more...); err != nil {
		return err
	}
	if o.rules, err = keyedPolicy(w); err != nil {
		return err
	}
	if o.pool, err = openDatabase(w); err != nil {
		return err
	}
	defer o.pool.Close()
	if applicationID != 0 {
		if err := checkApplication(w.ctx, o.pool, applicationID); err != nil {
			return err
		}
	}
	return work(o)
}

// record records that the operator runs a command on the application, or on the whole deployment. It is called before
// the command changes any data, so that a run that fails or is killed is recorded, too.
func (o opened) record(ctx context.Context, kind string) error {
	log := audit.New(o.pool, o.rules, machineTime)
	return log.Done(ctx, o.actor, authz.DeploymentManage, audit.Subject{Kind: kind}, nil)
}

// checkApplication reports whether there is no such application.
func checkApplication(ctx context.Context, pool *pgxpool.Pool, id int64) error {
	n, err := pg.Value[int](ctx, pool, `SELECT count(*)::int FROM applications WHERE id = @id`, pg.Args{"id": id})
	if err == nil && n == 0 {
		err = fmt.Errorf("there is no application %d", id)
	}
	return err
}

type reconcileCommand struct{}

// Help implements kong.HelpProvider.
func (reconcileCommand) Help() string {
	return databaseHelp +
		" It skips records younger than an hour. The exit status is 1 if there are open mismatches."
}

// Run compares the books and prints the open differences.
func (reconcileCommand) Run(w *world) error {
	pool, err := openDatabase(w)
	if err != nil {
		return err
	}
	defer pool.Close()
	c, box, err := counterpartySettings(w)
	if err != nil {
		return err
	}
	parties := partiesOf(c, box, pool, machineTime, clock.New(pool, machineTime))
	var errs []error
	for _, s := range reconcile.Of(pool, parties.processors, machineTime) {
		errs = append(errs, compareNow(w, "The book of "+s.Name(), s))
	}
	grants := reconcile.NewGrants(reconcile.GrantDeps{Pool: pool, Provider: parties.funds, Now: machineTime})
	return errors.Join(append(errs, compareNow(w, "The book of grants", grants))...)
}

// comparison is with one counterparty's book.
type comparison interface {
	RunNow(ctx context.Context) (reconcile.Run, error)
	Open(ctx context.Context) ([]reconcile.Difference, error)
}

func compareNow(w *world, book string, s comparison) error {
	r, err := s.RunNow(w.ctx)
	if err != nil {
		return err
	}
	open, err := s.Open(w.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "%s, compared up to %s, new since the last time: lines %d, operations %d, postings %d.\n"+
		"Differences that appeared: %d; that went: %d.\n",
		book, r.Horizon.UTC().Format(instant.Layout), r.Lines, r.Operations, r.Postings, r.Found, r.Resolved)
	if len(open) == 0 {
		return nil
	}
	if err := printDifferences(w.stdout, open); err != nil {
		return err
	}
	return fmt.Errorf("open differences: %d", len(open))
}

// printDifferences prints a table: what each book says, a dash for nothing.
func printDifferences(out io.Writer, open []reconcile.Difference) error {
	t := newTable(out, "\nFOUND\tDIFFERENCE\tREFERENCE\tAPPLICATION\tMERCHANT\tOURS\tBOOK\tPOSTED")
	for _, d := range open {
		ours, book := "-", "-"
		if d.OurKind != nil && d.OurAmount != nil {
			ours = fmt.Sprintf("%s %s %d %s", *d.OurKind, *d.OurState, *d.OurAmount, *d.OurCurrency)
		}
		if d.Lines > 0 {
			verdict := map[bool]string{true: "approved", false: "declined"}[*d.BookApproved]
			book = fmt.Sprintf("%d × %s %s %d %s", d.Lines, *d.BookKind, verdict, *d.BookAmount, *d.BookCurrency)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d × %d\n", d.FoundAt.UTC().Format("2006-01-02 15:04"), d.Kind,
			d.Reference, orDash(d.ApplicationID), orDash(d.MerchantID), ours, book, d.Postings, d.Posted)
	}
	return t.Flush()
}

type ledgerCommand struct {
	Owed    owedCommand    `cmd:"" help:"Print what processors owe, by account."`
	Rebuild rebuildCommand `cmd:"" help:"Recompute the running totals of an application from its entries."`
}

type rebuildCommand struct {
	Application int64 `required:"" placeholder:"N" help:"The application whose totals are wrong."`
}

// Help implements kong.HelpProvider.
func (rebuildCommand) Help() string { return databaseHelp }

// Run computes the totals again.
func (c rebuildCommand) Run(w *world) error {
	return useDatabase(w, c.Application, func(o opened) error {
		if err := o.record(w.ctx, "ledger_totals"); err != nil {
			return err
		}
		err := ledger.New(ledger.Deps{Pool: o.pool, Now: machineTime}).Rebuild(w.ctx, c.Application)
		if err == nil {
			fmt.Fprintf(w.stdout, "The totals of application %d are recomputed from its entries.\n", c.Application)
		}
		return err
	})
}

type owedCommand struct{}

// Help implements kong.HelpProvider.
func (owedCommand) Help() string {
	return databaseHelp +
		" The amounts are in minor units. A negative amount was paid out beyond what the account collected. FEES are what the processor charged; OWED is without them. The whole ledger is read."
}

// Run prints the receivables.
func (owedCommand) Run(w *world) error {
	pool, err := openDatabase(w)
	if err != nil {
		return err
	}
	defer pool.Close()
	all, err := reconcile.Receivables(w.ctx, pool)
	if err != nil {
		return err
	}
	t := newTable(w.stdout, "APPLICATION\tPROCESSOR\tACCOUNT\tCURRENCY\tOWED\tFEES")
	for _, r := range all {
		fmt.Fprintf(t, "%d\t%s\t%s\t%s\t%d\t%d\n", r.ApplicationID, r.Processor, r.External, r.Currency,
			r.Amount, r.Fees)
	}
	return t.Flush()
}
