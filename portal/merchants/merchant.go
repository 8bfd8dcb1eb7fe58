package merchants

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// tabs are the parts of a merchant's page by the ends of their addresses, in order; they show, as pages of the
// navigation do, once they are in the table of routes.
func tabs(t text.Merchant) []ui.Tab {
	return []ui.Tab{
		{Label: t.Overview},
		{Label: t.Fees, Href: "/fees"},
		{Label: t.Wallets, Href: "/wallets"},
		{Label: t.DAF, Href: "/daf"},
		{Label: t.Payouts, Href: "/payouts"},
		{Label: t.Processing, Href: web.ProcessingEnd},
		{Label: t.CardRules, Href: web.CardRulesEnd},
		{Label: t.Team, Href: "/team"},
		{Label: t.Activity, Href: "/activity"},
	}
}

// showTab answers with a tab of a merchant, which is named by the end of its address.
func showTab(c *web.Request, status int, m merchant.Merchant, end string, tab templ.Component) error {
	return showInTab(c, status, m, end, "", tab)
}

// showInTab shows one of several pages of a tab, with a title of its own; "" is the tab's.
func showInTab(c *web.Request, status int, m merchant.Merchant, end, named string, tab templ.Component) error {
	t := c.Text()
	f := views.MerchantFrame{Name: m.Name, Organization: m.Organization.Name, Status: string(m.Status),
		Reason: web.Deref(m.StatusReason), Back: web.MerchantsPath}
	reachable, title := c.Reachable(), m.Name
	for _, one := range tabs(t.Merchant) {
		if !reachable[web.MerchantPath+one.Href] {
			continue
		}
		if one.Here = one.Href == end; one.Here && end != "" {
			title = t.Merchant.Of(cmp.Or(named, one.Label), m.Name)
		}
		one.Href = web.MerchantAt(m.ID, one.Href)
		f.Tabs = append(f.Tabs, one)
	}
	if reachable[web.MerchantPath+"/edit"] {
		f.Edit = web.MerchantAt(m.ID, "/edit")
	}
	if reachable[web.MerchantPath+"/status"] {
		f.Moves = moves(t.Merchant, m)
	}
	return web.Render(c, status, views.MerchantPage(c.Page(title), f, tab))
}

// moveLabels are what a change of status is called.
func moveLabels(t text.Merchant) map[merchant.Status]string {
	return map[merchant.Status]string{merchant.Active: t.Reactivate, merchant.Suspended: t.Suspend,
		merchant.Closed: t.Close}
}

// moves are the statuses that the merchant can be given.
func moves(t text.Merchant, m merchant.Merchant) (out []ui.Option) {
	for _, to := range merchant.Moves() {
		if to.From == m.Status {
			out = append(out,
				ui.Option{Label: moveLabels(t)[to.To], Value: web.MerchantAt(m.ID, "/status?to="+string(to.To))})
		}
	}
	return out
}

func (p *Pages) showMerchant(c *web.Request, m merchant.Merchant) error {
	paid, err := p.paidOut(c, m)
	if err != nil {
		return err
	}
	t := c.Text().Merchant
	view := views.MerchantOverview{Facts: merchantFacts(t, m, c.Text().Amount(m.MinimumCharge)),
		More: payoutFacts(t, m), JSON: web.Indented(m)}
	for _, kind := range merchant.AllMethods() {
		view.Accepts = append(view.Accepts, p.acceptance(c, m, string(kind), m.Lacks(kind)))
	}
	view.Accepts = append(view.Accepts, p.acceptance(c, m, "payouts", paid))
	return showTab(c, http.StatusOK, m, "", views.MerchantOverviewTab(view))
}

// What a merchant can lack to be paid out.
const (
	noBank      merchant.Gap = "no_bank"
	bankPending merchant.Gap = "bank_pending"
	paused      merchant.Gap = "paused"
)

// paidOut is what is missing for the merchant to be paid out.
func (p *Pages) paidOut(c *web.Request, m merchant.Merchant) (out []merchant.Gap, err error) {
	b, err := p.Payouts.BankAccountOf(c.Ctx(), c.Actor(), m.ID)
	switch {
	case fault.HasCode(err, "resource_missing"):
		out = append(out, noBank)
	case err != nil:
		return nil, err
	case b.Status != payout.Verified:
		out = append(out, bankPending)
	}
	if m.PayoutsPausedReason != nil {
		out = append(out, paused)
	}
	if !merchant.Allows(m.Status, merchant.PayOut) {
		out = append(out, merchant.NotActive)
	}
	if !m.HasPayoutAccount() {
		out = append(out, merchant.NoProcessor)
	}
	return out, nil
}

// closing says for each gap which right closes it, and on which page of the merchant.
var closing = map[merchant.Gap]struct {
	right authz.Permission
	end   string
}{
	merchant.NotActive: {authz.MerchantStatus, "/status"}, merchant.NotNonprofit: {authz.MerchantUpdate, "/edit"},
	merchant.WalletAOff: {authz.MerchantFeatures, "/wallets"}, merchant.NoDomains: {authz.MerchantDomains, "/wallets"},
	merchant.DAFOff: {authz.MerchantFeatures, "/daf"}, merchant.NotEnrolled: {authz.DAFEnrollmentManage, "/daf"},
	merchant.NoProcessor: {authz.ProcessingManage, web.ProcessingEnd},
	noBank:               {authz.MerchantBank, "/payouts"}, bankPending: {authz.MerchantBank, "/payouts"}, paused: {
		authz.PayoutResume, "/payouts"},
}

// acceptance says what is missing, and leads to where the visitor can change that, or says who can.
func (p *Pages) acceptance(c *web.Request, m merchant.Merchant, kind string, lacks []merchant.Gap) views.Acceptance {
	t, reachable := c.Text(), c.Reachable()
	out := views.Acceptance{Name: t.Merchant.Methods[kind]}
	for _, g := range lacks {
		out.Never = out.Never || g == merchant.NotUS || g == merchant.NotCanada
		gap := views.MerchantGap{Text: t.Merchant.Gaps[string(g)]}
		if how, ok := closing[g]; ok && m.Status != merchant.Closed {
			if reachable[web.MerchantPath+how.end] && c.May(how.right) {
				gap.Fix, gap.Href = t.Merchant.Fix[string(g)], web.MerchantAt(m.ID, how.end)
			} else {
				gap.Who = t.Merchant.Who(p.HolderNames(t, how.right))
			}
		}
		out.Gaps = append(out.Gaps, gap)
	}
	return out
}

// words is a fact that is a text.
func words(key, value string) ui.Fact { return ui.Fact{Key: key, Value: ui.Plain(value)} }

func merchantFacts(t text.Merchant, m merchant.Merchant, minimum string) []ui.Fact {
	yes := map[bool]string{true: t.Yes, false: t.No}
	id := strconv.FormatInt(m.ID, 10)
	out := web.Facts{
		{Key: t.ID, Value: ui.Copied(t.ID, id)},
		words(t.Organization, m.Organization.Name),
		{Key: t.Country, Value: ui.Two(t.Countries[m.Country], text.Code(m.Currency))},
	}
	if m.Country == "US" {
		out.Text(t.EIN, cmp.Or(web.Deref(m.EIN), t.NoEIN))
	}
	out = append(out, words(t.Nonprofit, yes[m.Nonprofit]),
		ui.Fact{Key: t.Descriptor, Value: ui.Two(m.StatementDescriptor, t.DescriptorText)},
		words(t.Minimum, minimum), words(t.Bank, t.Banks[m.BankProcessor]), words(t.TimeZone, m.TimeZone))
	out.Copied(t.External, web.Deref(m.ExternalID))
	var pairs []string
	for name, value := range m.Metadata {
		pairs = append(pairs, name+": "+value)
	}
	slices.Sort(pairs)
	out.Text(t.Metadata, strings.Join(pairs, ", "))
	return append(out, ui.Fact{Key: t.Created, Value: ui.Time(m.CreatedAt.Time)},
		ui.Fact{Key: t.Updated, Value: ui.Time(m.UpdatedAt.Time)})
}

func payoutFacts(t text.Merchant, m merchant.Merchant) []ui.Fact {
	out := []ui.Fact{words(t.Schedule, scheduled(t, m))}
	switch {
	case m.PayoutsPausedReason != nil:
		out = append(out, words(t.Paused, t.Pauses[string(*m.PayoutsPausedReason)]))
	case merchant.Allows(m.Status, merchant.PayOut):
		out = append(out, ui.Fact{Key: t.NextPayout, Value: ui.Time(m.NextPayoutAt.Time)})
	}
	return out
}

// scheduled says how often a merchant is paid out.
func scheduled(t text.Merchant, m merchant.Merchant) string {
	switch {
	case m.PayoutSchedule == merchant.Weekly && m.PayoutWeekday != nil:
		return t.Weekly(t.Weekdays[*m.PayoutWeekday-1])
	case m.PayoutSchedule == merchant.Monthly && m.PayoutDayOfMonth != nil:
		return t.Monthly(*m.PayoutDayOfMonth)
	}
	return t.Daily
}
