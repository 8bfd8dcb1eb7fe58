package portal

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// donationForm is the form of a donation's status, filled in with what is known of it.
func donationForm(c *web.Request, d daf.Donation) views.DonationForm {
	t := c.Text().Donations
	at := donationsPath + "/" + d.ID.String()
	f := views.DonationForm{Action: at + "/status", Back: at, Return: at, Once: web.NewOnce(), Version: strconv.Itoa(d.Version),
		Hint: t.Confirmed, Status: string(d.Status), Statuses: options([]string{string(d.Status)}, t.Statuses),
		ReceivedOn: d.Metadata[receivedOn], CheckNumber: d.Metadata[checkNumber], Note: deref(d.Note)}
	if d.Kind == daf.Nonintegrated {
		f.Hint, f.Statuses = t.Unconfirmed, options(daf.Statuses(), t.Statuses)
		return f
	}
	for _, s := range byHand(d) {
		f.Statuses = append(f.Statuses, options([]string{string(s)}, t.Statuses)...)
	}
	return f
}

// typed keeps what somebody entered.
func typed(f views.DonationForm, form url.Values) views.DonationForm {
	f.Status, f.ReceivedOn, f.CheckNumber = form.Get("status"), strings.TrimSpace(form.Get(receivedOn)), strings.TrimSpace(form.Get(checkNumber))
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

func (p *Portal) statusForm() web.Form[daf.Donation] {
	return web.Form[daf.Donation]{Load: p.donation, Draw: p.drawStatus, Do: p.setStatus, Once: true, Inputs: inputsOf,
		Title: func(t *text.Catalogue) string { return t.Donations.Problems }}
}

// drawStatus draws the form where it was: in the donation's page, or as a dialog.
func (p *Portal) drawStatus(c *web.Request, d daf.Donation, in web.Input) error {
	t, f := c.Text(), donationForm(c, d)
	at := f.Back
	if in.Refused != nil {
		f = typed(f, in.Values)
		f.Problems, f.Errors, f.Changed, f.Version = in.Problems, in.Errors, in.Changed(), in.Version(d.Version)
	} else if back := web.LocalPath(c.QueryParam("return")); back != home {
		f.Return, f.Back = back, back
	}
	if _, fragment := web.FragmentOf(c.Request()); !fragment && f.Return == at && in.Refused != nil {
		return p.donationPage(c, in.Status, d, f)
	}
	title := t.Donations.SetOf(t.Money(d.Amount, d.Currency), donor(t, d))
	return web.Render(c, in.Status, views.DonationFormPage(c.Page(t.Donations.Set), title, f))
}

func (p *Portal) setStatus(c *web.Request, d daf.Donation, in web.Input) (done web.Done, err error) {
	a, t, version := c.Actor(), c.Text(), in.IfVersion()
	if version == nil {
		version = new(int)
	}
	f := typed(donationForm(c, d), in.Values)
	if err = checkStatusForm(c, f); err != nil {
		return done, err
	}
	out, err := p.DAF.Update(c.Ctx(), a, d.ID.String(), daf.UpdateInput{Status: patch.Set(f.Status), Note: noteOf(f), Pairs: pairsOf(f), IfVersion: version}, in.Claim)
	made, err := web.Settled(out, err)
	done, err = web.Saved(f.Return, t.Donations.Done(1, strings.ToLower(t.Donations.Statuses[f.Status])), err)
	if changedStatus(made) {
		done.Toast.Undo = undoOf(requestOf(out, a.RequestID), f.Return)
	}
	return done, err
}

// changedStatus tells whether the latest change of a donation gave it a status.
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

func (p *Portal) undoStatuses(c *web.Request, _ url.Values) (done web.Done, err error) {
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
	if done.To == home {
		done.To = donationsPath
	}
	return done, err
}
