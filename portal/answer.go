package portal

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/views"
	"svcpay/views/ui"
)

// answered shows a review again whose answer was refused, or goes on to the dispute.
func (p *Portal) answered(c echo.Context, d dispute.Dispute, out dispute.Result, err error, a views.Answer, done string) error {
	if !out.Unknown {
		_, err = settled(out, err)
	}
	if above, _, ok := problems(say(c), err, say(c).Failures.Other, nil); ok {
		refused, _ := fault.As(err)
		a.Problems = above
		return render(c, statusOf(refused.Kind), views.AnswerPage(p.page(c, a.Title), a))
	}
	if err != nil {
		return err
	}
	told := ui.Toast{Tone: ui.Success, Text: done}
	if out.Unknown {
		told = ui.Toast{Tone: ui.Info, Text: say(c).Disputes.OnItsWay}
	}
	tell(c, told)
	return seeOther(c, disputesPath+"/"+d.ID.String())
}

// review is the page before evidence is handed in.
func (p *Portal) review(c echo.Context) (d dispute.Dispute, out views.Answer, err error) {
	d, err = p.Disputes.Get(c.Request().Context(), actor(c), c.Param("id"))
	if err != nil {
		return d, out, err
	}
	t, at := say(c).Disputes, disputesPath+"/"+d.ID.String()
	out = views.Answer{Title: t.ReviewTitle, Text: t.ReviewText, Action: at + "/review", Back: at, Once: newOnce(), Version: strconv.Itoa(d.Version),
		Given: givenFacts(t, d), Warning: ui.Banner{Tone: ui.Warning, Title: t.Once}, Label: t.Submit}
	if len(d.Evidence) == 0 && len(d.EvidenceFiles) == 0 {
		out.Warning = ui.Banner{Tone: ui.Warning, Title: t.Nothing, Text: t.NothingText}
	}
	out.Files, err = p.evidenceFiles(c, d)
	return d, out, err
}

func (p *Portal) reviewEvidence(c echo.Context) error {
	_, view, err := p.review(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.AnswerPage(p.page(c, view.Title), view))
}

func (p *Portal) submitEvidence(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	d, view, err := p.review(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(form.Get(versionField))
	in := dispute.EvidenceInput{Evidence: d.Evidence, Files: fileIDs(d.EvidenceFiles), IfVersion: &version}
	out, err := patiently(c.Request().Context(), func() (dispute.Result, error) {
		return p.Disputes.SubmitEvidence(c.Request().Context(), actor(c), d.ID.String(), in, claim)
	})
	return p.answered(c, d, out, err, view, say(c).Disputes.Submitted)
}

// disputeAcceptance is the page before a chargeback is given up.
func (p *Portal) disputeAcceptance(c echo.Context) (d dispute.Dispute, out views.Answer, err error) {
	d, err = p.Disputes.Get(c.Request().Context(), actor(c), c.Param("id"))
	t, at := say(c), disputesPath+"/"+d.ID.String()
	return d, views.Answer{Title: t.Disputes.AcceptTitle, Text: t.Disputes.AcceptText, Action: at + "/accept", Back: at, Once: newOnce(),
		Version: strconv.Itoa(d.Version), Label: t.Disputes.Keep, Grave: true,
		Warning: ui.Banner{Tone: ui.Warning, Title: t.Disputes.AcceptWhat(t.Money(d.Amount, d.Currency)), Text: t.Disputes.AcceptOnce}}, err
}

func (p *Portal) reviewAcceptance(c echo.Context) error {
	_, view, err := p.disputeAcceptance(c)
	if err != nil {
		return err
	}
	return render(c, http.StatusOK, views.AnswerPage(p.page(c, view.Title), view))
}

func (p *Portal) acceptDispute(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	d, view, err := p.disputeAcceptance(c)
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	out, err := patiently(c.Request().Context(), func() (dispute.Result, error) {
		return p.Disputes.Accept(c.Request().Context(), actor(c), d.ID.String(), claim)
	})
	return p.answered(c, d, out, err, view, say(c).Disputes.Accepted)
}
