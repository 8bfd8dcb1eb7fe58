package payments

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/report/timeline"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// dispute reads the dispute that the address names.
func (p *Pages) dispute(c *web.Request) (dispute.Dispute, error) {
	return p.Disputes.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Pages) showDispute(c *web.Request, d dispute.Dispute) error {
	return p.disputePage(c, http.StatusOK, d, evidenceForm(c.Text().Disputes, d, d.Evidence))
}

// disputePage shows a dispute, with a draft that may have to be mended.
func (p *Pages) disputePage(c *web.Request, status int, d dispute.Dispute, f views.EvidenceForm) error {
	with, err := p.contested(c, d)
	if err != nil {
		return err
	}
	banner, err := p.disputeBanner(c, d, with.now)
	if err != nil {
		return err
	}
	files, err := p.evidenceFiles(c, d)
	if err != nil {
		return err
	}
	happened, err := p.Timelines.OfCharge(c.Ctx(), c.Actor(), d.ChargeID.String(),
		page.Input[ids.Happening]{Limit: 200})
	if err != nil {
		return err
	}
	view := disputeView(c, d, with)
	view.Banner, view.Files, view.Timeline = banner, files, disputeTimeline(c.Text(), d, happened.Items)
	f.Files = files
	respondOrGiven(c, d, &view, f, d.Status == dispute.NeedsResponse && with.now.Before(d.RespondBy.Time))
	return web.Render(c, status, views.DisputePage(c.Page(view.Title), view))
}

// disputeView is what a dispute's page says of it, without what can be done.
func disputeView(c *web.Request, d dispute.Dispute, with contested) views.Dispute {
	t := c.Text()
	payer, _ := paidBy(t, with.charges[d.ChargeID])
	view := views.Dispute{Title: t.Money(d.Amount, d.Currency),
		Text: payer + " → " + with.merchants.Names[d.MerchantID], Tone: disputeTone(d.Status),
		Status: t.Disputes.Statuses[string(d.Status)], Back: web.DisputesPath, Currency: d.Currency,
		Facts: disputeFacts(c,
			d, with), JSON: web.Indented(d)}
	view.Moved, view.MoneyText = moneyOf(t.Disputes, d)
	view.Effect = -d.FeeTotal
	for _, one := range view.Moved {
		view.Effect += one.Amount
	}
	for _, l := range d.Fees {
		view.Fees = append(view.Fees,
			views.FeeLine{Name: t.Disputes.Kinds[strings.TrimSuffix(l.Fee, "_fee")], Amount: l.Amount})
	}
	return view
}

// respondOrGiven adds the form by which a dispute is responded to; where the visitor cannot, what it was responded
// with.
func respondOrGiven(c *web.Request, d dispute.Dispute, view *views.Dispute, f views.EvidenceForm, open bool) {
	t := c.Text().Disputes
	if open && c.May(authz.DisputeAnswer) {
		view.Form, view.Accept = f, acceptButton(t, d)
		return
	}
	view.Given, view.NoEvidence = givenFacts(t, d), t.NoEvidence
	switch {
	case d.EvidenceSubmittedAt != nil:
		view.GivenText = t.Answered
	case open:
		view.NoEvidence = t.NoEvidenceYet
	case len(view.Given) > 0 || len(d.EvidenceFiles) > 0:
		view.GivenText = t.NotSubmitted
	}
}

// acceptButton accepts a chargeback; a retrieval has nothing to accept.
func acceptButton(t text.Disputes, d dispute.Dispute) ui.Button {
	if d.Kind == dispute.Retrieval {
		return ui.Button{} // it asks for documents only
	}
	return ui.Button{Label: t.Accept, Variant: ui.Outline, Dialog: true, Href: web.DisputesPath + "/" + d.ID.String() +
		"/accept"}
}

// moneyOf is what a dispute has moved on the merchant's balance so far, without fees, and why. A retrieval moves
// nothing.
func moneyOf(t text.Disputes, d dispute.Dispute) (moved []views.DisputeMove, why string) {
	taken := views.DisputeMove{Label: t.Disputed, Amount: -d.Amount}
	switch {
	case d.Kind == dispute.Retrieval:
		return nil, t.NoMoney
	case d.Status == dispute.Won:
		return []views.DisputeMove{taken, {Label: t.Released, Amount: d.Amount}}, t.WonText + " " + t.FeesText
	case d.Status == dispute.Lost || d.Status == dispute.Accepted:
		return []views.DisputeMove{taken}, t.LostText + " " + t.FeesText
	}
	return []views.DisputeMove{taken}, t.Held + ". " + t.FeesText
}

// disputeBanner says where a dispute stands, and what there is to do.
func (p *Pages) disputeBanner(c *web.Request, d dispute.Dispute, now time.Time) (ui.Banner, error) {
	t := c.Text().Disputes
	if d.Status == dispute.NeedsResponse && now.Before(d.RespondBy.Time) {
		return p.dueBanner(c, d, now)
	}
	return closedBanner(t, d), nil
}

// closedBanner says where a dispute stands that takes no response, or none any longer.
func closedBanner(t text.Disputes, d dispute.Dispute) ui.Banner {
	switch d.Status {
	case dispute.UnderReview:
		return ui.Banner{Tone: ui.Info, Title: t.ReviewingTitles[string(d.Kind)], Text: t.ReviewingText}
	case dispute.Won:
		return ui.Banner{Tone: ui.Success, Title: t.WonTitle, Text: t.WonText}
	case dispute.Lost:
		return ui.Banner{Tone: ui.Neutral, Title: t.LostTitle, Text: t.LostText}
	case dispute.Accepted:
		return ui.Banner{Tone: ui.Neutral, Title: t.AcceptedTitle, Text: t.AcceptedText}
	case dispute.Closed:
		return ui.Banner{Tone: ui.Neutral, Title: t.ClosedTitle, Text: t.ClosedText}
	case dispute.NeedsResponse:
	}
	return ui.Banner{Tone: ui.Warning, Title: t.LateTitle, Text: t.OffOver}
}

// dueBanner says by when a dispute is to be responded to, and what with; or, to a visitor whose role cannot, who is to.
func (p *Pages) dueBanner(c *web.Request, d dispute.Dispute, now time.Time) (ui.Banner, error) {
	t := c.Text().Disputes
	when, tone := web.DueIn(c, d.RespondBy.Time, now)
	if c.May(authz.DisputeAnswer) {
		return ui.Banner{Tone: tone, Title: t.DueTitle(when), Text: t.DueTexts[string(d.Kind)]}, nil
	}
	owner, err := p.Merchants.Get(c.Ctx(), c.Actor(), d.MerchantID)
	return ui.Banner{Tone: tone, Title: t.WaitingFor(owner.Organization.Name), Text: t.OffRight(when)}, err
}

func disputeFacts(c *web.Request, d dispute.Dispute, with contested) []ui.Fact {
	t := c.Text()
	payer, method := paidBy(t, with.charges[d.ChargeID])
	meaning := ""
	if d.ClosedAt == nil {
		meaning = t.Disputes.KindTexts[string(d.Kind)]
	}
	out := web.Facts{
		{Key: t.Disputes.ID, Value: ui.Copied(t.Disputes.ID, d.ID.String())},
		{Key: t.Disputes.Respond, Value: ui.Time(d.RespondBy.Time)},
		{Key: t.Disputes.Kind, Value: ui.Two(t.Disputes.Kinds[string(d.Kind)], meaning)},
		{Key: t.Disputes.Reason, Value: ui.Plain(reasonOf(t, d.Reason))},
		{Key: t.Disputes.Charge, Value: ui.Linked(t.Money(with.charges[d.ChargeID].Amount, d.Currency),
			web.ObjectPage(c.Reachable(), web.ChargesPath, d.ChargeID.String()))},
		{Key: t.Disputes.Payer, Value: ui.Two(payer, method)},
		{Key: t.Disputes.Merchant, Value: ui.Linked(with.merchants.Names[d.MerchantID], web.MerchantPage(c.Reachable(), d.MerchantID))},
		{Key: t.Disputes.Created, Value: ui.Time(d.CreatedAt.Time)},
	}
	out.Time(t.Disputes.Escalated, d.EscalatedAt)
	out.Time(t.Disputes.SubmittedAt, d.EvidenceSubmittedAt)
	out.Time(t.Disputes.Closed, d.ClosedAt)
	return append(out, ui.Fact{Key: t.Disputes.Network, Value: ui.Copied(t.Disputes.Network, d.Processor.Dispute)})
}

// disputeTimeline says what happened to a dispute, out of what happened to its charge, the latest first.
func disputeTimeline(t *text.Catalogue, d dispute.Dispute, all []timeline.Entry) ui.Timeline {
	var out ui.Timeline
	for _, h := range all {
		if h.DisputeID == nil || *h.DisputeID != d.ID {
			continue
		}
		one := ui.Happening{Title: t.Disputes.Happened[eventOf(h)], At: h.CreatedAt.Time}
		switch {
		case strings.HasPrefix(h.Type, "call."):
			one.Icon, one.Title = ui.IconSend, t.Disputes.CallSent
			if h.FinishedAt == nil {
				one.Tone, one.Title = ui.Warning, t.Disputes.CallWaits
			}
		case h.Type == "dispute.created":
			one.Icon, one.Tone, one.Amount = ui.IconDispute, ui.Warning, ui.Amount(d.Amount)
		default:
			one.Tone = disputeTone(dispute.Status(h.Status))
		}
		out.Entries = append(out.Entries, one)
	}
	return out
}

// eventOf tells changes of a dispute apart that its events call by one name.
func eventOf(h timeline.Entry) string {
	switch {
	case h.Type != "dispute.updated":
		return h.Type
	case slices.Contains(h.Changed, "kind"):
		return "escalated"
	case slices.Contains(h.Changed, "status"):
		return "submitted"
	case slices.Contains(h.Changed, "evidence") || slices.Contains(h.Changed, "evidence_files"):
		return "draft"
	}
	return h.Type
}

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
func (p *Pages) evidenceReview() web.Form[response] {
	return web.Form[response]{Draw: drawResponse, Once: true, Title: web.OtherTitle,
		Load: func(c *web.Request) (out response, err error) {
			if out.dispute, err = p.dispute(c); err != nil {
				return out, err
			}
			d, t := out.dispute, c.Text().Disputes
			at := web.DisputesPath + "/" + d.ID.String()
			out.page = views.Answer{Title: t.ReviewTitle, Text: t.ReviewText, Action: at + "/review", Back: at,
				Once: web.NewOnce(), Version: strconv.Itoa(d.Version), Given: givenFacts(t, d),
				Warning: ui.Banner{Tone: ui.Warning, Title: t.Once}, Label: t.Submit}
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
				dispute.EvidenceInput{Evidence: d.Evidence, Files: fileIDs(d.EvidenceFiles), IfVersion: version},
				in.Claim)
			return responded(c, of, out, c.Text().Disputes.Submitted, err)
		}}
}

// disputeAcceptance is the page before a chargeback is accepted.
func (p *Pages) disputeAcceptance() web.Form[response] {
	return web.Form[response]{Draw: drawResponse, Once: true, Title: web.OtherTitle,
		Load: func(c *web.Request) (out response, err error) {
			d, err := p.dispute(c)
			t, at := c.Text(), web.DisputesPath+"/"+d.ID.String()
			return response{
				d, views.Answer{Title: t.Disputes.AcceptTitle, Text: t.Disputes.AcceptText,
					Action: at + "/accept", Back: at,
					Once: web.NewOnce(), Version: strconv.Itoa(d.Version), Label: t.Disputes.Keep, Grave: true,
					Warning: ui.Banner{Tone: ui.Warning, Title: t.Disputes.AcceptWhat(t.Money(d.Amount, d.Currency)),
						Text: t.Disputes.AcceptOnce}}}, err
		},
		Do: func(c *web.Request, of response, in web.Input) (web.Done, error) {
			out, err := p.Disputes.Accept(c.Ctx(), c.Actor(), of.dispute.ID.String(), in.Claim)
			return responded(c, of, out, c.Text().Disputes.Accepted, err)
		}}
}
