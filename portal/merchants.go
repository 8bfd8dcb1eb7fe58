package portal

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const merchantsSheet = merchantsPath + ".csv"

// merchantsInput reads what the address selects.
func merchantsInput(c echo.Context, query url.Values) merchant.ListInput {
	in := merchant.ListInput{
		Page: cursors(query, number), Created: days(c, query, "created"), Statuses: query["status"], Countries: query["country"],
		HasWalletA: switched(query.Get("wallet")), HasDAFProvider: switched(query.Get("daf")), PayoutsPaused: switched(query.Get("paused")),
	}
	for _, one := range query["organization"] {
		if id, err := number(one); err == nil {
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

func (p *Portal) showMerchants(c echo.Context) error {
	query := c.QueryParams()
	if to, untidy := ui.Tidy(merchantsPath, query); untidy {
		return seeOther(c, to)
	}
	ctx, t, in := c.Request().Context(), say(c), merchantsInput(c, query)
	found, err := p.Merchants.List(ctx, actor(c), in)
	if err != nil {
		return err
	}
	n, err := p.Merchants.Count(ctx, actor(c), in)
	if err != nil {
		return err
	}
	view := views.List{
		Head: ui.Head{Title: t.Merchants.Title, Text: t.Merchants.Text}, Table: merchantTable(t, found.Items),
		Pager: pagerOf(merchantsPath, query, found, func(m merchant.Merchant) string { return strconv.FormatInt(m.ID, 10) }, counted(t, n)),
		Empty: ui.NothingYet(ui.IconMerchant, t.Merchants.NoneTitle, t.Merchants.NoneText),
	}
	if view.Bar, err = p.merchantsBar(c, query); err != nil {
		return err
	}
	if p.may(c, authz.MerchantCreate) {
		add := ui.Button{Label: t.Merchants.New, Href: merchantsPath + "/new", Icon: ui.IconPlus}
		view.Buttons, view.Begin = []ui.Button{add}, []ui.Button{add}
		view.Empty = ui.NothingYet(ui.IconMerchant, t.Merchants.EmptyTitle, t.Merchants.EmptyText)
	}
	return render(c, http.StatusOK, views.ListPage(p.page(c, t.Merchants.Title), view))
}

func counted(t *text.Catalogue, n int64) string {
	return t.Merchants.Counted(min(n, merchant.MostCounted), n > merchant.MostCounted)
}

func (p *Portal) merchantsBar(c echo.Context, query url.Values) (ui.FilterBar, error) {
	t := say(c)
	m := t.Merchants
	var statuses, countries []ui.Option
	for _, s := range merchant.StatusNames() {
		statuses = append(statuses, ui.Option{Value: s, Label: t.Merchant.Statuses[s]})
	}
	for _, code := range merchant.Countries() {
		countries = append(countries, ui.Option{Value: code, Label: t.Merchant.Countries[code]})
	}
	on := []ui.Option{{Value: "on", Label: m.On}, {Value: "off", Label: m.Off}}
	bar := ui.FilterBar{
		Path: merchantsPath, Query: query, Target: ui.ResultsID, Search: ui.Filter{Name: "q", Label: m.Search, Kind: ui.FilterWords},
		Filters: []ui.Filter{
			{Name: "status", Label: m.Status, Kind: ui.FilterMany, Options: statuses},
			{Name: "country", Label: m.Country, Kind: ui.FilterMany, Options: countries},
			{Name: "wallet", Label: m.WalletA, Kind: ui.FilterOne, Options: on},
			{Name: "daf", Label: m.DAF, Kind: ui.FilterOne, Options: on},
			{Name: "paused", Label: m.Paused, Kind: ui.FilterOne, Options: []ui.Option{{Value: "on", Label: m.Yes}, {Value: "off", Label: m.No}}},
			{Name: "created", Label: m.Created, Kind: ui.FilterDays, Spans: ui.LastDays(t, p.today(c))},
		},
	}
	if p.may(c, authz.ExportCreate) {
		bar.Export = merchantsSheet
	}
	owners, err := p.organizations(c, merchantsInput(c, query).Organizations...)
	if err == nil && len(owners) > 1 {
		bar.Filters = append(bar.Filters, ui.Filter{Name: "organization", Label: m.Organization, Kind: ui.FilterMany, Options: owners})
	}
	return bar, err
}

// organizations are those of the application, of a great many some with those that have the ids; none for people of one of them.
func (p *Portal) organizations(c echo.Context, ids ...int64) (out []ui.Option, err error) {
	a := actor(c)
	if a.OrganizationID != 0 {
		return nil, nil
	}
	all, err := p.Identity.Organizations(c.Request().Context(), a, ids...)
	for _, o := range all {
		out = append(out, ui.Option{Value: strconv.FormatInt(o.ID, 10), Label: o.Name})
	}
	return out, err
}

// accepted are the kinds of payment that a merchant accepts, each in a word.
func accepted(words map[string]string, m merchant.Merchant) (out []string) {
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
		{Title: m.Name, Place: ui.PlaceLead}, {Title: m.Status, Place: ui.PlaceState}, {Title: m.Accepts}, {Title: m.Country}, {Title: m.Created, Right: true, Place: ui.PlaceTime},
	}}
	for _, one := range all {
		takes := strings.Join(accepted(m.Short, one), ", ")
		if takes == "" {
			takes = m.Nothing
		}
		out.Rows = append(out.Rows, ui.Row{Href: merchantAt(one.ID, ""), Label: one.Name, Cells: []templ.Component{
			ui.Two(one.Name, one.Organization.Name), views.MerchantStatus(string(one.Status)), ui.Plain(takes), ui.Plain(t.Merchant.Countries[one.Country]), ui.Date(one.CreatedAt.Time),
		}})
	}
	return out
}

// exportMerchants answers with the whole list that the address selects.
func (p *Portal) exportMerchants(c echo.Context) error {
	in := merchantsInput(c, c.QueryParams())
	read := func(at page.Input[int64]) (page.Of[merchant.Merchant], error) {
		in.Page = at
		return p.Merchants.List(c.Request().Context(), actor(c), in)
	}
	id := func(m merchant.Merchant) int64 { return m.ID }
	return sheet(c, "merchants", say(c).Merchants.Columns, func(write func(...string) error) error {
		return everyPage(in.Page, read, id, func(m merchant.Merchant) error {
			external := ""
			if m.ExternalID != nil {
				external = *m.ExternalID
			}
			return write(strconv.FormatInt(m.ID, 10), m.Name, string(m.Status), m.Organization.Name, m.Country, string(m.Currency),
				strings.Join(accepted(say(c).Merchants.Short, m), " "), strings.Join(m.Domains, " "), external, m.CreatedAt.Format(time.RFC3339))
		})
	})
}
