package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/vault"
)

func TestOperatorsAreNamed(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ sudo, account, host, terminal, want string }{
		{"jane", "root", "pay-1", "pts/3", "jane as root on pay-1 (pts/3)"},
		{"", "svcpay", "pay-1", "no terminal", "svcpay on pay-1 (no terminal)"},
		{"root", "root", "", "tty1", "root on an unknown host (tty1)"},
		{" x\n\x1b[2Jy ", "root", "h", "tty1", "x??[2Jy as root on h (tty1)"},
	} {
		if got := operatorText(one.sudo, one.account, one.host, one.terminal); got != one.want {
			t.Errorf("%q, want %q", got, one.want)
		}
	}
	if long := operatorText(strings.Repeat("é", 10_000), "root", "h", "tty1"); utf8.RuneCountInString(long) > 100 {
		t.Errorf("%d characters", utf8.RuneCountInString(long))
	}
	for device, want := range map[int]string{0: "no terminal", 136<<8 | 3: "pts/3", 0x100000 | 136<<8 | 44: "pts/300",
		4<<8 | 1: "tty1", 4<<8 | 64: "ttyS0", 229<<8 | 2: "terminal 229:2"} {
		if got := terminalOf(device); got != want {
			t.Errorf("%#x is %q, want %q", device, got, want)
		}
	}
}

// A terminal is found by the standard files, and by the controlling terminal when those are redirected.
func TestTerminalsAreFound(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ link, stat, want string }{
		{"/dev/pts/4", "1 (x) S 1 1 1 0 -1", "pts/4"},
		{"/dev/null", "1 (a ) b) S 1 1 1 34819 -1", "pts/3"},
		{"/tmp/dev/pts/9", "1 (x) S 1 1 1 0 -1", "no terminal"},
		{"/dev/null", "1 (x) S", "unknown terminal"},
		{"/dev/null", "", "unknown terminal"},
	} {
		process := t.TempDir()
		if err := os.Mkdir(filepath.Join(process, "fd"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(one.link, filepath.Join(process, "fd", "1")); err != nil {
			t.Fatal(err)
		}
		if one.stat != "" {
			if err := os.WriteFile(filepath.Join(process, "stat"), []byte(one.stat), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := terminal(process); got != one.want {
			t.Errorf("%+v: %q", one, got)
		}
	}
}

// Only the constructor of operators makes an actor with a role of people: no command acts without a name.
func TestAllCommandsActAsTheOperator(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	made := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok || !isName(literal.Type, "authz", "Actor") {
				return true
			}
			for _, e := range literal.Elts {
				pair, ok := e.(*ast.KeyValueExpr)
				if ok && fmt.Sprint(pair.Key) == "Role" && isName(pair.Value, "authz", "RoleSecretKey") {
					return true // a program's
				}
			}
			if made++; name != "operator.go" {
				t.Errorf("%s: an actor that is not made by operator", set.Position(n.Pos()))
			}
			return true
		})
	}
	if made != 1 {
		t.Errorf("%d constructors", made)
	}
}

func isName(e ast.Expr, of, name string) bool {
	s, ok := e.(*ast.SelectorExpr)
	return ok && s.Sel.Name == name && fmt.Sprint(s.X) == of
}

// Each entry that commands write says who ran them.
func TestEntriesOfCommandsNameTheOperator(t *testing.T) { // the commands set the program's log: on its own
	w := fixture.New(t)
	type entry struct {
		Permission string `db:"permission"`
		Kind       string `db:"subject_kind"`
		Who        string `db:"actor_name"`
	}
	if _, err := pg.Exec(t.Context(), w.Pool, `CREATE TABLE before AS SELECT id FROM audit_entries`,
		pg.Args{}); err != nil {
		t.Fatal(err)
	}
	dir, app := t.TempDir(), fmt.Sprint(w.App.AppID)
	keys, secret, file := filepath.Join(dir, "keys.json"), filepath.Join(dir, "key"), filepath.Join(dir, "file")
	if _, err := vault.CreateKeyFile(keys); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{secret: "sk_test_4eC39HqLyjWDarjtT1zdp7dc\n",
		file: `{"pspId":"1"}` + "\n"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := []string{"DATABASE_URL=" + w.Pool.Config().ConnString(), "SVCPAY_ENVIRONMENT=sandbox",
		"SVCPAY_BASE_URL=https://pay.example.org", "SVCPAY_VAULT_KEY_FILE=" + keys, "SUDO_USER=jane"}
	does := func(args ...string) string {
		t.Helper()
		var said strings.Builder
		if status := run(args, env, &said, &said); status != 0 {
			t.Fatalf("%v: %d, %s", args, status, said.String())
		}
		return said.String()
	}
	made := keyID.FindString(does("keys", "create", "--application", app, "--kind", "secret", "--name", "Audit"))
	next := keyID.FindString(does("keys", "roll", made, "--application", app))
	does("keys", "revoke", next, "--application", app)
	_, link, _ := strings.Cut(does("admin", "create", "jo@example.org"), "/portal/invite/")
	invitation, _, _ := strings.Cut(link, "\n")
	if _, err := w.Identity.Accept(t.Context(), invitation,
		identity.Acceptance{Name: "Jo Kent", Password: "correct horse battery"}); err != nil {
		t.Fatal(err)
	}
	does("admin", "reset", "jo@example.org")
	account := accountID.FindString(does("processors", "connect", "sandbox", "app-"+app+"/main", "--application", app,
		"--method", "cc", "--credentials-file", secret))
	does("processors", "disable", account, "--application", app)
	does("wallet-a-domain", file)
	does("erase", "--application", app, "--email", "dana@example.org")
	written, err := pg.All[entry](t.Context(), w.Pool, `SELECT permission, subject_kind, actor_name FROM audit_entries
		WHERE actor_kind = 'command' AND NOT EXISTS (SELECT FROM before b WHERE b.id = audit_entries.id)`, pg.Args{})
	if err != nil || len(written) < 9 {
		t.Fatalf("%d entries: %v", len(written), err)
	}
	for _, e := range written {
		if !strings.HasPrefix(e.Who, "jane as ") || !strings.Contains(e.Who, " on ") || !strings.HasSuffix(e.Who, ")") {
			t.Errorf("%s of %s: %q", e.Permission, e.Kind, e.Who)
		}
	}
}
