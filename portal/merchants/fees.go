package merchants

import (
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// showFees shows the defaults, who differs from them, and what is scheduled.
func (p *Pages) showFees(c *web.Request) error {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	defaults, err := p.Fees.Defaults(ctx, a)
	if err != nil {
		return err
	}
	in := web.Cursors(c.QueryParams(), web.Number)
	differing, err := p.Fees.Differing(ctx, a, in)
	if err != nil {
		return err
	}
	coming, err := p.Fees.Upcoming(ctx, a)
	if err != nil {
		return err
	}
	names, err := p.Merchants.SummariesOf(ctx, a, feeMerchants(differing, coming))
	if err != nil {
		return err
	}
	view := views.Fees{Rows: feeRows(t, defaults.Rates, nil), NeverSet: defaults.Version == 0,
		Differing: differingOf(t, differing.Items, defaults.Rates, names),
		Pager: web.PagerOf(web.FeesPath, c.QueryParams(), differing,
			func(u fee.Unlike) string { return web.Whole(u.MerchantID) }, t.FeePages.Shown(len(differing.Items)))}
	view.Coming = comingOf(t, coming, names)
	view.Edit, view.Service = web.Among(c.Reachable(), web.FeesPath+"/defaults"), web.Among(c.Reachable(),
		web.ServiceFeesPath)
	if a.ApplicationID == 0 {
		view.Service = ""
	}
	return web.Render(c, http.StatusOK, views.FeesPage(c.Page(t.FeePages.Title), view))
}

func comingOf(t *text.Catalogue, coming []fee.Record, names map[int64]merchant.Summary) (out []views.FeeComing) {
	for _, r := range coming {
		out = append(out,
			views.FeeComing{Merchant: names[r.MerchantID].Name, Href: web.MerchantAt(r.MerchantID, web.FeesEnd),
				Reason: r.Reason, By: feeBy(t.MerchantFees, r.CreatedBy), Begins: r.EffectiveAt.Time})
	}
	return out
}

// feeMerchants are the merchants whose names the page shows.
func feeMerchants(differing page.Of[fee.Unlike], coming []fee.Record) []int64 {
	return append(web.OwnersOf(differing.Items, func(u fee.Unlike) int64 { return u.MerchantID }),
		web.OwnersOf(coming, func(r fee.Record) int64 { return r.MerchantID })...)
}

// feesNamed is how many of a merchant's own fees a list names.
const feesNamed = 3

func differingOf(t *text.Catalogue, all []fee.Unlike, defaults fee.Rates,
	names map[int64]merchant.Summary) (out []views.FeeDiffering) {
	for _, u := range all {
		var which []string
		for _, e := range feeEdits(t, defaults, u.Rates) {
			which = append(which, e.Field+" "+e.New)
		}
		words := strings.Join(which, ", ")
		if len(which) > feesNamed+1 {
			words = t.FeePages.AndMore(strings.Join(which[:feesNamed], ", "), len(which)-feesNamed)
		}
		out = append(out,
			views.FeeDiffering{Name: names[u.MerchantID].Name, Href: web.MerchantAt(u.MerchantID, web.FeesEnd),
				Count: t.FeePages.Differs(len(which)), Which: words})
	}
	return out
}

func (p *Pages) defaultsForm() web.Form[fee.Defaults] {
	return web.Form[fee.Defaults]{Draw: drawDefaults, Do: p.setDefaults,
		Load: func(c *web.Request) (fee.Defaults, error) { return p.Fees.Defaults(c.Ctx(), c.Actor()) },
		Fill: func(_ *web.Request, d fee.Defaults) (url.Values, error) { return TypedRates(d.Rates), nil }}
}

func drawDefaults(c *web.Request, d fee.Defaults, in web.Input) error {
	t := c.Text()
	f := views.DefaultsForm{Action: web.FeesPath + "/defaults", Back: web.FeesPath, Version: in.Version(d.Version),
		Problems: feeProblems(t, in),
		Groups:   feeInputs(t, in.Values, in.Errors, d.Rates, nil)}
	if in.Changed() {
		rates, _ := ratesOf(t.MerchantFees, in.Values)
		f.Theirs, f.Problems = feeEdits(t, d.Rates, rates), ui.Problems{}
	}
	return web.Render(c, in.Status, views.FeePage(c.Page(t.FeePages.EditTitle), t.FeePages.EditTitle,
		t.FeePages.EditText, web.FeesPath, views.DefaultsTab(f)))
}

// feeProblems are the mistakes of a form with rates: each names its fee.
func feeProblems(t *text.Catalogue, in web.Input) ui.Problems {
	for i, one := range in.Problems.List {
		if name := t.MerchantFees.Names[one.Field]; name != "" {
			in.Problems.List[i].Text = name + ": " + one.Text
		}
	}
	return in.Problems
}

func (p *Pages) setDefaults(c *web.Request, d fee.Defaults, in web.Input) (done web.Done, err error) {
	rates, mistakes := ratesOf(c.Text().MerchantFees, in.Values)
	if err = mistakes.Err(); err != nil {
		return done, err
	}
	version := -1 // none that there was
	if v := in.IfVersion(); v != nil {
		version = *v
	}
	_, err = p.Fees.SetDefaults(c.Ctx(), c.Actor(), version, rates)
	if fault.HasCode(err, "object_changed") && d.Rates.Equal(rates) { // sent twice, or both wanted the same
		return web.Done{To: web.FeesPath}, nil
	}
	return web.Saved(web.FeesPath, c.Text().FeePages.Saved, err)
}
