package e2e

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"svcpay/internal/platform/localpg"
)

// The numbers whose traces are looked for. Those that the sandbox does not list are approved.
var (
	visaMarker    = luhn("424273519042871")
	masterMarker  = luhn("555510734862915")
	amexMarker    = luhn("37873493671006")
	misplaced     = luhn("411188302647159") // typed where it does not belong
	mistyped      = "4242735190428719"      // fails the check
	cvcMarker     = "918273645546"          // too long for a code: refused
	plantedMarker = luhn("400555000111222")
	referred      = luhn("411183664720195") // an external_id, which is kept as it was sent
	markers       = []string{visaMarker, masterMarker, amexMarker, misplaced, mistyped, cvcMarker, declinedCard,
		timeoutCard}
	loggedBodyForm = []needle{{"a request's code", `cvc":"739`}, {"a request's code", `cvc\":\"739`},
		{"a printed code", "cvc:739"}}
)

// TestNoCardData (promise P16): nothing typed as card data is found outside the vault's ciphers, in
// any form, and the same search finds a number that was planted in each place.
func TestNoCardData(t *testing.T) {
	t.Parallel()
	dir := stateDir(t)
	d := startDev(t, dir, nil, "--metrics")
	hooks := d.hooked(t)
	var answers strings.Builder
	statuses := map[int]int{}
	for _, a := range d.everyWay(t) {
		fmt.Fprintf(&answers, "%d %v %s\n", a.status, a.header, a.body)
		statuses[a.status]++
	}
	t.Logf("answers by status: %v", statuses)
	needles := slices.Clone(loggedBodyForm)
	for _, m := range markers {
		needles = append(needles, needlesOf(m)...)
	}
	db := localpg.URL(dir, "svcpay")
	execute(t, db, "CHECKPOINT")
	metrics, err := measured(d.says(t, `Metrics +http://([^/]+)/metrics`))
	if err != nil || !strings.Contains(metrics, "svcpay_http_requests_total") {
		t.Errorf("%v, %s", err, metrics)
	}
	logs := map[string]string{"output": d.out.text(), "dev.log": read(t, dir, "dev.log"),
		"request logs": requestLogs(t, db)}
	for place, text := range logs {
		found := hits{}
		if found.look(place, []byte(text), needlesOf(referred)); len(found) > 0 {
			t.Errorf("a reference that reads as a card number in %v", found)
		}
	}
	texts := map[string]string{"output": d.out.text(), "answers": answers.String(), "dump": dump(t, db),
		"webhooks": hooks(t), "metrics": metrics}
	for place, forms := range search(t, dir, texts, needles) {
		t.Errorf("card data in %s: %v", place, slices.Sorted(maps.Keys(forms)))
	}
	if log := read(t, dir, "dev.log"); strings.Count(log, `"msg":"request"`) < len(markers) {
		t.Error("the log tells of fewer requests than were made: it was not the log")
	}
	findPlanted(t, d, dir, db)
}

// measured is what the metrics at an address say.
func measured(addr string) (string, error) {
	a, err := (&site{addr: addr}).send(addr, "GET", "/metrics", nil, nil)
	return string(a.body), err
}

// hooked has the events of charges sent to a server of the test's. The function that it returns gives what has arrived,
// headers and all, when that is something of each charge.
func (d *devServer) hooked(t *testing.T) func(t *testing.T) string {
	t.Helper()
	var mu sync.Mutex
	var text strings.Builder
	count := 0
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		count++
		fmt.Fprintf(&text, "%v %s\n", r.Header, body)
	}))
	t.Cleanup(s.Close)
	a, err := d.api("POST", "/api/webhook_endpoints",
		map[string]any{"url": strings.Replace(s.URL, "127.0.0.1", "hooks.localhost", 1),
			"events": []string{"charge.*"}}, nil)
	if err != nil || a.status != http.StatusCreated {
		t.Fatalf("%v, %s", err, a)
	}
	return func(t *testing.T) string {
		t.Helper()
		// Three charges are captured, one is declined, and one has no outcome yet.
		eventually(t, patience, "webhooks", func() bool { mu.Lock(); defer mu.Unlock(); return count >= 3*2+2+1 })
		mu.Lock()
		defer mu.Unlock()
		return text.String()
	}
}

// everyWay sends card data in every way: as it should be, mistaken, and to the wrong place.
func (d *devServer) everyWay(t *testing.T) map[string]answer {
	t.Helper()
	all := map[string]answer{}
	note := func(name string, want int, a answer, err error) {
		if err != nil || a.status != want {
			t.Errorf("%s: %v, %s instead of %d", name, err, a, want)
		}
		all[name] = a
	}
	for i, c := range []struct {
		card string
		want int
	}{{visaMarker, 201}, {masterMarker, 201}, {amexMarker, 201}, {declinedCard, 402}, {timeoutCard, 202}} {
		a, err := d.charge(fmt.Sprint("key-", i), d.order(d.token(t, c.card), 12500+i))
		note("charge "+c.card, c.want, a, err)
	}
	for i, bad := range badTokens() {
		a, err := d.tokenize(d.session(t), misplaced, fmt.Sprint("bad-", i), bad.body)
		note(bad.name, 400, a, err)
	}
	a, err := d.send(d.payHost, "POST", "/client/tokens", `{"card":{"number":"`+misplaced+`"`,
		map[string]string{"Idempotency-Key": "x"})
	note("cut JSON", 400, a, err)
	a, err = d.send(d.payHost, "POST", "/client/session",
		map[string]any{"public_key": misplaced, "merchant_id": misplaced,
			"page_origin": "http://shop.test", "version": "3.2"}, nil)
	note("public key", 401, a, err)
	a, err = d.send(d.payHost, "GET", "/"+misplaced+"?card="+misplaced, nil,
		map[string]string{"User-Agent": misplaced, "Referer": misplaced})
	note("path", 404, a, err)
	a, err = d.charge("token", d.order(misplaced, 100))
	note("token of a charge", 422, a, err)
	a, err = d.api("POST", "/api/charges", fmt.Sprintf(`{"merchant_id":%s,"amount":%s,"token":"x","%s":1}`, misplaced,
		misplaced, misplaced), nil)
	note("numbers of a charge", 400, a, err)
	a, err = d.api("GET", "/api/charges/"+misplaced, nil, nil)
	note("id of a charge", 404, a, err)
	a, err = d.api("GET", "/api/charges?last4="+misplaced+"&"+misplaced+"=1", nil, nil)
	note("filter", 400, a, err)
	a, err = d.api("GET", "/api/charges", nil, map[string]string{"X-API-Key": misplaced, "X-App-ID": misplaced})
	note("key", 401, a, err)
	d.inTexts(t, note)
	return all
}

// inTexts sends a number in every form to texts that people write and to a search, which refuse it, and what is like
// one.
func (d *devServer) inTexts(t *testing.T, note func(name string, want int, a answer, err error)) {
	t.Helper()
	sent := 0
	key := func() string { sent++; return fmt.Sprint("text-", sent) }
	charge := func(change map[string]any) (answer, error) {
		order := d.order("tok_none", 100) // unknown: a text that is taken ends in 422
		maps.Copy(order, change)
		return d.charge(key(), order)
	}
	refused := func(name string, a answer, err error) {
		note(name, 400, a, err)
		if text := strings.ToLower(string(a.body)); !strings.Contains(text, "card number") {
			t.Errorf("%s: %s", name, a)
		}
	}
	for _, form := range writtenForms(misplaced) {
		a, err := charge(map[string]any{"description": "Paid with " + form.text})
		refused("description, "+form.form, a, err)
		a, err = charge(map[string]any{"metadata": map[string]string{"note": form.text}})
		refused("metadata, "+form.form, a, err)
		body := cardBody(mistyped)
		body["billing"].(map[string]any)["last_name"] = form.text
		a, err = d.tokenize(d.session(t), mistyped, key(), body)
		refused("name, "+form.form, a, err)
		a, err = d.api("GET", "/api/search?"+url.Values{"q": {form.text}}.Encode(), nil, nil)
		refused("search, "+form.form, a, err)
	}
	for _, form := range writtenForms(referred) {
		if len([]rune(form.text)) > 64 {
			continue
		}
		a, err := charge(map[string]any{"external_id": form.text})
		note("external_id, "+form.form, 422, a, err)
	}
	for _, text := range []string{"9405 5112 0620 1002 6924 61", "9405511206201002692461", "1Z 999 AA1 01 2345 6784",
		"9612 0197 6023 4567 8901 23", "JD01 4600 0038 0460 5812",
		"+1 503 555 0142, +1 503 555 0143", "6f1c9a52-3d04-4d19-8327-604819353211", "30-11-2026 10:30:49",
		"2026-11-21 22:30:45.123456+02:00"} {
		a, err := charge(map[string]any{"description": "Sent: " + text})
		note("no card number: "+text, 422, a, err)
	}
}

// writtenForms are a number as people write and paste it.
func writtenForms(number string) (out []needle) {
	parts := groups(number)
	for name, by := range map[string]string{"plain": "", "space": " ", "two spaces": "  ", "no-break space": "\u00a0",
		"dot": ".", "slash": "/", "comma": ", ", "underscore": "_",
		"zero-width space": "\u200b", "en dash": "–", "minus": "−", "long-vowel mark": "ー", "soft hyphen": "\u00ad",
		"emoji": "💳"} {
		out = append(out, needle{name, strings.Join(parts, by)})
	}
	for name, zero := range map[string]rune{"full-width": '０', "Arabic": '٠', "Devanagari": '०', "mathematical": '𝟎'} {
		out = append(out, needle{name, strings.Map(func(r rune) rune { return r - '0' + zero }, number)})
	}
	return append(out, needle{"with its expiry", strings.Join(parts, " ") + " 12/30 123"},
		needle{"with its expiry in fours", strings.Join(parts, " ") + " 1230 123"},
		needle{"as a line of data", number + "|12|2030|123"}, needle{"after a number", "7 " + strings.Join(parts, " ")},
		needle{"spaced out", strings.Join(strings.Split(number, ""), " ")})
}

// requestLogs are the logs of an application's requests as the database has them.
func requestLogs(t *testing.T, url string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	var out string
	if err := conn.QueryRow(t.Context(), `SELECT coalesce(string_agg(l::text, E'\n'), '')
		FROM request_logs l`).Scan(&out); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "external_id") || !strings.Contains(out, "[redacted]") {
		t.Error("the logs of requests have no reference: they were not looked at")
	}
	return out
}

type badToken struct {
	name string
	body map[string]any
}

// badTokens are requests for a token that are refused: each has card data in a wrong place.
func badTokens() (all []badToken) {
	change := func(name, object, member string, v any) {
		b := cardBody(misplaced)
		b[object].(map[string]any)[member] = v
		all = append(all, badToken{name, b})
	}
	change("mistyped", "card", "number", mistyped)
	change("letters in the number", "card", "number", misplaced+"x")
	change("code", "card", "cvc", cvcMarker)
	change("number as code", "card", "cvc", misplaced)
	change("number as year", "card", "exp_year", 4111883026471)
	change("unknown member", "card", "pan", misplaced)
	for _, member := range []string{"first_name", "last_name", "address_line_1", "address_line_2", "address_city",
		"address_zip", "phone"} {
		change("billing "+member, "billing", member, misplaced)
		change("billing spaced "+member, "billing", member, strings.Join(groups(misplaced), " "))
		change("billing dashed "+member, "billing", member, strings.Join(groups(misplaced), "-"))
	}
	change("billing among words", "billing", "last_name", "Visa "+strings.Join(groups(misplaced), " ")+", thanks")
	change("billing email", "billing", "email", misplaced)
	change("billing country", "billing", "address_country", misplaced)
	return all
}

// findPlanted plants a number in every form in every place and demands that the search finds each.
func findPlanted(t *testing.T, d *devServer, dir, url string) {
	t.Helper()
	needles := needlesOf(plantedMarker)
	execute(t, url, "CREATE TABLE planted (form text)")
	line := ""
	for _, n := range needles {
		line += n.text + "\n"
		execute(t, url, "INSERT INTO planted VALUES ('"+n.text+"')")
	}
	execute(t, url, "CHECKPOINT")
	files := []string{"dev.log", "postgres.log", "credentials.json", "vault-keys.json"}
	for _, name := range files {
		if err := appendTo(filepath.Join(dir, name), line); err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprint(&d.out, line)
	found := search(t, dir, map[string]string{"output": d.out.text(), "answers": line, "webhooks": line,
		"metrics": line, "dump": dump(t, url)}, needles)
	for _, place := range append(files, "output", "answers", "webhooks", "metrics", "dump", "postgres/base/",
		"postgres/pg_wal/") {
		for _, n := range needles {
			if !found.has(place, n.form) {
				t.Errorf("planted in %s, but not found: %s", place, n.form)
			}
		}
	}
	t.Logf("planted: found in %v", slices.Sorted(maps.Keys(found)))
}

// has reports whether a form was found in a place, or in a file of that directory.
func (h hits) has(place, form string) bool {
	for name, forms := range h {
		if forms[form] && (name == place || strings.HasSuffix(place, "/") && strings.HasPrefix(name, place)) {
			return true
		}
	}
	return false
}

func appendTo(path, text string) error {
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if _, err := f.WriteString(text); err != nil {
		return err
	}
	return f.Close()
}

func execute(t *testing.T, url, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
