package abuse

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/internal/platform/pg"
	"svcpay/internal/vault"
	"svcpay/policy"
	"svcpay/test/rig"
)

// attackers are addresses that the attacks come from, through the proxy.
var attackers = []string{"192.0.2.7", "192.0.2.8", "192.0.2.9"}

// elsewhere are addresses that sent no unknown key: one that sent too many gets 429 for every key that is refused.
var elsewhere = []string{"198.51.100.7", "198.51.100.8"}

// The secrets of the attacks: none of them is stored or printed anywhere.
const (
	wrongPassword = "Not the password of 1 account"
	wrongCode     = "QQZZ-QQZZ-QQZZ-QQZZ"
	wrongKey      = "sk_sandbox_0000000000000000000000000000attacks"
)

// P26: failed sign-ins, wrong codes, wrong and revoked API keys and denied permissions leave events with addresses and
// counts in a bounded number of rows, metrics, and two alerts that fire. Their secrets are nowhere.
func TestAttacksLeaveATrace(t *testing.T) {
	p := newPlace(t)
	const people = 4 // with five wrong codes each
	for n := range people {
		p.withApp(t, fmt.Sprintf("sam%d@example.org", n))
	}
	p.person(t, "kim@example.org") // whose account the wrong passwords lock
	revoked, narrow := p.keys(t)
	begun := time.Now()
	p.together(t, 40, "sign-in", func(n int) int { // five hashes for each account and address
		_, status := p.signIn([]string{"kim@example.org", fmt.Sprintf("guess%d@example.org", n)}[n%2], wrongPassword,
			attackers[n%len(attackers)], "")
		return status
	}, http.StatusUnauthorized, http.StatusTooManyRequests)
	for n := range people {
		p.wrongCodes(t, fmt.Sprintf("sam%d@example.org", n), 5)
	}
	p.together(t, 300, "wrong key", func(n int) int {
		return p.asks(fmt.Sprint(wrongKey, n), attackers[n%len(attackers)])
	}, http.StatusUnauthorized, http.StatusTooManyRequests)
	p.together(t, 25, "revoked key", func(int) int { return p.asks(revoked, elsewhere[0]) }, http.StatusUnauthorized)
	p.together(t, 20, "denied", func(int) int { return p.asks(narrow, elsewhere[1]) }, http.StatusForbidden)

	var said []string
	for _, of := range []struct {
		kinds     []string
		events    int64
		rows      int64 // at most
		addresses int64
	}{{[]string{"permission"}, 20, 5, 1}, // the last attack: all others were written with it
		{[]string{"sign_in"}, 40 + 5*people, 250, 3}, {[]string{"api_key", "limit"}, 325, 250, 4}} {
		got := p.traced(t, of.kinds, of.events)
		if got.Rows > of.rows || got.Addresses < of.addresses {
			t.Errorf("%s: %+v", of.kinds, got)
		}
		said = append(said, fmt.Sprintf("%s: %d events in %d rows from %d addresses", strings.Join(of.kinds, " and "),
			got.Events, got.Rows, got.Addresses))
	}
	metrics := p.metrics(t)
	for name, least := range map[string]float64{`svcpay_sign_ins_total{outcome="code_wrong"}`: 5 * people,
		`svcpay_security_events_total{kind="api_key",outcome="api_key_revoked"}`:      25,
		`svcpay_security_events_total{kind="permission",outcome="permission_denied"}`: 20} {
		if got := sample(metrics, regexp.QuoteMeta(name)); got < least {
			t.Errorf("%s is %v, not %v", name, got, least)
		}
	}
	for _, alert := range []string{"KeyLeak", "AccountTakeover"} {
		if !fires(t, alert, metrics) {
			t.Errorf("the alert %s does not fire", alert)
		}
	}
	for where, text := range map[string]string{"metrics": metrics, "the log": p.out.Text(), "the database": p.dump(t)} {
		for _, secret := range []string{wrongPassword, "wrong+password", wrongCode, "QQZZQQZZ", wrongKey,
			revoked, narrow} {
			if strings.Contains(text, secret) {
				t.Errorf("%s has a secret: %.12s…", where, secret)
			}
		}
	}
	t.Logf("%s; alerts KeyLeak and AccountTakeover fire; %s", strings.Join(said, "; "),
		time.Since(begun).Round(100*time.Millisecond))
}

// withApp adds a person with an authenticator app.
func (p *place) withApp(t *testing.T, email string) {
	t.Helper()
	p.person(t, email)
	keys, err := vault.ReadKeyFile(p.keyFile)
	if err != nil {
		t.Fatal(err)
	}
	people := identity.New(p.pool, time.Now, nil)
	people.SealWith(keys.Secrets)
	who := identity.Person{Email: email}
	if who.ID, err = pg.Value[int64](t.Context(), p.pool, `SELECT id FROM people WHERE email = @email`,
		pg.Args{"email": email}); err != nil {
		t.Fatal(err)
	}
	app, err := people.SetUpAuthenticator(t.Context(), who)
	if err != nil {
		t.Fatal(err)
	}
	code, err := totp.GenerateCode(strings.ReplaceAll(app.Secret, " ", ""), time.Now())
	if err == nil {
		_, err = people.ConfirmAuthenticator(t.Context(), who, code)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// keys makes two keys of the flooder: one that is revoked, and one that may do nothing but read balances.
func (p *place) keys(t *testing.T) (revoked, narrow string) {
	t.Helper()
	rules, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	operator := authz.Actor{Role: authz.RoleSystemAdmin, ApplicationID: p.flooder.Application}
	service := apikey.New(p.pool, apikey.Sandbox, time.Now, rules)
	one, err := service.Create(t.Context(), operator, apikey.CreateInput{Kind: apikey.Secret, Name: "Leaked"})
	if err == nil {
		_, err = service.Revoke(t.Context(), operator, one.ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	two, err := service.Create(t.Context(), operator, apikey.CreateInput{Kind: apikey.Restricted, Name: "Narrow",
		Rights: []authz.Right{"balance:read"}})
	if err != nil {
		t.Fatal(err)
	}
	return one.Text, two.Text
}

// together sends n requests, four at once. Each must be refused with one of some statuses.
func (p *place) together(t *testing.T, n int, what string, send func(n int) int, statuses ...int) {
	t.Helper()
	var got tally
	var all sync.WaitGroup
	next := make(chan int)
	for range 4 {
		all.Go(func() {
			for n := range next {
				got.add(send(n))
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	refused := 0
	for _, status := range statuses {
		refused += got.get(status)
	}
	if refused != n {
		t.Errorf("%s: %s", what, &got)
	}
}

// asks lists payouts with a key, from an address.
func (p *place) asks(key, address string) int {
	r, err := http.NewRequest("GET", "http://"+p.addr+"/api/payouts", nil)
	if err != nil {
		return 0
	}
	r.Host = rig.APIHost
	r.Header.Set("X-API-Key", key)
	r.Header.Set("X-App-ID", strconv.FormatInt(p.flooder.Application, 10))
	r.Header.Set("X-Forwarded-For", address)
	return p.do(r)
}

// wrongCodes signs a person in as far as the second step, and tries codes there.
func (p *place) wrongCodes(t *testing.T, email string, n int) {
	t.Helper()
	cookies, status := p.signIn(email, password, elsewhere[0], "")
	if cookies == "" {
		t.Fatalf("no second step: %d", status)
	}
	for range n {
		r, err := http.NewRequest("POST", "http://"+p.addr+"/portal/2fa", strings.NewReader("code="+wrongCode))
		if err != nil {
			t.Fatal(err)
		}
		r.Host = rig.APIHost
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("X-Forwarded-For", attackers[0])
		r.Header.Set("Cookie", cookies)
		if status := p.do(r); status != http.StatusUnprocessableEntity && status != http.StatusUnauthorized {
			t.Errorf("a wrong code: %d", status)
		}
	}
}

// traces is what the database has of an attack.
type traces struct {
	Rows      int64 `db:"rows"`
	Events    int64 `db:"events"`
	Addresses int64 `db:"addresses"`
}

// traced waits until as many events were written as an attack had.
func (p *place) traced(t *testing.T, kinds []string, events int64) traces {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		got, err := pg.One[traces](t.Context(), p.pool, `
			SELECT count(*) AS rows, coalesce(sum(count), 0)::bigint AS events, count(DISTINCT address) AS addresses
			FROM security_events WHERE kind = ANY (@kinds) AND outcome <> 'succeeded'`, pg.Args{"kinds": kinds})
		if err != nil {
			t.Fatal(err)
		}
		if got.Events >= events {
			return got
		}
		if time.Since(begun) > patience {
			t.Fatalf("%s: %d events, not %d", kinds, got.Events, events)
		}
	}
}

// metrics is what the server tells on its admin listener.
func (p *place) metrics(t *testing.T) string {
	t.Helper()
	response, err := http.Get("http://" + p.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// sample sums the values of the series that a pattern matches.
func sample(metrics, series string) (sum float64) {
	for _, line := range regexp.MustCompile(`(?m)^`+series+` (\S+)$`).FindAllStringSubmatch(metrics, -1) {
		value, _ := strconv.ParseFloat(line[1], 64)
		sum += value
	}
	return sum
}

// condition is a part of an alert: more than some events of a kind and outcomes. As the server has just started, all of
// its events are within the alert's time.
var condition = regexp.MustCompile(
	`svcpay_security_events_total\{kind="(\w+)"(?:,outcome=~?"([\w|]+)")?\}\[\w+\]\)\) > (\d+)`)

// fires reports whether one of the conditions of an alert of the runbook holds.
func fires(t *testing.T, alert, metrics string) bool {
	t.Helper()
	text, err := os.ReadFile(root + "/docs/runbook.md")
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`alert: ` + alert + `,.*`).FindString(string(text))
	conditions := condition.FindAllStringSubmatch(line, -1)
	if len(conditions) == 0 {
		t.Fatalf("%s has no condition: %s", alert, line)
	}
	for _, c := range conditions {
		most, _ := strconv.ParseFloat(c[3], 64)
		if sample(metrics, `svcpay_security_events_total\{kind="`+c[1]+`",outcome="(?:`+c[2]+`)"\}`) > most {
			return true
		}
	}
	return false
}

// dump is all that the tables of traces have, as text.
func (p *place) dump(t *testing.T) string {
	t.Helper()
	text, err := pg.Value[string](t.Context(), p.pool, `
		SELECT concat_ws(' ', (SELECT string_agg(e::text, ' ') FROM security_events e),
			(SELECT string_agg(e::text, ' ') FROM audit_entries e), (SELECT string_agg(e::text, ' ')
				FROM request_logs e),
			(SELECT string_agg(e::text, ' ') FROM attempts e), (SELECT string_agg(e::text, ' ') FROM api_keys e),
			(SELECT string_agg(e::text, ' ') FROM people e))`, pg.Args{})
	if err != nil || text == "" {
		t.Fatalf("%q, %v", text, err)
	}
	return text
}
