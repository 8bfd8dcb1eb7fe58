package api

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
)

// route is one line of the table of everything that the API answers.
type route struct {
	method string
	path   string // canonical, under /api
	// alias is the bare path that applications already call, "" for most.
	alias string
	// permission is what the use-case will ask for; a test compares.
	permission authz.Permission
	handler    func(echo.Context, *request) (reply, error)
}

func (r route) paths() []string {
	if r.alias == "" {
		return []string{r.path}
	}
	return []string{r.path, r.alias}
}

func (a *API) routes() []route {
	return []route{
		{http.MethodPost, "/api/charges", "", authz.ChargeCreate, handle(a.createCharge)},
		{http.MethodGet, "/api/charges", "", authz.ChargeRead, a.listCharges},
		{http.MethodGet, "/api/charges/:id", "", authz.ChargeRead, a.getCharge},
	}
}
