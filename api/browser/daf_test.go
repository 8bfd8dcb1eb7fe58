package browser

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
	"svcpay/static"
)

const payURL = "http://pay.example"

// visitor is a browser without scripts.
type visitor struct {
	*fixture.World
	t *testing.T
	e *echo.Echo
}

// donor is one in a world whose first merchant takes donations.
type donor struct{ visitor }

func newDonor(t *testing.T) *donor {
	t.Helper()
	w := fixture.New(t)
	w.TakesDAF(w.App.Merchants.US)
	e, c := echo.New(), ClientConfig{Tokens: w.Tokens, Workflows: w.Workflows, Log: slog.New(slog.DiscardHandler),
		Now: w.Clock.Now}
	RegisterClient(e, c)
	RegisterHooks(e,
		HookConfig{Notice: w.Inbound.Notice, GrantNotice: w.Inbound.GrantNotice, Noticed: func(string, string) {},
			Log: c.Log})
	for _, err := range []error{
		RegisterModal(e, ModalConfig{Workflows: w.Workflows, Static: static.FS(), PayURL: payURL, Log: c.Log}),
		RegisterSandboxFunds(e, SandboxFundsConfig{Funds: w.Funds, Static: static.FS()}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	e.HTTPErrorHandler = ErrorHandler(c)
	return &donor{visitor{w, t, e}}
}

// shown is an answer as the donor sees it.
type shown struct {
	status int
	body   string
	next   string // where a redirect leads
	header http.Header
}

// do sends a form, or asks for a page if there is none.
func (d *visitor) do(path string, form url.Values, headers ...string) shown {
	d.t.Helper()
	path = strings.TrimPrefix(path, payURL)
	r := httptest.NewRequest(http.MethodGet, path, nil)
	if form != nil {
		r = httptest.NewRequest(http.MethodPost, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a := httptest.NewRecorder()
	d.e.ServeHTTP(a, r)
	return shown{a.Code, a.Body.String(), a.Header().Get("Location"), a.Header()}
}

// page asks for a page and follows where it leads.
func (d *visitor) page(path string) shown {
	d.t.Helper()
	for range 5 {
		if s := d.do(path, nil); s.next == "" {
			return s
		} else {
			path = s.next
		}
	}
	d.t.Fatalf("%s leads round in a circle", path)
	return shown{}
}

// sends a form and returns where it leads.
func (d *visitor) sends(path string, values ...string) string {
	d.t.Helper()
	form := url.Values{}
	for i := 0; i < len(values); i += 2 {
		form.Set(values[i], values[i+1])
	}
	s := d.do(path, form)
	if s.status != http.StatusSeeOther || s.next == "" {
		d.t.Fatalf("%s: %d\n%s", path, s.status, s.body)
	}
	return s.next
}

// has checks what a page says, and that it is one.
func (s shown) has(t *testing.T, status int, texts ...string) {
	t.Helper()
	if s.status != status || !strings.Contains(s.header.Get("Content-Type"), "text/html") {
		t.Errorf("%d %s, want %d", s.status, s.header.Get("Content-Type"), status)
	}
	for _, text := range texts {
		if !strings.Contains(s.body, text) {
			t.Errorf("the page lacks %q:\n%s", text, s.body)
		}
	}
}

// asks posts to /client/daf.
func (d *donor) asks(body string) (int, map[string]any) {
	d.t.Helper()
	return d.posts("/client/daf", body)
}

// posts sends JSON as the controller does.
func (d *visitor) posts(path, body string, headers ...string) (int, map[string]any) {
	d.t.Helper()
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	a := httptest.NewRecorder()
	d.e.ServeHTTP(a, r)
	var out map[string]any
	if err := json.Unmarshal(a.Body.Bytes(), &out); err != nil {
		d.t.Fatalf("%d %s", a.Code, a.Body)
	}
	return a.Code, out
}

// begins starts a way with 125.00.
func (d *donor) begins() string {
	d.t.Helper()
	status, out := d.asks(
		fmt.Sprintf(`{"session":%q,"amount":12500,"customer_detail":{"firstName":"Dana","note":"For the <winter>"}}`,
			d.Session()))
	path, _ := out["path"].(string)
	if status != http.StatusCreated || !strings.HasPrefix(path, "/3.2/modal/daf/") {
		d.t.Fatalf("%d %v", status, out)
	}
	return path
}

// tells is what the page tells the one around it.
func tells(t *testing.T, s shown) (r result) {
	t.Helper()
	_, rest, found := strings.Cut(s.body, `data-result="`)
	text, _, _ := strings.Cut(rest, `"`)
	text = strings.NewReplacer("&#34;", `"`, "&#39;", "'", "&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
	if found {
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
	return r
}

func TestTheModalIsOpenedInASession(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	for body, want := range map[string]string{
		`{"session":"cs_x","amount":12500}`: "401 not_ready",
		fmt.Sprintf(`{"session":%q,"amount":12550}`,
			d.Session()): "400 invalid_price",
		fmt.Sprintf(`{"session":%q,"amount":12500}`,
			d.SessionOf(d.App, d.App.Merchants.CA)): "422 payment_method_disabled",
		fmt.Sprintf(`{"session":%q,"amount":"12500"}`,
			d.Session()): "400 invalid_token_data",
		fmt.Sprintf(`{"session":%q,"other":1}`,
			d.Session()): "400 invalid_token_data",
		fmt.Sprintf(`{"session":%q,"customer_detail":{"note":%q}}`, d.Session(),
			long(17<<10)): "400 invalid_token_data",
		fmt.Sprintf(`{"session":%q,"amount":100,"customer_detail":{"nickname":"D"}}`,
			d.Session()): "201 customer_detail.nickname is ignored: it is not known.",
		fmt.Sprintf(`{"session":%q,"amount":100,"customer_detail":[]}`,
			d.Session()): "201 customer_detail is ignored: it must be an object.",
		fmt.Sprintf(`{"session":%q,"amount":100,"scheme":"dark"}`, d.Session()):                         "201",
		fmt.Sprintf(`{"session":%q,"customer_detail":{"firstName":"<script>x</script>"}}`, d.Session()): "201",
	} {
		status, out := d.asks(body)
		got := fmt.Sprint(status)
		if e, ok := out["error"].(map[string]any); ok {
			got += fmt.Sprint(" ", e["code"])
		} else if warnings := out["warnings"].([]any); len(warnings) > 0 {
			got += fmt.Sprint(" ", warnings[0])
		}
		if got != want {
			t.Errorf("%.80s: %s, want %s", body, got, want)
		}
		if path, ok := out["path"].(string); ok {
			if s := d.page(path); s.status != http.StatusOK || strings.Contains(s.body, "<script>x") {
				t.Errorf("%d %s", s.status, s.body)
			}
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

func TestTheIntegratedWayWithoutScripts(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	way := d.begins()
	d.page(way).has(t, 200, "Riverside Food Bank", "$125", `value="125"`, `value="Dana"`, "For the &lt;winter&gt;",
		"Cancel donation")
	d.do(way, url.Values{"amount": {"12.50"}, "email": {"x"}}).has(t, 422, "The nearest amount is $13.",
		`href="#amount"`, `href="#email"`, `aria-invalid="true"`, `aria-describedby="amount-hint amount-error"`)
	funds := d.sends(way, "amount", "$1,200", "firstName", "Dana", "lastName", "Reed", "email", "dana@example.org",
		"note", "For the <winter>", "line1", "12 Elm Street", "anonymous", "true")
	d.page(funds).has(t, 200, "$1,200", "Bright Harbor", "Hillcrest", "12 funds")
	d.page(funds+"?q=ever").has(t, 200, "Evergreen Philanthropic Trust", "1 fund found")
	d.page(funds+"?q=%3Cx%3E").has(t, 200, "Nothing found", "&lt;x&gt;")
	if s := d.do(funds+"?q=hill", nil, "HX-Request", "true"); strings.Contains(s.body, "<html") ||
		!strings.Contains(s.body, "Hillcrest") || s.header.Get("Vary") != "HX-Request" {
		t.Errorf("%s", s.body)
	}
	d.do(funds, url.Values{"fund": {"unheard"}}).has(t, 422, "Choose your fund")
	visit := d.sends(funds, "fund", "fund_bright_harbor")
	d.page(visit).has(t, 200, "Bright Harbor Donor-Advised Fund", "Sign in", "donor@fund.example", "$1,200")
	d.page(way+"/return").has(t, 200, "Your grant at Bright Harbor")
	d.do(visit+"/sign-in", url.Values{"username": {dafsandbox.Donor}, "password": {"wrong"}}).has(t, 422,
		"do not match", `value="donor@fund.example"`, `aria-invalid="true"`)
	d.sends(visit+"/sign-in", "username", dafsandbox.Donor, "password", dafsandbox.Password)
	d.page(visit).has(t, 200, "Choose an account", "Family Giving Account", "$48,250")
	d.sends(visit+"/account", "account", "family")
	d.sends(visit + "/back")
	d.sends(visit+"/account", "account", "rainy")
	d.do(visit+"/authorize", url.Values{"amount": {"1200"}}).has(t, 422, "does not hold that much", `value="1200"`)
	d.do(visit+"/authorize", url.Values{"amount": {"12.5"}}).has(t, 422, "The nearest is $13", `value="12.5"`)
	back := d.sends(visit+"/authorize", "amount", "600")
	if back != payURL+way+"/return" {
		t.Errorf("the fund leads to %s", back)
	}
	end := d.page(back)
	end.has(t, 200, "Thank you", "$600", "Bright Harbor")
	r := tells(t, end)
	if r.Outcome != "authorized" || !strings.HasPrefix(r.WorkflowSessionID, "ws_") || r.GrantID != "" ||
		r.Amount != 600_00 ||
		*r.User != (resultUser{"Dana", "Reed", "dana@example.org", "For the <winter>"}) {
		t.Errorf("%+v", r)
	}
	// wherever the donor goes, it is done
	for _, page := range []string{way, funds, way + "/instructions", way + "/done", visit} {
		if got := tells(t, d.page(page)); page != visit && got.WorkflowSessionID != r.WorkflowSessionID {
			t.Errorf("%s: %+v", page, got)
		}
	}
	d.sends(way + "/cancel")
	if got := tells(t, d.page(way+"/done")); got.Outcome != "authorized" {
		t.Errorf("after the end: %+v", got)
	}
}

func TestTheNonintegratedWayWithoutScripts(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	way := d.begins()
	if next := d.do(way+"/instructions", nil).next; next != way+"/fund" {
		t.Errorf("without a fund: %s", next)
	}
	if next := d.sends(way + "/confirm"); next != way+"/fund" {
		t.Errorf("without a fund: %s", next)
	}
	next := d.sends(way+"/fund", "fund", "fund_hillcrest")
	ein, err := pg.Value[string](t.Context(), d.Pool, `SELECT ein FROM merchants
		WHERE id = @id`, pg.Args{"id": d.App.Merchants.US})
	if err != nil {
		t.Fatal(err)
	}
	d.page(next).has(t, 200, "Hillcrest Community Foundation", "https://donors.hillcrest.example",
		`rel="noopener noreferrer"`, ein, "$125", "For the &lt;winter&gt;")
	end := d.page(d.sends(way + "/confirm"))
	end.has(t, 200, "Thank you", "expects your grant")
	if r := tells(t, end); r.Outcome != "authorized" || !strings.HasPrefix(r.GrantID, "gr_") ||
		r.WorkflowSessionID != "" || r.Amount != 125_00 || r.User.FirstName != "Dana" {
		t.Errorf("%+v", r)
	}
}

func TestEveryPersonaOverTheirPages(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	for _, who := range dafsandbox.Personas() {
		way := d.begins()
		visit := d.sends(way+"/fund", "fund", "fund_evergreen")
		next := d.sends(visit+"/sign-in", "username", who.Username, "password", dafsandbox.Password)
		switch who.Username {
		case "locked@fund.example":
			d.page(next).has(t, 200, "Something went wrong", payURL+way+"/return")
			d.page(way+"/return").has(t, 200, "Evergreen Philanthropic Trust couldn’t continue", "Lakeshore")
			continue
		case "code@fund.example":
			d.page(next).has(t, 200, "Enter your code")
			d.do(visit+"/code", url.Values{"code": {"1"}}).has(t, 422, "not the code")
			d.sends(visit+"/code", "code", dafsandbox.Code)
		case dafsandbox.Donor:
			d.sends(visit+"/account", "account", "family")
		}
		d.page(visit).has(t, 200, "Review your grant", "For the &lt;winter&gt;")
		amount := "125"
		if who.Accounts[0].Balance < 125_00 {
			d.do(visit+"/authorize", url.Values{"amount": {amount}}).has(t, 422, "does not hold that much")
			amount = "20"
		}
		if who.Accounts[0].Balance == 0 {
			back := d.sends(visit + "/leave")
			d.page(back).has(t, 200, "You came back without authorizing")
			continue
		}
		if r := tells(t, d.page(d.sends(visit+"/authorize", "amount", amount))); r.Outcome != "authorized" ||
			fmt.Sprint(int64(r.Amount)/100) != amount {
			t.Errorf("%s: %+v", who.Username, r)
		}
	}
}

func TestAFundThatTakesTooLongOverItsPages(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	way := d.begins()
	visit := d.sends(way+"/fund", "fund", dafsandbox.SlowFund)
	d.page(d.sends(visit+"/sign-in", "username", dafsandbox.Donor, "password", dafsandbox.Password)).has(t, 200,
		"declined or timed out")
	d.page(way+"/return").has(t, 200, "Tortoise Charitable Fund couldn’t continue")
	d.sends(way+"/fund", "fund", "fund_evergreen") // and chooses another
}
