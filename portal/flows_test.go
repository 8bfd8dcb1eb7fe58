package portal

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/portal/web"
)

// documented is a line of the table of flows in docs/portal.md.
type documented struct {
	name  string
	takes []authz.Permission
	roles []authz.Role
	forms []string // routes that its forms are sent to
}

// flows are that table.
func flows(t *testing.T) (out []documented) {
	t.Helper()
	text, err := os.ReadFile("../docs/portal.md")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile("`([^`]+)`")
	_, table, _ := strings.Cut(string(text), "\n## Flows\n")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || !strings.Contains(cells[2], "`") {
			continue
		}
		f := documented{name: strings.TrimSpace(cells[1])}
		for _, m := range code.FindAllStringSubmatch(cells[2], -1) {
			f.takes = append(f.takes, authz.Permission(m[1]))
		}
		for _, m := range code.FindAllStringSubmatch(cells[3], -1) {
			f.roles = append(f.roles, authz.Role(m[1]))
		}
		for _, m := range code.FindAllStringSubmatch(cells[4], -1) {
			f.forms = append(f.forms, web.Home+m[1])
		}
		out = append(out, f)
	}
	if len(out) < 7 {
		t.Fatalf("docs/portal.md has %d flows", len(out))
	}
	return out
}

// Who goes through a flow, by the document, are those whom the policy lets send its forms. A browser goes through each.
func TestFlowsAreOfWhoMayGoThroughThem(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	tested := browserTests(t)
	for _, f := range flows(t) {
		for _, needed := range f.takes {
			if may := w.desk.Holders(needed); !slices.Equal(f.roles, may) {
				t.Errorf("%s is gone through by %v, and %s is of %v", f.name, f.roles, needed, may)
			}
		}
		for _, form := range f.forms {
			if !slices.ContainsFunc(w.routes(), func(r web.Route) bool {
				return r.Method == http.MethodPost && r.Path == form && slices.Contains(f.takes, r.Needs)
			}) {
				t.Errorf("%s: no form is sent to %s with %v", f.name, form, f.takes)
			}
		}
		if !strings.Contains(tested, "\nflow('"+f.name+"', async (page") {
			t.Errorf("no browser goes through %s", f.name)
		}
	}
}

// browserTests are the texts of the browser's tests.
func browserTests(t *testing.T) (out string) {
	t.Helper()
	files, err := filepath.Glob("../test/browser/*.test.mjs")
	more, _ := filepath.Glob("../test/browser/*/*.test.mjs")
	for _, file := range append(files, more...) {
		text, failed := os.ReadFile(file)
		if err = failed; err != nil {
			break
		}
		out += string(text)
	}
	if err != nil || out == "" {
		t.Fatalf("no browser tests: %v", err)
	}
	return out
}

// Anyone who may not go through a flow is refused at each of its forms, changes nothing, and is in the audit log with
// what was missing.
func TestFlowsRefuseEverybodyElseAndWriteItDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	charge := w.charged(visaCard, 1_000, nil)
	there := map[string]string{web.ChargesPath: charge.ID.String(), web.MerchantsPath: fmt.Sprint(w.App.Merchants.US)}
	before := w.changes()
	for _, role := range authz.PeopleRoles() {
		cookie := w.as(role)
		for _, f := range flows(t) {
			if slices.Contains(f.roles, role) {
				continue
			}
			for _, form := range f.forms {
				address := sampleOf(form)
				for at, id := range there {
					if rest, ok := strings.CutPrefix(form, at+"/:id"); ok {
						address = sampleOf(at + "/" + id + rest)
					}
				}
				known := w.refusals(role, f.takes)
				a := w.send(address, url.Values{web.OnceField: {web.NewOnce()}, "amount": {"1.00"}, "left": {"1000"},
					"to": {"on"}}, "Cookie", cookie)
				if n := w.refusals(role, f.takes) - known; a.StatusCode != http.StatusForbidden || n != 1 {
					t.Errorf("%s: %s sends %s: %d, with %d refusals in the audit log", f.name, role, address,
						a.StatusCode, n)
				}
			}
		}
	}
	if n := w.changes() - before; n != 0 {
		t.Errorf("%d changes were made", n)
	}
	if n := len(w.refundsOf(charge)); n != 0 {
		t.Errorf("%d refunds were made", n)
	}
}

// refusals counts the entries of the audit log about a role that missed one of these.
func (w *world) refusals(r authz.Role, needed []authz.Permission) int64 {
	w.t.Helper()
	n, err := pg.Value[int64](w.t.Context(), w.Pool, `SELECT count(*) FROM audit_entries
		WHERE outcome = 'denied' AND role = @role AND permission = ANY (@needed)`,
		pg.Args{"role": r, "needed": needed})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}
