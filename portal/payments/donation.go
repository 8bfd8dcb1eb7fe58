package payments

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/report/timeline"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// donation reads the donation that the address names.
func (p *Pages) donation(c *web.Request) (daf.Donation, error) {
	return p.DAF.Get(c.Ctx(), c.Actor(), c.ID())
}

func (p *Pages) showDonation(c *web.Request, d daf.Donation) error {
	return p.donationPage(c, http.StatusOK, d, donationForm(c, d))
}

// donationPage shows a donation, with a form that may have to be filled in again.
func (p *Pages) donationPage(c *web.Request, status int, d daf.Donation, f views.DonationForm) error {
	happened, err := p.Timelines.OfDonation(c.Ctx(), c.Actor(), d.ID.String(),
		page.Input[ids.Happening]{Limit: web.RowsPerPage})
	if err != nil {
		return err
	}
	merchants, err := p.Payees(c, d.MerchantID)
	if err != nil {
		return err
	}
	t := c.Text()
	view := views.Donation{Title: t.Money(d.Amount, d.Currency),
		Text: web.Donor(t, d) + " → " + merchants.Names[d.MerchantID], Tone: donationTone(d.Status),
		Status: t.Donations.Statuses[string(d.Status)], Back: web.DonationsPath, Amount: d.Amount, Currency: d.Currency,
		FeeTotal: d.FeeTotal, Net: d.Net, Facts: donationFacts(c, d, merchants), Donor: donorFacts(t, d),
		Timeline: donationTimeline(t, d, happened.Items), JSON: web.Indented(d)}
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

func donationFee(t *text.Catalogue, l fee.Line) views.FeeLine {
	out := views.FeeLine{Name: cmp.Or(t.Donations.FeeNames[l.Fee], l.Fee), Base: web.Deref(l.Basis), Amount: l.Amount}
	if l.Rate != nil {
		out.Rule = t.Donations.Rule(t.Percent(*l.Rate))
	}
	return out
}

func donorFacts(t *text.Catalogue, d daf.Donation) []ui.Fact {
	name := web.Donor(t, d)
	detail := ""
	if d.Anonymous {
		detail = t.Donations.Anonymous
	}
	out := web.Facts{{Key: t.Donations.Donor, Value: ui.Two(name, detail)}}
	out.Text(t.Donations.Email, mailbox.Shown(d.User.Email))
	out.Text(t.Donations.FromDonor, d.User.Note)
	return out
}

func donationFacts(c *web.Request, d daf.Donation, merchants web.Payees) []ui.Fact {
	t := c.Text().Donations
	out := web.Facts{
		{Key: t.ID, Value: ui.Copied(t.ID, d.ID.String())},
		{Key: t.Created, Value: ui.Time(d.CreatedAt.Time)},
		{Key: t.Merchant, Value: ui.Linked(merchants.Names[d.MerchantID], web.MerchantPage(c.Reachable(), d.MerchantID))},
		{Key: t.Fund, Value: ui.Plain(d.Fund.Name)},
		{Key: t.Kind, Value: ui.Two(t.Kinds[string(d.Kind)], t.KindTexts[string(d.Kind)])},
	}
	out.Copied(t.Tracking, web.Deref(d.TrackingID))
	if d.Provider != nil {
		out.Text(t.Provider, d.Provider.Name)
	}
	out.Text(t.Grant, web.Deref(d.ExternalGrantID))
	out.Text(t.ExternalID, web.Deref(d.ExternalID))
	out.Text(t.CheckNumber, d.Metadata[checkNumber])
	out.Text(t.ReceivedOn, c.Text().Day(d.Metadata[receivedOn]))
	out.Text(t.Note, web.Deref(d.Note))
	if !d.RequestID.IsZero() {
		out.Add(t.MadeBy, ui.Copied(t.Request, d.RequestID.String()))
	}
	return out
}

// donationTimeline reports every status, by whom, and of what else happened, the latest first.
func donationTimeline(t *text.Catalogue, d daf.Donation, more []timeline.Entry) ui.Timeline {
	var out ui.Timeline
	for _, s := range d.StatusHistory {
		h := ui.Happening{Tone: donationTone(s.Status), Title: t.Donations.Statuses[string(s.Status)], At: s.At.Time,
			By: cmp.Or(web.Deref(s.User), web.Deref(s.KeyName), t.Donations.By[string(s.Source)])}
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
			out.Entries = append(out.Entries, ui.Happening{Icon: ui.IconTick, Tone: ui.Info, Title: t.Donations.Taken,
				At: m.CreatedAt.Time, By: web.Deref(d.TrackingID)})
		case m.Type == "daf_donation_updated" && !slices.Contains(m.Changed, "status"):
			out.Entries = append(out.Entries,
				ui.Happening{Title: t.Donations.Noted, At: m.CreatedAt.Time, By: t.Donations.By[m.Source]})
		}
	}
	slices.SortStableFunc(out.Entries, func(a, b ui.Happening) int { return b.At.Compare(a.At) })
	return out
}

// callOf is a grant's way to its provider.
func callOf(t *text.Catalogue, m timeline.Entry) ui.Happening {
	h := ui.Happening{Icon: ui.IconSend, Title: t.Donations.Sent, At: m.CreatedAt.Time, By: web.Deref(m.Processor)}
	if m.FinishedAt == nil {
		h.Tone, h.Title = ui.Warning, t.Donations.SentWaits
	}
	if m.Reference != nil {
		h.Detail = ui.Code(t.Donations.Request, *m.Reference)
	}
	return h
}

// donationForm is the form of a donation's status, filled in with what is known of it.
func donationForm(c *web.Request, d daf.Donation) views.DonationForm {
	t := c.Text().Donations
	at := web.DonationsPath + "/" + d.ID.String()
	f := views.DonationForm{Action: at + "/status", Back: at, Return: at, Once: web.NewOnce(),
		Version: strconv.Itoa(d.Version),
		Hint:    t.Confirmed, Status: string(d.Status), Statuses: web.Options([]string{string(d.Status)}, t.Statuses),
		ReceivedOn: d.Metadata[receivedOn], CheckNumber: d.Metadata[checkNumber], Note: web.Deref(d.Note)}
	if d.Kind == daf.Nonintegrated {
		f.Hint, f.Statuses = t.Unconfirmed, web.Options(daf.Statuses(), t.Statuses)
		return f
	}
	for _, s := range byHand(d) {
		f.Statuses = append(f.Statuses, web.Options([]string{string(s)}, t.Statuses)...)
	}
	return f
}

// typed is the form with what was typed in it.
func typed(f views.DonationForm, form url.Values) views.DonationForm {
	f.Status, f.ReceivedOn, f.CheckNumber = form.Get("status"), strings.TrimSpace(form.Get(receivedOn)),
		strings.TrimSpace(form.Get(checkNumber))
	f.Note, f.Return = strings.TrimSpace(form.Get("note")), web.LocalPath(form.Get("return"))
	f.Back = f.Return
	return f
}

// inputsOf names the inputs of what the use-case calls otherwise.
var inputsOf = map[string]string{"metadata": checkNumber, "donations": ""}

// checkStatusForm notes what only the form can know.
func checkStatusForm(c *web.Request, f views.DonationForm) error {
	t := c.Text().Donations
	var fs fault.Fields
	if f.Status == "" {
		fs.Add("status", web.CodeForm, t.Choose)
	}
	if f.ReceivedOn != "" {
		if _, err := time.Parse(time.DateOnly, f.ReceivedOn); err != nil {
			fs.Add(receivedOn, "parameter_invalid", t.NotADay)
		}
	}
	return fs.Err()
}

// pairsOf are what the form adds to the metadata; what is left out is taken out.
func pairsOf(f views.DonationForm) map[string]string {
	return map[string]string{receivedOn: f.ReceivedOn, checkNumber: f.CheckNumber}
}

// noteOf is the form's note; none for no words.
func noteOf(f views.DonationForm) patch.Member[string] {
	if f.Note == "" {
		return patch.Clear[string]()
	}
	return patch.Set(f.Note)
}

func (p *Pages) statusForm() web.Form[daf.Donation] {
	return web.Form[daf.Donation]{Load: p.donation, Draw: p.drawStatus, Do: p.setStatus, Once: true, Inputs: inputsOf,
		Title: func(t *text.Catalogue) string { return t.Donations.Problems }}
}

// drawStatus draws the form where it was: in the donation's page, or as a dialog.
func (p *Pages) drawStatus(c *web.Request, d daf.Donation, in web.Input) error {
	t, f := c.Text(), donationForm(c, d)
	at := f.Back
	if in.Refused != nil {
		f = typed(f, in.Values)
		f.Problems, f.Errors, f.Changed, f.Version = in.Problems, in.Errors, in.Changed(), in.Version(d.Version)
	} else if back := web.LocalPath(c.QueryParam("return")); back != web.Home {
		f.Return, f.Back = back, back
	}
	if _, fragment := web.FragmentOf(c.Request()); !fragment && f.Return == at && in.Refused != nil {
		return p.donationPage(c, in.Status, d, f)
	}
	title := t.Donations.SetOf(t.Money(d.Amount, d.Currency), web.Donor(t, d))
	return web.Render(c, in.Status, views.DonationFormPage(c.Page(t.Donations.Set), title, f))
}

func (p *Pages) setStatus(c *web.Request, d daf.Donation, in web.Input) (done web.Done, err error) {
	a, t, version := c.Actor(), c.Text(), in.IfVersion()
	if version == nil {
		version = new(int)
	}
	f := typed(donationForm(c, d), in.Values)
	if err = checkStatusForm(c, f); err != nil {
		return done, err
	}
	out, err := p.DAF.Update(c.Ctx(), a, d.ID.String(), daf.UpdateInput{Status: patch.Set(f.Status), Note: noteOf(f),
		Pairs: pairsOf(f), IfVersion: version}, in.Claim)
	made, err := web.Settled(out, err)
	done, err = web.Saved(f.Return, t.Donations.Done(1, strings.ToLower(t.Donations.Statuses[f.Status])), err)
	if changedStatus(made) {
		done.Toast.Undo = undoOf(requestOf(out, a.RequestID), f.Return)
	}
	return done, err
}

// changedStatus reports whether the latest change of a donation gave it a status.
func changedStatus(d daf.Donation) bool {
	n := len(d.StatusHistory)
	return n > 1 && d.StatusHistory[n-1].At.Equal(d.UpdatedAt.Time)
}

// requestOf is the request that did something: this one, or an earlier one that sent the same form.
func requestOf[T any](out idempotency.Result[T], this ids.Request) ids.Request {
	if out.Prior != nil {
		return out.Prior.RequestID
	}
	return this
}

// undoOf is where a form goes that takes back what a request did.
func undoOf(request ids.Request, back string) string {
	return web.WithQuery(undoStatusPath+"/"+request.String(), url.Values{"return": {back}})
}

func (p *Pages) undoStatuses(c *web.Request, _ url.Values) (done web.Done, err error) {
	request, err := ids.ParseRequest(c.ID())
	if err != nil {
		return done, fault.Missing()
	}
	results, err := p.DAF.Undo(c.Ctx(), c.Actor(), request)
	t, undone := c.Text().Donations, 0
	for _, r := range results {
		if r.Refused == nil {
			undone++
		}
	}
	done, err = web.Saved(web.LocalPath(c.QueryParam("return")), t.Undone(undone), err)
	if stays := len(results) - undone; stays > 0 {
		done.Toast = ui.Toast{Tone: ui.Warning, Text: t.Undone(undone) + " " + t.NotUndone(stays)}
	}
	if done.To == web.Home {
		done.To = web.DonationsPath
	}
	return done, err
}
