package portal

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/views/ui"
)

// flashCookie carries what became of a form to the page that is shown after it. Only this host can set it,
// and what is in it is shown as text and as paths of the portal.
const flashCookie = "__Host-svcpay-told"

const (
	maxFlash = 2048 // bytes; browsers keep 4096 of a cookie
	flashAge = 60   // seconds
)

// tell has the next page say what became of this request. It is for a form that has done its work, before
// seeOther; a later call replaces an earlier one.
func tell(c echo.Context, t ui.Toast) {
	text, err := json.Marshal(t)
	value := base64.RawURLEncoding.EncodeToString(text)
	if err != nil || len(value) > maxFlash {
		return
	}
	c.SetCookie(flash(value, flashAge))
}

func flash(value string, age int) *http.Cookie {
	return &http.Cookie{Name: flashCookie, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true, SameSite: http.SameSiteLaxMode}
}

// told returns what there is to say, once.
func told(c echo.Context) []ui.Toast {
	cookie, err := c.Cookie(flashCookie)
	if err != nil || cookie.Value == "" {
		return nil
	}
	c.SetCookie(flash("", -1))
	var t ui.Toast
	text, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || json.Unmarshal(text, &t) != nil || t.Text == "" {
		return nil
	}
	if t.Href != "" {
		t.Href = localPath(t.Href)
	}
	if t.Undo != "" {
		t.Undo = localPath(t.Undo)
	}
	return []ui.Toast{t}
}
