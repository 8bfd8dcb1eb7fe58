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
		{http.MethodGet, merchantNew, access(authz.MerchantCreate), p.showNewMerchant},
		{http.MethodPost, merchantNew, access(authz.MerchantCreate), p.addMerchant},
		{http.MethodGet, merchantPath, access(authz.MerchantRead), p.showMerchant},
		{http.MethodGet, merchantPath + "/edit", access(authz.MerchantUpdate), p.showEditMerchant},
		{http.MethodPost, merchantPath + "/edit", access(authz.MerchantUpdate), p.editMerchant},
		{http.MethodGet, merchantPath + "/status", access(authz.MerchantStatus), p.showMerchantStatus},
		{http.MethodPost, merchantPath + "/status", access(authz.MerchantStatus), p.setMerchantStatus},
		{http.MethodGet, merchantPath + "/team", access(authz.TeamRead), web.Show(p.merchant, p.drawMerchantTeam)},
		{http.MethodGet, merchantPath + "/activity", access(authz.AuditRead), web.Show(p.merchant, p.drawMerchantActivity)},
	}
	return slices.Concat(rs, p.walletRoutes(), p.enrollmentRoutes(), p.feeRoutes())
}
