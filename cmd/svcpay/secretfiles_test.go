package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func secretFile(t *testing.T, content string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestSecretsInFiles(t *testing.T) {
	for _, name := range secretFileSettings {
		for _, end := range []string{"", "\n", "\r\n"} {
			env := []string{"A=1", name + "=", name + "_FILE=" + secretFile(t, "s3cret="+end)}
			got, err := withSecretFiles(env)
			if want := []string{"A=1", name + "=s3cret="}; err != nil || !slices.Equal(got, want) {
				t.Errorf("%s with %q at the end: %q, %v", name, end, got, err)
			}
			if len(env) != 3 || env[1] != name+"=" {
				t.Errorf("the given environment was changed: %q", env)
			}
		}
	}
}

func TestNoSecretFile(t *testing.T) {
	got, err := withSecretFiles([]string{"DATABASE_URL=postgres://", "DATABASE_URL_FILE="})
	if want := []string{"DATABASE_URL=postgres://"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
}

// All mistakes are reported at once, without the content of a file.
func TestMistakesOfSecretFiles(t *testing.T) {
	const secret = "s3cret"
	env := []string{"DATABASE_URL=postgres://", "DATABASE_URL_FILE=" + secretFile(t, secret),
		"SVCPAY_SMTP_URL_FILE=" + secretFile(t, "\n"),
		apiKeySetting + "_FILE=" + secretFile(t, secret+"\n"+secret+"\n"),
		secretSetting + "_FILE=" + secretFile(t, strings.Repeat(secret, mostSecretBytes))}
	_, err := withSecretFiles(env)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, words := range []string{"DATABASE_URL and DATABASE_URL_FILE are both set", "SVCPAY_SMTP_URL_FILE: ", "is empty",
		apiKeySetting + "_FILE: ", "more than one line", secretSetting + "_FILE: ", "is longer than 16384 bytes"} {
		if !strings.Contains(err.Error(), words) {
			t.Errorf("no %q in: %v", words, err)
		}
	}
	if strings.Contains(err.Error(), secret) {
		t.Errorf("a secret is printed: %v", err)
	}
}

// Commands read such files, and say which one is missing.
func TestCommandsReadSecretsFromFiles(t *testing.T) {
	var out bytes.Buffer
	code := run([]string{"migrate"}, []string{"DATABASE_URL_FILE=" + secretFile(t, "mysql://here\n")}, &out, &out)
	if code != exitFailed || strings.Contains(out.String(), "DATABASE_URL is not set") {
		t.Errorf("%d: %s", code, &out)
	}
	out.Reset()
	code = run([]string{"migrate"}, []string{"DATABASE_URL_FILE=/nowhere/file"}, &out, &out)
	if code != exitFailed || !strings.Contains(out.String(), "DATABASE_URL_FILE: open /nowhere/file") {
		t.Errorf("%d: %s", code, &out)
	}
}

// A successor gets the names of the files, so that it reads their new content and no secret is in its environment.
func TestSuccessorsReadSecretsAgain(t *testing.T) {
	env := []string{"DATABASE_URL_FILE=" + secretFile(t, "postgres://svcpay:s3cret@db")}
	expanded, err := withSecretFiles(env)
	if err != nil {
		t.Fatal(err)
	}
	h := handover{world: &world{env: expanded, inherited: env}}
	if got := h.successor(nil, nil).Env; slices.Contains(got, expanded[0]) || !slices.Contains(got, env[0]) {
		t.Errorf("%q", got)
	}
}
