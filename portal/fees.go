package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/page"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// showFees shows the defaults, who differs from them, and what is scheduled.
func (p *Portal) showFees(c echo.Context) error {
	ctx, a, t := c.Request().Context(), actor(c), say(c)
	defaults, err := p.Fees.Defaults(ctx, a)
	if err != nil {
		return err
	}
	in := cursors(c.QueryParams(), number)
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
		Pager: pagerOf(feesPath, c.QueryParams(), differing, func(u fee.Unlike) string { return strconv.FormatInt(u.MerchantID, 10) }, t.FeePages.Shown(len(differing.Items)))}
	for _, r := range coming {
		view.Coming = append(view.Coming, views.FeeComing{Merchant: names[r.MerchantID].Name, Href: merchantAt(r.MerchantID, feesEnd), Reason: r.Reason,
			By: feeBy(t.MerchantFees, r.CreatedBy), Begins: r.EffectiveAt.Time})
	}
	if p.may(c, authz.FeeDefaultManage) {
		view.Edit = feesPath + "/defaults"
	}
	if a.ApplicationID != 0 && p.may(c, authz.FeeManageService) {
		view.Service = servicePay
	}
	return render(c, http.StatusOK, views.FeesPage(p.page(c, t.FeePages.Title), view))
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

func (p *Portal) showDefaults(c echo.Context) error {
	d, err := p.Fees.Defaults(c.Request().Context(), actor(c))
	if err != nil {
		return err
	}
	return p.defaultsForm(c, http.StatusOK, d, typedRates(d.Rates), nil, views.DefaultsForm{})
}

func (p *Portal) defaultsForm(c echo.Context, status int, d fee.Defaults, typed url.Values, mistakes map[string]string, f views.DefaultsForm) error {
	t := say(c)
	f.Action, f.Back, f.Version, f.Groups = feesPath+"/defaults", feesPath, cmp.Or(f.Version, strconv.Itoa(d.Version)), feeInputs(t, typed, mistakes, d.Rates, nil)
	for _, name := range settingNames() {
		if words, wrong := mistakes[name]; wrong {
			f.Problems.Title = t.Failures.Correct
			f.Problems.List = append(f.Problems.List, ui.Problem{Field: name, Text: t.MerchantFees.Names[name] + ": " + words})
		}
	}
	return render(c, status, views.FeePage(p.page(c, t.FeePages.EditTitle), t.FeePages.EditTitle, t.FeePages.EditText, feesPath, views.DefaultsTab(f)))
}

func (p *Portal) setDefaults(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx, t := c.Request().Context(), say(c)
	d, err := p.Fees.Defaults(ctx, actor(c))
	if err != nil {
		return err
	}
	rates, mistakes := ratesOf(t.MerchantFees, form)
	if len(mistakes) > 0 {
		return p.defaultsForm(c, http.StatusUnprocessableEntity, d, form, mistakes, views.DefaultsForm{Version: versionKept(form, nil)})
	}
	version, err := strconv.Atoi(form.Get(versionField))
	if err != nil {
		version = -1 // none that there was
	}
	_, err = p.Fees.SetDefaults(ctx, actor(c), version, rates)
	if fault.HasCode(err, "object_changed") {
		if d.Rates.Equal(rates) { // sent twice, or both wanted the same
			return seeOther(c, feesPath)
		}
		return p.defaultsForm(c, http.StatusConflict, d, form, nil, views.DefaultsForm{Theirs: feeEdits(t, d.Rates, rates)})
	}
	if err != nil {
		return err
	}
	tell(c, ui.Toast{Tone: ui.Success, Text: t.FeePages.Saved})
	return seeOther(c, feesPath)
}
