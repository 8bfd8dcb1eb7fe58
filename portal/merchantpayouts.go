package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	payoutsEnd = "/payouts"
	payoutsAt  = merchantPath + payoutsEnd
)

func (p *Portal) merchantPayoutRoutes() []route {
	return []route{
		{http.MethodGet, payoutsAt, access(authz.PayoutRead), p.showMerchantPayouts},
		{http.MethodGet, payoutsAt + "/account", access(authz.MerchantBank), p.fresh(p.showAccountForm)},
		{http.MethodPost, payoutsAt + "/account", access(authz.MerchantBank), p.freshSecret(p.putAccount)},
		{http.MethodGet, payoutsAt + "/schedule", access(authz.MerchantUpdate), p.showScheduleForm},
		{http.MethodPost, payoutsAt + "/schedule", access(authz.MerchantUpdate), p.setSchedule},
		{http.MethodGet, payoutsAt + "/verify", access(authz.MerchantBank), p.showDeposits},
		{http.MethodPost, payoutsAt + "/verify", access(authz.MerchantBank), p.fresh(p.verifyAccount)},
		{http.MethodGet, payoutsAt + "/resume", access(authz.PayoutResume), p.askResume},
		{http.MethodPost, payoutsAt + "/resume", access(authz.PayoutResume), p.fresh(p.resumePayouts)},
	}
}

// bankAccount is the merchant's; false if there is none.
func (p *Portal) bankAccount(c *web.Request, m merchant.Merchant) (payout.BankAccount, bool, error) {
	b, err := p.Payouts.BankAccountOf(c.Ctx(), c.Actor(), m.ID)
	if fault.HasCode(err, "resource_missing") {
		return b, false, nil
	}
	return b, err == nil, err
}

func (p *Portal) showMerchantPayouts(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	balances, err := p.Ledger.Several(c.Ctx(), c.Actor(), []int64{m.ID})
	if err != nil {
		return err
	}
	b, has, err := p.bankAccount(c, m)
	if err != nil {
		return err
	}
	t, at := c.Text(), merchantAt(m.ID, payoutsEnd)
	view := views.MerchantPayouts{Balance: balanceOf(m, balances[m.ID]), Schedule: scheduled(t.Merchant, m),
		All: web.WithQuery(payoutsPath, url.Values{"merchant": {whole(m.ID)}})}
	if has {
		view.Account = accountOf(t, b)
	}
	if c.May(authz.MerchantUpdate) {
		view.Reschedule = at + "/schedule"
	}
	if c.May(authz.MerchantBank) {
		view.Add = at + "/account"
		if has && b.Status == payout.Unverified && b.TriesLeft > 0 {
			view.Verify = at + "/verify"
		}
	} else {
		view.Why = t.MerchantPayouts.OffBank
	}
	switch {
	case m.PayoutsPausedReason != nil:
		view.Paused = t.MerchantPayouts.Reasons[string(*m.PayoutsPausedReason)]
		if view.NoResume = t.MerchantPayouts.OffResume; c.May(authz.PayoutResume) {
			view.Resume = at + "/resume"
		}
	case merchant.Allows(m.Status, merchant.PayOut):
		view.Next = m.NextPayoutAt.Time
	}
	return showTab(c, http.StatusOK, m, payoutsEnd, views.MerchantPayoutsTab(view))
}

// accountOf is a bank account as people see it.
func accountOf(t *text.Catalogue, b payout.BankAccount) views.BankAccount {
	out := views.BankAccount{Name: t.Payouts.To(b.BankName, b.Last4), Tone: ui.Warning, Status: t.MerchantPayouts.Statuses[string(b.Status)],
		Text: t.MerchantPayouts.StatusTexts[string(b.Status)], Added: b.CreatedAt.Time}
	if b.VerifiedAt != nil {
		out.Checked = b.VerifiedAt.Time
	}
	if b.HeldUntil != nil {
		out.Held = b.HeldUntil.Time
	}
	if b.Status == payout.Verified {
		out.Tone = ui.Success
	} else {
		out.Tries = t.Number(int64(b.TriesLeft))
	}
	return out
}

// accountForm is an empty form of a merchant's bank account.
func (p *Portal) accountForm(c *web.Request, m merchant.Merchant) (views.AccountForm, error) {
	b, has, err := p.bankAccount(c, m)
	at := merchantAt(m.ID, payoutsEnd)
	f := views.AccountForm{Action: at + "/account", Back: at, Canadian: m.Country == "CA", Type: "checking"}
	if has {
		f.Seen = b.ID.String()
	}
	return f, err
}

func (p *Portal) showAccountForm(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	f, err := p.accountForm(c, m)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.AccountPage(c.Page(c.Text().MerchantPayouts.Account), f))
}

// accountInputs are how the form calls what the use-case finds wrong.
var accountInputs = map[string]string{"bank_account.routing_number": "routing", "bank_account.account_number": "number", "bank_account.account_type": "type",
	"billing.first_name": "first_name", "billing.last_name": "last_name"}

func (p *Portal) putAccount(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	f, err := p.accountForm(c, m)
	if err != nil {
		return err
	}
	value := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	f.First, f.Last, f.Type, f.Routing, f.Transit, f.Institution = value("first_name"), value("last_name"), value("type"), value("routing"), value("transit"), value("institution")
	t := c.Text().MerchantPayouts
	_, err = p.Payouts.PutAccount(c.Ctx(), c.Actor(), payout.AccountInput{MerchantID: m.ID, FirstName: f.First, LastName: f.Last,
		Routing: cmp.Or(f.Transit+f.Institution, f.Routing), Number: value("number"), AccountType: f.Type}, value("seen"))
	if above, beside, ok := web.Problems(c.Text(), err, t.Problems, accountInputs); ok {
		f.Problems, f.Errors = above, beside
		refused, _ := fault.As(err)
		return web.Render(c, web.StatusOf(refused.Kind), views.AccountPage(c.Page(t.Account), f))
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.AddedTold})
	return web.SeeOther(c, f.Back)
}

func (p *Portal) depositsForm(c *web.Request, m merchant.Merchant) views.DepositsForm {
	at := merchantAt(m.ID, payoutsEnd)
	f := views.DepositsForm{Action: at + "/verify", Back: at}
	if p.Sandbox {
		f.Hint = c.Text().MerchantPayouts.VerifySandbox
	}
	return f
}

func (p *Portal) showDeposits(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	return web.Render(c, http.StatusOK, views.DepositsPage(c.Page(c.Text().MerchantPayouts.VerifyTitle), p.depositsForm(c, m)))
}

// cents reads the amount of a small deposit.
func cents(words string, fs *fault.Fields, name, mistake string) int {
	amount, err := money.ParseDecimal(strings.TrimPrefix(strings.TrimSpace(words), "$"))
	if err != nil || amount < 1 || amount >= money.Dollar {
		fs.Add(name, "parameter_invalid", mistake)
	}
	return int(amount)
}

func (p *Portal) verifyAccount(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	t, f := c.Text().MerchantPayouts, p.depositsForm(c, m)
	f.One, f.Two = form.Get("one"), form.Get("two")
	var fs fault.Fields
	told := [2]int{cents(f.One, &fs, "one", t.NotCents), cents(f.Two, &fs, "two", t.NotCents)}
	if err = fs.Err(); err == nil {
		_, err = p.Payouts.VerifyBankAccount(c.Ctx(), c.Actor(), payout.VerifyInput{MerchantID: m.ID, Amounts: told})
	}
	if above, beside, ok := web.Problems(c.Text(), err, c.Text().Failures.Other, map[string]string{"amounts": "one"}); ok {
		refused, _ := fault.As(err)
		if left, known := refused.Detail["tries_left"].(int); known {
			above.List, beside = []ui.Problem{{Field: "one", Text: t.TriesLeft(left)}}, map[string]string{"one": t.TriesLeft(left)}
		}
		f.Problems, f.Errors = above, beside
		return web.Render(c, web.StatusOf(refused.Kind), views.DepositsPage(c.Page(t.VerifyTitle), f))
	}
	if err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: t.VerifiedTold})
	return web.SeeOther(c, f.Back)
}

func (p *Portal) resumePayouts(c *web.Request) error {
	m, err := p.merchant(c)
	if err != nil {
		return err
	}
	if _, err := p.Payouts.Resume(c.Ctx(), c.Actor(), m.ID); err != nil {
		return err
	}
	web.Tell(c, ui.Toast{Tone: ui.Success, Text: c.Text().MerchantPayouts.ResumedTold})
	return web.SeeOther(c, merchantAt(m.ID, payoutsEnd))
}
