package portal

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/portal/web"
	"svcpay/views/kit"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// part is what htmx sends when it asks for the fragment of that name.
func part(id string) []string { return []string{"HX-Request", "true", "HX-Target", id} }

func TestHandlersAnswerPagesAndTheirParts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	whole := w.send(kit.ListPath+"?status=failed", nil)
	whole.wants(t, http.StatusOK, "")
	whole.says(t, "<!doctype html>", `<div id="results"`, `<nav id="side"`)
	if !strings.Contains(strings.Join(whole.Header.Values("Vary"), ","), "HX-Request, HX-Target") {
		t.Errorf("a page varies by %q", whole.Header.Values("Vary"))
	}
	packed := w.send(kit.ListPath+"?status=failed", nil, "Accept-Encoding", "gzip")
	for _, a := range []answer{whole, packed} {
		if said := a.Header.Get("Content-Length"); said != strconv.Itoa(len(a.body)) {
			t.Errorf("a page of %d bytes says that it has %q", len(a.body), said)
		}
	}
	results := w.send(kit.ListPath+"?status=failed", nil, part(ui.ResultsID)...)
	results.wants(t, http.StatusOK, "")
	if !strings.HasPrefix(results.body, `<div id="results"`) || !strings.Contains(whole.body, results.body) ||
		strings.Contains(results.body, "<nav id=") {
		t.Errorf("the part is\n%s", results.body)
	}
	again := w.send(kit.ListPath, nil, append(part(ui.ResultsID), "HX-History-Restore-Request", "true")...)
	again.says(t, "<!doctype html>")
	unknown := w.send(kit.ListPath, nil, part("elsewhere")...)
	unknown.wants(t, http.StatusUnprocessableEntity, "")
	unknown.says(t, "This part of the page was not found", `id="notice"`)
	w.send(kit.ListPath, nil, "HX-Target", ui.ResultsID).says(t, "<!doctype html>")
}

func TestDialogsArePagesToo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(kit.RefundPath, nil).says(t, "<!doctype html>", `<h1 id="dialog-title">Refund</h1>`,
		`href="`+kit.DetailPath+`" data-close`)
	dialog := w.send(kit.RefundPath, nil, part(ui.DialogID)...)
	if !strings.HasPrefix(dialog.body, `<div class="dialog-panel"`) {
		t.Errorf("the dialog is\n%s", dialog.body)
	}
	for _, headers := range [][]string{nil, part(ui.DialogID)} {
		wrong := w.send(kit.RefundPath, url.Values{"amount": {"9000"}}, headers...)
		wrong.wants(t, http.StatusUnprocessableEntity, "")
		wrong.says(t, `value="9000"`, `role="alert"`, `href="#amount"`)
		if strings.HasPrefix(wrong.body, "<!doctype") != (headers == nil) {
			t.Errorf("the form again is\n%s", wrong.body)
		}
	}
	done := url.Values{"amount": {"25"}}
	w.send(kit.RefundPath, done).wants(t, http.StatusSeeOther, kit.DetailPath)
	sharp := w.send(kit.RefundPath, done, part(ui.DialogID)...)
	sharp.wants(t, http.StatusNoContent, "")
	if sharp.Header.Get("HX-Redirect") != kit.DetailPath {
		t.Errorf("htmx is sent to %q", sharp.Header.Get("HX-Redirect"))
	}
}

func TestFailuresOfPartsStayOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.echo.GET("/broken", func(echo.Context) error { return errors.New("secret of the database") })
	notice := w.send("/broken", nil, part(ui.ResultsID)...)
	notice.wants(t, http.StatusInternalServerError, "")
	notice.says(t, `<div id="notice"`, `role="alert"`, "Something went wrong on our side",
		notice.Header.Get("Request-Id"))
	if notice.Header.Get("HX-Retarget") != "#notice" || notice.Header.Get("HX-Reswap") != "outerHTML" ||
		notice.Header.Get("HX-Push-Url") != "false" {
		t.Errorf("the notice goes to %v", notice.Header)
	}
	dialog := w.send("/broken", nil, part(ui.DialogID)...)
	dialog.says(t, `<div class="dialog-panel"`, "Something went wrong on our side", dialog.Header.Get("Request-Id"))
	if dialog.Header.Get("HX-Retarget") != "" || strings.Contains(notice.body+dialog.body, "secret") ||
		strings.Contains(dialog.body, "<!doctype") {
		t.Errorf("the dialog says\n%s", dialog.body)
	}
}

func TestAnEndedSessionLeadsFromAPartToSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	for current, want := range map[string]string{
		"http://localhost:8080/portal/_kit/list?q=x": "/portal/login?return=%2Fportal%2F_kit%2Flist%3Fq%3Dx",
		"https://evil.example/portal":                "/portal/login",
		"%zz":                                        "/portal/login",
		"":                                           "/portal/login",
	} {
		a := w.send("/portal", nil, append(part(ui.ResultsID), "HX-Current-URL", current)...)
		if a.StatusCode != http.StatusNoContent || a.Header.Get("HX-Redirect") != want {
			t.Errorf("from %q: %d to %q, want %q", current, a.StatusCode, a.Header.Get("HX-Redirect"), want)
		}
	}
}

func TestPagesArePacked(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	lengths := map[int]bool{}
	plain := w.send(web.LoginPath, nil, "Accept-Encoding", "gzip;q=0, br")
	for range 40 {
		a := w.send(web.LoginPath, nil, "Accept-Encoding", "gzip, br")
		z, err := gzip.NewReader(bytes.NewReader([]byte(a.body)))
		if err != nil || a.Header.Get("Content-Encoding") != "gzip" {
			t.Fatalf("%v: %v", a.Header, err)
		}
		page, err := io.ReadAll(z)
		if err != nil || len(page) != len(plain.body) || len(a.body) > len(page)/2 {
			t.Fatalf("%d bytes make %d of %d: %v", len(a.body), len(page), len(plain.body), err)
		}
		lengths[len(a.body)] = true
	}
	if len(lengths) < 10 {
		t.Errorf("the packed page has only the lengths %v", lengths)
	}
	if plain.Header.Get("Content-Encoding") != "" || !slices.Contains(plain.Header.Values("Vary"), "Accept-Encoding") {
		t.Errorf("the plain page has %v", plain.Header)
	}
}

func TestWhatBecameOfAFormIsToldOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	done := w.send(kit.RefundPath, url.Values{"amount": {"25"}})
	c := done.cookie(t, web.FlashCookie)
	if !c.Secure || !c.HttpOnly || c.Path != "/" || c.SameSite != http.SameSiteLaxMode || c.MaxAge != web.FlashAge {
		t.Errorf("the cookie is %s", c)
	}
	header := []string{"Cookie", web.FlashCookie + "=" + c.Value}
	if a := w.send(kit.ListPath, nil, append(header, part(ui.ResultsID)...)...); len(a.Cookies()) != 0 {
		t.Error("a part of a page takes what is for the page")
	}
	told := w.send(kit.DetailPath, nil, header...)
	told.says(t, `class="told" data-tone="success"`, "The refund is on its way.", `href="`+kit.DetailPath+`"`)
	if gone := told.cookie(t, web.FlashCookie); gone.MaxAge >= 0 || gone.Value != "" {
		t.Errorf("the cookie stays: %s", gone)
	}
	for _, value := range []string{"x", "e30", base64.RawURLEncoding.EncodeToString([]byte("{"))} {
		if a := w.send(kit.DetailPath, nil, "Cookie", web.FlashCookie+"="+value); strings.Contains(a.body,
			`class="told"`) {
			t.Errorf("%q is told", value)
		}
	}
	planted := base64.RawURLEncoding.EncodeToString(
		[]byte(`{"Text":"<script>alert(1)</script>","Href":"https://evil.example","Link":"x","Undo":"//evil.example/portal"}`))
	a := w.send(kit.DetailPath, nil, "Cookie", web.FlashCookie+"="+planted)
	a.says(t, "&lt;script&gt;alert(1)")
	if strings.Contains(a.body, "evil.example") {
		t.Error("what was told leads elsewhere")
	}
	r := echo.New().NewContext(httptest.NewRequest(http.MethodPost, "/", nil), httptest.NewRecorder())
	web.SetToast(r, ui.Toast{Text: strings.Repeat("x", web.MaxFlash)})
	if got := r.Response().Header().Get("Set-Cookie"); got != "" {
		t.Errorf("a text that no cookie holds is told by one of %d bytes", len(got))
	}
}

func TestNavigationLeadsWhereThereIsSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	page := w.send("/portal", nil, "Cookie", w.as(authz.RoleSystemAdmin)) // who may open all of them
	page.says(t, `<nav id="side"`, `<a href="/portal" aria-current="page" data-key="g h">`,
		"system_admin.1@example.org", ">KV<")
	reachable := map[string]bool{}
	for _, r := range w.routes() {
		reachable[r.Path] = r.Method == http.MethodGet || reachable[r.Path]
	}
	keys := map[string]bool{}
	for _, s := range web.Sections(text.English.Nav) {
		for _, e := range s.Entries {
			if shown := strings.Contains(page.body, fmt.Sprintf(`<a href="%s" `, e.Href)); shown != reachable[e.Href] {
				t.Errorf("%s is shown: %v", e.Href, shown)
			}
			if keys[e.Key] || len(e.Key) != 3 || e.Icon == "" {
				t.Errorf("%s has the keys %q and the icon %q", e.Href, e.Key, e.Icon)
			}
			keys[e.Key] = true
		}
	}
	for page, entry := range map[string]string{"/portal/charges/ch_1": "/portal/charges",
		"/portal/charges": "/portal/charges", web.Home: web.Home} {
		if !web.Within(page, entry) {
			t.Errorf("%s is not within %s", page, entry)
		}
	}
	if web.Within("/portal/charges", web.Home) || web.Within("/portal/chargesx", "/portal/charges") {
		t.Error("a page is within one that is not its own")
	}
	if out := w.send(web.LoginPath, nil); strings.Contains(out.body, `id="side"`) || strings.Contains(out.body, dana) {
		t.Error("a visitor sees the navigation")
	}
}

func TestKeysCanBeTurnedOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(web.ShortcutsPath, nil).says(t, `data-keys="all"`, "Keyboard shortcuts", `name="keys" value="quiet"`)
	off := w.send(web.KeysPath, url.Values{"keys": {"quiet"}, "return": {"/portal/_kit"}})
	off.wants(t, http.StatusSeeOther, "/portal/_kit")
	c := off.cookie(t, web.KeysCookie)
	w.send(web.ShortcutsPath, nil, "Cookie", web.KeysCookie+"="+c.Value).says(t, `data-keys="quiet"`,
		`name="keys" value="all"`)
	on := w.send(web.KeysPath, url.Values{"keys": {"all"}, "return": {"https://evil.example"}})
	on.wants(t, http.StatusSeeOther, web.Home)
	if c := on.cookie(t, web.KeysCookie); c.MaxAge >= 0 {
		t.Errorf("the cookie stays: %s", c)
	}
	sheet := w.send(web.ShortcutsPath, nil, append(part(ui.DialogID), "Cookie", w.signedIn())...)
	sheet.says(t, ">g h<", `<div class="dialog-panel"`)
}

func TestSampleListIsFilteredByItsAddress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.send(kit.ListPath+"?status=&q=ada&amount_min=", nil).wants(t, http.StatusSeeOther, kit.ListPath+"?q=ada")
	w.send(kit.ListPath+"?q=nobody", nil).says(t, "No results", `href="/portal/_kit/list"`)
	w.send(kit.ListPath+"?status=failed", nil).says(t, "Remove filter: Status",
		`<span class="pill-value">Failed</span>`)
	w.send(kit.SearchPath+"?q=Chen", nil, part(ui.FoundID)...).says(t, "Mei Chen", `data-said="5 results"`)
	w.send(kit.SearchPath+"?q=nothing+at+all", nil).says(t, "No results.")
}
