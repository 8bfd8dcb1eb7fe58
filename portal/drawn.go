package portal

import (
	"bytes"
	"net/http"
	"path"
	"strconv"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/ui"
)

// A session acts in one place, and another tab may switch it: forms say by this hidden input, and htmx says by this
// header of the page that it asks a part for, in which place they were drawn.
const (
	drawnField  = "drawn_in"
	drawnHeader = "Portal-Place"
)

// markForms writes a page with the hidden input in each form that changes something. It is done here, of what is drawn, so
// that no template forgets it.
func markForms(out *bytes.Buffer, page []byte, place string) {
	input := `<input type="hidden" name="` + drawnField + `" value="` + templ.EscapeString(place) + `"/>`
	for {
		before, after, more := bytes.Cut(page, []byte("<form"))
		out.Write(before)
		if !more {
			return
		}
		tag, rest, _ := bytes.Cut(after, []byte(">")) // there is none in the values of its attributes
		out.WriteString("<form")
		out.Write(tag)
		out.WriteByte('>')
		if bytes.Contains(tag, []byte(`method="post"`)) {
			out.WriteString(input)
		}
		page = rest
	}
}

// drawnIn is the place that an answer is drawn in; "" for who acts nowhere.
func drawnIn(c echo.Context) string {
	if a, ok := c.Get(actingKey).(identity.Acting); ok {
		return value(a.Place)
	}
	return ""
}

// drawnHere refuses a form, and a part for a page, that was drawn in another place: what is of one application must not
// reach another. A form that does not say where it was drawn is none of ours.
func drawnHere(c echo.Context, a identity.Acting) error {
	r, here := c.Request(), value(a.Place)
	if page := r.Header.Get(drawnHeader); page != "" && page != here {
		return elsewhere(c, a, page)
	}
	if r.Method != http.MethodPost {
		return nil
	}
	if err := parse(r); err != nil {
		return err
	}
	switch place := r.PostForm.Get(drawnField); place {
	case here:
		return nil
	case "":
		return errOnce
	default:
		return elsewhere(c, a, place)
	}
}

// otherPlace is the error of what was drawn in another place than the session acts in by now; one that is nobody's any
// more has no name.
type otherPlace struct{ here, drawn ui.Scope }

func (otherPlace) Error() string { return "the session acts in another place by now" }

func elsewhere(c echo.Context, a identity.Acting, drawn string) error {
	t := say(c)
	out := otherPlace{here: scopeOf(t, a.Place)}
	for _, place := range a.Places {
		if value(place) == drawn {
			out.drawn = scopeOf(t, place)
		}
	}
	if out.here.Name == out.drawn.Name { // in another role
		out.here.Name += " (" + out.here.Detail + ")"
		out.drawn.Name += " (" + out.drawn.Detail + ")"
	}
	return out
}

// tellOfPlaces says where the session acts by now and of where the page is, and leads on: to a page of this place, or back
// to that page in its own.
func (p *Portal) tellOfPlaces(c echo.Context, moved otherPlace, requestID string) error {
	t, page := say(c).Places, p.cameFrom(c)
	f := views.Failure{Status: strconv.Itoa(http.StatusConflict), Title: t.Changed, Text: t.ChangedText(moved.here.Name, moved.drawn.Name),
		Request: requestID, Back: page, Onward: ui.Button{Label: t.GoOn(moved.here.Name), Href: listOf(page)}}
	if moved.drawn.Value != "" {
		f.Return = views.SwitchBack{Action: switchPath, Place: moved.drawn.Value, Page: page, Label: t.GoBack(moved.drawn.Name)}
	}
	return p.renderFailure(c, http.StatusConflict, f)
}

// listOf is a page that is there in every place: the list that a page of one object is in. The service's rates are
// such a page themselves.
func listOf(page string) string {
	at, _, _ := strings.Cut(page, "?")
	if parts := strings.Split(at, "/"); len(parts) > 3 && at != servicePay {
		return strings.Join(parts[:3], "/")
	}
	return page
}

// cameFrom is the address of the page that somebody is on who asks for it, for a part of it, or who sent a form of it
// that says no more: the form's own address or the nearest above it that is a page.
func (p *Portal) cameFrom(c echo.Context) string {
	r := c.Request()
	if _, fragment := asksFragment(r); fragment || r.Method != http.MethodPost {
		return pageOf(r)
	}
	if p.shown[c.Path()] {
		return localPath(r.URL.RequestURI())
	}
	route, at := path.Dir(c.Path()), path.Dir(r.URL.EscapedPath())
	for !p.shown[route] && len(route) > len(home) {
		route, at = path.Dir(route), path.Dir(at)
	}
	return localPath(at)
}
