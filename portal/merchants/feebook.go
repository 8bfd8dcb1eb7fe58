package merchants

import (
	"context"
	"net/http"
	"net/url"

	"github.com/a-h/templ"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
)

const feesAt = web.MerchantPath + web.FeesEnd

// feeBook is a series of fees that the visitor looks at or changes: a merchant's, or the service's own.
type feeBook struct {
	at       string // the address of its page
	manages  bool
	minimum  money.Amount // the merchant's smallest charge; 0 for the service's own rates
	defaults *fee.Rates   // of the application, for a merchant's and for who may see them
	read     func(context.Context) (fee.Fees, error)
	past     func(context.Context, page.Input[ids.FeeSchedule]) (page.Of[fee.Record], error)
	schedule func(context.Context, fee.Change) (fee.Record, error)
	cancel   func(context.Context, ids.FeeSchedule) (fee.Record, error)
	preview  func(context.Context, fee.Rates) (fee.Preview, error) // nil for none
	show     func(status int, title string, body templ.Component) error
}

// openBook opens the book that the address names.
type openBook func(c *web.Request) (feeBook, error)

// bookNow is a book with its rates as they are now.
type bookNow struct {
	feeBook
	now fee.Fees
}

func (open openBook) now(c *web.Request) (b bookNow, err error) {
	if b.feeBook, err = open(c); err == nil {
		b.now, err = b.read(c.Ctx())
	}
	return b, err
}

func (p *Pages) feeRoutes() []web.Route {
	rs := []web.Route{
		web.Get(feesAt, authz.FeeRead, web.Show(openBook(p.merchantBook).now, showBook)),
		web.Get(web.FeesPath, authz.FeeDefaultRead, p.showFees),
		web.Get(web.ServiceFeesPath, authz.FeeManageService, web.Show(openBook(p.serviceBook).now, showBook)),
	}
	rs = append(rs, p.FreshForm(p.defaultsForm().Routes(web.FeesPath+"/defaults", authz.FeeDefaultManage))...)
	change := func(at string, needed authz.Permission, open openBook) []web.Route {
		return []web.Route{
			web.Get(at+"/change", needed, feeForm(open, nil).Show),
			web.Post(at+"/change", needed, web.Show(open.now, againFeeChange)),
			web.Post(at+"/review", needed, feeForm(open, reviewFees).Submit),
			web.Post(at+"/confirm", needed, p.Fresh(feeForm(open, confirmFees).Submit)),
			web.Post(at+"/:schedule/cancel", needed, p.Fresh(web.ActOn(open, cancelFees))),
		}
	}
	rs = append(rs, change(feesAt, authz.FeeManage, p.merchantBook)...)
	return append(rs, change(web.ServiceFeesPath, authz.FeeManageService, p.serviceBook)...)
}

// merchantBook is that of the merchant that the address names.
func (p *Pages) merchantBook(c *web.Request) (b feeBook, err error) {
	m, err := p.Merchant(c)
	if err != nil {
		return b, err
	}
	a := c.Actor()
	b = feeBook{at: web.MerchantAt(m.ID, web.FeesEnd), minimum: m.MinimumCharge, manages: c.May(authz.FeeManage),
		read: func(ctx context.Context) (fee.Fees, error) { return p.Fees.Current(ctx, a, m.ID) },
		past: func(ctx context.Context, in page.Input[ids.FeeSchedule]) (page.Of[fee.Record], error) {
			return p.Fees.History(ctx, a, m.ID, in)
		},
		schedule: func(ctx context.Context, ch fee.Change) (fee.Record, error) {
			return p.Fees.Schedule(ctx, a, m.ID, ch)
		},
		cancel: func(ctx context.Context, id ids.FeeSchedule) (fee.Record, error) {
			return p.Fees.CancelScheduled(ctx, a, m.ID, id)
		},
		preview: func(ctx context.Context, r fee.Rates) (fee.Preview, error) { return p.Fees.Preview(ctx, a, m.ID, r) },
		show: func(status int, title string, body templ.Component) error {
			return showInTab(c, status, m, web.FeesEnd, title, body)
		}}
	if c.May(authz.FeeDefaultRead) {
		d, err := p.Fees.Defaults(c.Ctx(), a)
		if err != nil {
			return b, err
		}
		b.defaults = &d.Rates
	}
	return b, nil
}

// serviceBook is that of the service's own rates to the application where the visitor acts.
func (p *Pages) serviceBook(c *web.Request) (feeBook, error) {
	a := c.Actor()
	id := a.ApplicationID
	if id == 0 {
		return feeBook{}, fault.Missing()
	}
	t := c.Text().FeePages
	return feeBook{at: web.ServiceFeesPath, manages: true,
		read: func(ctx context.Context) (fee.Fees, error) { return p.Fees.ServiceRates(ctx, a, id) },
		past: func(ctx context.Context, in page.Input[ids.FeeSchedule]) (page.Of[fee.Record], error) {
			return p.Fees.ServiceHistory(ctx, a, id, in)
		},
		schedule: func(ctx context.Context, ch fee.Change) (fee.Record, error) {
			return p.Fees.ScheduleServiceRates(ctx, a, id, ch)
		},
		cancel: func(ctx context.Context, s ids.FeeSchedule) (fee.Record, error) {
			return p.Fees.CancelServiceRates(ctx, a, id, s)
		},
		show: func(status int, title string, body templ.Component) error {
			if title == "" {
				title = t.Service
			}
			return web.Render(c, status, views.FeePage(c.Page(title), t.Service, t.ServiceText, web.FeesPath, body))
		}}, nil
}

// historyPage is how many changes the tab shows at once.
const historyPage = 20

// showBook shows a book: what is in effect and scheduled, and what was before.
func showBook(c *web.Request, b bookNow) error {
	in := web.Cursors(c.QueryParams(), ids.ParseFeeSchedule)
	in.Limit = historyPage
	past, err := b.past(c.Ctx(), in)
	if err != nil {
		return err
	}
	t, now := c.Text(), b.now
	view := views.MerchantFees{Rows: feeRows(t, now.Rates, b.defaults), Defaults: b.defaults != nil,
		None: now.ID.IsZero()}
	if b.manages {
		view.Change = b.at + "/change"
	}
	if !view.None {
		view.Since = t.MerchantFees.NowText(c.Viewer().Time(now.EffectiveAt.Time))
	}
	view.Scheduled = b.scheduled(t)
	for i, r := range past.Items {
		view.History = append(view.History, feeRecord(t, r, feesBefore(past.Items[i+1:], r)))
	}
	if n := len(past.Items); past.HasMore && n > 0 {
		view.Older = b.at + "?after=" + past.Items[n-1].ID.String()
	}
	return b.show(http.StatusOK, "", views.MerchantFeesTab(view))
}

// scheduled are the changes to come, each with what it changes.
func (b bookNow) scheduled(t *text.Catalogue) (out []views.FeeRecord) {
	before := b.now.Rates
	for _, r := range b.now.Scheduled {
		one := feeRecord(t, r, &before)
		if before = r.Rates; b.manages {
			one.Cancel = b.at + "/" + r.ID.String() + "/cancel"
		}
		out = append(out, one)
	}
	return out
}

// feesBefore are the rates that would have been in effect when a schedule begins, as they were when it was made:
// earlier ones, the latest first. nil if it is the first.
func feesBefore(earlier []fee.Record, r fee.Record) *fee.Rates {
	var found *fee.Record
	for i, e := range earlier {
		gone := e.CanceledAt != nil && !e.CanceledAt.After(r.CreatedAt.Time) && e.ID != r.Replaces
		if gone || e.EffectiveAt.After(r.EffectiveAt.Time) || found != nil &&
			!e.EffectiveAt.After(found.EffectiveAt.Time) {
			continue
		}
		found = &earlier[i]
	}
	if found == nil {
		return nil
	}
	return &found.Rates
}

// feeRecord is a schedule with what it changes.
func feeRecord(t *text.Catalogue, r fee.Record, before *fee.Rates) views.FeeRecord {
	f := t.MerchantFees
	out := views.FeeRecord{Begins: r.EffectiveAt.Time, Made: r.CreatedAt.Time, Reason: r.Reason,
		By: feeBy(f, r.CreatedBy), Status: string(r.Status), Word: f.Statuses[string(r.Status)]}
	if before != nil {
		out.Edits = feeEdits(t, *before, r.Rates)
	} else {
		out.First = true
	}
	if r.CanceledBy != nil && r.CanceledAt != nil {
		out.CanceledBy, out.CanceledAt = feeBy(f, *r.CanceledBy), r.CanceledAt.Time
	}
	return out
}

// feeBy says who changed fees.
func feeBy(t text.MerchantFees, by fee.By) string {
	switch {
	case by.User != "":
		return by.User
	case by.KeyName != "":
		return by.KeyName
	case by.Kind == "service":
		return t.ByService
	}
	return t.ByKey
}

func cancelFees(c *web.Request, b feeBook, _ url.Values) (done web.Done, err error) {
	id, err := ids.ParseFeeSchedule(c.Param("schedule"))
	if err != nil {
		return done, fault.Missing()
	}
	_, err = b.cancel(c.Ctx(), id)
	return web.Saved(b.at, c.Text().MerchantFees.Canceled, err)
}
