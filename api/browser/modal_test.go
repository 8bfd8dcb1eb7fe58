package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svcpay/internal/apikey"
	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/static"
)

func TestHeadersOfTheModal(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	key := d.Issue(apikey.CreateInput{Kind: apikey.Public,
		AllowedOrigins: []string{fixture.PageOrigin, "http://shop.localhost:8081"}})
	_, out := d.asks(fmt.Sprintf(`{"session":%q,"amount":100}`,
		d.SessionOf(demo.Application{PublicKey: key.Text}, d.App.Merchants.US)))
	bound := out["path"].(string)
	const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
		"base-uri 'none'; report-uri /csp-reports; report-to csp; form-action 'self'; frame-ancestors "
	for path, ancestors := range map[string]string{
		bound: "http://shop.localhost:8081 https://shop.example", bound +
			"/fund": "http://shop.localhost:8081 https://shop.example",
		d.begins(): "* file:", modalPath + "unheard": "* file:",
	} {
		h := d.do(path, nil).header
		for _, name := range []string{"Content-Type", "Vary", "Location"} {
			h.Del(name)
		}
		if diff := cmp.Diff(http.Header{"Content-Security-Policy": {policy + ancestors},
			"Reporting-Endpoints":          {`csp="/csp-reports"`},
			"Cross-Origin-Resource-Policy": {"cross-origin"},
			"Cross-Origin-Embedder-Policy": {"require-corp"}, "Referrer-Policy": {"no-referrer"},
			"X-Content-Type-Options": {"nosniff"},
			"Cache-Control":          {"no-store"}}, h); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	visit := d.sends(bound+"/fund", "fund", "fund_evergreen")
	if got := d.do(visit, nil).header.Get("Content-Security-Policy"); got != policy+"* file:" {
		t.Errorf("a fund's page: %s", got)
	}
}

func TestFormsMayLeadToACounterpartysOrigin(t *testing.T) {
	t.Parallel()
	h := http.Header{}
	modalHeaders(h, noOrigin, "https://funds.example")
	if got := h.Get("Content-Security-Policy"); !strings.HasSuffix(got,
		"form-action 'self' https://funds.example; frame-ancestors 'none'") {
		t.Error(got)
	}
}

func TestADonorMayLeaveAnywhere(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	for _, at := range []string{"", "/fund", "/instructions"} {
		way := d.begins()
		d.sends(way+"/fund", "fund", "fund_juniper")
		d.page(way+at).has(t, 200, `action="`+way+`/cancel"`, "Riverside Food Bank", "$125")
		end := d.page(d.sends(way + "/cancel"))
		end.has(t, 200, "The donation was canceled", "data-close")
		if r := tells(t, end); r != (result{Outcome: "canceled"}) {
			t.Errorf("%+v", r)
		}
		for _, path := range []string{way, way + "/fund", way + "/instructions", way + "/return"} {
			if r := tells(t, d.page(path)); path != way+"/return" && r.Outcome != "canceled" {
				t.Errorf("%s: %+v", path, r)
			}
		}
		for _, path := range []string{way, way + "/fund", way + "/confirm"} { // and a page that was open elsewhere
			if r := tells(t, d.page(d.sends(path, "amount", "1", "fund", "fund_juniper"))); r.Outcome != "canceled" {
				t.Errorf("%s: %+v", path, r)
			}
		}
	}
}

func TestPagesThatCannotBeShownSayWhatToDo(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	way := d.begins()
	for _, path := range []string{"", "/fund", "/return", "/done"} {
		d.page(modalPath+"forged"+path).has(t, 404, "does not exist", "Close")
	}
	d.do(modalPath+"forged/confirm", url.Values{}).has(t, 404)
	d.do(way+"/confirm", url.Values{}, "Sec-Fetch-Site", "cross-site").has(t, 403, "another website")
	for _, id := range []string{"forged", "%FF", "a%00"} {
		if s := d.do("/sandbox/daf/visits/"+id, nil); s.status != 404 {
			t.Errorf("%s: %d", id, s.status)
		}
		d.page(modalPath+id).has(t, 404, "does not exist")
	}
	visit := d.sends(way+"/fund", "fund", "fund_evergreen")
	if s := d.do(visit+"/leave", url.Values{}, "Sec-Fetch-Site", "cross-site"); s.status != 403 {
		t.Errorf("%d", s.status)
	}
	if s := d.do(way, url.Values{"amount": {"5"}, "note": {strings.Repeat("x", maxForm)}}); s.status != 422 {
		t.Errorf("a form that is too large: %d", s.status)
	}
	d.Clock.Advance(45 * time.Minute)
	for _, path := range []string{"", "/fund", "/return", "/done"} {
		s := d.page(way + path)
		s.has(t, 410, "has expired", "Riverside Food Bank")
		if r := tells(t, s); r.Outcome != "" {
			t.Errorf("%+v", r)
		}
	}
}

func TestWithoutAnAmountTheDonorIsAskedFirst(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	_, out := d.asks(fmt.Sprintf(`{"session":%q,"scheme":"dark"}`, d.Session()))
	way := out["path"].(string)
	d.page(way).has(t, 200, `data-scheme="dark"`, `name="amount" value=""`)
	if next := d.do(way+"/fund", nil).next; next != way {
		t.Errorf("leads to %s", next)
	}
	if next := d.sends(way+"/fund", "fund", "fund_juniper"); next != way {
		t.Errorf("leads to %s", next)
	}
}

func TestAFundThatDoesNotAnswerIsNoDeadEnd(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	way := d.begins()
	visit := d.sends(way+"/fund", "fund", "fund_evergreen")
	if _, err := pg.Exec(t.Context(), d.Pool, `ALTER TABLE sandbox_daf_visits RENAME TO gone`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	d.do(way+"/fund", url.Values{"fund": {"fund_evergreen"}}).has(t, 503, "Something went wrong", way+"/fund")
	d.page(way+"/return").has(t, 503, "Something went wrong")
	if s := d.do(visit, nil); s.status != 500 {
		t.Errorf("%d", s.status)
	}
}

func TestWhatThePagesLoadIsServed(t *testing.T) {
	t.Parallel()
	b, err := static.LoadBundle(static.FS(), "modal")
	if err != nil || !b.Built() {
		t.Fatalf("the front end is not built: %v", err)
	}
	d := newDonor(t)
	for _, name := range []string{"modal.css", "htmx.js"} {
		s := d.do(modalAssets+b.Path(name), nil)
		if s.status != 200 || !strings.Contains(s.header.Get("Cache-Control"), "immutable") ||
			s.header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
			t.Errorf("%s: %d %v", name, s.status, s.header)
		}
	}
	if s := d.do(modalAssets+"other.js", nil); s.status != 404 {
		t.Errorf("%d", s.status)
	}
}

func TestNoticesAreTakenInBeforeTheyAreAnswered(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	hook := func(path string, header http.Header, body []byte) int {
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header = header
		a := httptest.NewRecorder()
		d.e.ServeHTTP(a, r)
		return a.Code
	}
	stored := func() int {
		n, err := pg.Value[int](t.Context(), d.Pool, `SELECT count(*)::int FROM inbound_events
			WHERE feed = 'daf/sandbox'`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	signed := func(id string) (http.Header, []byte) {
		header, body, err := d.Funds.SignedNotice(t.Context(),
			provider.Event{ID: id, Kind: provider.GrantCompleted, Account: "app-1/merchant-1", Reference: "x",
				TrackingID: "ABCDEFGHJK"})
		if err != nil {
			t.Fatal(err)
		}
		return header, body
	}
	header, body := signed("0000000000000000002")
	other, otherBody := signed("0000000000000000001")
	forged := header.Clone()
	forged.Set("Webhook-Signature", "v1,"+strings.Repeat("A", 43)+"=")
	for name, tt := range map[string]struct {
		path   string
		header http.Header
		body   []byte
		want   int
	}{
		"forged":           {"/hooks/daf/sandbox", forged, body, 401},
		"another body":     {"/hooks/daf/sandbox", header, otherBody, 401},
		"not signed":       {"/hooks/daf/sandbox", http.Header{}, body, 401},
		"too large":        {"/hooks/daf/sandbox", header, make([]byte, 256<<10+1), 413},
		"large":            {"/hooks/daf/sandbox", header, make([]byte, 256<<10), 401},
		"another provider": {"/hooks/daf/other", header, body, 404},
	} {
		if got := hook(tt.path, tt.header, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	if n := stored(); n != 0 {
		t.Errorf("%d were stored of those that were refused", n)
	}
	for range 2 { // in the wrong order, and again
		if a, b := hook("/hooks/daf/sandbox", header, body), hook("/hooks/daf/sandbox", other, otherBody); a != 204 ||
			b != 204 {
			t.Errorf("%d, %d", a, b)
		}
	}
	if n := stored(); n != 2 {
		t.Errorf("%d were stored, want 2", n)
	}
	unread, unreadBody, err := d.Funds.SignedNotice(t.Context(), provider.Event{ID: "3", Kind: "grant_lost"})
	if got := hook("/hooks/daf/sandbox", unread, unreadBody); err != nil || got != 400 {
		t.Errorf("one that cannot be read: %d, %v", got, err)
	}
	d.Clock.Advance(6 * time.Minute)
	if got := hook("/hooks/daf/sandbox", header, body); got != 401 {
		t.Errorf("an old one: %d", got)
	}
	d.Clock.Advance(-6 * time.Minute)
	if _, err := pg.Exec(t.Context(), d.Pool, `ALTER TABLE inbound_events RENAME TO gone`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	if got := hook("/hooks/daf/sandbox", header, body); got != 503 {
		t.Errorf("what could not be stored: %d", got)
	}
}

func TestTheResultHasTheLibrarysNames(t *testing.T) {
	t.Parallel()
	amount := workflow.MinAmount
	text, err := resultOf(way{
		Workflow: workflow.Workflow{State: workflow.Confirmed, Authorized: &amount, GrantID: "gr_1"}})
	var members map[string]any
	if err != nil || json.Unmarshal([]byte(text), &members) != nil || len(members) != 4 ||
		members["grantId"] != "gr_1" || members["amount"] != 100.0 ||
		len(members["user"].(map[string]any)) != 4 {
		t.Errorf("%s, %v", text, err)
	}
}
