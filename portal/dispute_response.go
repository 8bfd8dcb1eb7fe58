package portal

import (
	"net/http"
	"strconv"

	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// answered shows a review again whose answer was refused, or goes on to the dispute.
func (p *Portal) answered(c *web.Request, d dispute.Dispute, out dispute.Result, err error, a views.Answer, done string) error {
	if !out.Unknown {
		_, err = web.Settled(out, err)
	}
	if above, _, ok := web.Problems(c.Text(), err, c.Text().Failures.Other, nil); ok {
		refused, _ := fault.As(err)
		a.Problems = above
		return web.Render(c, web.StatusOf(refused.Kind), views.AnswerPage(c.Page(a.Title), a))
	}
	if err != nil {
		return err
	}
	told := ui.Toast{Tone: ui.Success, Text: done}
	if out.Unknown {
		told = ui.Toast{Tone: ui.Info, Text: c.Text().Disputes.OnItsWay}
	}
	web.Tell(c, told)
	return web.SeeOther(c, disputesPath+"/"+d.ID.String())
}

// review is the page before evidence is handed in.
func (p *Portal) review(c *web.Request) (d dispute.Dispute, out views.Answer, err error) {
	d, err = p.Disputes.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return d, out, err
	}
	t, at := c.Text().Disputes, disputesPath+"/"+d.ID.String()
	out = views.Answer{Title: t.ReviewTitle, Text: t.ReviewText, Action: at + "/review", Back: at, Once: web.NewOnce(), Version: strconv.Itoa(d.Version),
		Given: givenFacts(t, d), Warning: ui.Banner{Tone: ui.Warning, Title: t.Once}, Label: t.Submit}
	if len(d.Evidence) == 0 && len(d.EvidenceFiles) == 0 {
		out.Warning = ui.Banner{Tone: ui.Warning, Title: t.Nothing, Text: t.NothingText}
	}
	out.Files, err = p.evidenceFiles(c, d)
	return d, out, err
}

func (p *Portal) reviewEvidence(c *web.Request) error {
	_, view, err := p.review(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AnswerPage(c.Page(view.Title), view))
}

func (p *Portal) submitEvidence(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	d, view, err := p.review(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(form.Get(web.VersionField))
	in := dispute.EvidenceInput{Evidence: d.Evidence, Files: fileIDs(d.EvidenceFiles), IfVersion: &version}
	out, err := web.WaitForOutcome(c.Ctx(), func() (dispute.Result, error) {
		return p.Disputes.SubmitEvidence(c.Ctx(), c.Actor(), d.ID.String(), in, claim)
	})
	return p.answered(c, d, out, err, view, c.Text().Disputes.Submitted)
}

// disputeAcceptance is the page before a chargeback is given up.
func (p *Portal) disputeAcceptance(c *web.Request) (d dispute.Dispute, out views.Answer, err error) {
	d, err = p.Disputes.Get(c.Ctx(), c.Actor(), c.Param("id"))
	t, at := c.Text(), disputesPath+"/"+d.ID.String()
	return d, views.Answer{Title: t.Disputes.AcceptTitle, Text: t.Disputes.AcceptText, Action: at + "/accept", Back: at, Once: web.NewOnce(),
		Version: strconv.Itoa(d.Version), Label: t.Disputes.Keep, Grave: true,
		Warning: ui.Banner{Tone: ui.Warning, Title: t.Disputes.AcceptWhat(t.Money(d.Amount, d.Currency)), Text: t.Disputes.AcceptOnce}}, err
}

func (p *Portal) reviewAcceptance(c *web.Request) error {
	_, view, err := p.disputeAcceptance(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AnswerPage(c.Page(view.Title), view))
}

func (p *Portal) acceptDispute(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	d, view, err := p.disputeAcceptance(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	out, err := web.WaitForOutcome(c.Ctx(), func() (dispute.Result, error) {
		return p.Disputes.Accept(c.Ctx(), c.Actor(), d.ID.String(), claim)
	})
	return p.answered(c, d, out, err, view, c.Text().Disputes.Accepted)
}
