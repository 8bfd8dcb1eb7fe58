package portal

import (
	"net/http"

	"svcpay/internal/authz"
)

// merchantRoutes are the pages about merchants and what they pay.
func (p *Portal) merchantRoutes() []route {
	return []route{
		{http.MethodGet, merchantPath, access(authz.MerchantRead), p.showMerchant},
	}
}
