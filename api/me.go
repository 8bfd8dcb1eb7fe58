package api

import (
	"net/http"

	"svcpay/internal/authz"
)

func (a *API) meRoutes() []route {
	return []route{{http.MethodGet, "/api/me", "", authz.MeRead, constant, getOnly(a.APIKeys.Me)}}
}
