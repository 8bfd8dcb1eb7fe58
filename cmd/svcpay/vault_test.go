package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/apikey"
	"svcpay/internal/assembly"
	"svcpay/internal/processor"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/internal/vault"
)

// checkVault runs svcpay vault check with a key file.
func checkVault(w *fixture.World, keyFile string) (status int, out, complaints string) {
	var stdout, stderr bytes.Buffer
	status = run([]string{"vault", "check"},
		[]string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
			"SVCPAY_VAULT_KEY_FILE=" + keyFile}, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// sealedBy makes tokens in the world's database with other keys.
func sealedBy(w *fixture.World, keys *vault.Keys) *token.Service {
	return assembly.New(assembly.Deps{Pool: w.Pool, Vault: vault.New(keys), Secrets: keys.Secrets, Clock: w.Clocks,
		Processors: processor.Only(w.Processor),
		DAF:        w.Funds, Banks: w.Banks, Check: w.Gate, Environment: apikey.Sandbox, Now: w.Clock.Now}).Tokens
}

func TestVaultCheckOpensEveryRow(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	file := filepath.Join(t.TempDir(), "keys.json")
	keys, err := vault.CreateKeyFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if status, out, complaints := checkVault(w, file); status != 0 || out != "Rows that open: 0\n" {
		t.Errorf("an empty vault: %d %s%s", status, out, complaints)
	}
	tokens := sealedBy(w, keys)
	card, bank := w.Card("4242424242424242"), w.USBank("000123456789")
	if _, err := tokens.CreateCard(t.Context(), w.Session(), "retry-1", card); err != nil {
		t.Fatal(err)
	}
	if _, err := tokens.CreateBank(t.Context(), w.Session(), "retry-2", bank); err != nil {
		t.Fatal(err)
	}
	if status, out, complaints := checkVault(w, file); status != 0 || out != "Rows that open: 2\n" {
		t.Errorf("%d %s%s", status, out, complaints)
	}
	strange := w.Token("5555555555554444") // sealed by the world's own keys
	if status, out, complaints := checkVault(w, file); status != exitFailed ||
		out != strange+" does not open\nRows that open: 2\n" || !strings.Contains(complaints, "do not open: 1") {
		t.Errorf("%d %s%s", status, out, complaints)
	}
	if status, _, complaints := checkVault(w, file+".none"); status != exitFailed ||
		!strings.Contains(complaints, "no such file") {
		t.Errorf("%d %s", status, complaints)
	}
}
