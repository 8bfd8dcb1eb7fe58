package portal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/portal/web"
	"svcpay/views"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// feeDraft is a change as it was typed and understood.
type feeDraft struct {
	typed    url.Values
	rates    fee.Rates
	at       *time.Time // nil is at once
	reason   string
	base     ids.FeeSchedule // the latest schedule when the form was opened
	saw      fee.Rates       // the rates that the form was opened with: the settings that differ from them are changed
	mistakes map[string]string
}

// feeDraftOf reads the form; what the use-case finds wrong is added when it is asked.
func feeDraftOf(c *web.Request, form url.Values) feeDraft {
	t := c.Text().MerchantFees
	d := feeDraft{typed: form, reason: strings.TrimSpace(form.Get("reason"))}
	d.rates, d.mistakes = ratesOf(t, form)
	d.base, _ = ids.ParseFeeSchedule(form.Get("base")) // none is that of a book without a page
	switch form.Get("start") {
	case "now":
	case "later":
		at, err := time.ParseInLocation("2006-01-02 15:04", form.Get("day")+" "+form.Get("time"), c.Viewer().Zone)
		if err != nil {
			d.mistakes["day"] = t.When2
		}
		d.at = &at
	default:
		d.mistakes["start"] = t.Missing
	}
	if d.reason == "" {
		d.mistakes["reason"] = t.ReasonMissing
	}
	return d
}

// change is the draft as the use-case takes it.
func (d feeDraft) change() fee.Change {
	return fee.Change{From: &d.saw, Rates: d.rates, EffectiveAt: d.at, Reason: d.reason, Base: d.base}
}

// becomes are the rates that the change makes of those that are in effect at its time.
func (d feeDraft) becomes(now fee.Fees) fee.Rates { return standingAt(now, d.at).With(d.saw, d.rates) }

// seen completes a draft with the rates that the form was opened with.
func (b feeBook) seen(ctx context.Context, now fee.Fees, d feeDraft) (feeDraft, error) {
	id := d.typed.Get("saw")
	d.saw = now.Rates
	if id == printedSchedule(now.ID) {
		return d, nil
	}
	past, err := b.past(ctx, page.Input[ids.FeeSchedule]{Limit: 100})
	if i := slices.IndexFunc(past.Items, func(r fee.Record) bool { return printedSchedule(r.ID) == id }); i >= 0 {
		d.saw = past.Items[i].Rates
	} else if id == "" { // there were none
		d.saw = fee.Rates{}
	}
	return d, err
}

// standingAt are the rates that would be in force at a time, or now.
func standingAt(now fee.Fees, at *time.Time) fee.Rates {
	out := now.Rates
	for _, r := range now.Scheduled {
		if at != nil && !r.EffectiveAt.After(*at) {
			out = r.Rates
		}
	}
	return out
}

func showFeeChange(open openBook) web.Handler {
	return func(c *web.Request) error {
		b, err := open(c)
		if err != nil {
			return err
		}
		now, err := b.read(c.Ctx())
		if err != nil {
			return err
		}
		typed := typedRates(now.Rates)
		typed.Set("start", "now")
		typed.Set("time", "00:00")
		setBase(typed, now)
		return b.feeForm(c, http.StatusOK, now, feeDraft{typed: typed})
	}
}

// setBase remembers what the editor has seen: the schedule added last, and the one in force.
func setBase(typed url.Values, now fee.Fees) {
	typed.Set("base", printedSchedule(now.Latest))
	typed.Set("saw", printedSchedule(now.ID))
}

func printedSchedule(id ids.FeeSchedule) string {
	if id.IsZero() {
		return ""
	}
	return id.String()
}

// againFeeChange shows the form with what was typed, from the review on.
func againFeeChange(open openBook) web.Handler {
	return func(c *web.Request) error {
		b, form, err := bookAndForm(c, open)
		if err != nil {
			return err
		}
		now, err := b.read(c.Ctx())
		if err != nil {
			return err
		}
		return b.feeForm(c, http.StatusOK, now, feeDraft{typed: form})
	}
}

func bookAndForm(c *web.Request, open openBook) (feeBook, url.Values, error) {
	form, err := web.ReadForm(c)
	if err != nil {
		return feeBook{}, nil, err
	}
	b, err := open(c)
	return b, form, err
}

// feeForm draws the form. A mistake has its words above it and beside its input.
func (b feeBook) feeForm(c *web.Request, status int, now fee.Fees, d feeDraft) error {
	t := c.Text()
	f := t.MerchantFees
	view := views.FeeForm{Action: b.at + "/review", Back: b.at, Typed: d.typed, Errors: d.mistakes, Groups: feeInputs(t, d.typed, d.mistakes, now.Rates, b.defaults),
		Zone: c.Viewer().Zone.String(), Pending: len(now.Scheduled) > 0}
	if len(d.mistakes) > 0 {
		view.Problems.Title = t.Failures.Correct
		for _, name := range append(settingNames(), "start", "day", "reason") {
			if words, wrong := d.mistakes[name]; wrong {
				label := f.Names[name]
				if label != "" {
					words = label + ": " + words
				}
				view.Problems.List = append(view.Problems.List, ui.Problem{Field: name, Text: words})
			}
		}
	}
	return b.show(status, f.ChangeTitle, views.FeeChangeForm(view))
}

func settingNames() (out []string) {
	for _, s := range fee.Settings() {
		out = append(out, s.Name)
	}
	return out
}

// reviewFees shows what the change would mean, before anything is changed.
func reviewFees(open openBook) web.Handler {
	return func(c *web.Request) error {
		b, form, err := bookAndForm(c, open)
		if err != nil {
			return err
		}
		ctx := c.Ctx()
		now, err := b.read(ctx)
		if err != nil {
			return err
		}
		d, err := b.seen(ctx, now, feeDraftOf(c, form))
		switch {
		case err != nil:
			return err
		case len(d.mistakes) > 0:
			return b.feeForm(c, http.StatusUnprocessableEntity, now, d)
		case d.base != now.Latest:
			return b.feeConflict(c, now, d)
		}
		view, err := b.review(c, now, d)
		if err != nil {
			return err
		}
		return b.show(http.StatusOK, c.Text().MerchantFees.ReviewTitle, views.FeeReviewTab(view))
	}
}

func (b feeBook) review(c *web.Request, now fee.Fees, d feeDraft) (views.FeeReview, error) {
	ctx, t := c.Ctx(), c.Text()
	then, rates := standingAt(now, d.at), d.becomes(now)
	v := views.FeeReview{Confirm: b.at + "/confirm", Again: b.at + "/change", Back: b.at, Typed: d.typed, Reason: d.reason,
		When: t.MerchantFees.AtOnceWords, Edits: feeEdits(t, then, rates), Later: feesAfter(t, now, d.at, then, rates)}
	if d.at != nil {
		v.Scheduled, v.When = true, text.To(ctx).Time(*d.at)
	}
	if b.minimum > 0 {
		v.TooDear = tooDear(t, b.minimum, rates)
	}
	examples := []fee.PreviewEvent{}
	if b.preview != nil {
		p, err := b.preview(ctx, rates)
		if err != nil {
			return v, err
		}
		v.Preview = feePreview(ctx, t, p)
		examples = p.Examples
	}
	v.Examples = feeExamples(t, examples, then, rates)
	return v, nil
}

// feesAfter are the scheduled changes that begin after a change, with what each of them changes then: a fee that the change sets and a
// later one sets too is marked.
func feesAfter(t *text.Catalogue, now fee.Fees, at *time.Time, was, is fee.Rates) (out []views.FeeRecord) {
	later := slices.DeleteFunc(slices.Clone(now.Scheduled), func(r fee.Record) bool { return at != nil && !r.EffectiveAt.After(*at) })
	set := feeEdits(t, was, is)
	for _, r := range fee.Carry(was, is, later) {
		one := feeRecord(t, r, &is)
		for i, e := range one.Edits {
			if slices.ContainsFunc(set, func(s ui.Edit) bool { return s.Field == e.Field }) {
				one.Edits[i].Note = t.MerchantFees.SetAgain
			}
		}
		out, is = append(out, one), r.Rates
	}
	return out
}

func confirmFees(open openBook) web.Handler {
	return func(c *web.Request) error {
		b, form, err := bookAndForm(c, open)
		if err != nil {
			return err
		}
		ctx, t := c.Ctx(), c.Text().MerchantFees
		now, err := b.read(ctx)
		if err != nil {
			return err
		}
		d, err := b.seen(ctx, now, feeDraftOf(c, form))
		if err != nil {
			return err
		}
		if len(d.mistakes) > 0 {
			return b.feeForm(c, http.StatusUnprocessableEntity, now, d)
		}
		if twice, err := b.saved(ctx, now, d); err != nil || twice {
			if err != nil {
				return err
			}
			return web.SeeOther(c, b.at)
		}
		made, err := b.schedule(ctx, d.change())
		if fault.HasCode(err, "object_changed") {
			if now, err = b.read(ctx); err != nil {
				return err
			}
			return b.feeConflict(c, now, d)
		}
		if _, beside, ok := web.Problems(c.Text(), err, c.Text().Failures.Correct, map[string]string{"effective_at": "day"}); ok {
			d.mistakes = beside
			return b.feeForm(c, http.StatusUnprocessableEntity, now, d)
		}
		if err != nil {
			return err
		}
		told := ui.Toast{Tone: ui.Success, Text: t.Changed}
		if made.Status == fee.Scheduled {
			told.Text = t.ScheduledFor(text.To(ctx).Time(made.EffectiveAt.Time))
			told.Undo = b.at + "/" + made.ID.String() + "/cancel"
		}
		web.Tell(c, told)
		return web.SeeOther(c, b.at)
	}
}

// saved reports whether this very form was sent before: its schedule was added next after the one that the editor saw, and after it
// only those that it replaced in what is scheduled.
func (b feeBook) saved(ctx context.Context, now fee.Fees, d feeDraft) (bool, error) {
	if now.Latest == d.base {
		return false, nil
	}
	past, err := b.past(ctx, page.Input[ids.FeeSchedule]{Limit: 100})
	if err != nil {
		return false, err
	}
	i := slices.IndexFunc(past.Items, func(r fee.Record) bool { return r.ID == d.base })
	if i < 0 {
		i = len(past.Items) // the first of all
	}
	if i == 0 || i == len(past.Items) && (past.HasMore || !d.base.IsZero()) {
		return false, nil
	}
	own := past.Items[i-1]
	for _, r := range past.Items[:i-1] {
		if r.Replaces.IsZero() || !r.CreatedAt.Equal(own.CreatedAt.Time) {
			return false, nil
		}
	}
	same := own.Rates.With(d.saw, d.rates).Equal(own.Rates) && own.Reason == d.reason && own.CanceledAt == nil
	return same && (d.at == nil || own.EffectiveAt.Equal(*d.at)), nil
}

// feeConflict shows what somebody else saved beside what was typed. Nothing is saved; the editor puts
// their own changes on top of the others', or leaves it.
func (b feeBook) feeConflict(c *web.Request, now fee.Fees, d feeDraft) error {
	past, err := b.past(c.Ctx(), page.Input[ids.FeeSchedule]{Limit: 100})
	if err != nil {
		return err
	}
	t, saw := c.Text(), d.saw
	view := views.FeeConflict{Again: b.at + "/change", Back: b.at}
	theirs := map[string]bool{}
	for i, r := range past.Items {
		if r.ID == d.base && r.CanceledAt == nil {
			break
		}
		before := feesBefore(past.Items[i+1:], r)
		if before == nil && d.base.IsZero() {
			before = &saw
		}
		one := feeRecord(t, r, before)
		for _, e := range one.Edits {
			theirs[e.Field] = true
		}
		view.Theirs = append(view.Theirs, one)
		if r.ID == d.base { // what the editor saw last was taken back
			break
		}
	}
	view.Yours = feeEdits(t, saw, d.rates)
	for i, e := range view.Yours {
		if theirs[e.Field] {
			view.Yours[i].Note = t.MerchantFees.Both
		}
	}
	view.Merged = merged(now, saw, d)
	return b.show(http.StatusConflict, t.MerchantFees.ChangeTitle, views.FeeConflictTab(view))
}

// merged is the form with the editor's own changes on top of what is in force now.
func merged(now fee.Fees, saw fee.Rates, d feeDraft) url.Values {
	out := url.Values{}
	for name, values := range d.typed {
		out[name] = values
	}
	for _, s := range fee.Settings() {
		if feeTyped(s, saw) == feeTyped(s, d.rates) { // not touched
			out.Set(s.Name, feeTyped(s, now.Rates))
		}
	}
	setBase(out, now)
	return out
}
