package web

import (
	"net/http"
	"path"
	"strconv"
	"strings"

	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/ui"
)

// checkTab refuses a form, and a part for a page, that was drawn in another place: what is of one application must not
// reach another. A form that does not say where it was drawn is none of ours.
func checkTab(c *Request, a identity.Acting) error {
	r, here := c.Request(), placeValue(a.Place)
	if page := r.Header.Get(PlaceHeader); page != "" && page != here {
		return elsewhere(c, a, page)
	}
	if r.Method != http.MethodPost {
		return nil
	}
	if err := readBody(r); err != nil {
		return err
	}
	switch place := r.PostForm.Get(PlaceField); place {
	case here:
		return nil
	case "":
		return ErrOnce
	default:
		return elsewhere(c, a, place)
	}
}

// otherPlace is the error of a form or part that was drawn in another place than the session acts in by now; a place
// that no longer exists has no name.
type otherPlace struct{ here, drawn ui.Scope }

func (otherPlace) Error() string { return "the session acts in another place by now" }

func elsewhere(c *Request, a identity.Acting, drawn string) error {
	t := c.Text()
	out := otherPlace{here: scopeOf(t, a.Place)}
	for _, place := range a.Places {
		if placeValue(place) == drawn {
			out.drawn = scopeOf(t, place)
		}
	}
	if out.here.Name == out.drawn.Name { // in another role
		out.here.Name += " (" + out.here.Detail + ")"
		out.drawn.Name += " (" + out.drawn.Detail + ")"
	}
	return out
}

// showOtherPlace says where the session acts by now and of where the page is, and leads on: to a page of this place, or
// back to that page in its own.
func (d *Desk) showOtherPlace(c *Request, moved otherPlace, requestID string) error {
	t, page := c.Text().Places, d.cameFrom(c)
	f := views.Failure{Status: strconv.Itoa(http.StatusConflict), Title: t.Changed,
		Text:    t.ChangedText(moved.here.Name, moved.drawn.Name),
		Request: requestID, Back: page, Onward: ui.Button{Label: t.GoOn(moved.here.Name), Href: listOf(page)}}
	if moved.drawn.Value != "" {
		f.Return = views.SwitchBack{Action: SwitchPath, Place: moved.drawn.Value, Page: page,
			Label: t.GoBack(moved.drawn.Name)}
	}
	return d.renderFailure(c, http.StatusConflict, f)
}

// listOf is a page that is there in every place: the list that a page of one object is in. The service's rates are
// such a page themselves.
func listOf(page string) string {
	at, _, _ := strings.Cut(page, "?")
	if parts := strings.Split(at, "/"); len(parts) > 3 && at != ServiceFeesPath {
		return strings.Join(parts[:3], "/")
	}
	return page
}

// cameFrom is the address of the page that the visitor is on who requests it, or a part of it, or who sent a form of it
// that says no more: the form's own address or the nearest above it that is a page.
func (d *Desk) cameFrom(c *Request) string {
	r := c.Request()
	if _, fragment := FragmentOf(r); fragment || r.Method != http.MethodPost {
		return pageOf(r)
	}
	if d.shown[c.Path()] {
		return LocalPath(r.URL.RequestURI())
	}
	route, at := path.Dir(c.Path()), path.Dir(r.URL.EscapedPath())
	for !d.shown[route] && len(route) > len(Home) {
		route, at = path.Dir(route), path.Dir(at)
	}
	return LocalPath(at)
}
