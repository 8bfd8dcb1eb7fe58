package portal

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/idempotency"
	"svcpay/views"
	"svcpay/views/ui"
)

// statusForm is the form of a donation's status, filled in with what is known of it.
func (p *Portal) statusForm(c echo.Context, d daf.Donation) views.DonationForm {
	t := say(c).Donations
	at := donationsPath + "/" + d.ID.String()
	f := views.DonationForm{Action: at + "/status", Back: at, Return: at, Once: newOnce(), Version: strconv.Itoa(d.Version),
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

func (p *Portal) showStatus(c echo.Context) error {
	d, err := p.DAF.Get(c.Request().Context(), actor(c), c.Param("id"))
	if err != nil {
		return err
	}
	f := p.statusForm(c, d)
	f.Return = localPath(c.QueryParam("return"))
	if f.Return == home {
		f.Return = f.Back
	}
	f.Back = f.Return
	return p.statusDialog(c, http.StatusOK, d, f)
}

func (p *Portal) statusDialog(c echo.Context, status int, d daf.Donation, f views.DonationForm) error {
	t := say(c)
	title := t.Donations.SetOf(t.Money(d.Amount, d.Currency), donor(t, d))
	return render(c, status, views.DonationFormPage(p.page(c, t.Donations.Set), title, f))
}

// typed keeps what somebody entered.
func typed(f views.DonationForm, form url.Values) views.DonationForm {
	f.Status, f.ReceivedOn, f.CheckNumber = form.Get("status"), strings.TrimSpace(form.Get(receivedOn)), strings.TrimSpace(form.Get(checkNumber))
	f.Note, f.Return = strings.TrimSpace(form.Get("note")), localPath(form.Get("return"))
	f.Back = f.Return
	return f
}

// inputsOf names the inputs of what the use-case calls otherwise.
var inputsOf = map[string]string{"metadata": checkNumber, "donations": ""}

// checkStatusForm notes what only the form can know.
func checkStatusForm(c echo.Context, f views.DonationForm) error {
	t := say(c).Donations
	var fs fault.Fields
	if f.Status == "" {
		fs.Add("status", codeForm, t.Choose)
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

func (p *Portal) setStatus(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	ctx, a, t := c.Request().Context(), actor(c), say(c)
	d, err := p.DAF.Get(ctx, a, c.Param("id"))
	if err != nil {
		return err
	}
	claim, err := once(c, form)
	if err != nil {
		return err
	}
	version, _ := strconv.Atoi(form.Get(versionField))
	f := typed(p.statusForm(c, d), form)
	var out idempotency.Result[daf.Donation]
	var made daf.Donation
	if err = checkStatusForm(c, f); err == nil {
		out, err = p.DAF.Update(ctx, a, d.ID.String(), daf.UpdateInput{Status: patch.Set(f.Status), Note: noteOf(f), Pairs: pairsOf(f), IfVersion: &version}, claim)
		made, err = settled(out, err)
	}
	if above, beside, ok := problems(say(c), err, t.Donations.Problems, inputsOf); ok {
		refused, _ := fault.As(err)
		f.Problems, f.Errors, f.Changed = above, beside, refused.Kind == fault.KindChanged
		f.Version = cmp.Or(versionKept(form, err), f.Version)
		return p.statusAgain(c, statusOf(refused.Kind), d, f)
	}
	if err != nil {
		return err
	}
	told := ui.Toast{Tone: ui.Success, Text: t.Donations.Done(1, strings.ToLower(t.Donations.Statuses[f.Status]))}
	if changedStatus(made) {
		told.Undo = undoOf(requestOf(out, a.RequestID), f.Return)
	}
	tell(c, told)
	return seeOther(c, f.Return)
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
func (p *Portal) statusAgain(c echo.Context, status int, d daf.Donation, f views.DonationForm) error {
	at := donationsPath + "/" + d.ID.String()
	if _, fragment := asksFragment(c.Request()); !fragment && f.Return == at {
		return p.donationPage(c, status, d, f)
	}
	return p.statusDialog(c, status, d, f)
}

// undoOf is where a form goes that takes back what a request did.
func undoOf(request ids.Request, back string) string {
	return withQuery(undoStatusPath+"/"+request.String(), url.Values{"return": {back}})
}

func (p *Portal) undoStatuses(c echo.Context) error {
	request, err := ids.ParseRequest(c.Param("id"))
	if err != nil {
		return fault.Missing()
	}
	results, err := p.DAF.Undo(c.Request().Context(), actor(c), request)
	if err != nil {
		return err
	}
	t, undone := say(c).Donations, 0
	for _, r := range results {
		if r.Refused == nil {
			undone++
		}
	}
	told := ui.Toast{Tone: ui.Success, Text: t.Undone(undone)}
	if stays := len(results) - undone; stays > 0 {
		told = ui.Toast{Tone: ui.Warning, Text: t.Undone(undone) + " " + t.NotUndone(stays)}
	}
	tell(c, told)
	back := localPath(c.QueryParam("return"))
	if back == home {
		back = donationsPath
	}
	return seeOther(c, back)
}
