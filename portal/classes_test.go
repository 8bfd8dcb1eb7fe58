package portal

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// Every route has a class, and every line of the table is of a route. Files of records grow.
func TestEveryRouteHasAClass(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	left := classOf()
	lines := 0
	for _, table := range classes {
		lines += strings.Count(table, ",") + strings.Count(strings.TrimSpace(table), "\n") + 1
	}
	if lines != len(left) {
		t.Errorf("the table has %d lines for %d routes: one has two classes", lines, len(left))
	}
	for _, r := range w.routes() {
		name := r.Method + " " + r.Path
		class, ok := left[name]
		if !ok {
			t.Errorf("%s has no class: add it to the table in classes.go", name)
		}
		if strings.HasSuffix(r.Path, ".csv") && class != "grows" {
			t.Errorf("%s is a file of records, and its class is %q", name, class)
		}
		delete(left, name)
	}
	for name := range left {
		t.Errorf("there is no route %s", name)
	}
}

// However many pages of lists a person loads at once, few are read at the same time. The rest waits or gets a page that
// says so, and the pages of others are not affected.
func TestListsOfOnePersonAreBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.PerPerson = 100 })
	flooder, other := w.as(authz.RoleOrganizationStaff), w.as(authz.RoleApplicationAdmin)
	conn, err := w.Pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, statement := range []string{`BEGIN`, `LOCK TABLE payouts`} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	answers := make(chan answer, 20)
	var all sync.WaitGroup
	for range cap(answers) {
		all.Go(func() { answers <- w.send("/portal/payouts", nil, "Cookie", flooder) })
	}
	for a := range answers {
		if a.StatusCode == http.StatusTooManyRequests { // two wait for the lock, and some for these
			if a.Header.Get("Retry-After") == "" || !strings.Contains(a.body, "in progress at once") {
				t.Errorf("%v %s", a.Header, a.body)
			}
			break
		}
	}
	if a := w.send("/portal/charges", nil, "Cookie", other); a.StatusCode != http.StatusOK {
		t.Errorf("another person: %d", a.StatusCode)
	}
	if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if a := w.send("/portal/payouts", nil, "Cookie", flooder); a.StatusCode != http.StatusOK {
		t.Errorf("afterwards: %d", a.StatusCode)
	}
}

// Lists and reports use connections that are apart, and the sign-in none of them.
func TestListsUseConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	of := fixture.New(t)
	apart, err := pg.OpenApart(t.Context(), of.Pool.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(apart.Close)
	w := worldOf(t, of, func(c *Config) { c.Apart = apart })
	cookie := w.as(authz.RoleApplicationAdmin)
	for _, page := range []string{"/portal/roles", "/portal/charges", "/portal/search?q=smith"} {
		before := apart.Stat().AcquireCount()
		if a := w.send(page, nil, "Cookie", cookie); a.StatusCode != http.StatusOK {
			t.Errorf("%s: %d", page, a.StatusCode)
		}
		if uses := apart.Stat().AcquireCount() > before; uses != (page != "/portal/roles") {
			t.Errorf("%s uses connections that are apart: %t", page, uses)
		}
	}
}
