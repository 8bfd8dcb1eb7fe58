// Package web is the adapter of the portal: it turns a request into a call of a use-case and its result into a page.
// The makers [Show], [Form], [Act] and [List] own what all pages of a kind have in common: reading the form, sending it
// once, its mistakes, the version that it changes, the message after it; filters, pages and files of a list. The [Desk]
// is the ground of all rooms: sessions, who the visitor is and what they may do, proofs of identity, navigation,
// failures.
package web

import (
	"context"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/identity"
	"svcpay/views"
	"svcpay/views/text"
)

// actingKey is where an echo.Context keeps the identity.Acting of its visitor, once it is known.
const actingKey = "acting"

// Handler serves one route.
type Handler func(*Request) error

// Request is a request with what every handler asks of it.
type Request struct {
	echo.Context
	desk *Desk
}

// Ctx is the context of the request.
func (r *Request) Ctx() context.Context { return r.Request().Context() }

// Text is the catalogue in the visitor's language.
func (r *Request) Text() *text.Catalogue { return text.Of(r.Ctx()) }

// Viewer is how the visitor reads times.
func (r *Request) Viewer() text.Viewer { return text.To(r.Ctx()) }

// Page begins a page with a title.
func (r *Request) Page(title string) views.Page { return r.desk.page(r, title) }

// May reports whether the visitor holds a permission: whether a button is shown.
func (r *Request) May(needed authz.Permission) bool { return r.desk.may(r, needed) }

// Reachable are the routes of pages that the visitor may open.
func (r *Request) Reachable() map[string]bool { return r.desk.reachable(r) }

// Actor is the visitor where they act; the zero Actor on routes that need no permission.
func (r *Request) Actor() authz.Actor { return actor(r) }

// ID is the id of the object in the path.
func (r *Request) ID() string { return r.Param("id") }

func actor(c echo.Context) authz.Actor {
	a, _ := c.Get(actingKey).(identity.Acting)
	return a.Actor
}
