package portal

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/report"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// donation reads the donation that the address names.
func (p *Portal) donation(c *web.Request) (daf.Donation, error) {
	return p.DAF.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Portal) showDonation(c *web.Request, d daf.Donation) error {
	return p.donationPage(c, http.StatusOK, d, donationForm(c, d))
}

// donationPage shows a donation, with a form that may have to be filled in again.
func (p *Portal) donationPage(c *web.Request, status int, d daf.Donation, f views.DonationForm) error {
	happened, err := p.Reports.DonationTimeline(c.Ctx(), c.Actor(), d.ID.String(), page.Input[ids.Happening]{Limit: web.RowsPerPage})
	if err != nil {
		return err
	}
	merchants, err := p.payees(c, d.MerchantID)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Donation{Title: t.Money(d.Amount, d.Currency), Text: donor(t, d) + " → " + merchants.names[d.MerchantID], Tone: donationTone(d.Status),
		Status: t.Donations.Statuses[string(d.Status)], Back: donationsPath, Amount: d.Amount, Currency: d.Currency, FeeTotal: d.FeeTotal, Net: d.Net,
		Facts: donationFacts(c, d, merchants), Donor: donorFacts(t, d), Timeline: donationTimeline(t, d, happened.Items), JSON: indented(d)}
	for _, l := range d.Fees {
		view.Fees = append(view.Fees, donationFee(t, l))
	}
	if view.Off = noStatus(c, d); view.Off == "" {
		f.Inline = true
		view.Form = f
	}
	return web.Render(c, status, views.DonationPage(c.Page(view.Title), view))
}

// noStatus is why the visitor cannot set the status of a donation; "" if they can.
func noStatus(c *web.Request, d daf.Donation) string {
	t := c.Text().Donations
	switch {
	case !c.May(authz.DonationUpdate):
		return t.OffRight
	case len(byHand(d)) > 0:
		return ""
	case d.Status == daf.Canceled:
		return t.OffSettled
	}
	return t.OffUnknown
}

func whole(n int64) string { return strconv.FormatInt(n, 10) }

func donationFee(t *text.Catalogue, l fee.Line) views.FeeLine {
	out := views.FeeLine{Name: cmp.Or(t.Donations.FeeNames[l.Fee], l.Fee), Base: deref(l.Basis), Amount: l.Amount}
	if l.Rate != nil {
		out.Rule = t.Donations.Rule(t.Percent(*l.Rate))
	}
	return out
}

func donorFacts(t *text.Catalogue, d daf.Donation) []ui.Fact {
	name := donor(t, d)
	detail := ""
	if d.Anonymous {
		detail = t.Donations.Anonymous
	}
	out := facts{{Key: t.Donations.Donor, Value: ui.Two(name, detail)}}
	out.text(t.Donations.Email, mailbox.Shown(d.User.Email))
	out.text(t.Donations.FromDonor, d.User.Note)
	return out
}

func donationFacts(c *web.Request, d daf.Donation, merchants payees) []ui.Fact {
	t := c.Text().Donations
	out := facts{
		{Key: t.ID, Value: ui.Copied(t.ID, d.ID.String())},
		{Key: t.Created, Value: ui.Time(d.CreatedAt.Time)},
		{Key: t.Merchant, Value: ui.Linked(merchants.names[d.MerchantID], merchantPlace(c.Reachable(), d.MerchantID))},
		{Key: t.Fund, Value: ui.Plain(d.Fund.Name)},
		{Key: t.Kind, Value: ui.Two(t.Kinds[string(d.Kind)], t.KindTexts[string(d.Kind)])},
	}
	out.copied(t.Tracking, deref(d.TrackingID))
	if d.Provider != nil {
		out.text(t.Provider, d.Provider.Name)
	}
	out.text(t.Grant, deref(d.ExternalGrantID))
	out.text(t.ExternalID, deref(d.ExternalID))
	out.text(t.CheckNumber, d.Metadata[checkNumber])
	out.text(t.ReceivedOn, c.Text().Day(d.Metadata[receivedOn]))
	out.text(t.Note, deref(d.Note))
	if !d.RequestID.IsZero() {
		out.add(t.MadeBy, ui.Copied(t.Request, d.RequestID.String()))
	}
	return out
}

// donationTimeline tells of every status, by whom, and of what else happened, the latest first.
func donationTimeline(t *text.Catalogue, d daf.Donation, more []report.Happening) ui.Timeline {
	var out ui.Timeline
	for _, s := range d.StatusHistory {
		h := ui.Happening{Tone: donationTone(s.Status), Title: t.Donations.Statuses[string(s.Status)], At: s.At.Time,
			By: cmp.Or(deref(s.User), deref(s.KeyName), t.Donations.By[string(s.Source)])}
		if s.Status == daf.Completed {
			h.Icon, h.Amount = ui.IconTick, ui.Amount(d.Amount)
		}
		if s.Note != nil {
			h.Detail = ui.Plain(*s.Note)
		}
		out.Entries = append(out.Entries, h)
	}
	for _, m := range more {
		switch {
		case strings.HasPrefix(m.Type, "call."):
			out.Entries = append(out.Entries, callOf(t, m))
		case slices.Contains(m.Changed, "tracking_id") && !slices.Contains(m.Changed, "status"):
			out.Entries = append(out.Entries, ui.Happening{Icon: ui.IconTick, Tone: ui.Info, Title: t.Donations.Taken, At: m.CreatedAt.Time, By: deref(d.TrackingID)})
		case m.Type == "daf_donation_updated" && !slices.Contains(m.Changed, "status"):
			out.Entries = append(out.Entries, ui.Happening{Title: t.Donations.Noted, At: m.CreatedAt.Time, By: t.Donations.By[m.Source]})
		}
	}
	slices.SortStableFunc(out.Entries, func(a, b ui.Happening) int { return b.At.Compare(a.At) })
	return out
}

// callOf is a grant's way to its provider.
func callOf(t *text.Catalogue, m report.Happening) ui.Happening {
	h := ui.Happening{Icon: ui.IconSend, Title: t.Donations.Sent, At: m.CreatedAt.Time, By: deref(m.Processor)}
	if m.FinishedAt == nil {
		h.Tone, h.Title = ui.Warning, t.Donations.SentWaits
	}
	if m.Reference != nil {
		h.Detail = ui.Code(t.Donations.Request, *m.Reference)
	}
	return h
}
