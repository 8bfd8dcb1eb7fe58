package browser

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/apikey"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/static"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// maxForm is how large a form may be, in bytes.
const maxForm = 32 << 10

// ModalConfig is what the pages of the DAF modal work with.
type ModalConfig struct {
	Workflows *workflow.Service
	Static    fs.FS
	// PayURL is the origin of the pages, to which a fund sends donors back.
	PayURL     string
	Production bool
	Limit      *Limit
	Log        *slog.Logger
}

// modal shows the pages.
type modal struct {
	ModalConfig
	files  *static.Bundle
	shown  shared.Files
	action string // where forms may lead, next to the pages' own origin
}

// view is anything that can be drawn.
type view interface {
	Render(ctx context.Context, w io.Writer) error
}

// RegisterModal adds the pages of the DAF modal and what they load. An error means that the front end's build is
// damaged.
func RegisterModal(r Router, c ModalConfig) error {
	b, err := static.LoadBundle(c.Static, "modal")
	if err != nil {
		return err
	}
	m := &modal{ModalConfig: c, files: b, action: c.Workflows.PagesOrigin(), shown: filesOfModal(b)}
	r.Add(http.MethodGet, modalAssets+"*", pageAsset(m.files))
	way := func(method, path string, h func(echo.Context, way) error) {
		r.Add(method, modalPath+":secret"+path, m.on(h))
	}
	way(http.MethodGet, "", m.details)
	way(http.MethodPost, "", m.save)
	way(http.MethodGet, "/fund", m.funds)
	way(http.MethodPost, "/fund", m.choose)
	way(http.MethodGet, "/instructions", m.instructions)
	way(http.MethodPost, "/confirm", m.confirm)
	way(http.MethodGet, "/return", m.returned)
	way(http.MethodGet, "/done", m.done)
	way(http.MethodPost, "/cancel", m.cancel)
	return nil
}

const modalAssets = "/" + modalVersion + "/modal/assets/"

// filesOfModal are the addresses of what pages load; none before the front end is built.
func filesOfModal(b *static.Bundle) shared.Files {
	if !b.Built() {
		return shared.Files{}
	}
	return shared.Files{Style: modalAssets + b.Path("modal.css"), Script: "/" + modalVersion + "/modal.js",
		Htmx: modalAssets + b.Path("htmx.js")}
}

// pageAsset serves the files of pages to these pages alone.
func pageAsset(files *static.Bundle) echo.HandlerFunc {
	return func(c echo.Context) error {
		h := c.Response().Header()
		h.Set(echo.HeaderXContentTypeOptions, "nosniff")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !files.Serve(c.Response(), c.Request(), c.Param("*")) {
			return echo.ErrNotFound
		}
		return nil
	}
}

// way is a donor's way during one request.
type way struct {
	workflow.Workflow
	secret string
	said   *pages.Text // what pages say in the donor's language
}

func wayOf(c echo.Context, found workflow.Workflow, secret string) way {
	return way{found, secret, pages.TextOf(languageOf(c, found.Locale, found.SecretHash != nil))}
}

// languageOf is the language of the page that opened a modal, or, if that page isn't known, of the browser.
func languageOf(c echo.Context, locale text.Language, known bool) text.Language {
	if known {
		return locale
	}
	return text.LanguageOf(c.Request().Header.Get("Accept-Language"))
}

// dollars writes an amount in the donor's language.
func (w way) dollars(a money.Amount) string { return w.said.Language.Dollars(a) }

func (w way) at(path string) string { return modalPath + w.secret + path }

// on makes a handler of a page: it finds the way and shows how it ended where it has.
func (m *modal) on(h func(echo.Context, way) error) echo.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, maxForm)
		secret := c.Param("secret")
		if refused := m.Limit.take(c); refused != nil {
			return m.busy(c, wayOf(c, workflow.Workflow{}, secret), refused)
		}
		found, err := m.Workflows.Get(c.Request().Context(), secret)
		w := wayOf(c, found, secret)
		m.headers(c, w, err)
		switch {
		case crossOrigin.Check(c.Request()) != nil:
			return show(c, http.StatusForbidden,
				m.problem(w, w.said.Ends.Foreign, w.said.Ends.ForeignText))
		case err == nil:
			err = h(c, w)
		}
		if err != nil {
			return m.fail(c, w, err)
		}
		return nil
	}
}

// busy is shown instead of a page that is not looked up. It says no more than that, so it is shown anywhere.
func (m *modal) busy(c echo.Context, w way, refused *fault.Error) error {
	modalHeaders(c.Response().Header(), anyOrigin, m.action)
	retryLater(c, refused)
	p := m.page(w, w.said.Ends.Busy)
	p.Merchant = w.said.Frame.Nonprofit
	return show(c, http.StatusTooManyRequests, pages.EndPage(p, pages.End{Tone: ui.Warning, Title: p.Title,
		Text: w.said.Ends.BusyText, Next: w.at(""), NextLabel: w.said.Frame.TryAgain}))
}

// headers are those of a page of the modal: shown where the public key allows it, never kept.
func (m *modal) headers(c echo.Context, w way, err error) {
	modalHeaders(c.Response().Header(), wayAncestors(w.SecretHash != nil, w.Pages, m.Production, err), m.action)
}

// wayAncestors are the pages that may show what is said about a way.
func wayAncestors(found bool, by apikey.Pages, production bool, err error) string {
	switch {
	case found:
		return frameAncestors(by, production)
	case fault.HasCode(err, "resource_missing"):
		return anyOrigin // it says no more than that there is nothing
	}
	return noOrigin
}

// fail shows in plain words what a donor can do now.
func (m *modal) fail(c echo.Context, w way, err error) error {
	f, known := fault.As(err)
	said := w.said.Ends
	switch {
	case known && f.Code == "resource_missing":
		return show(c, http.StatusNotFound, m.problem(w, said.Missing, said.MissingText))
	case errors.Is(err, workflow.ErrExpired):
		return show(c, http.StatusGone, m.problem(w, said.Expired, said.ExpiredText))
	case known && f.Code == "daf_session_ended":
		return c.Redirect(http.StatusSeeOther, w.at("/done"))
	}
	m.Log.ErrorContext(c.Request().Context(), "a page of the modal failed", "route", c.Path(), "error", err.Error())
	p := m.page(w, said.Failed)
	if w.SecretHash == nil {
		p.Merchant = w.said.Frame.Donation
	}
	return show(c, http.StatusServiceUnavailable, pages.EndPage(p, pages.End{Tone: ui.Warning,
		Title: said.FailedTitle, Text: said.FailedText, Next: w.at("/fund"), NextLabel: w.said.Frame.TryAgain}))
}

// problem is a page that ends a way.
func (m *modal) problem(w way, title, words string) view {
	p := m.page(w, title)
	p.Cancel, p.Step = false, 0
	if w.SecretHash == nil {
		p.Merchant = w.said.Frame.Nonprofit
	}
	return pages.EndPage(p, pages.End{Tone: ui.Warning, Title: title, Text: words})
}

// page is what every page shows of a way.
func (m *modal) page(w way, title string) pages.Page {
	p := pages.Page{Text: w.said, Title: title, Scheme: string(w.Scheme), Files: m.shown, Base: w.at(""),
		Merchant: w.Merchant, Sandbox: !m.Production, Cancel: w.State == workflow.Open}
	p.Files.Htmx = ""
	if p.Scheme == "" {
		p.Scheme = string(workflow.System)
	}
	if a := orAuthorized(w); a != nil {
		p.Amount = w.dollars(*a)
	}
	return p
}

// orAuthorized is the amount that counts by now; nil for none.
func orAuthorized(w way) *money.Amount {
	if w.Authorized != nil {
		return w.Authorized
	}
	return w.Amount
}

// show draws a page.
func show(c echo.Context, status int, v view) error {
	c.Response().Header().Set(echo.HeaderContentType, echo.MIMETextHTMLCharsetUTF8)
	c.Response().WriteHeader(status)
	return v.Render(c.Request().Context(), c.Response())
}

// leads leads to the next page after something was done, unless that failed.
func leads(c echo.Context, to string, err error) error {
	if err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// result is what the page around the modal is told, as the library's event has it.
type result struct {
	Outcome           string       `json:"outcome"`
	WorkflowSessionID string       `json:"workflowSessionId,omitempty"`
	GrantID           string       `json:"grantId,omitempty"`
	Amount            money.Amount `json:"amount,omitempty"` // US cents
	User              *resultUser  `json:"user,omitempty"`
}

type resultUser struct {
	FirstName string `json:"firstName"`
	LastName  string `json:"lastName"`
	Email     string `json:"email"`
	Note      string `json:"note"`
}

func resultOf(w way) (string, error) {
	r := result{Outcome: "canceled"}
	if w.State == workflow.Confirmed {
		r = result{Outcome: "authorized", WorkflowSessionID: w.SessionID, GrantID: w.GrantID, Amount: *w.Authorized,
			User: &resultUser{w.Donor.FirstName, w.Donor.LastName, w.Donor.Email, w.Donor.Note}}
	}
	out, err := json.Marshal(r)
	return string(out), err
}
