package overview

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/identity"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/totals"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// spanDays is how many days the home page looks back on; it compares them with as many before.
const spanDays = 30

// dashboard is what the home page is made of.
type dashboard struct {
	at          time.Time // now, by the application's clock
	first, last time.Time // days where the viewer is
	before      time.Time // the first of the days that are compared with
	days        []totals.Day
	currency    money.Currency
	others      []money.Currency
	now, past   charge.Totals
	comparable  bool // charges go back to the first of the days that are compared with
	refunds     refund.Totals
	here        web.Payees
	disputes    waitingDisputes
}

// showDashboard is the home page of anyone who works with an application.
func (p *Pages) showDashboard(c *web.Request, place identity.Place, person identity.Person) error {
	d, err := p.lookBack(c)
	if err != nil {
		return err
	}
	t := c.Text()
	if d.disputes, err = p.waitingDisputes(c); err != nil {
		return err
	}
	tasks, err := p.attention(c, d)
	if err != nil {
		return err
	}
	payoutStat, err := p.nextPayout(c, d)
	if err != nil {
		return err
	}
	name := cmp.Or(place.Organization.Name, place.Application.Name)
	view := views.Dashboard{Head: ui.Head{Title: t.Home.Hello(person.Name), Text: t.Dashboard.Text(name)}, Tasks: tasks,
		Stats: append(p.moneyStats(c, d), p.disputeStat(c, d), payoutStat), Charts: dashboardCharts(t, d)}
	for _, other := range d.others {
		view.Buttons = append(view.Buttons, ui.Button{Label: t.Dashboard.Show(text.Code(other)),
			Href: web.WithQuery(web.Home, url.Values{"currency": {string(other)}}), Variant: ui.Outline})
	}
	if view.Steps, view.StepsText, err = p.stepsLeft(c, d); err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.DashboardPage(c.Page(t.Home.Title), view))
}

// lookBack reads what the charges of the last days, and of those before, come to.
func (p *Pages) lookBack(c *web.Request) (d dashboard, err error) {
	ctx, a := c.Ctx(), c.Actor()
	d.at = p.Today(c)
	y, m, day := d.at.Date()
	d.last = time.Date(y, m, day, 0, 0, 0, 0, d.at.Location())
	d.first, d.before = d.last.AddDate(0, 0, 1-spanDays), d.last.AddDate(0, 0, 1-2*spanDays)
	until := d.last.AddDate(0, 0, 1)
	if d.here, err = p.Payees(c); err != nil {
		return d, err
	}
	if d.days, err = p.Totals.Days(ctx, a, totals.Input{Created: page.Times{From: &d.before, Until: &until}},
		d.last.Location().String()); err != nil {
		return d, err
	}
	d.currency, d.others = d.choose(c.QueryParam("currency"))
	for _, one := range d.days {
		switch {
		case one.Currency != d.currency:
		case string(one.Day) >= d.first.Format(time.DateOnly):
			d.now = d.now.Plus(one.Totals)
		default:
			d.past = d.past.Plus(one.Totals)
		}
	}
	if d.comparable, err = p.reachesBack(c, d); err != nil {
		return d, err
	}
	refunds, err := p.Refunds.Totals(ctx, a,
		refund.ListInput{Created: page.Times{From: &d.first, Until: &until},
			Statuses:   []string{string(refund.Succeeded)},
			Currencies: []string{string(d.currency)}})
	if len(refunds) > 0 {
		d.refunds = refunds[0]
	}
	return d, err
}

// choose is the currency that the page is about: the one that was asked for, else the one that most was taken
// in; and the others that merchants here are paid in.
func (d dashboard) choose(asked string) (chosen money.Currency, others []money.Currency) {
	all := map[money.Currency]money.Amount{}
	for _, one := range d.here.PaidIn {
		all[one] += 0
	}
	for _, one := range d.days {
		all[one.Currency] += one.Captured
	}
	chosen = money.USD
	for _, one := range money.Currencies() {
		if _, there := all[one]; there && (all[one] > all[chosen] || string(one) == asked) {
			chosen = one
		}
	}
	if wanted, ok := money.ParseCurrency(asked); ok {
		chosen = wanted
	}
	return chosen, slices.DeleteFunc(money.Currencies(), func(one money.Currency) bool {
		_, there := all[one]
		return !there || one == chosen
	})
}

// list is the address of a list over the same days and in the same currency.
func (d dashboard) list(path string, more url.Values) string {
	query := url.Values{"created_from": {d.first.Format(time.DateOnly)},
		"created_until": {d.last.Format(time.DateOnly)}, "currency": {string(d.currency)}}
	maps.Copy(query, more)
	return web.WithQuery(path, query)
}

// moneyStats are the numbers that people look at first. Each leads to the list that adds up to it.
func (p *Pages) moneyStats(c *web.Request, d dashboard) []ui.Stat {
	t := c.Text()
	volume := ui.Stat{Label: t.Dashboard.Volume, Value: ui.Money(d.now.Captured, d.currency),
		Href: d.list(web.ChargesPath, nil), Spark: ui.Spark{Values: d.values(d.first, captured)},
		Change: change(t, int64(d.now.Captured), int64(d.past.Captured), d.comparable)}
	rate := ui.Stat{Label: t.Dashboard.SuccessRate, Value: ui.Plain("–"),
		Href: d.list(web.ChargesPath, url.Values{"status": {string(charge.Failed)}}),
		Note: t.Dashboard.OfCharges(d.now.Failed, d.now.Decided)}
	if d.now.Decided > 0 {
		rate.Value = ui.Plain(t.Percent(money.Percent((d.now.Decided - d.now.Failed) * 1000 / d.now.Decided * 100)))
	}
	return []ui.Stat{volume, rate,
		{Label: t.Dashboard.Net, Value: ui.Money(d.now.Net(), d.currency), Href: d.list(web.ChargesPath, nil), Note: t.Dashboard.AfterAll},
		{Label: t.Dashboard.Refunds, Value: ui.Money(d.refunds.Succeeded, d.currency), Href: d.list(web.RefundsPath, url.Values{"status": {string(refund.Succeeded)}}),
			Note: t.Dashboard.RefundCount(d.refunds.Count)}}
}

// reachesBack reports whether the days that are compared with are whole: charges began on the first of them, or before.
func (p *Pages) reachesBack(c *web.Request, d dashboard) (bool, error) {
	if d.past.Captured <= 0 {
		return false, nil
	}
	for _, one := range d.days {
		if string(one.Day) == d.before.Format(time.DateOnly) {
			return true, nil
		}
	}
	earlier, err := p.Charges.List(c.Ctx(), c.Actor(),
		charge.ListInput{Page: pageOfOne, Created: page.Times{Until: &d.before}})
	return len(earlier.Items) > 0, err
}

// mostRise is the rise that is still written as such, in thousandths: what is more says little, and is long.
const mostRise = 9_990

// change compares a number with the one of the days before, if these are whole; nothing where there is nothing to
// compare.
func change(t *text.Catalogue, now, before int64, whole bool) ui.Change {
	switch {
	case now <= 0 && before <= 0:
		return ui.Change{}
	case before <= 0 || !whole:
		return ui.Change{Words: "–", Since: t.Dashboard.NoThan, Unknown: true}
	}
	permille := (now - before) * 1000 / before
	out := ui.Change{Words: t.Percent(money.Percent(max(permille, -permille) * 100)), Since: t.Dashboard.Than}
	if permille > mostRise {
		out.Words = t.Dashboard.Over + t.Percent(money.Percent(mostRise*100))
	}
	switch {
	case permille > 0:
		out.Sign, out.Tone = 1, ui.Success
	case permille < 0:
		out.Sign, out.Tone = -1, ui.Danger
	}
	return out
}

func captured(t charge.Totals) int64 { return int64(t.Captured) }
func failed(t charge.Totals) int64   { return t.Failed }
func approved(t charge.Totals) int64 { return t.Count - t.Failed }

// values are a number of each day of a span that begins with one, days without charges included.
func (d dashboard) values(from time.Time, of func(charge.Totals) int64) []int64 {
	out := make([]int64, spanDays)
	for i := range out {
		day := from.AddDate(0, 0, i).Format(time.DateOnly)
		for _, one := range d.days {
			if string(one.Day) == day && one.Currency == d.currency {
				out[i] += of(one.Totals)
			}
		}
	}
	return out
}

// dashboardCharts show the days.
func dashboardCharts(t *text.Catalogue, d dashboard) []views.DashboardChart {
	labels := make([]string, spanDays)
	for i := range labels {
		labels[i] = t.Format.Brief(d.first.AddDate(0, 0, i))
	}
	return []views.DashboardChart{
		{Title: t.Dashboard.Volume, Text: t.Dashboard.VolumeText,
			Chart: ui.Chart{ID: "volume", Title: t.Dashboard.VolumeChart, Across: t.Dashboard.Day, Labels: labels,
				Series: []ui.Series{{Name: t.Dashboard.Last, Values: d.values(d.first, captured)},
					{Name: t.Dashboard.Before, Values: d.values(d.before, captured), Before: true}},
				Write: func(v int64) string { return t.Amount(money.Amount(v)) },
				Short: func(v int64) string { return t.ShortAmount(money.Amount(v)) }, Least: 100_00}},
		{Title: t.Charges.Title, Text: t.Dashboard.CountText,
			Chart: ui.Chart{ID: "charges", Title: t.Dashboard.CountChart, Across: t.Dashboard.Day, Labels: labels,
				Bars: true, Series: []ui.Series{{Name: t.Dashboard.Captured, Values: d.values(d.first, approved)},
					{Name: t.Dashboard.Failed, Values: d.values(d.first, failed), Tone: ui.Danger}},
				Write: t.Number, Short: t.Short}},
	}
}

// nextPayout is what will be paid out on the next day of payouts.
func (p *Pages) nextPayout(c *web.Request, d dashboard) (ui.Stat, error) {
	t := c.Text()
	out := ui.Stat{Label: t.Dashboard.NextPayout, Value: ui.Plain("–"), Note: t.Dashboard.NoPayout,
		Href: web.Among(c.Reachable(), web.PayoutsPath)}
	next, err := p.Ledger.Upcoming(c.Ctx(), c.Actor(), d.currency, d.last.Location().String())
	if next != nil {
		out.Value, out.Note = ui.Money(next.Amount, d.currency), t.Dashboard.OnDay(t.Day(next.Day))
	}
	return out, web.IfAllowed(err)
}

// firstSteps are what someone new does first, ticked by what there is. Only those that the visitor can take.
func (p *Pages) firstSteps(c *web.Request, d dashboard) (out []ui.Task, err error) {
	ctx, a, t, places := c.Ctx(), c.Actor(), c.Text().Dashboard, c.Reachable()
	add := func(needed authz.Permission, words, note, href string, done func() (bool, error)) {
		if err != nil || !c.May(needed) || href == "" {
			return
		}
		var yes bool
		yes, err = done()
		out = append(out, ui.Task{Done: yes, Text: words, Note: note, Href: href})
	}
	add(authz.KeyManage, t.MakeKey, "", web.Among(places, web.APIKeysPath),
		func() (bool, error) { return p.hasKey(ctx, a) })
	first, note := t.MakeCharge, t.MakeChargeNote
	if !c.May(authz.KeyManage) {
		first, note = t.SeeCharge, t.SeeChargeNote
	}
	add(authz.ChargeRead, first, note, web.ChargesPath, func() (bool, error) {
		some, err := p.Charges.List(ctx, a, charge.ListInput{Page: pageOfOne})
		return len(some.Items) > 0, err
	})
	add(authz.WebhookManage, t.AddEndpoint, "", web.Among(places, web.WebhooksPath),
		func() (bool, error) { return p.hasEndpoint(ctx, a) })
	add(authz.MerchantBank, t.AddBank, t.AddBankNote, bankPlace(places, d.here),
		func() (bool, error) { return p.hasBank(ctx, a, d.here) })
	at, enrolled := enrollPlace(places, d.here)
	add(authz.DAFEnrollmentManage, t.EnrollDAF, t.EnrollDAFNote, at, func() (bool, error) { return enrolled, nil })
	add(authz.TeamManage, t.InviteColleague, "", web.Among(places, web.TeamPath), func() (bool, error) {
		team, err := p.Identity.Team(ctx, a, identity.TeamInput{Page: page.Input[int64]{Limit: 2, Ascending: true}})
		return len(team.Items) > 1, err
	})
	return out, err
}

// stepsLeft are the first steps, and how many of them are done; none once all are.
func (p *Pages) stepsLeft(c *web.Request, d dashboard) ([]ui.Task, string, error) {
	steps, err := p.firstSteps(c, d)
	done := 0
	for _, s := range steps {
		if s.Done {
			done++
		}
	}
	if done == len(steps) {
		return nil, "", err
	}
	return steps, c.Text().Dashboard.Done(done, len(steps)), err
}

// showHome is the home page: of the application that someone works with, else of their account.
func (p *Pages) showHome(c *web.Request) error {
	person, _, err := p.Person(c)
	if err != nil {
		return err
	}
	if a, err := p.Acting(c); err == nil && a.Actor.ApplicationID != 0 {
		return p.showDashboard(c, a.Place, person)
	}
	t := c.Text()
	view := views.Home{Name: person.Name, Email: mailbox.Shown(person.Email), Grants: grantPairs(t, person.Grants),
		APIURL: p.BaseURL + "/api"}
	return web.Render(c, http.StatusOK, views.HomePage(c.Page(t.Home.Title), view))
}

// grantPairs says of each role where it applies.
func grantPairs(t *text.Catalogue, grants []identity.Grant) []ui.Pair {
	if len(grants) == 0 {
		return []ui.Pair{{Key: t.Home.Role, Value: t.Home.NoRole, Detail: t.Home.NoRoleText}}
	}
	var pairs []ui.Pair
	for _, g := range grants {
		pairs = append(pairs, ui.Pair{Key: t.Home.Role, Value: t.Roles[g.Role], Detail: placeOf(t.Home, g)})
	}
	return pairs
}

// placeOf names where a role applies.
func placeOf(t text.Home, g identity.Grant) string {
	switch g.Scope {
	case "app":
		return t.InApplication(g.ScopeName)
	case "org":
		return t.InOrganization(g.ScopeName)
	}
	return t.InSystem
}
