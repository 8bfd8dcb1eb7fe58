package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/upload"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// MaxUpload bounds a form with a file, in bytes: the file, and texts as long as they may be.
const MaxUpload = upload.MaxSize + 2<<20

// ReadBody reads the body of a form, one with a file among them.
func ReadBody(r *http.Request) error {
	err := r.ParseForm()
	if err == nil {
		err = r.ParseMultipartForm(MaxUpload)
	}
	if err != nil && !errors.Is(err, http.ErrNotMultipart) {
		return ErrForm(err)
	}
	if !every(r.PostForm, storable) {
		return errFormText
	}
	return nil
}

// ReadForm returns what a form sent in its body, but for where it was drawn: [checkTab] has looked at that.
func ReadForm(c echo.Context) (url.Values, error) {
	if err := ReadBody(c.Request()); err != nil {
		return nil, err
	}
	form := c.Request().PostForm
	delete(form, PlaceField)
	return form, nil
}

// CodeForm is the code of mistakes that the portal finds itself, in words of its own.
const CodeForm = "form_invalid"

// Problems tells in the portal's own words what a use-case refuses in a form: what stands above it, under the title, and beside each
// input. inputs names those inputs that are not named as the use-case names what they say. It returns false for
// an error that no other input would cure: the handler returns it.
func Problems(t *text.Catalogue, err error, title string, inputs map[string]string) (above ui.Problems, beside map[string]string, ok bool) {
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

// VersionField is the hidden input of a form with the version of what it changes.
const VersionField = "version"

// VersionKept is the version of a form that is drawn again: still the one that its editor saw, so that what somebody else
// changed meanwhile is found by the next try, too. It is "", for that of now, once the form shows what they changed.
func VersionKept(form url.Values, refused error) string {
	if fault.HasCode(refused, "object_changed") {
		return ""
	}
	return form.Get(VersionField)
}

// OnceField is the hidden input of a form that acts once, however often it is sent.
const OnceField = "once"

// NewOnce is the value of that input, made when the form is drawn; a form that is drawn again after a mistake
// gets a new one.
func NewOnce() string { return rand.Text() }

// IsOnce tells whether this may be such a value.
func IsOnce(key string) bool { return len(key) == len(NewOnce()) }

// Once is the claim that makes a form act once: double clicks, going back and loading again find what the
// first did. The form's other inputs belong to it. A form without the input is refused.
func Once(c echo.Context, form url.Values) (*idempotency.Claim, error) {
	key := form.Get(OnceField)
	if !IsOnce(key) {
		return nil, ErrOnce
	}
	rest := url.Values{}
	for name, values := range form {
		if name != OnceField {
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

// WaitForOutcome sends what a form asks for, and waits while the same form's earlier sending is under way: of two clicks a
// browser without a script shows only what became of the second, and that is what the first came to.
func WaitForOutcome[T any](ctx context.Context, send func() (T, error)) (out T, err error) {
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

// RefusalOf is err, or why an earlier request with the same claim was refused.
func RefusalOf[T any](out idempotency.Result[T], err error) error {
	if err == nil && out.Prior != nil && out.Prior.Outcome.Refusal != nil {
		return out.Prior.Outcome.Refusal
	}
	return err
}

// Settled is what a request came to: now, or when an earlier one with the same claim did it.
func Settled[T any](out idempotency.Result[T], err error) (T, error) {
	if err = RefusalOf(out, err); err != nil || out.Prior == nil {
		return out.Object, err
	}
	return out.Object, json.Unmarshal(out.Prior.Outcome.Result, &out.Object)
}

// Given is what was typed, nil for nothing.
func Given(form url.Values, name string) *string {
	value := strings.TrimSpace(form.Get(name))
	if value == "" {
		return nil
	}
	return &value
}

// TextOrNil is a text that was typed; nil for none.
func TextOrNil(s string) *string {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	return &s
}
