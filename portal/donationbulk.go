package portal

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// manyForm is the form that sets the status of several donations.
func manyForm(t text.Donations, chosen []string, back string) views.DonationForm {
	return views.DonationForm{Action: statusesPath + "/set", Back: back, Return: back, IDs: chosen, Hint: t.SetText, Statuses: options(daf.Statuses(), t.Statuses)}
}

// showStatuses asks what several donations are to be; it changes nothing.
func (p *Portal) showStatuses(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	t, back := say(c), localPath(c.QueryParam("return"))
	if len(form["id"]) == 0 {
		tell(c, ui.Toast{Tone: ui.Warning, Text: t.Donations.NoneChosen})
		return seeOther(c, back)
	}
	return p.manyPage(c, http.StatusOK, manyForm(t.Donations, form["id"], back), nil)
}

func (p *Portal) manyPage(c echo.Context, status int, f views.DonationForm, told []ui.Toast) error {
	t := say(c)
	page := p.page(c, t.Donations.SetMany)
	page.Toasts = append(page.Toasts, told...)
	return render(c, status, views.DonationFormPage(page, t.Donations.SetTitle(len(f.IDs)), f))
}

func (p *Portal) setStatuses(c echo.Context) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	a, t := actor(c), say(c)
	f := typed(manyForm(t.Donations, form["id"], ""), form)
	in := daf.BulkInput{Donations: f.IDs, Status: daf.Status(f.Status), Pairs: pairsGiven(f)}
	if f.Note != "" {
		in.Note = &f.Note
	}
	var results []daf.BulkResult
	if err = checkStatusForm(c, f); err == nil {
		results, err = p.DAF.SetStatuses(c.Request().Context(), a, in)
	}
	if above, beside, ok := problems(err, t.Donations.Problems, inputsOf); ok {
		f.Problems, f.Errors = above, beside
		return p.manyPage(c, http.StatusUnprocessableEntity, f, nil)
	}
	if err != nil {
		return err
	}
	told, refused := resultOf(t, f.Status, results)
	if told.Tone == ui.Success {
		told.Undo = undoOf(a.RequestID, f.Return)
	}
	if len(refused) == 0 {
		tell(c, told)
		return seeOther(c, f.Return)
	}
	f.IDs, f.Problems = p.refusals(c, refused)
	return p.manyPage(c, http.StatusUnprocessableEntity, f, []ui.Toast{told})
}

// pairsGiven are what the form of several adds to the metadata; what is left out stays as it is.
func pairsGiven(f views.DonationForm) map[string]string {
	out := pairsOf(f)
	for name, value := range out {
		if value == "" {
			delete(out, name)
		}
	}
	return out
}

// resultOf tells what became of several donations, and which were refused.
func resultOf(t *text.Catalogue, status string, results []daf.BulkResult) (told ui.Toast, refused []daf.BulkResult) {
	done, stayed := 0, 0
	for _, r := range results {
		switch {
		case r.Refused != nil:
			refused = append(refused, r)
		case r.Stayed:
			stayed++
		default:
			done++
		}
	}
	word := strings.ToLower(t.Donations.Statuses[status])
	var words []string
	if done > 0 {
		words = append(words, t.Donations.Done(done, word))
	}
	if stayed > 0 {
		words = append(words, t.Donations.Stayed(stayed, word))
	}
	told = ui.Toast{Tone: ui.Info, Text: strings.Join(words, " ")}
	if done > 0 {
		told.Tone = ui.Success
	}
	return told, refused
}

// refusals says of each donation why it stayed as it was.
func (p *Portal) refusals(c echo.Context, refused []daf.BulkResult) (left []string, out ui.Problems) {
	t := say(c)
	out.Title = t.Donations.Refused(len(refused))
	for _, r := range refused {
		left = append(left, r.ID)
		words := r.Refused.Message
		if r.Refused.Kind == fault.KindNotFound {
			words = t.Donations.Gone
		}
		if d, err := p.DAF.Get(c.Request().Context(), actor(c), r.ID); err == nil { // few are refused, and none as a rule
			words = t.Donations.RefusedOne(t.Amount(d.Amount), donor(t, d), words)
		}
		out.List = append(out.List, ui.Problem{Text: words})
	}
	return left, out
}
