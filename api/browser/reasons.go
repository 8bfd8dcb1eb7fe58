package browser

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/workflow"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
	"svcpay/views/ui"
)

// noticed is a title and a text above a page. The values are those of the title and then of the text.
func noticed(tone ui.Tone, words [2]string, values ...any) *shared.Notice {
	inTitle := min(strings.Count(words[0], "%"), len(values))
	return &shared.Notice{Tone: tone, Title: pages.Say(words[0], values[:inTitle]...),
		Text: pages.Say(words[1], values[inTitle:]...)}
}

// noticeOf says why a visit ended without an authorization, and what a donor can do now.
func noticeOf(reason provider.VisitReason, w way) *shared.Notice {
	said := w.said.Notices
	words := map[provider.VisitReason][2]string{provider.ReasonSignIn: said.SignIn,
		provider.ReasonFundDown: said.FundDown, provider.ReasonNoAccount: said.NoAccount,
		provider.ReasonNotIntegrated: said.NotIntegrated, provider.ReasonOrganization: said.Organization,
		provider.ReasonMonthly: said.Monthly, provider.ReasonExpired: said.Late}[reason]
	switch reason {
	case provider.ReasonSignIn, provider.ReasonFundDown, provider.ReasonNoAccount:
		return noticed(ui.Warning, words, w.FundName)
	case provider.ReasonOrganization:
		return noticed(ui.Warning, words, w.Merchant)
	}
	return noticed(ui.Warning, words)
}

// unusable says why the fund that a donor chose can't be used now.
func (w way) unusable(err error) *shared.Notice {
	f, refused := workflow.Unusable(err)
	switch {
	case !refused:
		return noticed(ui.Warning, w.said.Notices.Choose)
	case f.Down:
		return noticed(ui.Warning, w.said.Notices.Down, f.Name)
	}
	return noticed(ui.Warning, w.said.Notices.Minimum, f.Name, w.dollars(f.Minimum))
}

// unconfirmed is shown until the provider has the confirmation that a donor gave it.
func (m *modal) unconfirmed(c echo.Context, w way) error {
	said := w.said.Ends
	p := m.page(w, said.Waiting)
	p.Step = 3
	return show(c, http.StatusOK, pages.EndPage(p, pages.End{Tone: ui.Warning, Title: said.WaitingTitle,
		Text: said.WaitingText, Next: w.at("/return"), NextLabel: said.CheckAgain}))
}
