package web

import (
	"bytes"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
)

// A session acts in one place, and another tab may switch it: forms say by this hidden input, and htmx says by this
// header of the page that it asks a part for, in which place they were drawn.
const (
	PlaceField  = "drawn_in"
	PlaceHeader = "Portal-Place"
)

// markForms writes a page with the hidden input in each form that changes something. It is done here, of what is drawn,
// so that no template forgets it.
func markForms(out *bytes.Buffer, page []byte, place string) {
	input := `<input type="hidden" name="` + PlaceField + `" value="` + templ.EscapeString(place) + `"/>`
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

// currentPlace is the place that an answer is drawn in; "" for a visitor without a role.
func currentPlace(c echo.Context) string {
	if a, ok := c.Get(actingKey).(identity.Acting); ok {
		return placeValue(a.Place)
	}
	return ""
}

// placeValue is what the switcher sends for a place.
func placeValue(d identity.Place) string {
	if d.Domain.Scope == authz.ScopeSystem && d.Application.ID != 0 {
		return d.Domain.String() + "/" + strconv.FormatInt(d.Application.ID, 10)
	}
	return d.Domain.String()
}
