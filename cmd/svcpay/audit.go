package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/internal/vault"
	"svcpay/policy"
)

type auditCommand struct {
	Verify auditVerifyCommand `cmd:"" aliases:"check" help:"Verify every chain of the audit log and print what does not match."`
}

type auditVerifyCommand struct {
	Heads       []string `placeholder:"FILE" type:"existingfile" help:"File with exported heads, or a server's log, to compare the chains with. Can be repeated."`
	Application *int64   `placeholder:"N" help:"One application's chain only; 0 is that of the deployment itself."`
}

// Help implements kong.HelpProvider.
func (auditVerifyCommand) Help() string {
	return databaseHelp + " It also reads SVCPAY_VAULT_KEY_FILE: without it, only plain hashes can be verified. " +
		"PLAIN is the number of entries with a plain SHA-256 hash: those of earlier versions, and of commands that ran without the key file. " +
		"With --heads, a chain that was rewritten or cut off since its head was exported is broken. " +
		"The exit status is 1 if a chain is broken."
}

// Run checks the chains.
func (c auditVerifyCommand) Run(w *world) error {
	return useDatabase(w, 0, func(o opened) error {
		return c.verify(w, audit.New(o.pool, o.rules, machineTime))
	})
}

func (c auditVerifyCommand) verify(w *world, log *audit.Log) (err error) {
	heads, bad := c.heads(log)
	if bad != nil && !errors.Is(bad, audit.ErrHead) {
		return withoutKey(bad)
	}
	var all []int64
	if c.Application != nil {
		all = []int64{*c.Application}
	} else if all, err = log.Applications(w.ctx, heads); err != nil {
		return err
	}
	var chains []audit.Chain
	for _, id := range all {
		chain, err := log.InspectWith(w.ctx, id, heads)
		if err != nil {
			return withoutKey(err)
		}
		chains = append(chains, chain)
	}
	return errors.Join(printChains(w.stdout, chains), bad)
}

// heads reads the files with exported heads as one.
func (c auditVerifyCommand) heads(log *audit.Log) (audit.Heads, error) {
	var all []io.Reader
	for _, name := range c.Heads {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, bytes.NewReader(text), strings.NewReader("\n"))
	}
	if len(all) == 0 {
		return nil, nil
	}
	return log.ReadHeads(io.MultiReader(all...))
}

// withoutKey replaces [audit.ErrNoKey] by an error that names the missing setting.
func withoutKey(err error) error {
	if errors.Is(err, audit.ErrNoKey) {
		return errors.New(keyFileSetting + " is not set: it names the file with the keys of the audit log's hashes")
	}
	return err
}

// keyedPolicy is the policy of a command, with the key of the audit log if the command has the vault's key file.
func keyedPolicy(w *world) (authz.Checker, error) {
	rules, err := policy.New()
	if err != nil {
		return nil, err
	}
	file := lookup(w.env, keyFileSetting)
	if file == "" {
		return rules, nil
	}
	keys, err := vault.ReadKeyFile(file)
	if err != nil {
		return nil, err
	}
	return audit.Keyed(rules, keys.MAC(vault.AuditMAC)), nil
}

// exportHeads writes a signed line for each audit chain that has new entries, to the server's log and to the file of
// SVCPAY_AUDIT_HEADS. It logs broken chains as errors, and counts them.
func (a *app) exportHeads(ctx context.Context) (bool, error) {
	lines, broken, err := a.Audit.ExportHeads(ctx)
	for _, line := range lines {
		a.log.InfoContext(ctx, "audit head", "head", line)
	}
	for _, c := range broken {
		a.log.ErrorContext(ctx, "the audit log is broken", "application_id", c.ApplicationID, "flaw", string(c.Flaw),
			"position", c.Position)
	}
	if err == nil {
		a.meter.BrokenChains(len(broken))
	}
	if a.config.headsFile == "" || len(lines) == 0 {
		return false, err
	}
	return false, errors.Join(err, appendLines(a.config.headsFile, lines))
}

// appendLines adds lines to a file and has them on the disk when it returns. They begin on a line of their own, also
// after a line that was only partly written because the disk was full.
func appendLines(name string, lines []string) error {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	text := strings.Join(lines, "\n") + "\n"
	last := []byte{'\n'}
	if end, err := f.Seek(0, io.SeekEnd); err == nil && end > 0 {
		_, _ = f.ReadAt(last, end-1)
	}
	if last[0] != '\n' {
		text = "\n" + text
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// flaws are what can be wrong with a chain, in words.
var flaws = map[audit.Flaw]string{
	"": "in order", audit.Altered: "entry %d was changed, or is not where it was", audit.Missing: "entry %d is missing",
	audit.CutOff:    "the end of the chain was changed or cut off, from entry %d",
	audit.Rewritten: "entry %d does not match its exported head",
}

// printChains prints a table, and reports whether a chain is broken.
func printChains(out io.Writer, chains []audit.Chain) error {
	t := newTable(out, "APPLICATION\tENTRIES\tPLAIN\tSTATE\tHEAD")
	broken := 0
	for _, c := range chains {
		state := flaws[c.Flaw]
		if c.Flaw != "" {
			broken++
			state = fmt.Sprintf(state, c.Position)
		}
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t%s\n", c.ApplicationID, c.Entries, c.Plain, state, c.Head)
	}
	err := t.Flush()
	if broken > 0 {
		err = errors.Join(err, fmt.Errorf("broken chains: %d", broken))
	}
	return err
}

// auditSettings are those of the audit log.
func auditSettings() []setting {
	return []setting{{"SVCPAY_AUDIT_HEADS",
		"file to which signed heads of the audit log are appended every hour; they are also written to the log", "", false,
		func(c *config, v string) error { c.headsFile = v; return nil }}}
}
