package browser

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/static"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
	"svcpay/views/ui"
)

// VisitsConfig is what the pages work with that load Chariot's component.
type VisitsConfig struct {
	Visits     *chariot.Provider
	Workflows  *workflow.Service
	Static     fs.FS
	PayURL     string // to which donors return
	Production bool
	Limit      *Limit
	Log        *slog.Logger
	Now        func() time.Time
}

// visits are the pages. They have an origin of their own, and nothing else is there: Chariot's script runs on them.
type visits struct {
	VisitsConfig
	files *static.Bundle
	shown shared.Files
}

// visitAssets begins the addresses of what the pages load from their own origin.
const visitAssets = "/daf/assets/"

// RegisterVisits adds the pages of visits at Chariot. An error means that the front end's build is damaged.
func RegisterVisits(r Router, c VisitsConfig) error {
	b, err := static.LoadBundle(c.Static, "modal")
	if err != nil {
		return err
	}
	v := &visits{VisitsConfig: c, files: b}
	if b.Built() {
		v.shown = shared.Files{Style: visitAssets + b.Path("modal.css"), Script: visitAssets + b.Path("visit.js")}
	}
	cl := &client{ClientConfig{Limit: c.Limit, Log: c.Log, Now: c.Now}}
	r.Add(http.MethodGet, visitAssets+"*", pageAsset(v.files))
	r.Add(http.MethodGet, chariot.PagesPath+":id", v.page)
	r.Add(http.MethodPost, chariot.PagesPath+":id/authorized", cl.answer(v.authorized))
	r.Add(http.MethodPost, chariot.PagesPath+":id/exit", cl.answer(v.exited))
	return nil
}

// component is what the page's script passes to Chariot's component.
type component struct {
	Script    string       `json:"script"`
	ConnectID string       `json:"connectId"`
	FundID    string       `json:"fundId"`
	Amount    money.Amount `json:"amount"` // US cents
	Reference string       `json:"reference"`
	FirstName string       `json:"firstName,omitempty"`
	LastName  string       `json:"lastName,omitempty"`
	Email     string       `json:"email,omitempty"`
	Phone     string       `json:"phone,omitempty"`
	Note      string       `json:"note,omitempty"`
	Anonymous bool         `json:"anonymous"`
}

// page shows the component. A visit that is over leads back to the modal, which shows the outcome.
func (v *visits) page(c echo.Context) error {
	h, ctx := c.Response().Header(), c.Request().Context()
	at := v.Visits.Component()
	visitHeaders(h, noOrigin, at, v.PayURL)
	id, sound := visitID(c)
	said := wayOf(c, workflow.Workflow{}, "").said
	if refused := v.Limit.take(c); refused != nil {
		visitHeaders(h, anyOrigin, at, v.PayURL)
		retryLater(c, refused)
		return v.end(c, http.StatusTooManyRequests, said.Ends.BusyVisits, said.Ends.BusyText, c.Request().URL.Path)
	}
	if !sound {
		return echo.ErrNotFound
	}
	look, err := v.Visits.Look(ctx, id)
	if fault.HasCode(err, "resource_missing") {
		visitHeaders(h, anyOrigin, at, v.PayURL)
		return v.end(c, http.StatusNotFound, said.Ends.MissingPage, said.Ends.MissingText, "")
	}
	if err != nil {
		return err
	}
	w, err := v.Workflows.Visited(ctx, look.Reference)
	if look.State != provider.VisitOpen || errors.Is(err, workflow.ErrExpired) ||
		fault.HasCode(err, "resource_missing") || err == nil && w.State != workflow.Open {
		return c.Redirect(http.StatusSeeOther, look.Return)
	}
	if err != nil {
		return err
	}
	visitHeaders(h, frameAncestors(w.Pages, v.Production), at, v.PayURL)
	return v.show(c, w, look, at)
}

func (v *visits) show(c echo.Context, w workflow.Workflow, look chariot.Look, at chariot.Component) error {
	d, said := look.Donor, pages.TextOf(w.Locale)
	passed, err := json.Marshal(component{Script: at.Script, ConnectID: look.ConnectID, FundID: look.FundID,
		Amount: look.Amount, Reference: look.Reference, FirstName: d.FirstName, LastName: d.LastName, Email: d.Email,
		Phone: d.Phone, Note: chariot.NoteOf(d), Anonymous: d.Anonymous})
	if err != nil {
		return err
	}
	words, err := json.Marshal(scriptWords{Unreached: said.Visit.Unreached, Unsaved: said.Visit.Unsaved,
		Unrepeated: said.Visit.Unrepeated, Unloaded: said.Visit.Unloaded, Refused: said.Reports})
	if err != nil {
		return err
	}
	p := pages.Page{Text: said, Title: said.Visit.Name, Scheme: string(w.Scheme), Files: v.shown, Merchant: w.Merchant,
		Amount: said.Language.Dollars(look.Amount), Step: 3, Sandbox: !v.Production}
	return show(c, http.StatusOK,
		pages.VisitPage(p, w.FundName, c.Request().URL.Path, string(passed), string(words)))
}

// scriptWords are what the page's script says: about its connection, and about reports that were refused, by code.
type scriptWords struct {
	Unreached  string            `json:"unreached"`
	Unsaved    string            `json:"unsaved"`
	Unrepeated string            `json:"unrepeated"`
	Unloaded   string            `json:"unloaded"`
	Refused    map[string]string `json:"refused"`
}

// end shows what a donor can do where there is no visit to show.
func (v *visits) end(c echo.Context, status int, title, words, next string) error {
	said := wayOf(c, workflow.Workflow{}, "").said
	p := pages.Page{Text: said, Title: title, Scheme: string(workflow.System), Files: v.shown,
		Merchant: said.Frame.Nonprofit}
	p.Files.Script = ""
	return show(c, status, pages.EndPage(p, pages.End{Tone: ui.Warning, Title: title, Text: words, Next: next,
		NextLabel: said.Frame.TryAgain}))
}

// next is where the donor goes after a report that was accepted.
type next struct {
	Next string `json:"next"`
}

type authorizedReport struct {
	Session string       `json:"session"`
	Amount  money.Amount `json:"amount"`
	FundID  string       `json:"fundId"`
	Age     int          `json:"age"` // seconds since the donor authorized
}

// authorized records that the component reported an authorization. It is not believed before Chariot took the grant.
func (v *visits) authorized(c echo.Context) (int, any, error) {
	var in authorizedReport
	return v.report(c, &in, func(id string) error {
		// A visit's longest life in seconds is more than any age that is accepted.
		return v.Visits.Succeeded(c.Request().Context(), id, chariot.Success{Session: in.Session, Amount: in.Amount,
			FundID: in.FundID, Age: time.Duration(min(in.Age, 1<<20)) * time.Second})
	})
}

type exitReport struct {
	Reason  string `json:"reason"`
	Session string `json:"session"`
}

// exited records that the component reported an exit, with its reason.
func (v *visits) exited(c echo.Context) (int, any, error) {
	var in exitReport
	return v.report(c, &in, func(id string) error {
		return v.Visits.Exited(c.Request().Context(), id, chariot.Exit{Reason: in.Reason, Session: in.Session})
	})
}

// errNoVisit is of a report about a visit that there is not, or not any more.
var errNoVisit = fault.New(fault.KindConflict, "daf_visit_missing",
	"This visit no longer exists. Close this window and start again from the donation page.")

func (v *visits) report(c echo.Context, in any, take func(id string) error) (int, any, error) {
	if err := decode(c.Request(), in); err != nil {
		return 0, nil, err
	}
	id, sound := visitID(c)
	if !sound {
		return 0, nil, errNoVisit
	}
	look, err := v.Visits.Look(c.Request().Context(), id)
	if err == nil {
		err = take(id)
	}
	switch {
	case fault.HasCode(err, "resource_missing"):
		return 0, nil, errNoVisit
	case fault.HasCode(err, "daf_visit_over"): // the modal shows how it ended
		err = nil
	}
	return http.StatusOK, next{look.Return}, err
}
