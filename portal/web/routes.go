package web

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/platform/bulkhead"
)

// What a route needs that needs no permission.
const (
	Public   authz.Permission = "public"    // everybody may call it
	SignedIn authz.Permission = "signed in" // a session is enough: the page shows the person's own account
)

// Route is one line of the table of everything that the portal answers. A GET answers HEAD too.
type Route struct {
	Method  string
	Path    string
	Needs   authz.Permission // where the visitor acts; or Public, or SignedIn
	Handler Handler
	Class   bulkhead.Class // what a request costs: bulkhead.Constant, unless the line says otherwise
}

// Grows is the route in the class of lists, sums and files of records.
func (r Route) Grows() Route { return r.in(bulkhead.Grows) }

// Hashes is the route in the class of forms that compute the hash of a password.
func (r Route) Hashes() Route { return r.in(bulkhead.Hashes) }

// Streams is the route in the class of forms that bring a file.
func (r Route) Streams() Route { return r.in(bulkhead.Streams) }

func (r Route) in(c bulkhead.Class) Route {
	r.Class = c
	return r
}

// Get is a route of a page or a file.
func Get(path string, needed authz.Permission, h Handler) Route {
	return Route{http.MethodGet, path, needed, h, bulkhead.Constant}
}

// Post is a route of a form.
func Post(path string, needed authz.Permission, h Handler) Route {
	return Route{http.MethodPost, path, needed, h, bulkhead.Constant}
}

// Routes are the two routes of a form: one draws it, the other takes it.
func (f Form[T]) Routes(path string, needed authz.Permission) []Route {
	return []Route{Get(path, needed, f.Show), Post(path, needed, f.Submit)}
}
