package web

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// Show makes a handler of a page about what load reads.
func Show[T any](load func(*Request) (T, error), draw func(*Request, T) error) Handler {
	return func(r *Request) error {
		of, err := load(r)
		if err != nil {
			return err
		}
		return draw(r, of)
	}
}

// Form is a form about a T: Show draws it, and Submit does what it asks for.
type Form[T any] struct {
	Load func(*Request) (T, error)             // what the form is about; nil where it is about nothing
	Fill func(*Request, T) (url.Values, error) // what its inputs have at first; nil for nothing
	Draw func(*Request, T, Input) error        // with the status of the Input
	// Do does what the form asks for. With Once it is called again while an earlier sending of the form is in progress.
	Do     func(*Request, T, Input) (Done, error)
	Once   bool                         // the form acts once, however often it is sent, see [Once]
	Shows  func(*fault.Error) bool      // refusals that the form shows although no other input helps; nil for none
	Status int                          // of the page with a refusal; 0 is that of its kind
	Title  func(*text.Catalogue) string // above the mistakes; nil for the usual one
	Inputs map[string]string            // see [Problems]
}

// Input is what the inputs of a form have, and what is wrong with them.
type Input struct {
	url.Values
	Claim    *idempotency.Claim // of a form that acts once
	Status   int                // of the page with the form
	Problems ui.Problems        // above the form
	Errors   map[string]string  // next to the inputs
	Refused  error              // why the form is drawn again; nil when it is drawn first
}

// Changed reports whether the form was refused because its object has changed since it was drawn.
func (in Input) Changed() bool { return fault.HasCode(in.Refused, "object_changed") }

// Version is the value of the hidden input with the version, of an object whose current version is now.
func (in Input) Version(now int) string {
	if kept := versionKept(in.Values, in.Refused); kept != "" && in.Refused != nil {
		return kept
	}
	return strconv.Itoa(now)
}

// IfVersion is the version that the form was drawn with; nil for a form without one.
func (in Input) IfVersion() *int {
	v, err := strconv.Atoi(in.Get(VersionField))
	if err != nil {
		return nil
	}
	return &v
}

// Done is what follows a form that was accepted: a page with a message on it, or a page of its own.
type Done struct {
	To    string
	Toast ui.Toast // without a text there is none
	Page  func(*Request) error
}

// Saved leads to a page, and says there that all went well, unless err says otherwise.
func Saved(to, words string, err error) (Done, error) {
	return Done{To: to, Toast: ui.Toast{Tone: ui.Success, Text: words}}, err
}

// Answer sends what follows.
func (d Done) Answer(r *Request) error {
	if d.Page != nil {
		return d.Page(r)
	}
	if d.Toast.Text != "" {
		SetToast(r, d.Toast)
	}
	return SeeOther(r, d.To)
}

// Show draws the form as it is at first.
func (f Form[T]) Show(r *Request) error {
	of, err := f.load(r)
	if err != nil {
		return err
	}
	in := Input{Values: url.Values{}, Status: http.StatusOK}
	if f.Fill != nil {
		if in.Values, err = f.Fill(r, of); err != nil {
			return err
		}
	}
	return f.Draw(r, of, in)
}

func (f Form[T]) load(r *Request) (of T, err error) {
	if f.Load == nil {
		return of, nil
	}
	return f.Load(r)
}

// Submit does what the form asks for, or draws it again with what is wrong with it.
func (f Form[T]) Submit(r *Request) error {
	sent, err := ReadForm(r)
	if err != nil {
		return err
	}
	in := Input{Values: sent}
	of, err := f.load(r)
	if err != nil {
		return err
	}
	if f.Once {
		if in.Claim, err = Once(r, sent); err != nil {
			return err
		}
	}
	done, err := waitForOutcome(r.Ctx(), func() (Done, error) { return f.Do(r, of, in) })
	if err == nil {
		return done.Answer(r)
	}
	return f.again(r, in, err)
}

// again draws the form that was refused, unless no other input would help.
func (f Form[T]) again(r *Request, in Input, refused error) error {
	title := r.Text().Failures.Correct
	if f.Title != nil {
		title = f.Title(r.Text())
	}
	above, beside, ok := Problems(r.Text(), refused, title, f.Inputs)
	if one, is := fault.As(refused); is && !ok && f.Shows != nil && f.Shows(one) {
		RetryAfter(r, one)
		above, ok = ui.Problems{Title: title, List: []ui.Problem{{Field: one.Param, Text: one.Message}}}, true
		beside = map[string]string{one.Param: one.Message}
	}
	if !ok {
		return refused
	}
	of, err := f.load(r) // as it is by now
	if err != nil {
		return err
	}
	in.Status, in.Problems, in.Errors, in.Refused = cmp.Or(f.Status, StatusOf(KindOf(refused))), above, beside, refused
	return f.Draw(r, of, in)
}

// Act makes a handler of a form without a page of its own, such as a button.
func Act(do func(*Request, url.Values) (Done, error)) Handler {
	return ActOn(func(*Request) (struct{}, error) { return struct{}{}, nil },
		func(r *Request, _ struct{}, form url.Values) (Done, error) { return do(r, form) })
}

// ActOn is Act about what load reads.
func ActOn[T any](load func(*Request) (T, error), do func(*Request, T, url.Values) (Done, error)) Handler {
	return func(r *Request) error {
		form, err := ReadForm(r)
		if err != nil {
			return err
		}
		of, err := load(r)
		if err != nil {
			return err
		}
		done, err := do(r, of, form)
		if err != nil {
			return err
		}
		return done.Answer(r)
	}
}

// IsLimited reports whether a fault refuses too many attempts.
func IsLimited(f *fault.Error) bool { return f.Kind == fault.KindLimited }
