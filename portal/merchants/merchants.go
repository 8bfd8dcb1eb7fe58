package merchants

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const merchantsSheet = web.MerchantsPath + ".csv"

// merchantsInput reads what the address selects.
func merchantsInput(c *web.Request, at page.Input[int64]) merchant.ListInput {
	query := c.QueryParams()
	in := merchant.ListInput{Page: at, Created: web.Days(c, query, "created"), Statuses: query["status"],
		Countries:  query["country"],
		HasWalletA: switched(query.Get("wallet")), HasDAFProvider: switched(query.Get("daf")),
		PayoutsPaused: switched(query.Get("paused"))}
	for _, one := range query["organization"] {
		if id, err := web.Number(one); err == nil {
			in.Organizations = append(in.Organizations, id)
		}
	}
	if words := strings.TrimSpace(query.Get("q")); words != "" {
		in.Words = &words
	}
	return in
}

// switched reads a filter for what is on or off.
func switched(value string) *bool {
	on := value == "on"
	if !on && value != "off" {
		return nil
	}
	return &on
}

func (p *Pages) merchantList() web.List[merchant.Merchant, int64] {
	return web.List[merchant.Merchant, int64]{Path: web.MerchantsPath, Read: web.Number,
		Key:  func(m merchant.Merchant) int64 { return m.ID },
		Find: web.Find(merchantsInput, p.Merchants.List),
		Draw: p.drawMerchants,
		File: "merchants", Line: merchantRow,
		Head: []string{"merchant_id", "name", "status", "organization", "country", "currency", "accepts", "domains",
			"external_id", "created_at"}}
}

func merchantRow(c *web.Request, m merchant.Merchant) []string {
	return []string{web.Whole(m.ID), m.Name, string(m.Status), m.Organization.Name, m.Country, string(m.Currency),
		strings.Join(methodsOf(c.Text().Merchants.Short, m), " "), strings.Join(m.Domains,
			" "), web.Deref(m.ExternalID), m.CreatedAt.Format(time.RFC3339)}
}

func (p *Pages) drawMerchants(c *web.Request, found page.Of[merchant.Merchant]) (view views.List, err error) {
	t := c.Text()
	n, err := p.Merchants.Count(c.Ctx(), c.Actor(), merchantsInput(c, page.Input[int64]{}))
	if err != nil {
		return view, err
	}
	view = views.List{Head: ui.Head{Title: t.Merchants.Title, Text: t.Merchants.Text},
		Table: merchantTable(t, found.Items),
		Empty: ui.NothingYet(ui.IconMerchant, t.Merchants.NoneTitle, t.Merchants.NoneText)}
	view.Pager.Said = t.Merchants.Counted(min(n, merchant.MostCounted), n > merchant.MostCounted)
	if c.May(authz.MerchantCreate) {
		add := ui.Button{Label: t.Merchants.New, Href: web.MerchantsPath + "/new", Icon: ui.IconPlus}
		view.Buttons, view.Begin = []ui.Button{add}, []ui.Button{add}
		view.Empty = ui.NothingYet(ui.IconMerchant, t.Merchants.EmptyTitle, t.Merchants.EmptyText)
	}
	view.Bar, err = p.merchantsBar(c)
	return view, err
}

func (p *Pages) merchantsBar(c *web.Request) (ui.FilterBar, error) {
	t, m := c.Text(), c.Text().Merchants
	on := []ui.Option{{Value: "on", Label: m.On}, {Value: "off", Label: m.Off}}
	bar := ui.FilterBar{Search: ui.Filter{Name: "q", Label: m.Search, Kind: ui.FilterWords}, Filters: []ui.Filter{
		{Name: "status", Label: m.Status, Kind: ui.FilterMany, Options: web.Options(merchant.StatusNames(), t.Merchant.Statuses)},
		{Name: "country", Label: m.Country, Kind: ui.FilterMany, Options: web.Options(merchant.Countries(), t.Merchant.Countries)},
		{Name: "wallet", Label: m.WalletA, Kind: ui.FilterOne, Options: on},
		{Name: "daf", Label: m.DAF, Kind: ui.FilterOne, Options: on},
		{Name: "paused", Label: m.Paused, Kind: ui.FilterOne, Options: []ui.Option{{Value: "on", Label: m.Yes}, {Value: "off", Label: m.No}}},
		{Name: "created", Label: m.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.Today(c))},
	}}
	owners, err := p.organizations(c, merchantsInput(c, page.Input[int64]{}).Organizations...)
	if len(owners) > 1 {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "organization", Label: m.Organization, Kind: ui.FilterMany,
			Options: owners})
	}
	return bar, err
}

// organizations are those of the application, of a great many some with those that have the ids; none for people of one
// of them.
func (p *Pages) organizations(c *web.Request, ids ...int64) (out []ui.Option, err error) {
	a := c.Actor()
	if a.OrganizationID != 0 {
		return nil, nil
	}
	all, err := p.Identity.Organizations(c.Ctx(), a, ids...)
	for _, o := range all {
		out = append(out, ui.Option{Value: strconv.FormatInt(o.ID, 10), Label: o.Name})
	}
	return out, err
}

// methodsOf are the kinds of payment that a merchant accepts, each in a word.
func methodsOf(words map[string]string, m merchant.Merchant) (out []string) {
	for _, kind := range merchant.AllMethods() {
		if len(m.Lacks(kind)) == 0 {
			out = append(out, words[string(kind)])
		}
	}
	return out
}

func merchantTable(t *text.Catalogue, all []merchant.Merchant) ui.Table {
	m := t.Merchants
	out := ui.Table{Caption: m.Title, Target: ui.ResultsID, Columns: []ui.Column{
		{Title: m.Name, Place: ui.PlaceLead}, {Title: m.Status, Place: ui.PlaceState}, {Title: m.Accepts},
		{Title: m.Country}, {Title: m.Created, Right: true, Place: ui.PlaceTime, Named: true},
	}}
	for _, one := range all {
		takes := strings.Join(methodsOf(m.Short, one), ", ")
		if takes == "" {
			takes = m.Nothing
		}
		out.Rows = append(out.Rows, ui.Row{Href: web.MerchantAt(one.ID, ""), Label: one.Name, Cells: []templ.Component{
			ui.Two(one.Name, one.Organization.Name), views.MerchantStatus(string(one.Status)), ui.Plain(takes),
			ui.Plain(t.Merchant.Countries[one.Country]), ui.Date(one.CreatedAt.Time),
		}})
	}
	return out
}
