package browser

import (
	"encoding/json"
	"io/fs"
	"log/slog"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/banklink"
	"svcpay/internal/fault"
	"svcpay/internal/processor"
	"svcpay/internal/token"
	"svcpay/static"
	pages "svcpay/views/bank"
	shared "svcpay/views/modal"
	"svcpay/views/ui"
)

// linkPath begins the address of a payer's way through the modal for bank accounts, before its secret.
const linkPath = "/" + modalVersion + "/modal/bank/"

type linkRequest struct {
	Session string           `json:"session"`
	Scheme  processor.Scheme `json:"scheme"`
	Locale  string           `json:"locale"`
	Colors  string           `json:"color_scheme"` // of the page: light or dark
}

type linkAnswer struct {
	Path string `json:"path"`
}

// beginLink starts a payer's way through the modal, which the page shows at the path.
func (cl *client) beginLink(c echo.Context) (int, any, error) {
	var in linkRequest
	if err := decode(c.Request(), &in); err != nil {
		return 0, nil, err
	}
	secret, err := cl.Links.Begin(c.Request().Context(),
		banklink.BeginInput{SessionID: in.Session, Scheme: in.Scheme, Locale: in.Locale, ColorScheme: in.Colors})
	return http.StatusCreated, linkAnswer{linkPath + secret}, err
}

// redeemLink makes the token of what a payer authorized in the modal.
func (cl *client) redeemLink(c echo.Context, key string, in tokenRequest) (token.Created, error) {
	return cl.Links.Redeem(c.Request().Context(),
		banklink.RedeemInput{SessionID: in.Session, RetryKey: key, Authorization: in.Authorization,
			Country: in.Country, Billing: in.Billing})
}

// LinkConfig is what the pages of the modal for bank accounts work with.
type LinkConfig struct {
	Links  *banklink.Service
	Static fs.FS
	// PayURL is the origin of the pages, to which a bank sends payers back.
	PayURL     string
	Production bool
	Limit      *Limit
	Log        *slog.Logger
}

// linkModal shows the pages.
type linkModal struct {
	LinkConfig
	shown  shared.Files
	action string // where forms may lead, next to the pages' own origin
}

// RegisterLink adds the pages of the modal for bank accounts. What they load is added by [RegisterModal]. An error
// means that the front end's build is damaged.
func RegisterLink(r Router, c LinkConfig) error {
	b, err := static.LoadBundle(c.Static, "modal")
	if err != nil {
		return err
	}
	m := &linkModal{LinkConfig: c, shown: filesOfModal(b), action: c.Links.PagesOrigin()}
	add := func(method, path string, h func(echo.Context, payerWay) error) {
		r.Add(method, linkPath+":secret"+path, m.on(h))
	}
	// A way that is over has no other page than its last.
	open := func(method, path string, h func(echo.Context, payerWay) error) {
		add(method, path, func(c echo.Context, w payerWay) error {
			if w.State != banklink.Open {
				return banklink.ErrEnded
			}
			return h(c, w)
		})
	}
	open(http.MethodGet, "", m.start)
	open(http.MethodGet, "/account", m.form)
	add(http.MethodPost, "/account", m.submit)
	open(http.MethodGet, "/banks", m.banks)
	open(http.MethodPost, "/banks", m.chooseBank)
	open(http.MethodGet, "/return", m.returned)
	open(http.MethodGet, "/accounts", m.accounts)
	add(http.MethodPost, "/accounts", m.chooseAccount)
	open(http.MethodGet, "/mandate", m.mandate)
	add(http.MethodPost, "/mandate", m.accept)
	add(http.MethodPost, "/cancel", m.cancel)
	add(http.MethodGet, "/done", m.done)
	return nil
}

// payerWay is a payer's way during one request.
type payerWay struct {
	banklink.Link
	secret string
	said   *pages.Text // what pages say in the payer's language
}

func payerWayOf(c echo.Context, found banklink.Link, secret string) payerWay {
	return payerWay{found, secret, pages.TextOf(languageOf(c, found.Locale, found.SecretHash != nil))}
}

func (w payerWay) at(path string) string { return linkPath + w.secret + path }

// on makes a handler of a page: it finds the way and shows how it ended where it has.
func (m *linkModal) on(h func(echo.Context, payerWay) error) echo.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		c.Request().Body = http.MaxBytesReader(c.Response(), c.Request().Body, maxForm)
		secret := c.Param("secret")
		if refused := m.Limit.take(c); refused != nil {
			return m.busy(c, payerWayOf(c, banklink.Link{}, secret), refused)
		}
		found, err := m.Links.Get(c.Request().Context(), secret)
		w := payerWayOf(c, found, secret)
		m.headers(c, w, err)
		switch {
		case crossOrigin.Check(c.Request()) != nil:
			return show(c, http.StatusForbidden, m.problem(w, w.said.Foreign, w.said.ForeignText))
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
func (m *linkModal) busy(c echo.Context, w payerWay, refused *fault.Error) error {
	modalHeaders(c.Response().Header(), anyOrigin, m.action)
	retryLater(c, refused)
	t := w.said
	return show(c, http.StatusTooManyRequests,
		pages.EndPage(m.page(w, t.Busy), pages.End{Tone: ui.Warning, Title: t.Busy, Text: t.BusyText, Next: w.at(""),
			NextLabel: t.Again}))
}

// headers are those of a page of the modal: shown where the public key allows it, never kept.
func (m *linkModal) headers(c echo.Context, w payerWay, err error) {
	modalHeaders(c.Response().Header(), wayAncestors(w.SecretHash != nil, w.Pages, m.Production, err), m.action)
}

// fail shows in plain words what a payer can do now.
func (m *linkModal) fail(c echo.Context, w payerWay, err error) error {
	t := w.said
	switch {
	case fault.HasCode(err, "resource_missing"):
		return show(c, http.StatusNotFound, m.problem(w, t.Missing, t.MissingText))
	case fault.HasCode(err, banklink.ErrExpired.Code):
		return show(c, http.StatusGone, m.problem(w, t.Expired, t.ExpiredText))
	case fault.HasCode(err, banklink.ErrEnded.Code):
		return c.Redirect(http.StatusSeeOther, w.at("/done"))
	}
	m.Log.ErrorContext(c.Request().Context(), "a page of the modal failed", "route", c.Path(), "error", err.Error())
	p := m.page(w, t.Broken)
	return show(c, http.StatusServiceUnavailable,
		pages.EndPage(p, pages.End{Tone: ui.Warning, Title: t.Broken, Text: t.BrokenText, Next: w.at(""),
			NextLabel: t.Again}))
}

// problem is a page that ends a way.
func (m *linkModal) problem(w payerWay, title, words string) view {
	p := m.page(w, title)
	p.Leave = false
	return pages.EndPage(p, pages.End{Tone: ui.Warning, Title: title, Text: words})
}

// page is what every page shows of a way.
func (m *linkModal) page(w payerWay, title string) pages.Page {
	p := pages.Page{Text: w.said, Title: title, Scheme: w.ColorScheme, Files: m.shown, Base: w.at(""),
		Merchant: w.Merchant, Sandbox: !m.Production,
		Leave: w.State == banklink.Open}
	p.Files.Htmx = ""
	if w.SecretHash == nil {
		p.Scheme, p.Merchant = "system", "SvcPay"
	}
	return p
}

// linkResult is what the page around the modal is told.
type linkResult struct {
	Outcome       string `json:"outcome"`
	Authorization string `json:"authorization,omitempty"`
}

// done is the last page, which tells the page around the modal how it ended.
func (m *linkModal) done(c echo.Context, w payerWay) error {
	t := w.said
	end, result := pages.End{Tone: ui.Neutral, Title: t.Canceled, Text: t.CanceledText}, linkResult{Outcome: "canceled"}
	switch {
	case w.State == banklink.Open:
		return c.Redirect(http.StatusSeeOther, w.at(""))
	case w.State == banklink.Authorized:
		end, result = pages.End{Tone: ui.Success, Title: t.Authorized, Text: t.AuthorizedText}, linkResult{
			"authorized", w.AuthorizationID}
		if w.AccountKey == "" && w.Scheme == processor.ACH {
			end.More = t.Pending
		}
	}
	told, err := json.Marshal(result)
	if err != nil {
		return err
	}
	p := m.page(w, end.Title)
	p.Result = string(told)
	return show(c, http.StatusOK, pages.EndPage(p, end))
}

func (m *linkModal) cancel(c echo.Context, w payerWay) error {
	return leads(c, w.at("/done"), m.Links.Cancel(c.Request().Context(), w.secret))
}
