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

// readBody reads the body of a form, one with a file among them.
func readBody(r *http.Request) error {
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

// ReadForm returns the inputs of a form, without the place where it was drawn, which was checked before.
func ReadForm(c echo.Context) (url.Values, error) {
	if err := readBody(c.Request()); err != nil {
		return nil, err
	}
	form := c.Request().PostForm
	delete(form, PlaceField)
	return form, nil
}

// CodeForm is the code of mistakes that the portal finds itself, in words of its own.
const CodeForm = "form_invalid"

// Problems says in the portal's own words why a use-case refuses a form: above it, under the title, and next to each
// input. inputs names the inputs whose names differ from those of the use-case. It returns false for an error that no
// other input would cure: the handler returns it.
func Problems(t *text.Catalogue, err error, title string, inputs map[string]string) (above ui.Problems,
	beside map[string]string, ok bool) {
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

// versionKept is the version of a form that is drawn again: still the one that its editor saw, so that the next
// try detects changes by others too. It is "", for the current one, once the form shows those changes.
func versionKept(form url.Values, refused error) string {
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

// IsOnce reports whether this may be such a value.
func IsOnce(key string) bool { return len(key) == len(NewOnce()) }

// Once is the claim that makes a form act once: double clicks, going back and reloading find the outcome
// of the first sending. The form's other inputs belong to it. A form without the input is refused.
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
	return &idempotency.Claim{ApplicationID: a.ApplicationID, Key: "portal-" + key, Method: c.Request().Method,
		Path: path, Fingerprint: sha256.Sum256([]byte(path + "\n" + rest.Encode())), Params: map[string]string{},
		RequestID: a.RequestID}, nil
}

// The second sending of a form polls for the outcome of the first every lookAgain, lookAgains times: for longer than
// the first is left alone, so that the second takes over if the server of the first has died.
const (
	lookAgain  = 100 * time.Millisecond
	lookAgains = int((idempotency.InFlight + time.Second) / lookAgain)
)

// waitForOutcome sends what a form asks for, and waits while an earlier sending of the same form is in progress: of two
// clicks a browser without a script shows only the answer to the second, which is the outcome of the first.
func waitForOutcome[T any](ctx context.Context, send func() (T, error)) (out T, err error) {
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

// Settled is the outcome of a request: of this one, or of an earlier one with the same claim.
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
