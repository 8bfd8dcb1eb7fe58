package browser

import (
	"context"
	"io/fs"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"svcpay/internal/banklink/institution"
	banksandbox "svcpay/internal/banklink/institution/sandbox"
	"svcpay/internal/fault"
	"svcpay/static"
	pages "svcpay/views/bank"
	shared "svcpay/views/modal"
)

// SandboxBanksConfig is what the pages of the sandbox's banks work with.
type SandboxBanksConfig struct {
	Banks  *banksandbox.Banks
	Static fs.FS
}

// bankSite shows the pages of the sandbox's banks. They are a counterparty's: they know a visit and nothing of ours.
type bankSite struct {
	*banksandbox.Banks
	shown shared.Files
}

// RegisterSandboxBanks adds the pages of the sandbox's banks. An error means that the front end's build is damaged.
func RegisterSandboxBanks(r Router, c SandboxBanksConfig) error {
	b, err := static.LoadBundle(c.Static, "modal")
	if err != nil {
		return err
	}
	s := &bankSite{c.Banks, filesOfModal(b)}
	s.shown.Htmx = ""
	r.Add(http.MethodGet, banksandbox.PagesPath+":id",
		s.page(func(context.Context, echo.Context, string) error { return nil }))
	act := func(path string, do visitAct) {
		r.Add(http.MethodPost, banksandbox.PagesPath+":id"+path, s.page(do))
	}
	act("/sign-in", func(ctx context.Context, c echo.Context, id string) error {
		return s.SignIn(ctx, id, c.FormValue("username"), c.FormValue("password"))
	})
	act("/code", func(ctx context.Context, c echo.Context, id string) error {
		return s.Code(ctx, id, c.FormValue("code"))
	})
	act("/show", func(ctx context.Context, _ echo.Context, id string) error { return s.Show(ctx, id) })
	act("/leave", func(ctx context.Context, _ echo.Context, id string) error { return s.Leave(ctx, id) })
	return nil
}

// visitID is the id of the visit that a page is about; false of a text that no database can be asked about.
func visitID(c echo.Context) (id string, sound bool) {
	id = c.Param("id")
	return id, utf8.ValidString(id) && !strings.Contains(id, "\x00")
}

// visitAct does something with a visit.
type visitAct func(ctx context.Context, c echo.Context, id string) error

// visitPage makes a handler of a page about a visit, to which only its own origin may post.
func visitPage(serve func(c echo.Context, id string) error) echo.HandlerFunc {
	crossOrigin := http.NewCrossOriginProtection()
	return func(c echo.Context) error {
		r := c.Request()
		r.Body = http.MaxBytesReader(c.Response(), r.Body, maxForm)
		modalHeaders(c.Response().Header(), anyOrigin, "")
		if crossOrigin.Check(r) != nil {
			return echo.ErrForbidden
		}
		id, sound := visitID(c)
		if !sound {
			return echo.ErrNotFound
		}
		return serve(c, id)
	}
}

// page makes a handler that does something with a visit and shows the next page: the same one with what was wrong,
// the next one, or the way back once it is over.
func (s *bankSite) page(do visitAct) echo.HandlerFunc {
	return visitPage(func(c echo.Context, id string) error {
		r := c.Request()
		_, err := s.Look(r.Context(), id)
		if fault.HasCode(err, "resource_missing") {
			return echo.ErrNotFound
		}
		if err == nil {
			err = do(r.Context(), c, id)
		}
		wrong, refused := fault.As(err)
		if err != nil && !(refused && wrong.Kind == fault.KindInvalid) {
			return err
		}
		look, err := s.Look(r.Context(), id)
		if err != nil {
			return err
		}
		switch {
		case r.Method == http.MethodGet, wrong != nil:
			return s.draw(c, look, wrong)
		case look.Step == banksandbox.Over && look.State != institution.VisitFailed:
			return c.Redirect(http.StatusSeeOther, look.Return)
		}
		return c.Redirect(http.StatusSeeOther, banksandbox.PagesPath+id)
	})
}

// draw shows the page of a step.
func (s *bankSite) draw(c echo.Context, l banksandbox.Look, wrong *fault.Error) error {
	v := pages.Visit{Base: banksandbox.PagesPath + l.ID, Files: s.shown, Bank: l.Bank, Return: l.Return,
		Password: banksandbox.Password,
		Code:     banksandbox.Code, Username: c.FormValue("username")}
	for _, a := range l.Accounts {
		v.Accounts = append(v.Accounts, accountOf(pages.TextOf("en"), a))
	}
	for _, p := range banksandbox.Personas() {
		v.Personas = append(v.Personas, pages.Persona{Username: p.Username, What: p.What})
	}
	status := http.StatusOK
	if wrong != nil {
		status, v.Problem, v.Field = http.StatusUnprocessableEntity, wrong.Message, wrong.Param
	}
	switch l.Step {
	case banksandbox.SignIn:
		return show(c, status, pages.SignInPage(v))
	case banksandbox.SecondFactor:
		return show(c, status, pages.CodePage(v))
	case banksandbox.Consent:
		return show(c, status, pages.ConsentPage(v))
	}
	if l.State == institution.VisitFailed {
		return show(c, status,
			pages.OverPage(v, "We could not go on",
				"Your sign-in was refused, you have no account that can be debited, or it took too long."))
	}
	return show(c, status, pages.OverPage(v, "Finished", "Go back to go on with your payment."))
}
