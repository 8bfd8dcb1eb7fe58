package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/apikey"
	"svcpay/internal/devtools/doctor"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor/accounts"
	"svcpay/internal/vault"
	"svcpay/policy"
)

type doctorCommand struct {
	JSON bool `name:"json" help:"Print the findings as JSON."`
}

// Help implements kong.HelpProvider.
func (doctorCommand) Help() string {
	return "Reads the settings of svcpay serve, changes nothing, and says in one line each what is good, doubtful or wrong, and what helps. " +
		"A server looks at schema, durability, clock and environment by the same checks when it starts. The exit status is 1 if something is wrong."
}

// Run examines the deployment of the settings.
func (c doctorCommand) Run(w *world) error {
	slog.SetDefault(newLog(w.stderr))
	found := examine(w)
	if err := printFindings(w.stdout, found, c.JSON); err != nil {
		return err
	}
	bad := 0
	for _, f := range found {
		if f.State == doctor.Wrong {
			bad++
		}
	}
	if bad > 0 {
		return fmt.Errorf("findings that are wrong: %d", bad)
	}
	return nil
}

func printFindings(out io.Writer, found []doctor.Finding, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"findings": found})
	}
	t := newTable(out, "")
	for _, f := range found {
		text := f.Text
		if f.Remedy != "" {
			text += ": " + f.Remedy
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", f.State, f.Check, strings.ReplaceAll(text, "\n", " "))
	}
	return t.Flush()
}

// findingsOf makes findings of an error, one for each of its lines; good says what none means.
func findingsOf(check, remedy, good string, err error) (found []doctor.Finding) {
	if err == nil {
		return []doctor.Finding{{Check: check, State: doctor.Good, Text: good}}
	}
	for line := range strings.SplitSeq(said(err), "\n") {
		found = append(found, doctor.Finding{Check: check, State: doctor.Wrong, Text: line, Remedy: remedy})
	}
	return found
}

// examine goes as far as the settings lead.
func examine(w *world) []doctor.Finding {
	c, err := configFrom(w.env)
	found := findingsOf("settings", "set it right in the server's environment",
		"the settings are whole; portal and pages of payers have hosts of their own", err)
	keys, keyErr := vault.ReadKeyFile(c.vaultKeyFile)
	wallets, walletErr := c.wallets()
	defer wallets.close()
	if err == nil { // else the settings have told it
		found = append(found, findingsOf("key file", "put back the vault's key file, readable by the server alone",
			"the vault's key file can be read", keyErr)...)
		found = append(found,
			findingsOf("wallets", "replace the file that the setting names", "the wallets' files can be read",
				walletErr)...)
	}
	if c.databaseURL == "" {
		return found
	}
	pool, err := pg.Open(w.ctx, c.databaseURL)
	found = append(found, findingsOf("database", "start it, and see whether DATABASE_URL leads to it",
		"the database answers", err)...)
	if err != nil {
		return found
	}
	defer pool.Close()
	schema := doctor.Schema(w.ctx, c.databaseURL)
	if found = append(found, schema); schema.State != doctor.Good {
		return found // of another schema nothing else can be said
	}
	p := c.patient(pool)
	if keyErr != nil {
		return append(found, p.Start(w.ctx)...)
	}
	p.Vault = vault.New(keys)
	if c.onChariot() {
		if rules, err := policy.New(); err == nil {
			p.DAF = c.connection(pool, keys.Secrets, rules)
		}
	}
	p.Keyring, p.BaseURL = accounts.NewKeyring(pool, keys.Secrets), c.baseURL
	p.Processors = partiesOf(c, keys.Secrets, pool, machineTime, clock.New(pool, machineTime)).processors
	for _, k := range wallets.certificates {
		p.Certificates = append(p.Certificates, doctor.Certificate(k))
	}
	if sender, err := c.mails.sender(); err == nil && sender != nil {
		p.Mailer, _ = sender.(doctor.Mailer)
	}
	return append(found, p.Examine(w.ctx)...)
}

// patient is the deployment of some settings.
func (c config) patient(pool *pgxpool.Pool) doctor.Patient {
	parties := partiesOf(c, nil, pool, machineTime, clock.New(pool, machineTime))
	return doctor.Patient{Pool: pool, Processors: parties.processors, Funds: parties.funds.Name(),
		Production: c.environment == apikey.Production,
		Now:        machineTime, Disk: freeSpace}
}

// freeSpace says how much of a file system others than root may use.
func freeSpace(dir string) (free, size uint64, err error) {
	var s syscall.Statfs_t
	err = syscall.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), s.Blocks * uint64(s.Bsize), err
}

// checkSchema reports whether the database has another schema than this version.
func checkSchema(ctx context.Context, url string) error { return doctor.Schema(ctx, url).Err() }

// checkClock compares this machine's clock with the database's.
func checkClock(ctx context.Context, pool *pgxpool.Pool) error {
	return doctor.Clock(ctx, config{}.patient(pool)).Err()
}

// checkVital says what is missing that no server does without.
func (c config) checkVital(ctx context.Context, pool *pgxpool.Pool) error {
	var errs []error
	for _, f := range c.patient(pool).Start(ctx) {
		errs = append(errs, f.Err())
	}
	return errors.Join(errs...)
}
