package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/ids"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/sandbox/demo"
	"svcpay/internal/testing/fixture"
	"svcpay/internal/token"
	"svcpay/static"
)

// holder is a browser without scripts, whose owner has a bank account.
type holder struct{ visitor }

func newHolder(t *testing.T) *holder {
	t.Helper()
	w := fixture.New(t)
	e, c := echo.New(), ClientConfig{Tokens: w.Tokens, Links: w.Links, Log: slog.New(slog.DiscardHandler),
		Now: w.Clock.Now}
	RegisterClient(e, c)
	for _, err := range []error{
		RegisterLink(e, LinkConfig{Links: w.Links, Static: static.FS(), PayURL: payURL, Log: c.Log}),
		RegisterSandboxBanks(e, SandboxBanksConfig{Banks: w.Banks, Static: static.FS()}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	e.HTTPErrorHandler = ErrorHandler(c)
	return &holder{visitor{w, t, e}}
}

// begins starts a way at a merchant: by processor Q in the United States, or by pre-authorized debit in Canada.
func (h *holder) begins(scheme processor.Scheme, locale string) string {
	h.t.Helper()
	merchant := map[processor.Scheme]int64{processor.ACH: h.App.Merchants.USQ,
		processor.ACSS: h.App.Merchants.CA}[scheme]
	return h.beginsIn(h.SessionOf(h.App, merchant), scheme, locale)
}

func (h *holder) beginsIn(session string, scheme processor.Scheme, locale string) string {
	h.t.Helper()
	status, out := h.posts("/client/bank", fmt.Sprintf(`{"session":%q,"scheme":%q,"locale":%q,"color_scheme":"dark"}`,
		session, scheme, locale))
	path, _ := out["path"].(string)
	if status != http.StatusCreated || !strings.HasPrefix(path, linkPath) {
		h.t.Fatalf("%d %v", status, out)
	}
	return path
}

// shows goes to a bank and has it show the accounts of someone.
func (h *holder) shows(way, username string) {
	h.t.Helper()
	visit := h.sends(way+"/banks", "bank", "bank_alder")
	h.sends(visit+"/sign-in", "username", username, "password", banksandbox.Password)
	if back := h.sends(visit + "/show"); back != payURL+way+"/return" {
		h.t.Fatalf("the bank leads to %s", back)
	}
}

// redeems posts for the token of an authorization.
func (h *holder) redeems(merchant int64, authorization string) (int, map[string]any) {
	h.t.Helper()
	return h.posts("/client/tokens", fmt.Sprintf(`{"session":%q,"type":"bank_authorization","authorization":%q}`,
		h.SessionOf(h.App, merchant), authorization),
		"Idempotency-Key", ids.NewRequest(h.Clock.Now()).String())
}

// authorization is what the last page tells.
func (h *holder) authorization(way string) string {
	h.t.Helper()
	_, rest, _ := strings.Cut(h.page(way+"/done").body, `&#34;authorization&#34;:&#34;`)
	id, _, found := strings.Cut(rest, "&#34;")
	if !found {
		h.t.Fatal("the page tells of no authorization")
	}
	return id
}

func canadian(more ...string) url.Values {
	f := url.Values{"first_name": {"Léa"}, "last_name": {"Roy"}, "email": {"lea@example.org"}, "type": {"savings"},
		"institution": {"000"}, "transit": {"11000"},
		"account": {"000123456789"}, "mandate": {"true"}}
	for i := 0; i < len(more); i += 2 {
		f.Set(more[i], more[i+1])
	}
	return f
}

func american() url.Values {
	f := canadian("type", "checking", "routing", "110000000")
	f.Del("institution")
	f.Del("transit")
	return f
}

func errorCode(status int, out map[string]any) string {
	e, _ := out["error"].(map[string]any)
	return fmt.Sprint(status, " ", e["code"])
}

func TestTheBankModalIsOpenedInASession(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	m := h.App.Merchants
	of := func(merchant int64, scheme string) string {
		return fmt.Sprintf(`{"session":%q,"scheme":%q}`, h.SessionOf(h.App, merchant), scheme)
	}
	for body, want := range map[string]string{
		`{"session":"cs_x","scheme":"acss"}`: "401 not_ready",
		of(m.US, "ach"):                      "422 payment_method_disabled", // it has processor P's form
		of(m.CA, "ach"):                      "422 payment_method_disabled",
		of(m.USQ, "acss"):                    "422 payment_method_disabled",
		of(m.USQ, ""):                        "422 payment_method_disabled",
	} {
		if got := errorCode(h.posts("/client/bank", body)); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	for _, body := range []string{"", "[]", `{"scheme":1}`} {
		if status, _ := h.posts("/client/bank", body); status != http.StatusBadRequest {
			t.Errorf("%q: %d", body, status)
		}
	}
}

func TestAPayerInCanadaTypesTheAccount(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	for locale, words := range map[string][]string{"en": {"Account type", "Savings", "Authorize"},
		"fr-CA": {"Type de compte", "Compte d’épargne", "Autoriser"}} {
		way := h.begins(processor.ACSS, locale)
		h.page(way).has(t, 200, append(words, "Riverside Winter Relief", `data-scheme="dark"`, `name="transit"`,
			`name="institution"`)...)
		for _, at := range []string{"/banks", "/banks?q=alder"} { // of merchants in the United States
			if next := h.do(way+at, nil).next; next != way+"/account" {
				t.Errorf("%s leads to %s", at, next)
			}
		}
		if next := h.sends(way+"/banks", "bank", "bank_alder"); next != way+"/account" {
			t.Errorf("a bank leads to %s", next)
		}
		wrong := h.do(way+"/account", canadian("transit", "1", "institution", "12a", "account", "12", "email", "lea",
			"type", "", "mandate", ""))
		wrong.has(t, 422, "incomplete_transit_number", "invalid_institution_number", "invalid_account_number",
			"invalid_email", "incomplete_account_type", "mandate_not_accepted", `value="Léa"`, `role="alert"`)
		if listed := problems(wrong.body); listed != "email type institution transit account mandate" {
			t.Errorf("not in the order of the form: %s", listed)
		}
		if listed := problems(h.do(way+"/account", canadian("last_name", " ")).body); listed != "last_name" {
			t.Errorf("without a last name it blames %q", listed)
		}
		if strings.Contains(h.do(way+"/account", canadian("transit", "1")).body, "000123456789") {
			t.Error("the account's number stands in the page")
		}
		if s := h.do(way+"/account", canadian(), "User-Agent", "Browser/3"); s.next != way+"/done" {
			t.Fatalf("%d leads to %q: %s", s.status, s.next, s.body)
		}
		status, out := h.redeems(h.App.Merchants.CA, h.authorization(way))
		account, _ := out["bank_account"].(map[string]any)
		if status != http.StatusCreated || account["account_type"] != "savings" || account["status"] != "active" {
			t.Fatalf("%d %v", status, out)
		}
		saved, err := h.Tokens.Get(t.Context(), h.Actor(), out["token"].(string))
		if err != nil {
			t.Fatal(err)
		}
		mandate, err := h.Tokens.GetMandate(t.Context(), h.Actor(), saved.Mandate.String())
		if err != nil || mandate.UserAgent != "Browser/3" || mandate.IP != "192.0.2.1" ||
			saved.EntryMode != token.Keyed {
			t.Errorf("%+v, %v", mandate, err)
		}
	}
}

var problemLink = regexp.MustCompile(`<li><a href="#(\w+)"`)

// problems are the inputs that a page lists as wrong.
func problems(page string) string {
	var listed []string
	for _, link := range problemLink.FindAllStringSubmatch(page, -1) {
		listed = append(listed, link[1])
	}
	return strings.Join(listed, " ")
}

func TestAPayerSignsInAtABank(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	way := h.begins(processor.ACH, "")
	h.page(way).has(t, 200, "Where is your account?", "10 banks", "Alder Mutual Bank", "Riverside Animal Shelter")
	found := h.do(way+"/banks?q=cascade", nil, "HX-Request", "true")
	if found.status != 200 || !strings.Contains(found.body, "1 bank found") || strings.Contains(found.body, "<html") ||
		found.header.Get("Vary") != "HX-Request" {
		t.Errorf("%d %v %s", found.status, found.header, found.body)
	}
	h.page(way+"/banks?q=nowhere").has(t, 200, "No banks found.", "Nothing found")
	h.do(way+"/banks", url.Values{"bank": {"bank_none"}}).has(t, 422, "Choose the bank that your account is with.")
	h.shows(way, "good@bank.example")
	h.page(way+"/return").has(t, 200, "Choose an account", "Everyday Checking", "Rainy Day Savings",
		"Alder Mutual Bank showed us these accounts.")
	for _, at := range []string{"/mandate"} {
		if next := h.do(way+at, nil).next; next != way+"/accounts" {
			t.Errorf("without an account %s leads to %s", at, next)
		}
	}
	if next := h.sends(way+"/mandate", "mandate", "true"); next != way+"/accounts" {
		t.Errorf("agreed to without an account, it leads to %s", next)
	}
	if next := h.sends(way+"/accounts", "account", "somebody-elses"); next != way+"/accounts" {
		t.Errorf("another account leads to %s", next)
	}
	if next := h.sends(way+"/accounts", "account", "rainy-day"); next != way+"/mandate" {
		t.Fatalf("an account leads to %s", next)
	}
	h.page(way+"/mandate").has(t, 200, "Authorize debits", "Rainy Day Savings ••6789",
		"Riverside Animal Shelter and its payment service")
	h.do(way+"/mandate", h.hidden(way+"/mandate")).has(t, 422, "mandate_not_accepted", `aria-invalid="true"`)
	if next := h.do(way+"/mandate", h.hidden(way+"/mandate", "mandate", "true")).next; next != way+"/done" {
		t.Fatalf("the agreement leads to %s", next)
	}
	id := h.authorization(way)
	if got := errorCode(h.redeems(h.App.Merchants.CA, id)); got != "403 field_not_authorized" {
		t.Errorf("another merchant: %s", got)
	}
	status, out := h.redeems(h.App.Merchants.USQ, id)
	account, _ := out["bank_account"].(map[string]any)
	if status != http.StatusCreated || account["account_type"] != "savings" || account["status"] != "active" {
		t.Fatalf("%d %v", status, out)
	}
	if saved, err := h.Tokens.Get(t.Context(), h.Actor(), out["token"].(string)); err != nil ||
		saved.EntryMode != token.FromBank {
		t.Errorf("%s, %v", saved.EntryMode, err)
	}
	if got := errorCode(h.redeems(h.App.Merchants.USQ, id)); got != "403 field_not_authorized" {
		t.Errorf("a second time: %s", got)
	}
}

func TestWhoTypesAnAccountMustProveIt(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	way := h.begins(processor.ACH, "")
	h.page(way+"/account").has(t, 200, `name="routing"`, "9 digits", "Choose one", `href="`+way+`/banks"`)
	f := american()
	f.Set("routing", "110000001")
	h.do(way+"/account", f).has(t, 422, "invalid_routing_number")
	if s := h.do(way+"/account", american()); s.next != way+"/done" {
		t.Fatalf("%d %s", s.status, s.body)
	}
	h.page(way+"/done").has(t, 200, "Two small deposits")
	status, out := h.redeems(h.App.Merchants.USQ, h.authorization(way))
	if account, _ := out["bank_account"].(map[string]any); status != http.StatusCreated ||
		account["status"] != "pending_verification" {
		t.Errorf("%d %v", status, out)
	}
}

func TestVisitsOfABankThatLeadNowhere(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	way := h.begins(processor.ACH, "")
	h.page(way+"/return").has(t, 200, "without showing an account") // before any visit
	if next := h.do(way+"/accounts", nil).next; next != way+"/banks" {
		t.Errorf("the accounts of no visit lead to %s", next)
	}
	visit := h.sends(way+"/banks", "bank", "bank_alder")
	h.page(visit).has(t, 200, "Alder Mutual Bank", "good@bank.example")
	h.page(way+"/return").has(t, 200, "You haven’t finished at Alder Mutual Bank")
	h.do(visit+"/sign-in", url.Values{"username": {"good@bank.example"}, "password": {"wrong"}}).has(t, 422,
		"do not match", "good@bank.example")
	if next := h.sends(visit + "/leave"); next != payURL+way+"/return" {
		t.Errorf("whoever leaves goes to %s", next)
	}
	h.page(way+"/return").has(t, 200, "without showing an account")

	visit = h.sends(way+"/banks", "bank", "bank_alder")
	h.sends(visit+"/sign-in", "username", "code@bank.example", "password", banksandbox.Password)
	h.do(visit+"/code", url.Values{"code": {"000000"}}).has(t, 422, "not the code")
	h.sends(visit+"/code", "code", banksandbox.Code)
	h.page(visit).has(t, 200, "Everyday Checking")

	for _, who := range []string{"none@bank.example", "locked@bank.example"} {
		visit = h.sends(way+"/banks", "bank", "bank_alder")
		h.page(h.sends(visit+"/sign-in", "username", who, "password", banksandbox.Password)).has(t, 200,
			"We could not go on")
		h.page(way+"/return").has(t, 200, "could not show an account")
	}
	for _, id := range []string{"forged", "%FF", "a%00"} {
		if s := h.do(banksandbox.PagesPath+id, nil); s.status != 404 {
			t.Errorf("a forged visit, %s: %d", id, s.status)
		}
	}
	if s := h.do(visit+"/leave", url.Values{}, "Sec-Fetch-Site", "cross-site"); s.status != 403 {
		t.Errorf("from another site: %d", s.status)
	}
}

func TestAPayerMayLeaveAndComesBackToTheEnd(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	left, authorized := h.begins(processor.ACH, ""), h.begins(processor.ACSS, "")
	if next := h.do(left+"/done", nil).next; next != left {
		t.Errorf("the end of an open way leads to %s", next)
	}
	h.page(left).has(t, 200, `action="`+left+`/cancel"`)
	h.page(h.sends(left+"/cancel")).has(t, 200, "Nothing was authorized", "data-close", `&#34;canceled&#34;`)
	h.do(authorized+"/account", canadian())
	h.page(h.sends(authorized+"/cancel")).has(t, 200, "Thank you") // too late
	for way, end := range map[string]string{left: "Nothing was authorized", authorized: "Thank you"} {
		for _, at := range []string{"", "/account", "/banks", "/return", "/accounts", "/mandate"} {
			h.page(way+at).has(t, 200, end)
		}
		for at, f := range map[string]url.Values{"/account": canadian(), "/banks": {"bank": {"bank_alder"}},
			"/accounts": {"account": {"everyday"}}, "/mandate": {"mandate": {"true"}}} {
			if s := h.do(way+at, f); s.status != http.StatusSeeOther || s.next != way+"/done" {
				t.Errorf("%s: %d leads to %q", at, s.status, s.next)
			}
		}
	}
}

func TestPagesOfTheBankModalThatCannotBeShown(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	way, french := h.begins(processor.ACH, ""), h.begins(processor.ACSS, "fr")
	h.do(french+"/account", canadian())
	id := h.authorization(french)
	for _, at := range []string{"", "/account", "/done"} {
		h.page(linkPath+"forged"+at).has(t, 404, "This form does not exist")
	}
	h.do(way+"/account", american(), "Sec-Fetch-Site", "cross-site").has(t, 403, "another website")
	h.do(way+"/account", url.Values{"first_name": {strings.Repeat("x", maxForm)}}).has(t, 422,
		"incomplete_account_holder_name")
	if _, err := pg.Exec(t.Context(), h.Pool, `ALTER TABLE sandbox_bank_visits RENAME TO gone`, pg.Args{}); err != nil {
		t.Fatal(err)
	}
	h.do(way+"/banks", url.Values{"bank": {"bank_alder"}}).has(t, 503, "Something went wrong", `href="`+way+`"`)
	h.Clock.Advance(15 * time.Minute)
	if got := errorCode(h.redeems(h.App.Merchants.CA, id)); got != "422 authorization_expired" {
		t.Errorf("an authorization that is too old: %s", got)
	}
	h.Clock.Advance(15 * time.Minute)
	h.page(way).has(t, 410, "This form has expired", "Riverside Animal Shelter")
	h.page(french).has(t, 410, "Ce formulaire a expiré")
	h.do(way+"/account", american()).has(t, 410)
}

func TestWhoMayShowTheBankModal(t *testing.T) {
	t.Parallel()
	h := newHolder(t)
	key := h.Issue(apikey.CreateInput{Kind: apikey.Public, AllowedOrigins: []string{fixture.PageOrigin}})
	bound := h.beginsIn(h.SessionOf(demo.Application{PublicKey: key.Text}, h.App.Merchants.CA), processor.ACSS, "")
	for path, ancestors := range map[string]string{bound + "/account": fixture.PageOrigin, bound: fixture.PageOrigin,
		h.begins(processor.ACSS, "") + "/account": "* file:", linkPath + "forged": "* file:"} {
		header := h.do(path, nil).header
		if got := header.Get("Content-Security-Policy"); !strings.HasSuffix(got, "; frame-ancestors "+ancestors) ||
			header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, header)
		}
	}
	if _, err := h.APIKeys.Revoke(t.Context(), h.Admin(), key.ID); err != nil {
		t.Fatal(err)
	}
	h.page(bound).has(t, 410, "This form has expired")
}
