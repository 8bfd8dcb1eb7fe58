package merchants

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const payoutsAt = web.MerchantPath + web.PayoutsEnd

func (p *Pages) merchantPayoutRoutes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(payoutsAt, authz.PayoutRead, web.Show(p.Merchant, p.showMerchantPayouts)).Grows(),
		web.Get(payoutsAt+"/account", authz.MerchantBank, p.Fresh(p.accountForm().Show)),
		web.Post(payoutsAt+"/account", authz.MerchantBank, p.FreshSecret(p.accountForm().Submit)),
		web.Get(payoutsAt+"/resume", authz.PayoutResume, web.Show(p.Merchant, p.askResume)),
		web.Post(payoutsAt+"/resume", authz.PayoutResume, p.Fresh(web.ActOn(p.Merchant, p.resumePayouts))),
	}, p.scheduleForm().Routes(payoutsAt+"/schedule", authz.MerchantUpdate),
		p.FreshForm(p.depositsForm().Routes(payoutsAt+"/verify", authz.MerchantBank)))
}

// bankAccount is the merchant's; false if there is none.
func (p *Pages) bankAccount(c *web.Request, m merchant.Merchant) (payout.BankAccount, bool, error) {
	b, err := p.Payouts.BankAccountOf(c.Ctx(), c.Actor(), m.ID)
	if fault.HasCode(err, "resource_missing") {
		return b, false, nil
	}
	return b, err == nil, err
}

func (p *Pages) showMerchantPayouts(c *web.Request, m merchant.Merchant) error {
	balances, err := p.Ledger.Several(c.Ctx(), c.Actor(), []int64{m.ID})
	if err != nil {
		return err
	}
	b, has, err := p.bankAccount(c, m)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.MerchantPayouts{Balance: web.BalanceOf(m, balances[m.ID]), Schedule: scheduled(t.Merchant, m),
		All: web.WithQuery(web.PayoutsPath, url.Values{"merchant": {web.Whole(m.ID)}})}
	if has {
		view.Account = accountOf(t, b)
		if !p.Sandbox && b.Status == payout.Unverified {
			view.Account.Text, view.Account.Tries = t.MerchantPayouts.OnFile, ""
		}
	}
	payoutActs(c, m, &view, p.Sandbox && has && b.Status == payout.Unverified && b.TriesLeft > 0)
	switch {
	case m.PayoutsPausedReason != nil:
		view.Paused = t.MerchantPayouts.Reasons[string(*m.PayoutsPausedReason)]
	case merchant.Allows(m.Status, merchant.PayOut):
		view.Next = m.NextPayoutAt.Time
	}
	return showTab(c, http.StatusOK, m, web.PayoutsEnd, views.MerchantPayoutsTab(view))
}

// payoutActs adds what the visitor can do about a merchant's payouts, and who does what they cannot.
func payoutActs(c *web.Request, m merchant.Merchant, view *views.MerchantPayouts, verifies bool) {
	t, at := c.Text().MerchantPayouts, web.MerchantAt(m.ID, web.PayoutsEnd)
	if c.May(authz.MerchantUpdate) {
		view.Reschedule = at + "/schedule"
	}
	if !c.May(authz.MerchantBank) {
		view.Why = t.OffBank
	} else if view.Add = at + "/account"; verifies {
		view.Verify = at + "/verify"
	}
	if m.PayoutsPausedReason == nil {
		return
	}
	if view.NoResume = t.OffResume; c.May(authz.PayoutResume) {
		view.Resume = at + "/resume"
	}
}

// accountOf is a bank account as people see it.
func accountOf(t *text.Catalogue, b payout.BankAccount) views.BankAccount {
	out := views.BankAccount{Name: t.Payouts.To(b.BankName, b.Last4), Tone: ui.Warning,
		Status: t.MerchantPayouts.Statuses[string(b.Status)],
		Text:   t.MerchantPayouts.StatusTexts[string(b.Status)], Added: b.CreatedAt.Time,
		Checked: web.Deref(b.VerifiedAt).Time, Held: web.Deref(b.HeldUntil).Time}
	if b.Status == payout.Verified {
		out.Tone = ui.Success
	} else {
		out.Tries = t.Number(int64(b.TriesLeft))
	}
	return out
}

// bankForm is the form of a merchant's bank account.
type bankForm struct {
	merchant merchant.Merchant
	form     views.AccountForm
}

// accountInputs are how the form calls what the use-case finds wrong.
var accountInputs = map[string]string{"bank_account.routing_number": "routing", "bank_account.account_number": "number",
	"bank_account.account_type": "type",
	"billing.first_name":        "first_name", "billing.last_name": "last_name"}

func (p *Pages) accountForm() web.Form[bankForm] {
	return web.Form[bankForm]{Draw: drawAccount, Do: p.putAccount, Inputs: accountInputs,
		Title: func(t *text.Catalogue) string { return t.MerchantPayouts.Problems },
		Fill:  func(*web.Request, bankForm) (url.Values, error) { return url.Values{"type": {"checking"}}, nil },
		Load: func(c *web.Request) (out bankForm, err error) {
			if out.merchant, err = p.Merchant(c); err != nil {
				return out, err
			}
			b, has, err := p.bankAccount(c, out.merchant)
			at := web.MerchantAt(out.merchant.ID, web.PayoutsEnd)
			out.form = views.AccountForm{Action: at + "/account", Back: at, Canadian: out.merchant.Country == "CA",
				OnFile: !p.Sandbox}
			if has {
				out.form.Seen = b.ID.String()
			}
			return out, err
		}}
}

// drawAccount draws the form with all that was typed but the account number.
func drawAccount(c *web.Request, of bankForm, in web.Input) error {
	f, value := of.form, func(name string) string { return strings.TrimSpace(in.Get(name)) }
	f.First, f.Last, f.Type, f.Routing = value("first_name"), value("last_name"), value("type"), value("routing")
	// a mistake: still the account that its editor saw
	if refused, ok := fault.As(in.Refused); ok && refused.Kind == fault.KindInvalid {
		f.Seen = in.Get("seen")
	}
	f.Transit, f.Institution, f.Problems, f.Errors = value("transit"), value("institution"), in.Problems, in.Errors
	return web.Render(c, in.Status, views.AccountPage(c.Page(c.Text().MerchantPayouts.Account), f))
}

func (p *Pages) putAccount(c *web.Request, of bankForm, in web.Input) (web.Done, error) {
	value := func(name string) string { return strings.TrimSpace(in.Get(name)) }
	_, err := p.Payouts.PutAccount(c.Ctx(), c.Actor(), payout.AccountInput{MerchantID: of.merchant.ID,
		FirstName: value("first_name"), LastName: value("last_name"),
		Routing: cmp.Or(value("transit")+value("institution"),
			value("routing")), Number: value("number"), AccountType: value("type")}, value("seen"))
	told := c.Text().MerchantPayouts.AddedTold
	if of.form.OnFile {
		told = c.Text().MerchantPayouts.AddedOnFile
	}
	return web.Saved(of.form.Back, told, err)
}

// cents reads the amount of a small deposit.
func cents(words string, fs *fault.Fields, name, mistake string) int {
	amount, err := money.ParseDecimal(strings.TrimPrefix(strings.TrimSpace(words), "$"))
	if err != nil || amount < 1 || amount >= money.Dollar {
		fs.Add(name, "parameter_invalid", mistake)
	}
	return int(amount)
}

// depositsForm verifies a bank account by the amounts of two small deposits.
func (p *Pages) depositsForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: p.drawDeposits, Title: web.OtherTitle,
		Inputs: map[string]string{"amounts": "one"},
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (done web.Done, err error) {
			t := c.Text().MerchantPayouts
			var fs fault.Fields
			told := [2]int{cents(in.Get("one"), &fs, "one", t.NotCents), cents(in.Get("two"), &fs, "two", t.NotCents)}
			if err = fs.Err(); err != nil {
				return done, err
			}
			_, err = p.Payouts.VerifyBankAccount(c.Ctx(), c.Actor(),
				payout.VerifyInput{MerchantID: m.ID, Amounts: told})
			return web.Saved(web.MerchantAt(m.ID, web.PayoutsEnd), t.VerifiedTold, err)
		}}
}

func (p *Pages) drawDeposits(c *web.Request, m merchant.Merchant, in web.Input) error {
	t, at := c.Text().MerchantPayouts, web.MerchantAt(m.ID, web.PayoutsEnd)
	f := views.DepositsForm{Action: at + "/verify", Back: at, One: in.Get("one"), Two: in.Get("two"),
		Problems: in.Problems, Errors: in.Errors}
	if p.Sandbox {
		f.Hint = t.VerifySandbox
	}
	if refused, ok := fault.As(in.Refused); ok {
		if left, known := refused.Detail["tries_left"].(int); known {
			f.Problems.List, f.Errors = []ui.Problem{{Field: "one", Text: t.TriesLeft(left)}}, map[string]string{
				"one": t.TriesLeft(left)}
		}
	}
	return web.Render(c, in.Status, views.DepositsPage(c.Page(t.VerifyTitle), f))
}

func (p *Pages) resumePayouts(c *web.Request, m merchant.Merchant, _ url.Values) (web.Done, error) {
	_, err := p.Payouts.Resume(c.Ctx(), c.Actor(), m.ID)
	return web.Saved(web.MerchantAt(m.ID, web.PayoutsEnd), c.Text().MerchantPayouts.ResumedTold, err)
}

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

func (p *Pages) scheduleForm() web.Form[merchant.Merchant] {
	return web.Form[merchant.Merchant]{Load: p.Merchant, Draw: drawSchedule, Once: true,
		Fill:  func(_ *web.Request, m merchant.Merchant) (url.Values, error) { return scheduleTyped(m), nil },
		Title: func(t *text.Catalogue) string { return t.MerchantPayouts.ScheduleProblems },
		Do: func(c *web.Request, m merchant.Merchant, in web.Input) (web.Done, error) {
			_, err := web.Settled(p.Merchants.Update(c.Ctx(), c.Actor(), m.ID, rescheduled(in), in.Claim))
			return web.Saved(web.MerchantAt(m.ID, web.PayoutsEnd), c.Text().MerchantPayouts.ScheduleTold, err)
		}}
}

func drawSchedule(c *web.Request, m merchant.Merchant, in web.Input) error {
	t, at := c.Text(), web.MerchantAt(m.ID, web.PayoutsEnd)
	f := views.ScheduleForm{Typed: in.Values, Problems: in.Problems, Errors: in.Errors, Action: at + "/schedule",
		Back: at, Once: web.NewOnce(),
		Version: in.Version(m.Version), Every: web.Options([]merchant.Schedule{merchant.Daily, merchant.Weekly,
			merchant.Monthly}, t.MerchantPayouts.Schedules)}
	for i, day := range t.Merchant.Weekdays {
		f.Weekdays = append(f.Weekdays, ui.Option{Value: strconv.Itoa(i + 1), Label: day})
	}
	if in.Changed() {
		f.Theirs = []ui.Edit{
			{Field: t.MerchantPayouts.Every, Old: scheduled(t.Merchant, m), New: scheduleWords(t.Merchant, in)}}
	}
	return web.Render(c, in.Status, views.SchedulePage(c.Page(t.MerchantPayouts.ScheduleTitle), f))
}

// rescheduled is what the form changes of a merchant: the schedule with the day that it needs.
func rescheduled(form web.Input) merchant.UpdateInput {
	every := merchant.Schedule(form.Get(everyInput))
	in := merchant.UpdateInput{PayoutSchedule: patch.Set(string(every)), PayoutWeekday: patch.Clear[int](),
		PayoutDayOfMonth: patch.Clear[int]()}
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
	m := merchant.Merchant{PayoutSchedule: merchant.Schedule(form.Get(everyInput)),
		PayoutDayOfMonth: in.PayoutDayOfMonth.Value}
	if d := in.PayoutWeekday.Value; d != nil && *d >= 1 && *d <= len(t.Weekdays) {
		m.PayoutWeekday = d
	}
	return scheduled(t, m)
}

// askResume asks before payouts are resumed, and says where they will go.
func (p *Pages) askResume(c *web.Request, m merchant.Merchant) error {
	b, has, err := p.bankAccount(c, m)
	if err != nil {
		return err
	}
	back, t := web.MerchantAt(m.ID, web.PayoutsEnd), c.Text()
	if m.PayoutsPausedReason == nil { // someone else has resumed them
		return web.SeeOther(c, back)
	}
	f := views.ActForm{Title: t.MerchantPayouts.Resume, Text: t.MerchantPayouts.ResumeNowhere, Back: back,
		Press: t.MerchantPayouts.Resume}
	if has {
		f.Text = t.MerchantPayouts.ResumeText(t.Payouts.To(b.BankName, b.Last4))
	}
	return web.Confirm(c, f)
}
