package overview

import (
	"cmp"
	"context"
	"net/url"
	"slices"
	"time"

	"svcpay/internal/apikey"
	"svcpay/internal/authz"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views/ui"
)

// mostUrgent is how many disputes the home page names.
const mostUrgent = 4

// failsWithin is how long after its creation a refund is expected to fail, and mostRefunds how many failed refunds of
// that time are looked at.
const (
	failsWithin = 60 * 24 * time.Hour
	mostRefunds = 50
)

// pageOfOne reports whether there is anything.
var pageOfOne = page.Input[ids.Charge]{Limit: 1}

// waitingDisputes are those that wait for an answer, the one that is due first before the others.
type waitingDisputes struct {
	all  []dispute.Dispute
	more bool // than were read
}

func (p *Pages) waitingDisputes(c *web.Request) (out waitingDisputes, err error) {
	found, err := p.Disputes.List(c.Ctx(), c.Actor(), dispute.ListInput{Page: page.Input[ids.Dispute]{Limit: 200},
		Statuses: []string{string(dispute.NeedsResponse)}})
	if err = web.IfAllowed(err); err != nil {
		return out, err
	}
	slices.SortFunc(found.Items, func(x, y dispute.Dispute) int { return x.RespondBy.Compare(y.RespondBy.Time) })
	return waitingDisputes{found.Items, found.HasMore}, nil
}

// disputeStat is how much is disputed, and how many disputes wait.
func (p *Pages) disputeStat(c *web.Request, d dashboard) ui.Stat {
	t := c.Text()
	var sum money.Amount
	n := int64(0)
	for _, one := range d.disputes.all {
		if one.Currency == d.currency {
			sum, n = sum+one.Amount, n+1
		}
	}
	out := ui.Stat{Label: t.Dashboard.Disputes, Value: ui.Money(sum, d.currency), Note: t.Dashboard.NoneOpen}
	if n > 0 {
		out.Note = t.Dashboard.DisputeCount(n)
	}
	if web.Among(c.Reachable(), web.DisputesPath) != "" {
		out.Href = web.WithQuery(web.DisputesPath, url.Values{"status": {string(dispute.NeedsResponse)}})
	}
	return out
}

// attention is what waits for someone, the most urgent first.
func (p *Pages) attention(c *web.Request, d dashboard) (out []ui.Task, err error) {
	for _, part := range []func(*web.Request, dashboard) ([]ui.Task, error){p.disputesToAnswer, p.failingWebhooks,
		p.pausedPayouts, p.failedRefunds, p.missingFees} {
		some, err := part(c, d)
		if err = web.IfAllowed(err); err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	return out, nil
}

// disputesToAnswer are the disputes that are due first; to a visitor whose role cannot respond, whom each waits for.
func (p *Pages) disputesToAnswer(c *web.Request, d dashboard) (out []ui.Task, err error) {
	t, places, answers := c.Text(), c.Reachable(), c.May(authz.DisputeAnswer)
	first := d.disputes.all[:min(mostUrgent, len(d.disputes.all))]
	owner, err := p.Merchants.Several(c.Ctx(), c.Actor(),
		web.OwnersOf(first, func(one dispute.Dispute) int64 { return one.MerchantID }))
	for _, one := range first {
		when, tone := web.DueIn(c, one.RespondBy.Time, d.at)
		amount, of := t.Money(one.Amount, one.Currency), owner[one.MerchantID]
		words := t.Dashboard.DisputeWaits(amount, of.Organization.Name)
		if answers {
			words = t.Dashboard.AnswerDispute(amount)
		}
		out = append(out, ui.Task{Tone: tone, Text: words, Note: of.Name, Due: when,
			Href: cmp.Or(web.ObjectPage(places, web.DisputesPath, one.ID.String()),
				web.ObjectPage(places, web.ChargesPath, one.ChargeID.String()))})
	}
	if more := len(d.disputes.all) - len(first); more > 0 {
		out = append(out,
			ui.Task{Tone: ui.Warning, Text: t.Dashboard.MoreDisputes(more), Href: web.Among(places, web.DisputesPath)})
	}
	return out, err
}

// pausedPayouts are the merchants that are not paid out.
func (p *Pages) pausedPayouts(c *web.Request, _ dashboard) (out []ui.Task, err error) {
	t, places, yes := c.Text(), c.Reachable(), true
	paused, err := p.Merchants.List(c.Ctx(), c.Actor(),
		merchant.ListInput{Page: page.Input[int64]{Limit: mostUrgent}, PayoutsPaused: &yes})
	for _, m := range paused.Items {
		at := cmp.Or(web.MerchantTab(places, m.ID, "payouts"), web.MerchantPage(places, m.ID))
		next := t.Dashboard.ResumeWaits(m.Organization.Name)
		if c.May(authz.PayoutResume) {
			next = t.Dashboard.Resume
		}
		out = append(out,
			ui.Task{Tone: ui.Danger, Text: t.Dashboard.PayoutsPaused(m.Name),
				Note: t.Dashboard.PausedReasons[string(*m.PayoutsPausedReason)] + " " + next, Href: at})
	}
	if paused.HasMore && places[web.MerchantsPath] {
		out = append(out, ui.Task{Tone: ui.Danger, Text: t.Dashboard.MorePaused,
			Href: web.WithQuery(web.MerchantsPath, url.Values{"paused": {"on"}})})
	}
	return out, err
}

// missingFees are the merchants that pay no fees since the application has no defaults, for those who may set them.
func (p *Pages) missingFees(c *web.Request, _ dashboard) ([]ui.Task, error) {
	n, err := p.Fees.WithoutFees(c.Ctx(), c.Actor())
	if err != nil || n == 0 {
		return nil, err
	}
	t := c.Text().Dashboard
	return []ui.Task{{Tone: ui.Warning, Text: t.NoFees(int(n)), Note: t.NoFeesNote, Href: web.FeesPath + "/defaults"}},
		nil
}

// lateFirst orders failed refunds: those that had succeeded first, as no one expects their failure, and then the latest
// failure first.
func lateFirst(a, b refund.Refund) int {
	if a.FailedLater() != b.FailedLater() {
		if a.FailedLater() {
			return -1
		}
		return 1
	}
	return b.FailedAt.Compare(a.FailedAt.Time)
}

// failedRefunds are the refunds that failed in the last week: at once, or up to [failsWithin] after they were created.
func (p *Pages) failedRefunds(c *web.Request, d dashboard) (out []ui.Task, err error) {
	t, week := c.Text(), d.last.AddDate(0, 0, -7)
	in := refund.ListInput{Page: page.Input[ids.Refund]{Limit: mostRefunds}, Statuses: []string{string(refund.Failed)},
		Created: page.Times{From: new(week.Add(-failsWithin))}}
	lost, err := p.Refunds.List(c.Ctx(), c.Actor(), in)
	if err != nil {
		return nil, err
	}
	in.Late = true
	late, err := p.Refunds.List(c.Ctx(), c.Actor(), in)
	if err != nil {
		return nil, err
	}
	lost.Items = slices.DeleteFunc(lost.Items, refund.Refund.FailedLater)
	lost.Items = slices.DeleteFunc(append(late.Items, lost.Items...),
		func(r refund.Refund) bool { return r.FailedAt.Before(week) })
	slices.SortStableFunc(lost.Items, lateFirst)
	lost.Items = lost.Items[:min(len(lost.Items), mostUrgent)]
	owner, err := p.Merchants.SummariesOf(c.Ctx(), c.Actor(),
		web.OwnersOf(lost.Items, func(r refund.Refund) int64 { return r.MerchantID }))
	for _, r := range lost.Items {
		out = append(out, ui.Task{Tone: ui.Danger, Text: t.Dashboard.RefundFailed(t.Money(r.Amount, r.Currency)),
			Note: owner[r.MerchantID].Name, Href: web.RefundsPath + "/" + r.ID.String()})
	}
	return out, err
}

// failingWebhooks are the endpoints that events do not reach, for who may see them.
func (p *Pages) failingWebhooks(c *web.Request, _ dashboard) (out []ui.Task, err error) {
	if !c.May(authz.WebhookRead) {
		return nil, nil
	}
	all, err := p.Webhooks.List(c.Ctx(), c.Actor(), webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 100},
		Statuses: []string{string(webhook.Enabled), string(webhook.Paused)}})
	if err != nil {
		return nil, err
	}
	t, viewer := c.Text(), c.Viewer()
	for _, e := range all.Items {
		host := web.EndpointHost(e.URL)
		task := ui.Task{Tone: ui.Warning, Icon: ui.IconWebhook, Text: t.Dashboard.WebhookFails(host),
			Href: web.ObjectPage(c.Reachable(), web.WebhooksPath, e.ID.String())}
		if e.Status == webhook.Paused {
			task.Tone, task.Text = ui.Danger, t.Dashboard.WebhookPaused(host)
		} else if e.FailingSince == nil {
			continue
		}
		task.Note = web.Deref(e.Description)
		if e.FailingSince != nil {
			task.Note = web.Joined(task.Note, t.Dashboard.FailsSince(viewer.Time(e.FailingSince.Time)))
		}
		out = append(out, task)
	}
	return out, nil
}

func (p *Pages) hasKey(ctx context.Context, a authz.Actor) (bool, error) {
	keys, err := p.APIKeys.List(ctx, a, apikey.ListInput{Page: page.Input[ids.Key]{Limit: 1}})
	return len(keys.Items) > 0, err
}

func (p *Pages) hasEndpoint(ctx context.Context, a authz.Actor) (bool, error) {
	some, err := p.Webhooks.List(ctx, a, webhook.ListInput{Page: page.Input[ids.Endpoint]{Limit: 1}})
	return len(some.Items) > 0, err
}

// bankPlace is where a first merchant's bank account is added.
func bankPlace(places map[string]bool, here web.Payees) string {
	if len(here.First) == 0 {
		return ""
	}
	return web.MerchantTab(places, here.First[0].ID, "payouts")
}

// enrollPlace is where the first merchant that may accept grants is enrolled, and whether one is; "" where none may.
func enrollPlace(places map[string]bool, here web.Payees) (at string, enrolled bool) {
	for _, m := range here.First {
		if !m.Eligible() {
			continue
		}
		at = cmp.Or(at, web.MerchantTab(places, m.ID, "daf"))
		enrolled = enrolled || m.Enrolled
	}
	return at, enrolled
}

// hasBank reports whether the first merchant can be paid out.
func (p *Pages) hasBank(ctx context.Context, a authz.Actor, here web.Payees) (bool, error) {
	_, err := p.Payouts.BankAccountOf(ctx, a, here.First[0].ID)
	return err == nil, web.IfAllowed(err)
}
