package portal

import (
	"strconv"

	"svcpay/internal/dispute"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/ui"
)

// response is a dispute with the page before it is responded to.
type response struct {
	dispute dispute.Dispute
	page    views.Answer
}

func drawResponse(c *web.Request, of response, in web.Input) error {
	of.page.Problems = in.Problems
	return web.Render(c, in.Status, views.AnswerPage(c.Page(of.page.Title), of.page))
}

// responded leads back to the dispute: the outcome may still be unknown.
func responded(c *web.Request, of response, out dispute.Result, words string, err error) (web.Done, error) {
	done, err := web.Saved(of.page.Back, words, web.RefusalOf(out, err))
	if out.Unknown {
		done.Toast = ui.Toast{Tone: ui.Info, Text: c.Text().Disputes.OnItsWay}
	}
	return done, err
}

// evidenceReview is the page before evidence is submitted.
func (p *Portal) evidenceReview() web.Form[response] {
	return web.Form[response]{Draw: drawResponse, Once: true, Title: otherTitle,
		Load: func(c *web.Request) (out response, err error) {
			if out.dispute, err = p.dispute(c); err != nil {
				return out, err
			}
			d, t := out.dispute, c.Text().Disputes
			at := disputesPath + "/" + d.ID.String()
			out.page = views.Answer{Title: t.ReviewTitle, Text: t.ReviewText, Action: at + "/review", Back: at, Once: web.NewOnce(),
				Version: strconv.Itoa(d.Version), Given: givenFacts(t, d), Warning: ui.Banner{Tone: ui.Warning, Title: t.Once}, Label: t.Submit}
			if len(d.Evidence) == 0 && len(d.EvidenceFiles) == 0 {
				out.page.Warning = ui.Banner{Tone: ui.Warning, Title: t.Nothing, Text: t.NothingText}
			}
			out.page.Files, err = p.evidenceFiles(c, d)
			return out, err
		},
		Do: func(c *web.Request, of response, in web.Input) (web.Done, error) {
			d, version := of.dispute, in.IfVersion()
			if version == nil {
				version = new(int)
			}
			out, err := p.Disputes.SubmitEvidence(c.Ctx(), c.Actor(), d.ID.String(),
				dispute.EvidenceInput{Evidence: d.Evidence, Files: fileIDs(d.EvidenceFiles), IfVersion: version}, in.Claim)
			return responded(c, of, out, c.Text().Disputes.Submitted, err)
		}}
}

// disputeAcceptance is the page before a chargeback is accepted.
func (p *Portal) disputeAcceptance() web.Form[response] {
	return web.Form[response]{Draw: drawResponse, Once: true, Title: otherTitle,
		Load: func(c *web.Request) (out response, err error) {
			d, err := p.dispute(c)
			t, at := c.Text(), disputesPath+"/"+d.ID.String()
			return response{d, views.Answer{Title: t.Disputes.AcceptTitle, Text: t.Disputes.AcceptText, Action: at + "/accept", Back: at,
				Once: web.NewOnce(), Version: strconv.Itoa(d.Version), Label: t.Disputes.Keep, Grave: true,
				Warning: ui.Banner{Tone: ui.Warning, Title: t.Disputes.AcceptWhat(t.Money(d.Amount, d.Currency)), Text: t.Disputes.AcceptOnce}}}, err
		},
		Do: func(c *web.Request, of response, in web.Input) (web.Done, error) {
			out, err := p.Disputes.Accept(c.Ctx(), c.Actor(), of.dispute.ID.String(), in.Claim)
			return responded(c, of, out, c.Text().Disputes.Accepted, err)
		}}
}
