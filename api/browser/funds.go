package browser

import (
	"context"
	"io/fs"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/fault"
	"svcpay/internal/sandbox/kit"
	"svcpay/static"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
)

// SandboxFundsConfig is what the pages of the sandbox's funds work with.
type SandboxFundsConfig struct {
	Funds  *dafsandbox.Provider
	Static fs.FS
}

// fundSite shows the pages of the sandbox's funds. They are a counterparty's: they know a visit and nothing of ours.
type fundSite struct {
	*dafsandbox.Provider
	shown shared.Files
}

// RegisterSandboxFunds adds the pages of the sandbox's funds. An error means that the front end's build is damaged.
func RegisterSandboxFunds(r Router, c SandboxFundsConfig) error {
	b, err := static.LoadBundle(c.Static, "modal")
	if err != nil {
		return err
	}
	s := &fundSite{c.Funds, filesOfModal(b)}
	s.shown.Htmx = ""
	r.Add(http.MethodGet, dafsandbox.PagesPath+":id",
		s.page(func(context.Context, echo.Context, string) error { return nil }))
	act := func(path string, do visitAct) {
		r.Add(http.MethodPost, dafsandbox.PagesPath+":id"+path, s.page(do))
	}
	act("/sign-in", func(ctx context.Context, c echo.Context, id string) error {
		return s.SignIn(ctx, id, c.FormValue("username"), c.FormValue("password"))
	})
	act("/code", func(ctx context.Context, c echo.Context, id string) error {
		return s.Code(ctx, id, c.FormValue("code"))
	})
	act("/account", func(ctx context.Context, c echo.Context, id string) error {
		return s.Choose(ctx, id, c.FormValue("account"))
	})
	act("/back", func(ctx context.Context, _ echo.Context, id string) error { return s.Back(ctx, id) })
	act("/authorize", func(ctx context.Context, c echo.Context, id string) error {
		return s.Authorize(ctx, id, c.FormValue("amount"))
	})
	act("/leave", func(ctx context.Context, _ echo.Context, id string) error { return s.Leave(ctx, id) })
	return nil
}

// page makes a handler that does something with a visit and shows the next page: the same one with what was wrong,
// the next one, or the way back once it is over.
func (s *fundSite) page(do visitAct) echo.HandlerFunc {
	return visitPage(func(c echo.Context, id string) error {
		r := c.Request()
		err := do(r.Context(), c, id)
		wrong, refused := fault.As(err)
		if err != nil && !refused && err != kit.ErrNoAnswer {
			return err
		}
		look, lookErr := s.Look(r.Context(), id)
		switch {
		case fault.HasCode(lookErr, "resource_missing"):
			return echo.ErrNotFound
		case lookErr != nil:
			return lookErr
		case r.Method == http.MethodGet, refused && wrong.Kind == fault.KindInvalid:
			return s.show(c, look, wrong)
		case look.Step == dafsandbox.Over && look.State != provider.VisitFailed:
			return c.Redirect(http.StatusSeeOther, look.Return)
		}
		return c.Redirect(http.StatusSeeOther, dafsandbox.PagesPath+id)
	})
}

// show draws the page of a step.
func (s *fundSite) show(c echo.Context, l dafsandbox.Look, wrong *fault.Error) error {
	v := pages.Visit{Base: dafsandbox.PagesPath + l.ID, Files: s.shown, Fund: l.Fund, Organization: l.Organization,
		Amount: strings.TrimPrefix(l.Amount.Dollars(), "$"), Shown: l.Amount.Dollars(), Note: l.Donor.Note,
		Return: l.Return, Password: dafsandbox.Password, Username: c.FormValue("username"), Back: len(l.Accounts) > 1,
		Chosen: pages.Account{Name: l.Chosen.Name, Balance: l.Chosen.Balance.Dollars()}}
	for _, a := range l.Accounts {
		v.Accounts = append(v.Accounts, pages.Account{Key: a.Key, Name: a.Name, Balance: a.Balance.Dollars()})
	}
	for _, p := range dafsandbox.Personas() {
		v.Personas = append(v.Personas, pages.Persona{Username: p.Username, What: p.What})
	}
	status := http.StatusOK
	if wrong != nil {
		status, v.Problem, v.Field = http.StatusUnprocessableEntity, wrong.Message, wrong.Param
		if v.Field == "amount" && c.FormValue("amount") != "" {
			v.Amount = c.FormValue("amount")
		}
	}
	return show(c, status, v.For(string(l.Step), string(l.State)))
}
