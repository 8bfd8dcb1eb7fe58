package portal

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/dispute"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const disputesPath = "/portal/disputes"

// dueShown is how many disputes that need a response stand above the list.
const dueShown = 50

func (p *Portal) disputeRoutes() []route {
	return []route{
		{http.MethodGet, disputesPath, access(authz.DisputeRead), p.showDisputes},
		{http.MethodGet, disputesPath + ".csv", access(authz.ExportCreate), p.sendDisputes},
		{http.MethodGet, disputesPath + "/:id", access(authz.DisputeRead), p.showDispute},
		{http.MethodPost, evidenceRoute, access(authz.DisputeAnswer), p.saveEvidence},
		{http.MethodGet, disputesPath + "/:id/review", access(authz.DisputeAnswer), p.reviewEvidence},
		{http.MethodPost, disputesPath + "/:id/review", access(authz.DisputeAnswer), p.submitEvidence},
		{http.MethodGet, disputesPath + "/:id/accept", access(authz.DisputeAnswer), p.reviewAcceptance},
		{http.MethodPost, disputesPath + "/:id/accept", access(authz.DisputeAnswer), p.acceptDispute},
	}
}

func disputeInput(c echo.Context, query url.Values) dispute.ListInput {
	in := dispute.ListInput{Page: cursors(query, ids.ParseDispute), Created: days(c, query, "created"), RespondBy: days(c, query, "due"),
		Amounts: amounts(query, "amount"), Statuses: query["status"], Merchants: chosenMerchant(query)}
	if kind := query.Get("kind"); kind != "" {
		in.Kinds = []string{kind}
	}
	in.Reason = given(query, "reason")
	words := strings.TrimSpace(query.Get("q"))
	if id, err := ids.ParseCharge(words); err == nil {
		in.ChargeID = &id
	} else if words != "" { // what is no id finds nothing: 0 is nobody's
		in.Merchants = []int64{0}
	}
	return in
}

// contested is what rows of disputes are shown with.
type contested struct {
	charges   map[ids.Charge]charge.Summary
	merchants payees
	now       time.Time // by the application's clock
}

// contested reads the charges and merchants of disputes, each in one query.
func (p *Portal) contested(c echo.Context, disputes ...dispute.Dispute) (out contested, err error) {
	ctx, a := c.Request().Context(), actor(c)
	charges, owners := make([]ids.Charge, 0, len(disputes)), make([]int64, 0, len(disputes))
	for _, d := range disputes {
		charges, owners = append(charges, d.ChargeID), append(owners, d.MerchantID)
	}
	if out.charges, err = p.Charges.SummariesOf(ctx, a, charges); err != nil {
		return out, err
	}
	if out.merchants, err = p.payees(c, owners...); err != nil {
		return out, err
	}
	m, err := p.Clocks.Moment(ctx, a.ApplicationID)
	out.now = m.At
	return out, err
}

func (p *Portal) showDisputes(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(disputesPath, query); untidy {
		return seeOther(c, to)
	}
	if id, err := ids.ParseDispute(strings.TrimSpace(query.Get("q"))); err == nil {
		return seeOther(c, disputesPath+"/"+id.String())
	}
	ctx, a, t := c.Request().Context(), actor(c), say(c)
	disputes, err := p.Disputes.List(ctx, a, disputeInput(c, query))
	if err != nil {
		return err
	}
	due, err := p.Disputes.Due(ctx, a, dueShown)
	if err != nil {
		return err
	}
	with, err := p.contested(c, append(due, disputes.Items...)...)
	if err != nil {
		return err
	}
	view := views.Disputes{Bar: p.disputeBar(c, query, with.merchants), Try: p.Sandbox}
	for _, d := range due {
		view.Due = append(view.Due, disputeLine(c, d, with))
	}
	for _, d := range disputes.Items {
		view.Lines = append(view.Lines, disputeLine(c, d, with))
	}
	view.Pager = pagerOf(disputesPath, query, disputes, func(d dispute.Dispute) string { return d.ID.String() }, t.Disputes.Shown(len(disputes.Items)))
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Disputes.Title), view.List(t)))
}

func (p *Portal) disputeBar(c echo.Context, query url.Values, merchants payees) ui.FilterBar {
	t := say(c)
	bar := ui.FilterBar{Path: disputesPath, Query: query, Target: ui.ResultsID,
		Search: ui.Filter{Name: "q", Label: t.Disputes.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "status", Label: t.Disputes.Status, Kind: ui.FilterMany, Options: options(dispute.Statuses(), t.Disputes.Statuses)},
			{Name: "reason", Label: t.Disputes.Reason, Kind: ui.FilterOne, Options: reasonOptions(t.Disputes.Reasons)},
			{Name: "kind", Label: t.Disputes.Kind, Kind: ui.FilterOne, Options: options(dispute.Kinds(), t.Disputes.Kinds)},
			{Name: "due", Label: t.Disputes.Due, Kind: ui.FilterDays},
			{Name: "amount", Label: t.Disputes.Amount, Kind: ui.FilterAmount},
			{Name: "created", Label: t.Disputes.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
		}}
	if f, several := merchants.filter(t, t.Disputes.Merchant); several {
		bar.Filters = append(bar.Filters, f)
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = disputesPath + ".csv"
	}
	return bar
}

// reasonOptions are the networks' reasons in words, in the order of these.
func reasonOptions(reasons map[string]string) []ui.Option {
	return slices.SortedFunc(slices.Values(options(slices.Collect(maps.Keys(reasons)), reasons)), func(a, b ui.Option) int { return strings.Compare(a.Label, b.Label) })
}

// disputeTone is the color of a status.
func disputeTone(s dispute.Status) ui.Tone {
	return map[dispute.Status]ui.Tone{dispute.NeedsResponse: ui.Danger, dispute.UnderReview: ui.Info, dispute.Won: ui.Success,
		dispute.Lost: ui.Neutral, dispute.Accepted: ui.Neutral, dispute.Closed: ui.Neutral}[s]
}

// reasonOf is the network's word in ours, or as it came.
func reasonOf(t *text.Catalogue, reason string) string {
	return cmp.Or(t.Disputes.Reasons[reason], strings.ReplaceAll(reason, "_", " "))
}

// soon is how many days before the end a dispute is urgent.
const soon = 3

// dueIn says by when a dispute is to be answered, and how urgent that is.
func dueIn(c echo.Context, by, now time.Time) (string, ui.Tone) {
	t, zone := say(c).Disputes, text.To(c.Request().Context()).Zone
	if !now.Before(by) {
		return t.Over, ui.Neutral
	}
	midnight := func(at time.Time) time.Time {
		y, m, d := at.In(zone).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	left := int(midnight(by).Sub(midnight(now)).Hours() / 24)
	if left <= soon {
		return t.DueIn(left), ui.Danger
	}
	return t.DueIn(left), ui.Warning
}

// paidBy is who paid a charge, and with what.
func paidBy(t *text.Catalogue, paid charge.Summary) (name, method string) {
	method, _ = methodOf(t, paid)
	return payerOf(t, paid), method
}

func disputeLine(c echo.Context, d dispute.Dispute, with contested) views.DisputeLine {
	t := say(c)
	out := views.DisputeLine{Href: disputesPath + "/" + d.ID.String(), Amount: d.Amount, Currency: d.Currency, Tone: disputeTone(d.Status),
		Status: t.Disputes.Statuses[string(d.Status)], Reason: reasonOf(t, d.Reason), Kind: t.Disputes.Kinds[string(d.Kind)],
		Merchant: with.merchants.names[d.MerchantID], DueAt: d.RespondBy.Time, At: d.CreatedAt.Time}
	out.Payer, out.Method = paidBy(t, with.charges[d.ChargeID])
	if d.Status == dispute.NeedsResponse {
		out.Due, out.DueTone = dueIn(c, d.RespondBy.Time, with.now)
	}
	return out
}

// sendDisputes is the list of this view as a file.
func (p *Portal) sendDisputes(c echo.Context) error {
	in := disputeInput(c, c.QueryParams())
	read := func(at page.Input[ids.Dispute]) (page.Of[dispute.Dispute], error) {
		in.Page = at
		return p.Disputes.List(c.Request().Context(), actor(c), in)
	}
	head := []string{"id", "created_at", "merchant_id", "charge_id", "kind", "status", "reason", "amount", "currency", "fees", "respond_by",
		"evidence_submitted_at", "closed_at"}
	return sheet(c, say(c).Disputes.Sheet, head, func(write func(...string) error) error {
		return everyPage(in.Page, read, func(d dispute.Dispute) ids.Dispute { return d.ID }, func(d dispute.Dispute) error {
			return write(d.ID.String(), stampAt(&d.CreatedAt), whole(d.MerchantID), d.ChargeID.String(), string(d.Kind), string(d.Status), d.Reason,
				units(d.Amount), string(d.Currency), units(d.FeeTotal), stampAt(&d.RespondBy), stampAt(d.EvidenceSubmittedAt), stampAt(d.ClosedAt))
		})
	})
}
