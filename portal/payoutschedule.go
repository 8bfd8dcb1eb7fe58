package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// The inputs of the form are named as the members of a merchant that they are.
const (
	everyInput    = "payout_schedule"
	weekdayInput  = "payout_weekday"
	monthDayInput = "payout_day_of_month"
)

// scheduleTyped is a merchant's payout schedule as its form has it. The days of the other schedules are what the form
// proposes.
func scheduleTyped(m merchant.Merchant) url.Values {
	out := url.Values{everyInput: {string(m.PayoutSchedule)}, weekdayInput: {"1"}, monthDayInput: {"1"}}
	if m.PayoutWeekday != nil {
		out.Set(weekdayInput, strconv.Itoa(*m.PayoutWeekday))
	}
	if m.PayoutDayOfMonth != nil {
		out.Set(monthDayInput, strconv.Itoa(*m.PayoutDayOfMonth))
	}
	return out
}

func (p *Portal) showScheduleForm(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return p.scheduleForm(c, http.StatusOK, m, views.ScheduleForm{Typed: scheduleTyped(m)})
}

func (p *Portal) scheduleForm(c *web.Request, status int, m merchant.Merchant, f views.ScheduleForm) error {
	t, at := c.Text(), merchantAt(m.ID, payoutsEnd)
	f.Action, f.Back, f.Once, f.Version = at+"/schedule", at, web.NewOnce(), cmp.Or(f.Version, strconv.Itoa(m.Version))
	for _, s := range []merchant.Schedule{merchant.Daily, merchant.Weekly, merchant.Monthly} {
		f.Every = append(f.Every, ui.Option{Value: string(s), Label: t.MerchantPayouts.Schedules[string(s)]})
	}
	for i, day := range t.Merchant.Weekdays {
		f.Weekdays = append(f.Weekdays, ui.Option{Value: strconv.Itoa(i + 1), Label: day})
	}
	return web.Render(c, status, views.SchedulePage(c.Page(t.MerchantPayouts.ScheduleTitle), f))
}

// rescheduled is what the form changes of a merchant: the schedule with the day that it needs.
func rescheduled(form url.Values) merchant.UpdateInput {
	every := merchant.Schedule(form.Get(everyInput))
	in := merchant.UpdateInput{PayoutSchedule: patch.Set(string(every)), PayoutWeekday: patch.Clear[int](), PayoutDayOfMonth: patch.Clear[int]()}
	day := func(name string) patch.Member[int] {
		n, _ := strconv.Atoi(strings.TrimSpace(form.Get(name))) // what is no number is no day: 0 is refused
		return patch.Set(n)
	}
	switch every {
	case merchant.Weekly:
		in.PayoutWeekday = day(weekdayInput)
	case merchant.Monthly:
		in.PayoutDayOfMonth = day(monthDayInput)
	case merchant.Daily:
	}
	if v, err := strconv.Atoi(form.Get(web.VersionField)); err == nil {
		in.IfVersion = &v
	}
	return in
}

func (p *Portal) setSchedule(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	t := c.Text()
	_, err = web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, rescheduled(form), claim))
	if above, beside, ok := web.Problems(c.Text(), err, t.MerchantPayouts.ScheduleProblems, nil); ok {
		f := views.ScheduleForm{Typed: form, Version: web.VersionKept(form, err), Problems: above, Errors: beside}
		if fault.HasCode(err, "object_changed") {
			f.Theirs = []ui.Edit{{Field: t.MerchantPayouts.Every, Old: scheduled(t.Merchant, m), New: scheduleWords(t.Merchant, form)}}
		}
		return p.scheduleForm(c, web.StatusOf(web.KindOf(err)), m, f)
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.MerchantPayouts.ScheduleTold})
	return web.SeeOther(c, merchantAt(m.ID, payoutsEnd))
}

// scheduleWords says what was typed as [scheduled] says what is saved.
func scheduleWords(t text.Merchant, form url.Values) string {
	in := rescheduled(form)
	m := merchant.Merchant{PayoutSchedule: merchant.Schedule(form.Get(everyInput)), PayoutDayOfMonth: in.PayoutDayOfMonth.Value}
	if d := in.PayoutWeekday.Value; d != nil && *d >= 1 && *d <= len(t.Weekdays) {
		m.PayoutWeekday = d
	}
	return scheduled(t, m)
}
