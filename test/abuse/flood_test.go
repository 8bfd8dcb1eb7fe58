package abuse

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/test/rig"
)

const card = "4242424242424242"

// tally counts the statuses of responses; 0 is a request without one.
type tally struct {
	mu sync.Mutex
	of map[int]int
}

func (c *tally) add(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[int]int{}
	}
	c.of[status]++
}

func (c *tally) get(status int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[status]
}

// String lists the statuses in their order.
func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, status := range slices.Sorted(maps.Keys(c.of)) {
		out = append(out, fmt.Sprintf("%d × %d", c.of[status], status))
	}
	return strings.Join(out, ", ")
}

// during sends the same requests again and again in parallel until while has ended, and counts their responses. while
// begins when the first of them was refused.
func during(t *testing.T, parallel int, send func(n int) int, while func()) *tally {
	t.Helper()
	var got tally
	ctx, stop := context.WithCancel(t.Context())
	var flood sync.WaitGroup
	for n := range parallel {
		flood.Go(func() {
			for ctx.Err() == nil {
				got.add(send(n))
			}
		})
	}
	defer flood.Wait()
	defer stop()
	for begun := time.Now(); got.get(http.StatusTooManyRequests) == 0; time.Sleep(10 * time.Millisecond) {
		if time.Since(begun) > patience {
			t.Errorf("nothing was refused: %s", &got)
			break
		}
	}
	while()
	return &got
}

// charges makes charges of the other application one after the other. Each must succeed. It returns how long they took.
func (p *place) charges(t *testing.T, n int) string {
	t.Helper()
	token, err := p.victim.Token(card)
	if err != nil {
		t.Error(err)
		return ""
	}
	var took []time.Duration
	for i := range n {
		begun := time.Now()
		a, err := p.victim.API("POST", "/api/charges", "", p.victim.Order(token, 100+i))
		took = append(took, time.Since(begun))
		if err != nil || a.Status != http.StatusCreated {
			t.Errorf("a charge of the other application: %v, %s", err, a)
		}
	}
	slices.Sort(took)
	return fmt.Sprintf("%d charges, p50 %s, p99 %s", n, took[n/2].Round(time.Millisecond),
		took[n*99/100].Round(time.Millisecond))
}

// report prints the figures of docs/reliability.md.
func report(t *testing.T, what string, flooder *tally, others string) {
	t.Helper()
	t.Logf("%s: flooder %s; other application %s", what, flooder, others)
}

// lock holds a table until the test ends, so that requests that read it are as slow as they may be.
func (p *place) lock(t *testing.T, table string) (release func()) {
	t.Helper()
	conn, err := p.pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	// The lock stays however slow the machine is.
	for _, statement := range []string{`BEGIN`, `SET LOCAL idle_in_transaction_session_timeout = 0`,
		`LOCK TABLE ` + table} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	return func() {
		if _, err := conn.Exec(t.Context(), `ROLLBACK`); err != nil {
			t.Error(err)
		}
		conn.Release()
	}
}

// status is that of an API request of the flooder; 0 without a response.
func (p *place) status(method, path string, body any) int {
	a, err := p.flooder.API(method, path, "", body)
	if err != nil {
		return 0
	}
	return a.Status
}

// P20: what costs the more, the more data there is, as slow as it may be.
func TestFloodOfLists(t *testing.T) {
	p := newPlace(t)
	defer p.lock(t, "payouts")()
	var others string
	got := during(t, 40, func(n int) int {
		return p.status("GET", []string{"/api/payouts", "/api/search?q=status:paid"}[n%2], nil)
	}, func() { others = p.charges(t, 50) })
	report(t, "lists and searches of one key, 40 at once", got, others)
}

// P21: what costs little, by more requests at once than one application may have.
func TestFloodOfCharges(t *testing.T) {
	p := newPlace(t)
	token, err := p.flooder.Token(card)
	if err != nil {
		t.Fatal(err)
	}
	var others string
	got := during(t, 48, func(n int) int { return p.status("POST", "/api/charges", p.flooder.Order(token, 100+n)) },
		func() { others = p.charges(t, 50) })
	if got.get(http.StatusCreated) == 0 {
		t.Errorf("the flooder has no share: %s", got)
	}
	report(t, "charges of one key, 48 at once", got, others)
}

// P22: the lowest role of the portal.
func TestFloodOfPortalPages(t *testing.T) {
	p := newPlace(t)
	p.person(t, "sam@example.org")
	cookies, status := p.signIn("sam@example.org", password, "192.0.2.7", "")
	if cookies == "" {
		t.Fatalf("no sign-in: %d", status)
	}
	defer p.lock(t, "payouts")()
	var others string
	got := during(t, 24, func(n int) int {
		r, err := http.NewRequest("GET", "http://"+p.addr+"/portal/payouts", nil)
		if err != nil {
			return 0
		}
		r.Host = rig.APIHost
		r.Header.Set("Cookie", cookies)
		return p.do(r)
	}, func() { others = p.charges(t, 50) })
	report(t, "lists of one person in the portal, 24 at once", got, others)
}

// do sends a request without following redirects, and returns the status; 0 without a response.
func (p *place) do(r *http.Request) int {
	response, err := p.flooder.Client.Transport.RoundTrip(r)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	_, _ = new(bytes.Buffer).ReadFrom(response.Body) // the status is what counts
	return response.StatusCode
}

// signIn signs a person in from an address, in a browser that is known by a cookie or in a new one. It returns the
// cookies of the session, and the status.
func (p *place) signIn(email, password, address, browser string) (cookies string, status int) {
	form := strings.NewReader("email=" + email + "&password=" + strings.ReplaceAll(password, " ", "+"))
	r, err := http.NewRequest("POST", "http://"+p.addr+"/portal/login", form)
	if err != nil {
		return "", 0
	}
	r.Host = rig.APIHost
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", address)
	if browser != "" {
		r.Header.Set("Cookie", browser)
	}
	response, err := p.flooder.Client.Transport.RoundTrip(r)
	if err != nil {
		return "", 0
	}
	defer response.Body.Close()
	var all []string
	for _, c := range response.Cookies() {
		all = append(all, c.Name+"="+c.Value)
	}
	if response.StatusCode != http.StatusSeeOther {
		return "", response.StatusCode
	}
	return strings.Join(all, "; "), response.StatusCode
}
