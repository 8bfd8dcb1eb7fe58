package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/authz"
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
func (p *Portal) showFees(c *web.Request) error {
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
	view := views.Fees{Rows: feeRows(t, defaults.Rates, nil), NeverSet: defaults.Version == 0, Differing: differingOf(t, differing.Items, defaults.Rates, names),
		Pager: web.PagerOf(feesPath, c.QueryParams(), differing, func(u fee.Unlike) string { return strconv.FormatInt(u.MerchantID, 10) }, t.FeePages.Shown(len(differing.Items)))}
	for _, r := range coming {
		view.Coming = append(view.Coming, views.FeeComing{Merchant: names[r.MerchantID].Name, Href: merchantAt(r.MerchantID, feesEnd), Reason: r.Reason,
			By: feeBy(t.MerchantFees, r.CreatedBy), Begins: r.EffectiveAt.Time})
	}
	if c.May(authz.FeeDefaultManage) {
		view.Edit = feesPath + "/defaults"
	}
	if a.ApplicationID != 0 && c.May(authz.FeeManageService) {
		view.Service = servicePay
	}
	return web.Render(c, http.StatusOK, views.FeesPage(c.Page(t.FeePages.Title), view))
}

// feeMerchants are the merchants whose names the page shows.
func feeMerchants(differing page.Of[fee.Unlike], coming []fee.Record) []int64 {
	out := []int64{}
	for _, u := range differing.Items {
		out = append(out, u.MerchantID)
	}
	for _, r := range coming {
		out = append(out, r.MerchantID)
	}
	return out
}

func differingOf(t *text.Catalogue, all []fee.Unlike, defaults fee.Rates, names map[int64]merchant.Summary) (out []views.FeeDiffering) {
	for _, u := range all {
		var which []string
		for _, e := range feeEdits(t, defaults, u.Rates) {
			which = append(which, e.Field+" "+e.New)
		}
		out = append(out, views.FeeDiffering{Name: names[u.MerchantID].Name, Href: merchantAt(u.MerchantID, feesEnd), Count: t.FeePages.Differs(len(which)), Which: strings.Join(which, ", ")})
	}
	return out
}

func (p *Portal) showDefaults(c *web.Request) error {
	d, err := p.Fees.Defaults(c.Ctx(), c.Actor())
	if err != nil {
		return err
	}
	return p.defaultsForm(c, http.StatusOK, d, typedRates(d.Rates), nil, views.DefaultsForm{})
}

func (p *Portal) defaultsForm(c *web.Request, status int, d fee.Defaults, typed url.Values, mistakes map[string]string, f views.DefaultsForm) error {
	t := c.Text()
	f.Action, f.Back, f.Version, f.Groups = feesPath+"/defaults", feesPath, cmp.Or(f.Version, strconv.Itoa(d.Version)), feeInputs(t, typed, mistakes, d.Rates, nil)
	for _, name := range settingNames() {
		if words, wrong := mistakes[name]; wrong {
			f.Problems.Title = t.Failures.Correct
			f.Problems.List = append(f.Problems.List, ui.Problem{Field: name, Text: t.MerchantFees.Names[name] + ": " + words})
		}
	}
	return web.Render(c, status, views.FeePage(c.Page(t.FeePages.EditTitle), t.FeePages.EditTitle, t.FeePages.EditText, feesPath, views.DefaultsTab(f)))
}

func (p *Portal) setDefaults(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, t := c.Ctx(), c.Text()
	d, err := p.Fees.Defaults(ctx, c.Actor())
	if err != nil {
		return err
	}
	rates, mistakes := ratesOf(t.MerchantFees, form)
	if len(mistakes) > 0 {
		return p.defaultsForm(c, http.StatusUnprocessableEntity, d, form, mistakes, views.DefaultsForm{Version: web.VersionKept(form, nil)})
	}
	version, err := strconv.Atoi(form.Get(web.VersionField))
	if err != nil {
		version = -1 // none that there was
	}
	_, err = p.Fees.SetDefaults(ctx, c.Actor(), version, rates)
	if fault.HasCode(err, "object_changed") {
		if d.Rates.Equal(rates) { // sent twice, or both wanted the same
			return web.SeeOther(c, feesPath)
		}
		return p.defaultsForm(c, http.StatusConflict, d, form, nil, views.DefaultsForm{Theirs: feeEdits(t, d.Rates, rates)})
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.FeePages.Saved})
	return web.SeeOther(c, feesPath)
}
