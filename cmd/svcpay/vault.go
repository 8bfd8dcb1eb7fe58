package main

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/ids"
	"svcpay/internal/testing/crash"
	"svcpay/internal/vault"
)

type vaultCommand struct {
	Check   vaultCheckCommand   `cmd:"" help:"Decrypt everything in the vault, and report what can't be decrypted."`
	Prepare vaultPrepareCommand `cmd:"" help:"Key rotation, step 1: add a new key to the key file."`
	Rotate  vaultRotateCommand  `cmd:"" help:"Key rotation, step 2: switch to the new key, and re-encrypt what uses the former one."`
	Retire  vaultRetireCommand  `cmd:"" help:"Key rotation, step 3: remove the former key from the key file."`
}

const vaultHelp = "Reads DATABASE_URL, SVCPAY_ENVIRONMENT and SVCPAY_VAULT_KEY_FILE, as svcpay serve does."

// useVault is [useDatabase] with the vault of the key file.
func useVault(w *world, work func(opened, *vault.Vault) error) error {
	return useDatabase(w, 0, func(o opened) error {
		keys, err := vault.ReadKeyFile(o.vaultKeyFile)
		if err != nil {
			return err
		}
		return work(o, vault.New(keys))
	}, keyFileSetting)
}

type vaultCheckCommand struct{}

// Help implements kong.HelpProvider.
func (vaultCheckCommand) Help() string {
	return vaultHelp + " It keeps and prints nothing of what it decrypts. " +
		"The exit status is 1 if a row can't be decrypted: run this after a restore."
}

// vaultBatch is how many rows are opened at a time.
const vaultBatch = 1000

// Run opens every row.
func (vaultCheckCommand) Run(w *world) error {
	return useVault(w, func(o opened, v *vault.Vault) error {
		opens, sealed := 0, 0
		for last := (ids.Token{}); ; {
			seen, err := v.Examine(w.ctx, o.pool, last, vaultBatch)
			if err != nil {
				return err
			}
			for _, t := range seen.Sealed {
				fmt.Fprintf(w.stdout, "%s does not open\n", t)
			}
			opens, sealed, last = opens+seen.Opened, sealed+len(seen.Sealed), seen.Last
			if last.IsZero() {
				break
			}
		}
		fmt.Fprintf(w.stdout, "Rows that open: %d\n", opens)
		if sealed > 0 {
			return fmt.Errorf("rows of the vault that do not open: %d", sealed)
		}
		return nil
	})
}

type vaultPrepareCommand struct{}

// Help implements kong.HelpProvider.
func (vaultPrepareCommand) Help() string {
	return "Reads SVCPAY_VAULT_KEY_FILE. Run it as the file's owner. The new key encrypts nothing yet: copy the file to every machine, then reload every server."
}

// Run adds a key.
func (vaultPrepareCommand) Run(w *world) error {
	path := lookup(w.env, keyFileSetting)
	added, err := vault.AddKey(path)
	if err != nil {
		return err
	}
	what := "The key file has a new key"
	if !added {
		what = "The key file has a second key already"
	}
	_, err = fmt.Fprintln(w.stdout,
		what+". Copy the file to every machine and reload every server; then run svcpay vault rotate.")
	return err
}

type vaultRotateCommand struct {
	Batch int `default:"200" help:"How many tokens to re-encrypt in one transaction (${default})."`
}

// Help implements kong.HelpProvider.
func (vaultRotateCommand) Help() string {
	return vaultHelp +
		" You can stop or kill it at any time and run it again: it resumes. The exit status is 1 until everything is re-encrypted."
}

// Run seals everything again.
func (r vaultRotateCommand) Run(w *world) error {
	if r.Batch < 1 {
		return errors.New("--batch: at least one token")
	}
	return useDatabase(w, 0, func(o opened) error {
		if err := o.record(w.ctx, "vault_rotation"); err != nil {
			return err
		}
		if err := vault.UseNewest(o.vaultKeyFile); err != nil {
			return err
		}
		crash.Point("vault.promoted")
		keys, err := vault.ReadKeyFile(o.vaultKeyFile)
		if err != nil {
			return err
		}
		return r.seal(w, o.pool, vault.New(keys))
	}, keyFileSetting)
}

// seal seals everything again, and reports what is left.
func (r vaultRotateCommand) seal(w *world, pool *pgxpool.Pool, v *vault.Vault) error {
	total := 0
	for last := (ids.Token{}); ; {
		n, next, err := v.Rotate(w.ctx, pool, last, r.Batch)
		if err != nil {
			return err
		}
		if total, last = total+n, next; last.IsZero() {
			break
		}
	}
	left, waiting, err := v.Left(w.ctx, pool)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "Tokens that were sealed again: %d; left: %d\n", total, left)
	if left > 0 {
		return fmt.Errorf(
			"tokens that the former key has wrapped: %d, of which %d wait for their security code to go, or to be made of an authorized account (15 minutes): run this again", left, waiting)
	}
	fmt.Fprintln(w.stdout,
		"Copy the key file to every machine and reload every server; run this again; then svcpay vault retire.")
	return nil
}

type vaultRetireCommand struct{}

// Help implements kong.HelpProvider.
func (vaultRetireCommand) Help() string {
	return vaultHelp +
		" It refuses while a token still uses the former key. Backups from before the rotation can't be decrypted without it: keep a copy of the key file " +
		"with such backups as long as you may need them, and destroy it with them."
}

// Run drops the former key.
func (vaultRetireCommand) Run(w *world) error {
	return useVault(w, func(o opened, v *vault.Vault) error {
		left, _, err := v.Left(w.ctx, o.pool)
		if err != nil {
			return err
		}
		if left > 0 {
			return fmt.Errorf("tokens that the former key has wrapped: %d: run svcpay vault rotate", left)
		}
		if err := o.record(w.ctx, "vault_retirement"); err != nil {
			return err
		}
		if err := vault.DropFormer(o.vaultKeyFile); err != nil {
			return err
		}
		_, err = fmt.Fprintln(w.stdout,
			"The key file has one key. Copy it to every machine and reload every server.")
		return err
	})
}
