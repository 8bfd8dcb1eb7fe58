package roledoc_test

import (
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/testing/roledoc"
)

const text = "# Roles\n\n| not | this |\n|---|---|\n\n## Who may do what\n\nWords.\n\n| | system_admin | support_staff |\n|---|---|---|\n" +
	"| merchants | all | read, edit (own app) |\n| charges: create | nobody: no page, button or route exists | |\n" +
	"| charges: read / void | ✔ / ✔ | ✔ / – |\n| events | ✔ | ✔ (no more) |\n| teams | – | – |\n\nMore.\n\n" +
	"## What the words allow\n\n| row | word | permissions |\n|---|---|---|\n" +
	"| merchants | all | `merchant:read`, `merchant:update` |\n| merchants | read | `merchant:read` |\n| merchants | edit | `merchant:update` |\n" +
	"| charges: create | ✔ | `charge:create` |\n| charges: read / void | ✔ / | `charge:read` |\n| charges: read / void | / ✔ | `charge:void` |\n" +
	"| events | ✔ | `event:read` |\n| events | ✔ (no more) | without `event:read` |\n"

func TestReadUnderstandsCells(t *testing.T) {
	t.Parallel()
	d, err := roledoc.Read(text)
	if err != nil {
		t.Fatal(err)
	}
	for p, want := range map[authz.Permission][2]bool{
		"merchant:read": {true, true}, "merchant:update": {true, true}, "charge:create": {false, false},
		"charge:read": {true, true}, "charge:void": {true, false}, "event:read": {true, false},
		"team:read": {false, false},
	} {
		if got := [2]bool{d.Allows("system_admin", p), d.Allows("support_staff", p)}; got != want {
			t.Errorf("%s is allowed %v, want %v", p, got, want)
		}
	}
	if n := len(d.Permissions()); n != 8 {
		t.Errorf("%d permissions", n)
	}
}

func TestReadComplains(t *testing.T) {
	t.Parallel()
	for what, change := range map[string][2]string{
		"table is missing":             {"## Who may do what", "## Who"},
		`what {"merchants" "all"}`:     {"| merchants | all | `", "| merchants | everything | `"},
		`no cell says {"events" "✔ (`:  {"✔ (no more) |\n| teams", "✔ |\n| teams"},
		`is explained twice`:           {"| merchants | edit |", "| merchants | read |"},
		`a line has 2 cells`:           {"| events | ✔ | `event:read` |", "| events | `event:read` |"},
		`means`:                        {"| teams | – |", "| teams | maybe |"},
		`what {"charges: read / void"`: {"✔ / – |", "✔ / sometimes |"},
	} {
		changed := strings.Replace(text, change[0], change[1], 1)
		if changed == text {
			t.Fatalf("%q is not there", change[0])
		}
		if _, err := roledoc.Read(changed); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%q instead of %q: %v", change[1], change[0], err)
		}
	}
}
