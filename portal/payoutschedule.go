package portal

import (
	"net/url"
	"strconv"
	"strings"

	"svcpay/internal/check/patch"
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

func (p *Portal) scheduleForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.merchant, Draw: drawSchedule, Once: true,
		Fill:  func(_ *web.Request, m merchant.Merchant) (url.Values, error) { return scheduleTyped(m), nil },
		Title: func(t *text.Catalogue) string { return t.MerchantPayouts.ScheduleProblems },
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (web.Done, error) {
			_, err := web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, rescheduled(in), in.Claim))
			return web.Saved(merchantAt(m.ID, payoutsEnd), c.Text().MerchantPayouts.ScheduleTold, err)
		}}
}

func drawSchedule(c *web.Request, m merchant.Merchant, in web.Input) error {
	t, at := c.Text(), merchantAt(m.ID, payoutsEnd)
	f := views.ScheduleForm{Typed: in.Values, Problems: in.Problems, Errors: in.Errors, Action: at + "/schedule", Back: at, Once: web.NewOnce(),
		Version: in.Version(m.Version), Every: options([]merchant.Schedule{merchant.Daily, merchant.Weekly, merchant.Monthly}, t.MerchantPayouts.Schedules)}
	for i, day := range t.Merchant.Weekdays {
		f.Weekdays = append(f.Weekdays, ui.Option{Value: strconv.Itoa(i + 1), Label: day})
	}
	if in.Changed() {
		f.Theirs = []ui.Edit{{Field: t.MerchantPayouts.Every, Old: scheduled(t.Merchant, m), New: scheduleWords(t.Merchant, in)}}
	}
	return web.Render(c, in.Status, views.SchedulePage(c.Page(t.MerchantPayouts.ScheduleTitle), f))
}

// rescheduled is what the form changes of a merchant: the schedule with the day that it needs.
func rescheduled(form web.Input) merchant.UpdateInput {
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
	in.IfVersion = form.IfVersion()
	return in
}

// scheduleWords says what was typed as [scheduled] says what is saved.
func scheduleWords(t text.Merchant, form web.Input) string {
	in := rescheduled(form)
	m := merchant.Merchant{PayoutSchedule: merchant.Schedule(form.Get(everyInput)), PayoutDayOfMonth: in.PayoutDayOfMonth.Value}
	if d := in.PayoutWeekday.Value; d != nil && *d >= 1 && *d <= len(t.Weekdays) {
		m.PayoutWeekday = d
	}
	return scheduled(t, m)
}
