package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"svcpay/internal/platform/audit"
	"svcpay/policy"
)

type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" aliases:"check" help:"Verify every chain of the audit log and print what does not match."`
}

type auditVerifyCommand struct {
	Application *int64 `placeholder:"N" help:"One application's chain only; 0 is that of the deployment itself."`
}

// Help implements kong.HelpProvider.
func (auditVerifyCommand) Help() string {
	return databaseHelp +
		" Each chain's head is printed: keep it elsewhere, and no one can rewrite the chain up to there without detection." +
		" The exit status is 1 if a chain is broken."
}

// Run checks the chains.
func (c auditVerifyCommand) Run(w *world) error {
	pool, err := openDatabase(w)
	if err != nil {
		return err
	}
	defer pool.Close()
	rules, err := policy.New()
	if err != nil {
		return err
	}
	log := audit.New(pool, rules, machineTime)
	var all []int64
	if c.Application != nil {
		all = []int64{*c.Application}
	} else if all, err = log.Chains(w.ctx); err != nil {
		return err
	}
	var chains []audit.Chain
	for _, id := range all {
		chain, err := log.Inspect(w.ctx, id)
		if err != nil {
			return err
		}
		chains = append(chains, chain)
	}
	return printChains(w.stdout, chains)
}

// flaws are what can be wrong with a chain, in words.
var flaws = map[audit.Flaw]string{
	"": "in order", audit.Altered: "entry %d was changed, or is not where it was", audit.Missing: "entry %d is missing",
	audit.CutOff: "the chain does not end as it did: look from entry %d on",
}

// printChains prints a table, and reports whether a chain is broken.
func printChains(out io.Writer, chains []audit.Chain) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "APPLICATION\tENTRIES\tSTATE\tHEAD")
	broken := 0
	for _, c := range chains {
		state := flaws[c.Flaw]
		if c.Flaw != "" {
			broken++
			state = fmt.Sprintf(state, c.Position)
		}
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\n", c.ApplicationID, c.Entries, state, c.Head)
	}
	err := t.Flush()
	if broken > 0 {
		err = errors.Join(err, fmt.Errorf("broken chains: %d", broken))
	}
	return err
}
