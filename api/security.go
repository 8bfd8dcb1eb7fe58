package api

import (
	"net/netip"

	"github.com/labstack/echo/v4"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/platform/security"
)

// noteRefusal records that a request was rejected because of a missing permission, a limit, or a card number in a text.
// Package apikey records rejected keys.
func (a *API) noteRefusal(c echo.Context, req *request) {
	f := req.refusal
	if f == nil {
		return
	}
	e := security.Event{Outcome: f.Code, Actor: req.actor}
	switch {
	case f.Kind == fault.KindForbidden && req.actor.ApplicationID != 0:
		e.Kind = security.Permission
	case f.Kind == fault.KindLimited || req.turnedAway:
		e.Kind = security.Limit
	case check.HasCardNumber(f):
		e.Kind, e.Outcome = security.CardNumber, "rejected"
	default:
		return
	}
	e.Actor.RequestID = req.id
	e.Actor.Address, _ = netip.ParseAddr(c.RealIP())
	a.Security.Add(c.Request().Context(), e)
}
