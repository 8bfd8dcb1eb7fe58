package browser

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf/provider"
	pages "svcpay/views/daf"
	shared "svcpay/views/modal"
	"svcpay/views/ui"
)

// noticeOf says why a visit ended without an authorization, and what a donor can do now.
func noticeOf(reason provider.VisitReason, w way) *shared.Notice {
	n := map[provider.VisitReason]shared.Notice{
		provider.ReasonSignIn: {Title: "The sign-in at " + w.FundName + " failed",
			Text: "Nothing was authorized. Check your username, password and code there, or choose another fund."},
		provider.ReasonFundDown: {Title: w.FundName + " can’t be reached at present",
			Text: "Nothing was authorized. Try again later, or choose another fund."},
		provider.ReasonNoAccount: {Title: "There is no account to give from",
			Text: "This sign-in has no donor-advised fund at " + w.FundName + ". Choose another fund."},
		provider.ReasonNotIntegrated: {Title: "You make this grant yourself",
			Text: "The fund that you chose takes no authorization here. Choose it in this list to see how to make the grant."},
		provider.ReasonOrganization: {Title: w.Merchant + " can’t accept this grant at present",
			Text: "Nothing was authorized. Choose a fund on whose website you make the grant yourself, or cancel below."},
		provider.ReasonMonthly: {Title: "Only single grants can be given here",
			Text: "Nothing was authorized. Choose your fund again and give once."},
		provider.ReasonExpired: {Title: "The time is over",
			Text: "An authorization is good for 15 minutes. Nothing was given. Choose your fund to authorize again."},
	}[reason]
	n.Tone = ui.Warning
	return &n
}

// unconfirmed is shown until the provider has the confirmation that a donor gave it.
func (m *modal) unconfirmed(c echo.Context, w way) error {
	p := m.page(w, "Your confirmation")
	p.Step = 3
	return m.show(c, http.StatusOK, pages.EndPage(p, pages.End{Tone: ui.Warning,
		Title: "We are waiting for your confirmation",
		Text:  "We can’t see yet that you make this grant yourself. This can take a minute. Please check again.",
		Next:  w.at("/return"), NextLabel: "Check again"}))
}
