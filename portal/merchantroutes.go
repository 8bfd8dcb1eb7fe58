package portal

import (
	"net/http"
	"slices"

	"svcpay/internal/authz"
	"svcpay/portal/web"
)

// merchantRoutes are the pages about merchants and what they pay.
func (p *Portal) merchantRoutes() []route {
	rs := []route{
		{http.MethodGet, merchantsPath, access(authz.MerchantRead), p.merchantList().Show},
		{http.MethodGet, merchantsSheet, access(authz.ExportCreate), p.merchantList().Send},
		{http.MethodGet, merchantPath, access(authz.MerchantRead), web.Show(p.merchant, p.showMerchant)},
		{http.MethodGet, merchantPath + "/team", access(authz.TeamRead), web.Show(p.merchant, p.drawMerchantTeam)},
		{http.MethodGet, merchantPath + "/activity", access(authz.AuditRead), web.Show(p.merchant, p.drawMerchantActivity)},
	}
	return slices.Concat(rs, form(merchantNew, authz.MerchantCreate, p.newMerchantForm()), form(merchantPath+"/edit", authz.MerchantUpdate, p.editForm()),
		form(merchantPath+"/status", authz.MerchantStatus, p.merchantStatusForm()), p.walletRoutes(), p.enrollmentRoutes(), p.feeRoutes())
}
