package portal

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// parse reads the body of a form, one with a file among them.
func parse(r *http.Request) error {
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(maxEvidence)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return errForm(err)
	}
	if !every(r.PostForm, storable) {
		return errFormText
	}
	return nil
}

// readForm returns what a form sent in its body, but for where it was drawn: [drawnHere] has looked at that.
func readForm(c echo.Context) (url.Values, error) {
	if err := parse(c.Request()); err != nil {
		return nil, err
	}
	form := c.Request().PostForm
	delete(form, drawnField)
	return form, nil
}

// codeForm is the code of mistakes that the portal finds itself, in words of its own.
const codeForm = "form_invalid"

// problems tells in the portal's own words what a use-case refuses in a form: what stands above it, under the title, and beside each
// input. inputs names those inputs that are not named as the use-case names what they say. It returns false for
// an error that no other input would cure: the handler returns it.
func problems(t *text.Catalogue, err error, title string, inputs map[string]string) (above ui.Problems, beside map[string]string, ok bool) {
	f, ok := fault.As(err)
	if !ok {
		return above, nil, false
	}
	switch f.Kind {
	case fault.KindInvalid, fault.KindRefused, fault.KindConflict, fault.KindDeclined, fault.KindChanged:
	default:
		return above, nil, false
	}
	above.Title, beside = title, map[string]string{}
	fields := f.Fields
	switch {
	case f.Message == fault.Changed().Message: // which is for programs
		fields = []fault.Field{{Code: f.Code, Message: t.Mistakes.Changed}}
	case len(fields) == 0:
		fields = []fault.Field{{Param: f.Param, Code: f.Code, Message: f.Message}}
	}
	for _, field := range fields {
		input, words := cmp.Or(inputs[field.Param], field.Param), t.Mistakes.Of(field.Code, field.Param, field.Message)
		above.List = append(above.List, ui.Problem{Field: input, Text: words})
		if input != "" {
			beside[input] = cmp.Or(beside[input], words)
		}
	}
	return above, beside, true
}

// versionField is the hidden input of a form with the version of what it changes.
const versionField = "version"

// versionKept is the version of a form that is drawn again: still the one that its editor saw, so that what somebody else
// changed meanwhile is found by the next try, too. It is "", for that of now, once the form shows what they changed.
func versionKept(form url.Values, refused error) string {
	if fault.HasCode(refused, "object_changed") {
		return ""
	}
	return form.Get(versionField)
}

// onceField is the hidden input of a form that acts once, however often it is sent.
const onceField = "once"

// newOnce is the value of that input, made when the form is drawn; a form that is drawn again after a mistake
// gets a new one.
func newOnce() string { return rand.Text() }

// isOnce tells whether this may be such a value.
func isOnce(key string) bool { return len(key) == len(newOnce()) }

// once is the claim that makes a form act once: double clicks, going back and loading again find what the
// first did. The form's other inputs belong to it. A form without the input is refused.
func once(c echo.Context, form url.Values) (*idempotency.Claim, error) {
	key := form.Get(onceField)
	if !isOnce(key) {
		return nil, errOnce
	}
	rest := url.Values{}
	for name, values := range form {
		if name != onceField {
			rest[name] = values
		}
	}
	a, path := actor(c), c.Request().URL.Path
	return &idempotency.Claim{ApplicationID: a.ApplicationID, Key: "portal-" + key, Method: c.Request().Method, Path: path,
		Fingerprint: sha256.Sum256([]byte(path + "\n" + rest.Encode())), Params: map[string]string{}, RequestID: a.RequestID}, nil
}

// A form's second sending asks every lookAgain, lookAgains times, what its first one came to: for longer than the
// first is left alone, so that the second finds out itself if nobody works on the first any more.
const (
	lookAgain  = 100 * time.Millisecond
	lookAgains = int((idempotency.InFlight + time.Second) / lookAgain)
)

// patiently sends what a form asks for, and waits while the same form's earlier sending is under way: of two clicks a
// browser without a script shows only what became of the second, and that is what the first came to.
func patiently[T any](ctx context.Context, send func() (idempotency.Result[T], error)) (out idempotency.Result[T], err error) {
	for range lookAgains {
		if out, err = send(); !fault.HasCode(err, "idempotency_key_in_use") {
			break
		}
		select {
		case <-time.After(lookAgain):
		case <-ctx.Done():
			return out, err
		}
	}
	return out, err
}
