package portal

import (
	"cmp"
	"net/http"
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
	"svcpay/views/ui"
)

// statusForm is the form of a donation's status, filled in with what is known of it.
func (p *Portal) statusForm(c *web.Request, d daf.Donation) views.DonationForm {
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

func (p *Portal) showStatus(c *web.Request) error {
	d, err := p.DAF.Get(c.Ctx(), c.Actor(), c.Param("id"))
	if err != nil {
		return err
	}
	f := p.statusForm(c, d)
	f.Return = web.LocalPath(c.QueryParam("return"))
	if f.Return == home {
		f.Return = f.Back
	}
	f.Back = f.Return
	return p.statusDialog(c, http.StatusOK, d, f)
}

func (p *Portal) statusDialog(c *web.Request, status int, d daf.Donation, f views.DonationForm) error {
	t := c.Text()
	title := t.Donations.SetOf(t.Money(d.Amount, d.Currency), donor(t, d))
	return web.Render(c, status, views.DonationFormPage(c.Page(t.Donations.Set), title, f))
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

func (p *Portal) setStatus(c *web.Request) error {
	form, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	ctx, a, t := c.Ctx(), c.Actor(), c.Text()
	d, err := p.DAF.Get(ctx, a, c.Param("id"))
	if err != nil {
		return err
	}
	claim, err := web.Once(c, form)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(form.Get(web.VersionField))
	f := typed(p.statusForm(c, d), form)
	var out idempotency.Result[daf.Donation]
	var made daf.Donation
	if err = checkStatusForm(c, f); err == nil {
		out, err = p.DAF.Update(ctx, a, d.ID.String(), daf.UpdateInput{Status: patch.Set(f.Status), Note: noteOf(f), Pairs: pairsOf(f), IfVersion: &version}, claim)
		made, err = web.Settled(out, err)
	}
	if above, beside, ok := web.Problems(c.Text(), err, t.Donations.Problems, inputsOf); ok {
		refused, _ := fault.As(err)
		f.Problems, f.Errors, f.Changed = above, beside, refused.Kind == fault.KindChanged
		f.Version = cmp.Or(web.VersionKept(form, err), f.Version)
		return p.statusAgain(c, web.StatusOf(refused.Kind), d, f)
	}
	if err != nil {
		return err
	}
	told := ui.Toast{Tone: ui.Success, Text: t.Donations.Done(1, strings.ToLower(t.Donations.Statuses[f.Status]))}
	if changedStatus(made) {
		told.Undo = undoOf(requestOf(out, a.RequestID), f.Return)
	}
	web.Tell(c, told)
	return web.SeeOther(c, f.Return)
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

// statusAgain shows the form again where it stood: in the donation's page, or as a dialog.
func (p *Portal) statusAgain(c *web.Request, status int, d daf.Donation, f views.DonationForm) error {
	at := donationsPath + "/" + d.ID.String()
	if _, fragment := web.FragmentOf(c.Request()); !fragment && f.Return == at {
		return p.donationPage(c, status, d, f)
	}
	return p.statusDialog(c, status, d, f)
}

// undoOf is where a form goes that takes back what a request did.
func undoOf(request ids.Request, back string) string {
	return web.WithQuery(undoStatusPath+"/"+request.String(), url.Values{"return": {back}})
}

func (p *Portal) undoStatuses(c *web.Request) error {
	request, err := ids.ParseRequest(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	results, err := p.DAF.Undo(c.Ctx(), c.Actor(), request)
	if err != nil {
		return err
	}
	t, undone := c.Text().Donations, 0
	for _, r := range results {
		if r.Refused == nil {
			undone++
		}
	}
	told := ui.Toast{Tone: ui.Success, Text: t.Undone(undone)}
	if stays := len(results) - undone; stays > 0 {
		told = ui.Toast{Tone: ui.Warning, Text: t.Undone(undone) + " " + t.NotUndone(stays)}
	}
	web.Tell(c, told)
	back := web.LocalPath(c.QueryParam("return"))
	if back == home {
		back = donationsPath
	}
	return web.SeeOther(c, back)
}
