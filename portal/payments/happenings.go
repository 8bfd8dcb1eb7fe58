package payments

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"svcpay/internal/ids"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/operation"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/statement"
	"svcpay/internal/report/timeline"
	"svcpay/internal/webhook"
	"svcpay/portal/web"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// happeningsAtOnce is how many entries a timeline begins with.
const happeningsAtOnce = 30

// signs say how an event looks in a timeline; what is not here is a dot.
var signs = map[string]struct {
	tone ui.Tone
	icon ui.IconName
}{
	"charge.created": {ui.Neutral, ui.IconCharge}, "charge.authorized": {ui.Info, ui.IconTick},
	"charge.captured": {ui.Success, ui.IconTick},
	"charge.pending":  {ui.Info, ui.IconClock}, "charge.settled": {ui.Success, ui.IconDone},
	"charge.failed": {ui.Danger, ui.IconProblem},
	"charge.voided": {ui.Neutral, ui.IconVoid}, "charge.expired": {ui.Neutral, ui.IconClock},
	"charge.returned": {ui.Danger, ui.IconProblem},
	"refund.created":  {ui.Info, ui.IconRefund}, "refund.succeeded": {ui.Success, ui.IconRefund},
	"refund.failed":   {ui.Danger, ui.IconRefund},
	"refund.canceled": {ui.Neutral, ui.IconRefund}, "dispute.created": {ui.Warning, ui.IconDispute},
	"dispute.won":  {ui.Success, ui.IconDispute},
	"dispute.lost": {ui.Danger, ui.IconDispute}, "payout.created": {ui.Neutral, ui.IconPayout},
	"payout.paid":   {ui.Success, ui.IconPayout},
	"payout.failed": {ui.Danger, ui.IconPayout}, "payout.returned": {ui.Danger, ui.IconPayout},
}

// told once: what an event of a charge says that one of its refund or dispute says, too.
var repeated = []string{"amount_refund_pending", "amount_refunded", "amount_refundable", "amount_disputed",
	"amount_returned",
	"dispute_fee_total", "net", "net_after_reversals"}

// says reports whether an entry tells something that no other does. A call that was approved led to an event.
func says(h timeline.Entry) bool {
	if strings.HasPrefix(h.Type, "call.") {
		return h.Status != string(operation.Approved)
	}
	return h.Type != "charge.refunded" && (h.Type != "charge.updated" ||
		slices.ContainsFunc(h.Changed, func(name string) bool { return !slices.Contains(repeated, name) }))
}

// addHappenings reads a page of a charge's timeline, and the request that made the charge.
func (p *Pages) addHappenings(c *web.Request, of *chargePage) error {
	ctx, a := c.Ctx(), c.Actor()
	in := page.Input[ids.Happening]{Limit: happeningsAtOnce}
	if id, err := ids.ParseHappening(c.QueryParam("after")); err == nil {
		in.After = id
	}
	all, err := p.Timelines.OfCharge(ctx, a, of.charge.ID.String(), in)
	if err != nil {
		return err
	}
	if err := p.addRequest(c, of); err != nil {
		return err
	}
	sent, err := p.sentOf(c, all.Items)
	if err != nil {
		return err
	}
	fees, err := p.feesPosted(c, of.charge.ID)
	if err != nil {
		return err
	}
	if n := len(all.Items); all.HasMore {
		of.earlier = all.Items[n-1].ID.String()
	}
	receipts, err := p.receiptsSent(c, of.charge.ID)
	if err != nil {
		return err
	}
	of.happened = entriesOf(c.Text(), *of, all, sent, append(fees, receipts...))
	return nil
}

// addRequest reads the request that made the charge, and what the processor answered to it.
func (p *Pages) addRequest(c *web.Request, of *chargePage) error {
	first, err := p.Timelines.OfCharge(c.Ctx(), c.Actor(), of.charge.ID.String(),
		page.Input[ids.Happening]{Limit: 2, Ascending: true})
	if err != nil || len(first.Items) == 0 || first.Items[0].RequestID == nil {
		return err
	}
	if last := first.Items[len(first.Items)-1]; strings.HasPrefix(last.Type, "call.") {
		of.answered = last
	}
	of.asked = first.Items[0].RequestID.String()
	log, err := p.RequestLogs.Get(c.Ctx(), c.Actor(), of.asked)
	if log.KeyName != "" {
		of.request = &log
	}
	return web.IfAllowed(err)
}

// entriesOf are the entries of a timeline, the latest first, with the fees and failed webhooks of the same time.
func entriesOf(t *text.Catalogue, of chargePage, all page.Of[timeline.Entry], sent map[ids.Event][]webhook.Delivery,
	fees []ui.Happening) (out []ui.Happening) {
	keys := map[ids.Request]*string{} // which calls know, and the events of the same request do not
	for _, h := range all.Items {
		if h.RequestID != nil && h.IdempotencyKey != nil {
			keys[*h.RequestID] = h.IdempotencyKey
		}
	}
	for _, h := range all.Items {
		if h.EventID != nil {
			for _, d := range sent[*h.EventID] {
				if d.Status == "failed" || d.Status == "pending" && d.LastError != nil {
					out = append(out,
						ui.Happening{Tone: ui.Warning, Icon: ui.IconWebhook, Title: t.Charge.WebhookFailed(hostOf(d)),
							At: d.CreatedAt.Time})
				}
			}
		}
		if says(h) {
			if h.RequestID != nil && h.IdempotencyKey == nil {
				h.IdempotencyKey = keys[*h.RequestID]
			}
			out = append(out, entryOf(t, of, h, sent))
		}
	}
	n := len(all.Items)
	for _, f := range fees {
		if n > 0 && all.HasMore && f.At.Before(all.Items[n-1].CreatedAt.Time) {
			continue // on a later page
		}
		// after what they were posted for
		at := slices.IndexFunc(out, func(h ui.Happening) bool { return !h.At.After(f.At) })
		if at < 0 {
			at = len(out)
		}
		out = slices.Insert(out, at, f)
	}
	return out
}

// hostOf is where a delivery was last sent to; "" before it was.
func hostOf(d webhook.Delivery) string {
	if len(d.Attempts) == 0 {
		return ""
	}
	return web.EndpointHost(d.Attempts[len(d.Attempts)-1].URL)
}

func entryOf(t *text.Catalogue, of chargePage, h timeline.Entry, sent map[ids.Event][]webhook.Delivery) ui.Happening {
	sign := signs[h.Type]
	out := ui.Happening{Tone: sign.tone, Icon: sign.icon, Title: cmp.Or(t.Charge.Happenings[h.Type], h.Type),
		At: h.CreatedAt.Time}
	later := h.Type == "refund.failed" && refund.IsLater(web.Deref(h.Failure))
	if later {
		out.Title = t.Charge.Happenings[text.RefundFailedLater]
	}
	if h.Type == "charge.failed" && blockedWords(t, of.charge) != "" {
		out.Title = t.CardRules.BlockedAs(web.RuleName(t, of.charge.Failure.Rule))
	}
	switch {
	case h.Type == "charge.captured":
		out.Amount = ui.Amount(of.charge.AmountCaptured)
	case h.Type == "refund.succeeded":
		out.Amount = ui.Amount(-h.Amount)
	case strings.HasPrefix(h.Type, "charge.") &&
		h.Type != "charge.updated", h.Type == "refund.created", h.Type == "dispute.created", later:
		out.Amount = ui.Amount(h.Amount)
	}
	switch {
	case h.RefundID != nil:
		out.Href = web.ObjectPage(of.places, web.RefundsPath, h.RefundID.String())
	case h.DisputeID != nil:
		out.Href = web.ObjectPage(of.places, web.DisputesPath, h.DisputeID.String())
	case h.PayoutID != nil:
		out.Href = web.ObjectPage(of.places, web.PayoutsPath, h.PayoutID.String())
	}
	if !strings.HasPrefix(h.Type, "call.") {
		out.By = byWhom(t, of, h)
	}
	if pairs := moreOf(t, h, sent); len(pairs) > 0 {
		out.Detail = ui.KeyValue(pairs)
	}
	return out
}

// byWhom names who made something happen; "" for what happened on its own.
func byWhom(t *text.Catalogue, of chargePage, h timeline.Entry) string {
	for _, r := range of.refunds {
		if h.RefundID != nil && r.ID == *h.RefundID && h.Type == "refund.created" {
			return cmp.Or(r.InitiatedBy.User, r.InitiatedBy.KeyName, t.Charge.Sources[h.Source])
		}
	}
	switch {
	case h.Source == "job":
		return ""
	case of.request != nil && h.RequestID != nil && h.RequestID.String() == of.asked:
		return of.request.KeyName
	}
	return t.Charge.Sources[h.Source]
}

// moreOf is what is shown of an entry on demand.
func moreOf(t *text.Catalogue, h timeline.Entry, sent map[ids.Event][]webhook.Delivery) (out []ui.Pair) {
	add := func(key string, value *string) {
		if value != nil && *value != "" {
			out = append(out, ui.Pair{Key: key, Value: *value})
		}
	}
	add(t.Charge.Failure, h.Failure)
	if changed := strings.Join(h.Changed, ", "); h.Type == "charge.updated" || h.Type == "dispute.updated" {
		add(t.Charge.Changed, &changed)
	}
	if strings.HasPrefix(h.Type, "call.") {
		add(t.Charge.Answered, new(cmp.Or(t.Charge.States[h.Status], h.Status)))
		add(t.Charge.Reference, h.Reference)
		add(t.Charge.ProcessorID, h.ProcessorID)
		add(t.Charge.ProcessorCode, h.ProcessorCode)
		add(t.Charge.AuthorizationCode, h.AuthorizationCode)
	}
	if h.RequestID != nil {
		add(t.Charge.Request, new(h.RequestID.String()))
		add(t.Charge.Key, h.IdempotencyKey)
	}
	if h.EventID != nil {
		add(t.Charge.Event, new(h.EventID.String()))
		for _, d := range sent[*h.EventID] {
			out = append(out,
				ui.Pair{Key: t.Charge.Webhook, Value: t.Charge.WebhookOf(hostOf(d), t.Charge.Deliveries[d.Status])})
		}
	}
	return out
}

// sentOf are the webhooks of some entries, for who may see them.
func (p *Pages) sentOf(c *web.Request, all []timeline.Entry) (map[ids.Event][]webhook.Delivery, error) {
	var events []ids.Event
	for _, h := range all {
		if h.EventID != nil {
			events = append(events, *h.EventID)
		}
	}
	found, err := p.Webhooks.OfEvents(c.Ctx(), c.Actor(), events)
	if err = web.IfAllowed(err); err != nil {
		return nil, err
	}
	out := map[ids.Event][]webhook.Delivery{}
	for _, d := range found {
		out[d.EventID] = append(out[d.EventID], d)
	}
	return out, nil
}

// feesPosted are the fees of a charge as entries of its timeline, those of one moment together.
func (p *Pages) feesPosted(c *web.Request, id ids.Charge) (out []ui.Happening, err error) {
	entries, err := p.Ledger.List(c.Ctx(), c.Actor(),
		ledger.ListInput{Page: page.Input[ids.Entry]{Limit: 200}, Charge: &id})
	if err = web.IfAllowed(err); err != nil {
		return nil, err
	}
	t := c.Text()
	var lines []ui.Pair
	var sum money.Amount
	for i, e := range entries.Items {
		if statement.GroupOf(e.Kind) != statement.Fees {
			continue
		}
		lines, sum = append(lines,
			ui.Pair{Key: cmp.Or(t.MerchantFees.Names[e.Kind], e.Kind), Value: t.Amount(e.Amount)}), sum+e.Amount
		if next := nextFee(entries.Items[i+1:]); next == nil || !next.CreatedAt.Equal(e.CreatedAt.Time) {
			if sum != 0 { // reversed and posted again at the same moment
				out = append(out, ui.Happening{Icon: ui.IconFee, Title: t.Charge.FeesPosted, At: e.CreatedAt.Time,
					Amount: ui.Amount(sum), Detail: ui.KeyValue(lines)})
			}
			lines, sum = nil, 0
		}
	}
	return out, nil
}

func nextFee(entries []ledger.Entry) *ledger.Entry {
	for i, e := range entries {
		if statement.GroupOf(e.Kind) == statement.Fees {
			return &entries[i]
		}
	}
	return nil
}

// timelineOf draws a page of a timeline that goes on at the same address.
func timelineOf(path string, of chargePage) ui.Timeline {
	out := ui.Timeline{Entries: of.happened}
	if of.earlier != "" {
		out.Earlier = web.WithQuery(path, url.Values{"after": {of.earlier}})
	}
	return out
}
