package payments

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/spreadsheet"
	"svcpay/internal/report/statement"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

const (
	statementPath = web.BalancesPath + "/:id/statement"
	invoicePath   = web.BalancesPath + "/:id/daf_invoice"
)

// monthsShown is how many months of a merchant are listed.
const monthsShown = 24

func (p *Pages) balanceRoutes() []web.Route {
	return slices.Concat([]web.Route{
		web.Get(web.BalancesPath, authz.BalanceRead, p.showBalances).Grows(),
		web.Get(web.BalancesPath+"/:id", authz.BalanceRead, web.Show(p.Merchant, p.showBalance)).Grows(),
	}, monthRoutes(p, statementPath,
		month[statement.Statement]{name: func(t text.Balances) string { return t.StatementSheet },
			read: p.Statements.Get, draw: drawStatement, csv: p.Statements.CSV, pdf: statement.PDF}),
		monthRoutes(p, invoicePath,
			month[statement.DAFInvoice]{name: func(t text.Balances) string { return t.InvoiceSheet },
				read: p.Statements.DAFInvoice,
				draw: drawInvoice, csv: p.Statements.DAFInvoiceCSV, pdf: statement.DAFInvoicePDF}))
}

// month is a document about a merchant's month: a page, and files of it.
type month[T any] struct {
	name func(text.Balances) string // of the files
	read func(context.Context, authz.Actor, statement.MonthInput) (T, error)
	draw func(*web.Request, T) error
	csv  func(context.Context, authz.Actor, statement.MonthInput, io.Writer) error
	pdf  func(T, statement.Paper, io.Writer) error
}

// monthRoutes are the routes of such a document. What is refused is refused before a file begins.
func monthRoutes[T any](p *Pages, path string, m month[T]) []web.Route {
	asked := func(c *web.Request) (statement.MonthInput, error) {
		of, err := p.Merchant(c)
		return statement.MonthInput{MerchantID: of.ID, Month: c.QueryParam("month")}, err
	}
	load := func(c *web.Request) (of T, err error) {
		in, err := asked(c)
		if err != nil {
			return of, err
		}
		return m.read(c.Ctx(), c.Actor(), in)
	}
	file := func(c *web.Request, end string) string {
		return m.name(c.Text().Balances) + "-" + c.ID() + "-" + c.QueryParam("month") + end
	}
	export := func(c *web.Request, _ T) error {
		in, err := asked(c)
		if err != nil {
			return err
		}
		return answerSheet(c, file(c, ".csv"), func(w io.Writer) error { return m.csv(c.Ctx(), c.Actor(), in, w) })
	}
	printed := func(c *web.Request, of T) error {
		return answerFile(c, "application/pdf", file(c, ".pdf"),
			func(w io.Writer) error { return m.pdf(of, statement.Letter, w) })
	}
	return []web.Route{
		web.Get(path, authz.StatementRead, web.Show(load, m.draw)).Grows(),
		web.Get(path+".csv", authz.ExportCreate, web.Show(load, export)).Grows(),
		web.Get(path+".pdf", authz.StatementRead, web.Show(load, printed)).Grows(),
	}
}

func (p *Pages) showBalances(c *web.Request) error {
	ctx, a, query := c.Ctx(), c.Actor(), c.QueryParams()
	in := web.Cursors(query, web.Number)
	in.Ascending = true
	merchants, err := p.Merchants.List(ctx, a, merchant.ListInput{Page: in})
	if err != nil {
		return err
	}
	balances, err := p.Ledger.Several(ctx, a,
		web.OwnersOf(merchants.Items, func(m merchant.Merchant) int64 { return m.ID }))
	if err != nil {
		return err
	}
	t, view := c.Text(), views.Balances{Back: web.PayoutsPath}
	for _, m := range merchants.Items {
		view.Lines = append(view.Lines, web.BalanceOf(m, balances[m.ID]))
	}
	view.Pager = web.PagerOf(web.BalancesPath, query, page.Of[merchant.Merchant](merchants),
		func(m merchant.Merchant) string { return web.Whole(m.ID) }, "")
	return web.Render(c, http.StatusOK, views.BalancesPage(c.Page(t.Balances.Title), view))
}

func (p *Pages) showBalance(c *web.Request, m merchant.Merchant) error {
	balances, err := p.Ledger.Several(c.Ctx(), c.Actor(), []int64{m.ID})
	if err != nil {
		return err
	}
	months, err := p.months(c, m)
	if err != nil {
		return err
	}
	view := views.Balance{BalanceLine: web.BalanceOf(m, balances[m.ID]), Back: web.BalancesPath, Months: months}
	return web.Render(c, http.StatusOK, views.BalancePage(c.Page(c.Text().Balances.Of(m.Name)), view))
}

// months are those of a merchant, the present one first.
func (p *Pages) months(c *web.Request, m merchant.Merchant) (out []views.MonthLine, err error) {
	zone, err := calendar.Zone(m.TimeZone)
	if err != nil {
		return nil, err
	}
	first := func(at time.Time) time.Time {
		at = at.In(zone)
		return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, zone)
	}
	now, born := first(p.Today(c)), first(m.CreatedAt.Time)
	for month := now; !month.Before(born) && len(out) < monthsShown; month = month.AddDate(0, -1, 0) {
		of := "?" + url.Values{"month": {month.Format("2006-01")}}.Encode()
		line := views.MonthLine{Name: monthName(month), Statement: web.BalanceAt(m.ID, "/statement"+of),
			Open: month.Equal(now)}
		if m.HasDAFProvider || m.DAFProviderConnectID != nil {
			line.Invoice = web.BalanceAt(m.ID, "/daf_invoice"+of)
		}
		out = append(out, line)
	}
	return out, nil
}

// monthName is a month in words.
func monthName(at time.Time) string { return at.Format("January 2006") }

// monthPage is what a statement and an invoice have in common.
func monthPage(c *web.Request, of statement.Period, end, title string) views.Month {
	t := c.Text()
	query := "?" + url.Values{"month": {of.Month}}.Encode()
	view := views.Month{Title: title, Text: of.MerchantName + ". " + t.Balances.Zone(of.TimeZone),
		PDF: web.BalanceAt(of.MerchantID, end+".pdf"+query),
		Crumbs: []ui.Crumb{{Label: t.Payouts.Title, Href: web.PayoutsPath},
			{Label: t.Balances.Title, Href: web.BalancesPath},
			{Label: of.MerchantName, Href: web.BalanceAt(of.MerchantID, "")}}}
	if c.May(authz.ExportCreate) {
		view.CSV = web.BalanceAt(of.MerchantID, end+".csv"+query)
	}
	if !of.Complete {
		view.Text += " " + t.Balances.SoFar + "."
	}
	return view
}

func drawStatement(c *web.Request, s statement.Statement) error {
	t := c.Text()
	view := monthPage(c, s.Period, "/statement", t.Balances.StatementOf(monthName(s.From.Time.AddDate(0, 0, 14))))
	view.Equation = t.Balances.Groups
	view.Terms = append([]views.PayoutTerm{{Label: t.Balances.Opening, Amount: s.OpeningBalance}},
		groupTerms(t, s.Lines, func(statement.Group) string { return "" })...)
	view.Total = ui.Term{Label: t.Balances.Closing, Amount: ui.Money(s.ClosingBalance, s.Currency)}
	if len(s.Lines) == 0 {
		view.Empty = t.Balances.NoLines
	}
	if len(s.Payouts) > 0 {
		view.Tables = []ui.Table{statementPayouts(t, s)}
	}
	return web.Render(c, http.StatusOK, views.MonthPage(c.Page(view.Title), view))
}

// groupTerms are the groups that there are lines of, in the order of a statement; href is the address of a group's
// entries.
func groupTerms(t *text.Catalogue, lines []statement.Line, href func(statement.Group) string) (out []views.PayoutTerm) {
	for _, g := range statement.Groups() {
		term, count := views.PayoutTerm{Label: t.Balances.GroupNames[string(g)], Href: href(g)}, 0
		for _, l := range lines {
			if l.Group == g {
				count += l.Count
				term.Amount += l.Amount
				term.Parts = append(term.Parts,
					views.PayoutPart{Label: kindName(t, l.Kind), Detail: t.Payouts.Entry(l.Count), Amount: l.Amount})
			}
		}
		if count > 0 {
			term.Detail = t.Payouts.Entry(count)
			out = append(out, term)
		}
	}
	return out
}

func statementPayouts(t *text.Catalogue, s statement.Statement) ui.Table {
	lines := make([]views.PayoutLine, 0, len(s.Payouts))
	for _, one := range s.Payouts {
		lines = append(lines, views.PayoutLine{Href: web.PayoutsPath + "/" + one.ID.String(), Merchant: one.ID.String(),
			Bank: "···· " + one.BankLast4, Amount: one.Amount, Currency: s.Currency, Tone: payoutTones[one.Status],
			Status: t.Payouts.Statuses[string(one.Status)], At: one.PaidAt.Time})
	}
	return views.PaidTable(t, lines)
}

// answerFile answers with a file that is written at once.
func answerFile(c *web.Request, media, name string, draw func(io.Writer) error) error {
	h := c.Response().Header()
	h.Set("Content-Type", media)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	c.Response().WriteHeader(http.StatusOK)
	if err := draw(c.Response()); err != nil {
		panic(http.ErrAbortHandler) // what is written is cut off, which the browser takes for a failed download
	}
	return nil
}

// answerSheet is answerFile of comma-separated values, for a person's spreadsheet.
func answerSheet(c *web.Request, name string, write func(io.Writer) error) error {
	return answerFile(c, "text/csv; charset=utf-8", name, func(w io.Writer) error {
		if _, err := io.WriteString(w, spreadsheet.BOM); err != nil {
			return err
		}
		return write(w)
	})
}

func drawInvoice(c *web.Request, d statement.DAFInvoice) error {
	t := c.Text().Balances
	view := monthPage(c, d.Period, "/daf_invoice", t.InvoiceOf(monthName(d.From.Time.AddDate(0, 0, 14))))
	view.Equation = t.InvoiceText
	view.Terms = []views.PayoutTerm{{Label: t.Completed, Amount: d.Fees}}
	if d.Corrections != 0 {
		view.Terms = append(view.Terms, views.PayoutTerm{Label: t.Corrections, Amount: d.Corrections})
	}
	view.Total = ui.Term{Label: t.Due, Amount: ui.Money(d.Total, money.USD)}
	if d.Total < 0 {
		view.Total.Label = t.Credit
	}
	if len(d.Lines) == 0 {
		view.Empty = t.NoDonations
	} else {
		view.Tables = []ui.Table{views.InvoiceTable(t, invoiceLines(c.Text(), d))}
	}
	return web.Render(c, http.StatusOK, views.MonthPage(c.Page(view.Title), view))
}

func invoiceLines(t *text.Catalogue, d statement.DAFInvoice) (out []views.InvoiceLine) {
	for _, l := range d.Lines {
		out = append(out, views.InvoiceLine{Href: web.DonationsPath + "/" + l.DonationID.String(),
			Tracking: web.Deref(l.TrackingID), Kind: t.Balances.Kinds[l.Kind],
			Donation: l.DonationAmount, Rate: t.Percent(l.Rate), Amount: l.Amount, At: l.CreatedAt.Time})
	}
	return out
}
