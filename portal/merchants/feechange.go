package merchants

import (
	"context"
	"maps"
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
	typed url.Values
	fee.Change
	saw fee.Rates // the rates that the form was opened with: the settings that differ from them are changed
}

// draft reads the form, with every mistake in it; what the use-case finds wrong is added when it is asked.
func (b bookNow) draft(c *web.Request, in web.Input) (d feeDraft, err error) {
	t := c.Text().MerchantFees
	rates, mistakes := ratesOf(t, in.Values)
	d = feeDraft{typed: in.Values, Change: fee.Change{Rates: rates, Reason: strings.TrimSpace(in.Get("reason"))}}
	d.Base, _ = ids.ParseFeeSchedule(in.Get("base")) // none is that of a book without a page
	switch in.Get("start") {
	case "now":
	case "later":
		at, err := time.ParseInLocation("2006-01-02 15:04", in.Get("day")+" "+in.Get("time"), c.Viewer().Zone)
		if err != nil {
			mistakes.Add("day", web.CodeForm, t.When2)
		}
		d.EffectiveAt = &at
	default:
		mistakes.Add("start", web.CodeForm, t.Missing)
	}
	if d.Reason == "" {
		mistakes.Add("reason", web.CodeForm, t.ReasonMissing)
	}
	if d.saw, err = b.seen(c.Ctx(), in.Get("saw")); err != nil {
		return d, err
	}
	d.From = &d.saw
	return d, mistakes.Err()
}

// becomes are the rates that the change makes of those that are in effect at its time.
func (d feeDraft) becomes(now fee.Fees) fee.Rates {
	return standingAt(now, d.EffectiveAt).With(d.saw, d.Rates)
}

// seen are the rates that the form was opened with.
func (b bookNow) seen(ctx context.Context, id string) (fee.Rates, error) {
	if id == printedSchedule(b.now.ID) {
		return b.now.Rates, nil
	}
	past, err := b.past(ctx, page.Input[ids.FeeSchedule]{Limit: 100})
	if i := slices.IndexFunc(past.Items, func(r fee.Record) bool { return printedSchedule(r.ID) == id }); i >= 0 {
		return past.Items[i].Rates, err
	}
	if id == "" { // there were none
		return fee.Rates{}, err
	}
	return b.now.Rates, err
}

// standingAt are the rates that would be in effect at a time, or now.
func standingAt(now fee.Fees, at *time.Time) fee.Rates {
	out := now.Rates
	for _, r := range now.Scheduled {
		if at != nil && !r.EffectiveAt.After(*at) {
			out = r.Rates
		}
	}
	return out
}

// feeForm is the form of a change of fees, and what is done with it: it is reviewed first, and then confirmed.
func feeForm(open openBook, do func(*web.Request, bookNow, web.Input) (web.Done, error)) web.Form[bookNow] {
	return web.Form[bookNow]{Load: open.now, Draw: drawFees, Do: do, Inputs: map[string]string{"effective_at": "day"},
		Fill: func(_ *web.Request, b bookNow) (url.Values, error) {
			typed := TypedRates(b.now.Rates)
			typed.Set("start", "now")
			typed.Set("time", "00:00")
			setBase(typed, b.now)
			return typed, nil
		}}
}

// setBase remembers what the editor has seen: the schedule added last, and the one in effect.
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
func againFeeChange(c *web.Request, b bookNow) error {
	typed, err := web.ReadForm(c)
	if err != nil {
		return err
	}
	return drawFees(c, b, web.Input{Values: typed, Status: http.StatusOK})
}

// drawFees draws the form, or what others changed since it was opened.
func drawFees(c *web.Request, b bookNow, in web.Input) error {
	if in.Changed() {
		return b.conflict(c, in)
	}
	t := c.Text()
	view := views.FeeForm{Action: b.at + "/review", Back: b.at, Typed: in.Values, Errors: in.Errors,
		Problems: feeProblems(t, in),
		Groups:   feeInputs(t, in.Values, in.Errors, b.now.Rates, b.defaults), Zone: c.Viewer().Zone.String(),
		Pending: len(b.now.Scheduled) > 0}
	return b.show(in.Status, t.MerchantFees.ChangeTitle, views.FeeChangeForm(view))
}

// reviewFees shows what the change would mean, before anything is changed.
func reviewFees(c *web.Request, b bookNow, in web.Input) (done web.Done, err error) {
	d, err := b.draft(c, in)
	if err == nil && d.Base != b.now.Latest {
		err = fault.Changed()
	}
	if err != nil {
		return done, err
	}
	view, err := b.review(c, b.now, d)
	done.Page = func(*web.Request) error {
		return b.show(http.StatusOK, c.Text().MerchantFees.ReviewTitle, views.FeeReviewTab(view))
	}
	return done, err
}

func (b bookNow) review(c *web.Request, now fee.Fees, d feeDraft) (views.FeeReview, error) {
	ctx, t := c.Ctx(), c.Text()
	then, rates := standingAt(now, d.EffectiveAt), d.becomes(now)
	v := views.FeeReview{Confirm: b.at + "/confirm", Again: b.at + "/change", Back: b.at, Typed: d.typed,
		Reason: d.Reason, When: t.MerchantFees.AtOnceWords, Edits: feeEdits(t, then, rates),
		Later: feesAfter(t, now, d.EffectiveAt, then, rates)}
	if d.EffectiveAt != nil {
		v.Scheduled, v.When = true, text.To(ctx).Time(*d.EffectiveAt)
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

// feesAfter are the scheduled changes that begin after a change, with what each of them changes then: a fee that the
// change sets and a later one sets too is marked.
func feesAfter(t *text.Catalogue, now fee.Fees, at *time.Time, was, is fee.Rates) (out []views.FeeRecord) {
	later := slices.DeleteFunc(slices.Clone(now.Scheduled), func(r fee.Record) bool {
		return at != nil &&
			!r.EffectiveAt.After(*at)
	})
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

func confirmFees(c *web.Request, b bookNow, in web.Input) (done web.Done, err error) {
	d, err := b.draft(c, in)
	if err != nil {
		return done, err
	}
	if b.now.Latest != d.Base {
		past, err := b.past(c.Ctx(), page.Input[ids.FeeSchedule]{Limit: 100})
		if err != nil || d.Made(past) {
			return web.Done{To: b.at}, err
		}
	}
	t := c.Text().MerchantFees
	made, err := b.schedule(c.Ctx(), d.Change)
	done, err = web.Saved(b.at, t.Changed, err)
	if made.Status == fee.Scheduled {
		done.Toast.Text = t.ScheduledFor(c.Viewer().Time(made.EffectiveAt.Time))
		done.Toast.Undo = b.at + "/" + made.ID.String() + "/cancel"
	}
	return done, err
}

// conflict shows what someone else saved next to what was typed. Nothing is saved; the editor puts
// their own changes on top of the others', or leaves it.
func (b bookNow) conflict(c *web.Request, in web.Input) error {
	d, err := b.draft(c, in)
	if err != nil {
		return err
	}
	past, err := b.past(c.Ctx(), page.Input[ids.FeeSchedule]{Limit: 100})
	if err != nil {
		return err
	}
	t, saw := c.Text(), d.saw
	view := views.FeeConflict{Again: b.at + "/change", Back: b.at, Theirs: theirs(t, past.Items, d),
		Yours: feeEdits(t, saw, d.Rates), Merged: merged(b.now, saw, d)}
	for i, yours := range view.Yours {
		same := func(e ui.Edit) bool { return e.Field == yours.Field }
		if slices.ContainsFunc(view.Theirs,
			func(r views.FeeRecord) bool { return slices.ContainsFunc(r.Edits, same) }) {
			view.Yours[i].Note = t.MerchantFees.Both
		}
	}
	return b.show(http.StatusConflict, t.MerchantFees.ChangeTitle, views.FeeConflictTab(view))
}

// theirs are the schedules that were added, or canceled, since the form was opened.
func theirs(t *text.Catalogue, past []fee.Record, d feeDraft) (out []views.FeeRecord) {
	for i, r := range past {
		if r.ID == d.Base && r.CanceledAt == nil {
			break
		}
		before := feesBefore(past[i+1:], r)
		if before == nil && d.Base.IsZero() {
			before = &d.saw
		}
		out = append(out, feeRecord(t, r, before))
		if r.ID == d.Base { // the editor saw it, and it was canceled since
			break
		}
	}
	return out
}

// merged is the form with the editor's own changes on top of what is in effect now.
func merged(now fee.Fees, saw fee.Rates, d feeDraft) url.Values {
	out := maps.Clone(d.typed)
	for _, s := range fee.Settings() {
		if feeTyped(s, saw) == feeTyped(s, d.Rates) { // not touched
			out.Set(s.Name, feeTyped(s, now.Rates))
		}
	}
	setBase(out, now)
	return out
}
