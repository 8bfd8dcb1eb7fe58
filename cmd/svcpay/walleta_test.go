package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/fixture"
)

func TestAssociationFileIsInstalled(t *testing.T) { // the command sets the program's log: by itself
	w := fixture.New(t)
	if err := ensureAssociation(t.Context(), w.Merchants); err != nil {
		t.Fatal(err)
	}
	installed := func() string {
		t.Helper()
		text, err := w.Merchants.Association(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := installed(); got != demoAssociation {
		t.Errorf("%q", got)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("7B22\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, complaints := command(w, "wallet-a-domain", file); status != 0 || out != "" || installed() != "7B22\n" {
		t.Errorf("%d %s %s", status, out, complaints)
	}
	if err := ensureAssociation(t.Context(), w.Merchants); err != nil || installed() != "7B22\n" {
		t.Errorf("the demo took its place: %v", err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"wallet-a-domain " + file: "1 to 16384 bytes", "wallet-a-domain " + file + ".none": "no such file", "wallet-a-domain": "<file>"} {
		if status, _, complaints := command(w, strings.Fields(args)...); status == 0 || !strings.Contains(complaints, want) || installed() != "7B22\n" {
			t.Errorf("%s: %d %s", args, status, complaints)
		}
	}
}
