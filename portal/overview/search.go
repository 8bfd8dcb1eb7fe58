package overview

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/payout"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/page"
	"svcpay/internal/refund"
	"svcpay/internal/report/search"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	// foundOfEach is how much is shown for each way that words can be read.
	foundOfEach = 8
	// fewest is how many characters someone has to give before objects are looked for.
	fewest = 2
	// shownKinds are the objects that have a page.
	shownKinds = "object:charge,refund,dispute,payout,daf_donation,merchant "
)

// showSearch finds pages and objects: the palette over every page, and a page of its own.
func (p *Pages) showSearch(c *web.Request) error {
	frame, t := c.Page(c.Text().Parts.Search), c.Text().Search
	words := strings.TrimSpace(c.QueryParam("q"))
	palette := ui.Palette{Path: web.SearchPath, Query: words, Tried: words != "",
		Groups: []ui.FoundGroup{{Label: t.Pages, Items: ui.PagesNamed(frame.Nav, words)}}}
	if len([]rune(words)) >= fewest {
		groups, err := p.find(c, words)
		if fault.HasCode(err, "search_too_broad") {
			palette.Told, err = t.Broad, nil
		}
		if err != nil {
			return err
		}
		palette.Groups = append(groups, palette.Groups...)
	}
	return web.Render(c, http.StatusOK, views.SearchPage(frame, palette))
}

// find looks for everything that words may mean and that the visitor may read.
func (p *Pages) find(c *web.Request, words string) ([]ui.FoundGroup, error) {
	readings := readingsOf(words)
	requests, object, err := p.requested(c, words)
	if err != nil {
		return nil, err
	}
	if object != "" {
		readings = append(readings, object)
	}
	found, err := p.objects(c, readings)
	if err != nil {
		return nil, err
	}
	groups, err := p.grouped(c, found)
	if err != nil {
		return nil, err
	}
	return append(groups, requests...), nil
}

// readingsOf are the queries that someone may mean by words: what was pasted is an id, an amount, the last four
// digits, an address or the beginnings of words; who knows the language of searches writes in it.
func readingsOf(words string) (out []string) {
	if strings.ContainsAny(words, `:<>"`) || strings.HasPrefix(words, "-") {
		return []string{words}
	}
	if strings.Trim(words, "0123456789") == "" {
		switch n := len(words); {
		case n <= 4:
			out = append(out, "last4:"+words)
		case n > 12: // as a word, one that looks like a card number is refused
			out = append(out, "external_id:"+words)
		}
	}
	if amount, err := money.ParseDecimal(words); err == nil && amount > 0 {
		out = append(out, "amount:"+strconv.FormatInt(int64(amount), 10))
	}
	plain := strings.Fields(strings.ReplaceAll(words, "*", ""))
	if isID(words) {
		return append(out, words)
	}
	return append(out, strings.Join(plain, "* ")+"*", strings.Join(plain, " "))
}

// isID reports whether words are one of our ids, which is looked for as it is.
func isID(words string) bool {
	prefix, rest, ok := strings.Cut(words, "_")
	return ok && len(rest) == 26 && slices.Contains([]string{"ch", "re", "dp", "po", "daf", "tok"}, prefix)
}

// objects runs queries and returns what they find, each object once.
func (p *Pages) objects(c *web.Request, queries []string) (out []search.Found, err error) {
	seen := map[string]bool{}
	for _, q := range queries {
		if !strings.Contains(q, "object:") {
			q = shownKinds + q
		}
		query, err := search.Parse(q)
		if err != nil { // words that no query is made of find nothing
			continue
		}
		found, err := p.Search.Find(c.Ctx(), c.Actor(),
			search.Input{Query: query, Page: page.Input[search.Ref]{Limit: foundOfEach}})
		if err != nil {
			return nil, err
		}
		for _, f := range found.Items {
			if !seen[f.ID] {
				seen[f.ID] = true
				out = append(out, f)
			}
		}
	}
	return out, nil
}

// requested finds the request or the event of an id, with the outcome of it, and the object that it was about.
func (p *Pages) requested(c *web.Request, words string) (out []ui.FoundGroup, object string, err error) {
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	if id, err := ids.ParseRequest(words); err == nil {
		log, err := p.RequestLogs.Get(ctx, a, words)
		if err == nil {
			out = append(out,
				ui.FoundGroup{Label: t.Search.Requests,
					Items: []ui.Found{{Icon: ui.IconCode, Title: log.Method + " " + log.Path, Detail: words,
						Href: web.LogsPath + "/" + words, Aside: ui.Plain(t.Search.Answered(log.Status))}}})
			object = web.Deref(log.ObjectID)
		}
		if !absent(err) {
			return nil, "", err
		}
		entries, err := p.Audit.List(ctx, a,
			audit.ListInput{Page: page.Input[ids.AuditEntry]{Limit: foundOfEach}, RequestID: &id})
		if n := len(entries.Items); err == nil && n > 0 {
			out = append(out,
				ui.FoundGroup{Label: t.Search.Audit,
					Items: []ui.Found{{Icon: ui.IconAudit, Title: t.Search.DidText, Detail: t.Search.Did(n),
						Href: web.WithQuery(web.AuditPath, url.Values{"q": {words}})}}})
		}
		if !absent(err) && !errors.Is(err, page.ErrTooMany) { // the rest is told without it
			return nil, "", err
		}
		return out, object, nil
	}
	e, err := p.Events.Get(ctx, a, words)
	if err == nil {
		out = append(out,
			ui.FoundGroup{Label: t.Search.Events,
				Items: []ui.Found{{Icon: ui.IconSend, Title: e.Type, Detail: words, Href: web.EventsPath + "/" + words,
					Aside: ui.Time(e.Timestamp.Time)}}})
	}
	if !absent(err) {
		return nil, "", err
	}
	return out, "", nil
}

// absent says that something is not there for the visitor, or is; other errors are ours.
func absent(err error) bool {
	return err == nil || fault.HasCode(err, "resource_missing") || fault.HasCode(err, "permission_denied")
}

// grouped shows what was found by kind, in the order of the navigation, merchants first.
func (p *Pages) grouped(c *web.Request, found []search.Found) ([]ui.FoundGroup, error) {
	var of []int64
	for _, f := range found {
		if id := merchantOf(f.Object); id != 0 {
			of = append(of, id)
		}
	}
	merchants, err := p.Merchants.SummariesOf(c.Ctx(), c.Actor(), of)
	if err != nil {
		return nil, err
	}
	t := c.Text()
	groups := []ui.FoundGroup{{Label: t.Search.Merchants}, {Label: t.Search.Charges}, {Label: t.Search.Refunds},
		{Label: t.Search.Disputes},
		{Label: t.Search.Payouts}, {Label: t.Search.Donations}}
	for _, f := range found {
		if kind, line := lineOf(t, f, merchants[merchantOf(f.Object)].Name); line.Href != "" {
			groups[kind].Items = append(groups[kind].Items, line)
		}
	}
	return groups, nil
}

// merchantOf is whose an object is; 0 of a merchant itself.
func merchantOf(object any) int64 {
	switch o := object.(type) {
	case charge.Charge:
		return o.MerchantID
	case refund.Refund:
		return o.MerchantID
	case dispute.Dispute:
		return o.MerchantID
	case payout.Payout:
		return o.MerchantID
	case daf.Donation:
		return o.MerchantID
	}
	return 0
}

// lineOf is an object as a line of what was found, and which group it is in.
func lineOf(t *text.Catalogue, f search.Found, of string) (group int, line ui.Found) {
	say := func(icon ui.IconName, title, detail, path string, aside templ.Component) ui.Found {
		return ui.Found{Icon: icon, Title: title, Detail: t.Search.Line(detail, of, f.ID), Href: path + f.ID,
			Aside: aside}
	}
	switch o := f.Object.(type) {
	case merchant.Merchant:
		return 0, ui.Found{Icon: ui.IconMerchant, Title: o.Name,
			Detail: t.Search.Line(o.Country, strconv.FormatInt(o.ID, 10), ""), Href: web.MerchantsPath + "/" + f.ID,
			Aside: ui.Plain(t.Merchant.Statuses[string(o.Status)])}
	case charge.Charge:
		method, _ := web.MethodOf(t, o.Summary())
		return 1, say(ui.IconCharge, web.PayerOf(t, o.Summary())+" · "+method, t.Charges.Statuses[string(o.Status)],
			web.ChargesPath+"/", ui.Money(o.Amount, o.Currency))
	case refund.Refund:
		return 2, say(ui.IconRefund, t.Search.RefundOf(o.ChargeID.String()), web.Deref(o.Note), web.RefundsPath+"/",
			ui.Money(o.Amount, o.Currency))
	case dispute.Dispute:
		return 3, say(ui.IconDispute, cmp.Or(t.Search.Dispute[string(o.Kind)], string(o.Kind)), "",
			web.DisputesPath+"/", ui.Money(o.Amount, o.Currency))
	case payout.Payout:
		return 4, say(ui.IconPayout, t.Search.PayoutTo(t.Charges.Digits(o.BankName, o.Destination.Last4)), "",
			web.PayoutsPath+"/", ui.Money(o.Amount, o.Currency))
	case daf.Donation:
		return 5, say(ui.IconDonation, web.Donor(t, o)+" · "+o.Fund.Name, t.Donations.Statuses[string(o.Status)],
			web.DonationsPath+"/", ui.Money(o.Amount, o.Currency))
	}
	return 0, ui.Found{}
}
