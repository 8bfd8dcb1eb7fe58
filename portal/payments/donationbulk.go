package payments

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Inputs of the form that sets the status of several donations: of each row its id, and with the id behind them its
// check number and the version that was shown. "id" are those that are ticked.
const (
	rowField       = "row"
	ofDonation     = "_"
	maxDonations   = 50
	donationsField = "donations"
)

// manyForm is the form with the donations that were selected. Integrated ones are not ticked: their provider reports
// their status.
func (p *Pages) manyForm(c *web.Request, chosen []string, back string) (views.DonationsForm, error) {
	t := c.Text()
	f := views.DonationsForm{Action: statusesPath + "/set", Back: back, Return: back,
		Statuses: web.Options(daf.Statuses(), t.Donations.Statuses)}
	sums := map[daf.Kind]map[money.Currency]money.Amount{daf.Integrated: {}, daf.Nonintegrated: {}}
	for _, id := range chosen[:min(len(chosen), maxDonations)] {
		d, err := p.DAF.Get(c.Ctx(), c.Actor(), id)
		if fault.HasCode(err, "resource_missing") {
			continue
		}
		if err != nil {
			return f, err
		}
		row := views.DonationPick{ID: id, Version: strconv.Itoa(d.Version),
			Title: t.Donations.SetOf(t.Amount(d.Amount), web.Donor(t, d)), Fund: d.Fund.Name,
			Tone: donationTone(d.Status), Status: t.Donations.Statuses[string(d.Status)],
			CheckNumber: d.Metadata[checkNumber], Off: len(byHand(d)) == 0}
		sums[d.Kind][d.Currency] += d.Amount
		if d.Kind == daf.Integrated {
			f.Skipped = append(f.Skipped, row)
			continue
		}
		row.Chosen = true
		f.Rows = append(f.Rows, row)
	}
	f.Sum, f.SkippedSum = sumOf(t, sums[daf.Nonintegrated]), sumOf(t, sums[daf.Integrated])
	return f, nil
}

// sumOf is a sum in each currency.
func sumOf(t *text.Catalogue, sums map[money.Currency]money.Amount) string {
	var words []string
	for currency, amount := range sums {
		words = append(words, t.Money(amount, currency))
	}
	slices.Sort(words)
	return strings.Join(words, ", ")
}

// showStatuses asks what several donations are to be; it changes nothing.
func (p *Pages) showStatuses(c *web.Request, form url.Values) (web.Done, error) {
	back := web.LocalPath(c.QueryParam("return"))
	if len(form["id"]) == 0 {
		return web.Done{To: back, Toast: ui.Toast{Tone: ui.Warning, Text: c.Text().Donations.NoneChosen}}, nil
	}
	f, err := p.manyForm(c, form["id"], back)
	return web.Done{Page: func(*web.Request) error { return manyPage(c, http.StatusOK, f, nil) }}, err
}

func manyPage(c *web.Request, status int, f views.DonationsForm, told []ui.Toast) error {
	t := c.Text()
	page := c.Page(t.Donations.SetMany)
	page.Toasts = append(page.Toasts, told...)
	return web.Render(c, status, views.DonationsFormPage(page, t.Donations.SetTitle(len(f.Rows)+len(f.Skipped)), f))
}

// manyTyped keeps what someone entered. The versions are those of the donations as they are shown now.
func manyTyped(f views.DonationsForm, form url.Values) views.DonationsForm {
	f.Status, f.ReceivedOn, f.Note = form.Get("status"), strings.TrimSpace(form.Get(receivedOn)),
		strings.TrimSpace(form.Get("note"))
	f.Return = web.LocalPath(form.Get("return"))
	f.Back = f.Return
	for _, rows := range [][]views.DonationPick{f.Rows, f.Skipped} {
		for i, row := range rows {
			rows[i].Chosen = slices.Contains(form["id"], row.ID)
			rows[i].CheckNumber = strings.TrimSpace(form.Get(checkNumber + ofDonation + row.ID))
		}
	}
	return f
}

// bulkOf is what the form asks for.
func bulkOf(form url.Values) daf.BulkInput {
	in := daf.BulkInput{Status: daf.Status(form.Get("status"))}
	if note := strings.TrimSpace(form.Get("note")); note != "" {
		in.Note = &note
	}
	for _, id := range form["id"] {
		one := daf.BulkOne{ID: id, Pairs: map[string]string{}}
		for name, value := range map[string]string{receivedOn: form.Get(receivedOn),
			checkNumber: form.Get(checkNumber + ofDonation + id)} {
			if value = strings.TrimSpace(value); value != "" { // what is left out stays as it is
				one.Pairs[name] = value
			}
		}
		if version, err := strconv.Atoi(form.Get(web.VersionField + ofDonation + id)); err == nil {
			one.IfVersion = &version
		}
		in.Donations = append(in.Donations, one)
	}
	return in
}

// checkBulk notes what only the form can know.
func checkBulk(c *web.Request, in daf.BulkInput, receivedOn string) error {
	f := views.DonationForm{Status: string(in.Status), ReceivedOn: receivedOn}
	err := checkStatusForm(c, f)
	if n := len(in.Donations); n > 0 && n <= maxDonations {
		return err
	}
	var fs fault.Fields
	if refused, ok := fault.As(err); ok {
		fs = refused.Fields
	}
	fs.Add(donationsField, "parameter_invalid", c.Text().Donations.ChooseRows(maxDonations))
	return fs.Err()
}

// bulkForm sets the status of several donations.
func (p *Pages) bulkForm() web.Form[struct{}] {
	return web.Form[struct{}]{Do: p.setStatuses, Status: http.StatusUnprocessableEntity,
		Draw: func(c *web.Request, _ struct{}, in web.Input) error {
			f, err := p.manyForm(c, in.Values[rowField], "")
			if err != nil {
				return err
			}
			f = manyTyped(f, in.Values)
			f.Problems, f.Errors, _ = web.Problems(c.Text(), in.Refused, c.Text().Donations.Problems,
				rowInputs(bulkOf(in.Values)))
			return manyPage(c, in.Status, f, nil)
		}}
}

func (p *Pages) setStatuses(c *web.Request, _ struct{}, in web.Input) (done web.Done, err error) {
	bulk := bulkOf(in.Values)
	if err = checkBulk(c, bulk, strings.TrimSpace(in.Get(receivedOn))); err != nil {
		return done, err
	}
	results, err := p.DAF.SetStatuses(c.Ctx(), c.Actor(), bulk)
	if err != nil {
		return done, err
	}
	told, refused := resultOf(c.Text(), string(bulk.Status), results)
	done.To = web.LocalPath(in.Get("return"))
	if told.Tone == ui.Success {
		told.Undo = undoOf(c.Actor().RequestID, done.To)
	}
	if done.Toast = told; len(refused) == 0 {
		return done, nil
	}
	left, above := p.refusals(c, refused)
	f, err := p.manyForm(c, left, done.To)
	f = manyTyped(f, in.Values)
	f.Problems = above
	done.Page = func(*web.Request) error { return manyPage(c, http.StatusUnprocessableEntity, f, []ui.Toast{told}) }
	return done, err
}

// rowInputs name the inputs of the rows as the use-case's mistakes name them.
func rowInputs(in daf.BulkInput) map[string]string {
	out := map[string]string{donationsField: ""}
	for i, d := range in.Donations {
		out["donations["+strconv.Itoa(i)+"].metadata"] = checkNumber + ofDonation + d.ID
	}
	return out
}

// resultOf says the outcome of several donations, and which were refused.
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
func (p *Pages) refusals(c *web.Request, refused []daf.BulkResult) (left []string, out ui.Problems) {
	t := c.Text()
	out.Title = t.Donations.Refused(len(refused))
	for _, r := range refused {
		left = append(left, r.ID)
		words := r.Refused.Message
		if r.Refused.Kind == fault.KindNotFound {
			words = t.Donations.Gone
		}
		if d, err := p.DAF.Get(c.Ctx(), c.Actor(), r.ID); err == nil { // few are refused, and none as a rule
			words = t.Donations.RefusedOne(t.Amount(d.Amount), web.Donor(t, d), words)
		}
		out.List = append(out.List, ui.Problem{Text: words})
	}
	return left, out
}
