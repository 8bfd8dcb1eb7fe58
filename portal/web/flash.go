package web

import (
	"encoding/base64"
	"encoding/json"
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/views/ui"
)

// FlashCookie carries the message of a form to the page that is shown after it. Only this host can set it,
// and what is in it is shown as text and as paths of the portal.
const FlashCookie = "__Host-svcpay-told"

const (
	MaxFlash = 2048 // bytes; browsers keep 4096 of a cookie
	FlashAge = 60   // seconds
)

// SetToast has the next page show a message. Call it before [SeeOther]; a later call replaces an earlier one.
func SetToast(c echo.Context, t ui.Toast) {
	text, err := json.Marshal(t)
	value := base64.RawURLEncoding.EncodeToString(text)
	if err != nil || len(value) > MaxFlash {
		return
	}
	c.SetCookie(flash(value, FlashAge))
}

func flash(value string, age int) *http.Cookie {
	return &http.Cookie{Name: FlashCookie, Value: value, Path: "/", MaxAge: age, Secure: true, HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
}

// toasts returns the message of the form before this page, once.
func toasts(c echo.Context) []ui.Toast {
	cookie, err := c.Cookie(FlashCookie)
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
		t.Href = LocalPath(t.Href)
	}
	if t.Undo != "" {
		t.Undo = LocalPath(t.Undo)
	}
	return []ui.Toast{t}
}
