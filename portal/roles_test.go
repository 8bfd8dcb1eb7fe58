package portal

import (
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/roledoc"
	"svcpay/portal/web"
)

// Every route, asked by every role, lets in whom the table of docs/roles.md names, and no one else. A refusal
// names the right, and is written down.
func TestRoutesAnswerAsTheRolesDocumentSays(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	text, err := os.ReadFile("../docs/roles.md")
	if err != nil {
		t.Fatal(err)
	}
	document, err := roledoc.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range authz.PeopleRoles() {
		cookie := w.as(role)
		for _, r := range w.routes() {
			if r.Needs == web.Public || r.Needs == web.SignedIn {
				continue
			}
			needed := r.Needs
			before := w.denials()
			a := w.send(sampleOf(r.Path), formOf(r.Method), "Cookie", cookie)
			refused := a.StatusCode == http.StatusForbidden && strings.Contains(a.body, "("+string(needed)+")")
			if refused == document.Allows(role, needed) {
				t.Errorf("%s asks %s %s, which takes %s: %d", role, r.Method, r.Path, needed, a.StatusCode)
			}
			if written := w.denials() > before; written != refused {
				t.Errorf("%s asks %s %s: refused is %v, and written down is %v", role, r.Method, r.Path,
					refused, written)
			}
			if needed == authz.ChargeCreate {
				t.Errorf("%s %s creates charges", r.Method, r.Path)
			}
		}
	}
}

// sampleOf is an address of a route, of nothing that there is.
func sampleOf(path string) string {
	parts := strings.Split(path, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i] = "999999"
		}
	}
	return strings.Join(parts, "/")
}

func formOf(method string) url.Values {
	if method == http.MethodPost {
		return url.Values{"none": {"of it"}}
	}
	return nil
}

// denials counts the refusals in the audit log.
func (w *world) denials() int64 {
	w.t.Helper()
	n, err := pg.Value[int64](w.t.Context(), w.Pool, `SELECT count(*) FROM audit_entries WHERE outcome = 'denied'`,
		pg.Args{})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}
