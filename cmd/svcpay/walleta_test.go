package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svcpay/internal/testing/fixture"
)

func TestAssociationFileIsInstalled(t *testing.T) { // the command sets the program's log: on its own
	w := fixture.New(t)
	if err := ensureAssociation(t.Context(), nil, w.Merchants); err != nil {
		t.Fatal(err)
	}
	installed := func() string {
		t.Helper()
		file, err := w.Merchants.Association(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return file.Content
	}
	if got := installed(); got != demoAssociation {
		t.Errorf("%q", got)
	}
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, []byte(`{"pspId":"1"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, out, complaints := command(w, "wallet-a-domain", path); status != 0 || out != "" ||
		installed() != `{"pspId":"1"}`+"\n" {
		t.Errorf("%d %s %s", status, out, complaints)
	}
	if err := ensureAssociation(t.Context(), nil, w.Merchants); err != nil || installed() != `{"pspId":"1"}`+"\n" {
		t.Errorf("the demo took its place: %v", err)
	}
	if err := os.WriteFile(path, []byte("7B22\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{"wallet-a-domain " + path: "not an association file",
		"wallet-a-domain " + path + ".none": "no such file", "wallet-a-domain": "<file>"} {
		if status, _, complaints := command(w, strings.Fields(args)...); status == 0 ||
			!strings.Contains(complaints, want) || installed() != `{"pspId":"1"}`+"\n" {
			t.Errorf("%s: %d %s", args, status, complaints)
		}
	}
}
