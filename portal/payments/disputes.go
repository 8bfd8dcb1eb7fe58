package payments

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// dueShown is how many disputes that need a response stand above the list.
const dueShown = 50

func (p *Pages) disputeRoutes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(web.DisputesPath, authz.DisputeRead, p.disputeList().Show).Grows(),
		web.Get(web.DisputesPath+".csv", authz.ExportCreate, p.disputeList().Send).Grows(),
		web.Get(web.DisputesPath+"/:id", authz.DisputeRead, web.Show(p.dispute, p.showDispute)),
		web.Post(web.EvidencePath, authz.DisputeAnswer, p.saveEvidence).Streams(),
	}, p.evidenceReview().Routes(web.DisputesPath+"/:id/review", authz.DisputeAnswer),
		p.disputeAcceptance().Routes(web.DisputesPath+"/:id/accept", authz.DisputeAnswer))
}

func disputeInput(c *web.Request, at page.Input[ids.Dispute]) dispute.ListInput {
	query := c.QueryParams()
	in := dispute.ListInput{Page: at, Created: web.Days(c, query, "created"), RespondBy: web.Days(c, query, "due"),
		Amounts: web.Amounts(query, "amount"), Statuses: query["status"], Merchants: web.ChosenMerchant(query)}
	if kind := query.Get("kind"); kind != "" {
		in.Kinds = []string{kind}
	}
	in.Reason = web.Given(query, "reason")
	words := strings.TrimSpace(query.Get("q"))
	if id, err := ids.ParseCharge(words); err == nil {
		in.ChargeID = &id
	} else if words != "" { // what is no id finds nothing: 0 is no one's
		in.Merchants = []int64{0}
	}
	return in
}

// contested is what rows of disputes are shown with.
type contested struct {
	charges   map[ids.Charge]charge.Summary
	merchants web.Payees
	now       time.Time // by the application's clock
}

// contested reads the charges and merchants of disputes, each in one query.
func (p *Pages) contested(c *web.Request, disputes ...dispute.Dispute) (out contested, err error) {
	ctx, a := c.Ctx(), c.Actor()
	charges, owners := make([]ids.Charge, 0, len(disputes)), make([]int64, 0, len(disputes))
	for _, d := range disputes {
		charges, owners = append(charges, d.ChargeID), append(owners, d.MerchantID)
	}
	if out.charges, err = p.Charges.SummariesOf(ctx, a, charges); err != nil {
		return out, err
	}
	if out.merchants, err = p.Payees(c, owners...); err != nil {
		return out, err
	}
	m, err := p.Clocks.Moment(ctx, a.ApplicationID)
	out.now = m.At
	return out, err
}

// disputeList is the list of disputes, with those that are due above it.
func (p *Pages) disputeList() web.List[dispute.Dispute, ids.Dispute] {
	return web.List[dispute.Dispute, ids.Dispute]{Path: web.DisputesPath, Read: ids.ParseDispute,
		Opens: web.ByID(ids.ParseDispute),
		Key:   func(d dispute.Dispute) ids.Dispute { return d.ID },
		Find:  web.Find(disputeInput, p.Disputes.List),
		Draw:  p.drawDisputes,
		Shown: func(t *text.Catalogue, n int) string { return t.Disputes.Shown(n) },
		File:  "disputes", Line: disputeRow,
		Head: []string{"id", "created_at", "merchant_id", "charge_id", "kind", "status", "reason", "amount", "currency",
			"fees", "respond_by",
			"evidence_submitted_at", "closed_at"}}
}

func disputeRow(_ *web.Request, d dispute.Dispute) []string {
	return []string{d.ID.String(), web.StampAt(&d.CreatedAt), web.Whole(d.MerchantID), d.ChargeID.String(),
		string(d.Kind), string(d.Status), d.Reason,
		web.Units(d.Amount), string(d.Currency), web.Units(d.FeeTotal), web.StampAt(&d.RespondBy),
		web.StampAt(d.EvidenceSubmittedAt), web.StampAt(d.ClosedAt)}
}

func (p *Pages) drawDisputes(c *web.Request, disputes page.Of[dispute.Dispute]) (views.List, error) {
	due, err := p.Disputes.Due(c.Ctx(), c.Actor(), dueShown)
	if err != nil {
		return views.List{}, err
	}
	with, err := p.contested(c, append(due, disputes.Items...)...)
	if err != nil {
		return views.List{}, err
	}
	view := views.Disputes{Bar: p.disputeBar(c, with.merchants), Try: p.Sandbox}
	for _, d := range due {
		view.Due = append(view.Due, disputeLine(c, d, with))
	}
	for _, d := range disputes.Items {
		view.Lines = append(view.Lines, disputeLine(c, d, with))
	}
	return view.List(c.Text()), nil
}

func (p *Pages) disputeBar(c *web.Request, merchants web.Payees) ui.FilterBar {
	t := c.Text()
	filters := []ui.Filter{
		{Name: "status", Label: t.Disputes.Status, Kind: ui.FilterMany, Options: web.Options(dispute.Statuses(), t.Disputes.Statuses)},
		{Name: "reason", Label: t.Disputes.Reason, Kind: ui.FilterOne, Options: reasonOptions(t.Disputes.Reasons)},
		{Name: "kind", Label: t.Disputes.Kind, Kind: ui.FilterOne, Options: web.Options(dispute.Kinds(), t.Disputes.Kinds)},
		{Name: "due", Label: t.Disputes.Due, Kind: ui.FilterDays},
		{Name: "amount", Label: t.Disputes.Amount, Kind: ui.FilterAmount},
		{Name: "created", Label: t.Disputes.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
	}
	return ui.FilterBar{Search: ui.Filter{Name: "q", Label: t.Disputes.Search, Kind: ui.FilterWords},
		Filters: append(filters, merchants.Filter(t, t.Disputes.Merchant)...)}
}

// reasonOptions are the networks' reasons in words, in the order of these.
func reasonOptions(reasons map[string]string) []ui.Option {
	return slices.SortedFunc(slices.Values(web.Options(slices.Collect(maps.Keys(reasons)), reasons)),
		func(a, b ui.Option) int { return strings.Compare(a.Label, b.Label) })
}

// disputeTone is the color of a status.
func disputeTone(s dispute.Status) ui.Tone {
	return map[dispute.Status]ui.Tone{dispute.NeedsResponse: ui.Danger, dispute.UnderReview: ui.Info,
		dispute.Won:  ui.Success,
		dispute.Lost: ui.Neutral, dispute.Accepted: ui.Neutral, dispute.Closed: ui.Neutral}[s]
}

// reasonOf is the network's word in ours, or as it came.
func reasonOf(t *text.Catalogue, reason string) string {
	return cmp.Or(t.Disputes.Reasons[reason], strings.ReplaceAll(reason, "_", " "))
}

// paidBy is who paid a charge, and with what.
func paidBy(t *text.Catalogue, paid charge.Summary) (name, method string) {
	method, _ = web.MethodOf(t, paid)
	return web.PayerOf(t, paid), method
}

func disputeLine(c *web.Request, d dispute.Dispute, with contested) views.DisputeLine {
	t := c.Text()
	out := views.DisputeLine{Href: web.DisputesPath + "/" + d.ID.String(), Amount: d.Amount, Currency: d.Currency,
		Tone: disputeTone(d.Status), Status: t.Disputes.Statuses[string(d.Status)], Reason: reasonOf(t,
			d.Reason), Kind: t.Disputes.Kinds[string(d.Kind)],
		Merchant: with.merchants.Names[d.MerchantID], DueAt: d.RespondBy.Time, At: d.CreatedAt.Time}
	out.Payer, out.Method = paidBy(t, with.charges[d.ChargeID])
	if d.Status == dispute.NeedsResponse {
		out.Due, out.DueTone = web.DueIn(c, d.RespondBy.Time, with.now)
	}
	return out
}
