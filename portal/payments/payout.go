package payments

import (
	"cmp"
	"io"
	"net/http"
	"net/url"
	"slices"

	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/report/statement"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// payout reads the payout that the address names.
func (p *Pages) payout(c *web.Request) (payout.Payout, error) {
	return p.Payouts.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Pages) showPayout(c *web.Request, one payout.Payout) error {
	at, query := web.PayoutsPath+"/"+one.ID.String(), c.QueryParams()
	if to, untidy := ui.Tidy(at, query); untidy {
		return web.SeeOther(c, to)
	}
	parts, err := p.Payouts.Parts(c.Ctx(), c.Actor(), one.ID.String())
	if err != nil {
		return err
	}
	group := query.Get("group")
	entries, err := p.Payouts.EntriesOf(c.Ctx(), c.Actor(), one.ID.String(), kindsIn(parts, group),
		web.Cursors(query, ids.ParseEntry))
	if err != nil {
		return err
	}
	owner, err := p.Merchants.Get(c.Ctx(), c.Actor(), one.MerchantID)
	if err != nil {
		return err
	}
	view := payoutView(c, one, owner)
	view.Terms, view.Only = payoutTerms(c.Text(), at, parts), c.Text().Balances.GroupNames[group]
	for _, e := range entries.Items {
		view.Entries = append(view.Entries, payoutEntry(c, e))
	}
	view.Pager = web.PagerOf(at, query, entries, func(e payout.Entry) string { return e.ID.String() },
		c.Text().Payouts.Entry(len(entries.Items)))
	return web.Render(c, http.StatusOK, views.PayoutPage(c.Page(view.Title), view))
}

// payoutView is what a payout's page says of it, without what it is made of.
func payoutView(c *web.Request, one payout.Payout, owner merchant.Merchant) views.Payout {
	t, at := c.Text(), web.PayoutsPath+"/"+one.ID.String()
	view := views.Payout{Title: t.Money(one.Amount, one.Currency),
		Text: owner.Name + " → " + t.Payouts.To(one.BankName, one.Last4), Tone: payoutTones[one.Status],
		Status: t.Payouts.Statuses[string(one.Status)], Back: web.PayoutsPath, Amount: one.Amount,
		Currency: one.Currency, All: at, Sheet: web.Exported(c, at+"/entries.csv"), Facts: payoutDetails(c, one,
			owner), Timeline: payoutTimeline(t.Payouts,
			one), JSON: web.Indented(one)}
	if one.Failure != nil {
		view.Banner = payoutBanner(t.Payouts, *one.Failure, owner.PayoutsPausedReason != nil)
		if owner.PayoutsPausedReason != nil {
			view.Pause = web.MerchantAt(owner.ID, web.PayoutsEnd)
		}
	}
	return view
}

// payoutBanner says why a payout failed, where its money is, and whether the merchant's payouts are paused now.
func payoutBanner(t text.Payouts, f payout.Failure, paused bool) ui.Banner {
	words := t.FailedText
	if paused {
		words += " " + t.PausedText
	}
	if f.ReturnCode != nil {
		words += " " + t.Code + ": " + *f.ReturnCode + "."
	}
	return ui.Banner{Tone: ui.Danger, Title: cmp.Or(t.Failures[f.Code], text.Curly(f.Message)), Text: words}
}

// kindsIn are the kinds of a payout's parts that are in a group; nil, which is all, for no group.
func kindsIn(parts []payout.Part, group string) []string {
	if group == "" {
		return nil
	}
	out := []string{}
	for _, part := range parts {
		if string(statement.GroupOf(part.Kind)) == group {
			out = append(out, part.Kind)
		}
	}
	return out
}

// kindName is a kind of entries in words.
func kindName(t *text.Catalogue, kind string) string {
	return cmp.Or(t.Payouts.Kinds[kind], t.MerchantFees.Names[kind], kind)
}

// payoutTerms are the groups of a payout's equation that it has something of.
func payoutTerms(t *text.Catalogue, at string, parts []payout.Part) []views.PayoutTerm {
	var lines []statement.Line
	for _, part := range parts {
		lines = append(lines, statement.Line{Group: statement.GroupOf(part.Kind), Kind: part.Kind, Count: part.Count,
			Amount: part.Amount})
	}
	return groupTerms(t, lines, func(g statement.Group) string {
		return web.WithQuery(at, url.Values{"group": {string(g)}})
	})
}

func payoutEntry(c *web.Request, e payout.Entry) views.PayoutEntry {
	out := views.PayoutEntry{Kind: kindName(c.Text(), e.Kind), ExternalID: web.Deref(e.ExternalID), Amount: e.Amount,
		At: e.CreatedAt.Time}
	if e.ChargeID != nil {
		out.Charge, out.Href = ui.ShortID(e.ChargeID.String()), web.ObjectPage(c.Reachable(), web.ChargesPath,
			e.ChargeID.String())
	}
	return out
}

func payoutDetails(c *web.Request, one payout.Payout, owner merchant.Merchant) []ui.Fact {
	t := c.Text().Payouts
	return []ui.Fact{
		{Key: t.ID, Value: ui.Copied(t.ID, one.ID.String())},
		{Key: t.Merchant, Value: ui.Linked(owner.Name, web.MerchantPage(c.Reachable(), owner.ID))},
		{Key: t.Bank, Value: ui.Plain(t.To(one.BankName, one.Last4))},
		{Key: t.Arrives, Value: ui.Plain(c.Text().Day(string(one.ArrivalOn)))},
		{Key: t.Descriptor, Value: ui.Mono(one.StatementDescriptor)},
		{Key: t.Period, Value: views.Between(one.PeriodFrom.Time, one.PeriodTo.Time)},
		{Key: t.Contents, Value: ui.Two(t.MadeOf(one.ChargeCount, one.RefundCount), t.Entry(one.EntryCount))},
		{Key: t.Reference, Value: ui.Two(one.Processor.Reference, one.Processor.Name)},
	}
}

// payoutTimeline says the outcome of a payout, the latest first.
func payoutTimeline(t text.Payouts, one payout.Payout) ui.Timeline {
	out := ui.Timeline{
		Entries: []ui.Happening{
			{Icon: ui.IconSend, Title: t.Started, At: one.CreatedAt.Time, Amount: ui.Amount(one.Amount)}}}
	for _, step := range []struct {
		title string
		tone  ui.Tone
		icon  ui.IconName
		at    *instant.Time
	}{{t.Failed, ui.Danger, ui.IconProblem, one.FailedAt}, {t.Arrived, ui.Success, ui.IconTick, one.PaidAt},
		{t.Returned, ui.Danger, ui.IconRefund, one.ReturnedAt}} {
		if step.at != nil {
			out.Entries = append(out.Entries,
				ui.Happening{Icon: step.icon, Tone: step.tone, Title: step.title, At: step.at.Time})
		}
	}
	slices.SortStableFunc(out.Entries, func(a, b ui.Happening) int { return b.At.Compare(a.At) })
	return out
}

// exportPayoutEntries is what a payout is made of, to reconcile it.
func (p *Pages) exportPayoutEntries(c *web.Request, one payout.Payout) error {
	return answerSheet(c, one.ID.String()+".csv", func(w io.Writer) error {
		return p.Statements.PayoutCSV(c.Ctx(), c.Actor(), one.ID.String(), w)
	})
}
