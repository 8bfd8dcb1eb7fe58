package portal

import (
	"svcpay/internal/authz"
	"svcpay/internal/platform/audit"
	"svcpay/portal/web"
)

// subjectPages are the lists of what entries of the audit log tell of; an object's own page is below, under its id.
var subjectPages = map[string]struct {
	list string
	may  authz.Permission
}{
	"charge":           {chargesPath, authz.ChargeRead},
	"refund":           {refundsPath, authz.RefundRead},
	"dispute":          {disputesPath, authz.DisputeRead},
	"payout":           {payoutsPath, authz.PayoutRead},
	"daf_donation":     {donationsPath, authz.DonationRead},
	"merchant":         {merchantsPath, authz.MerchantRead},
	"api_key":          {apiKeysPath, authz.KeyRead},
	"webhook_endpoint": {webhooksPath, authz.WebhookRead},
	"event":            {eventsPath, authz.EventRead},
}

// merchantEnds are the tabs of a merchant where things are that have no page of their own.
var merchantEnds = map[string]struct {
	end string
	may authz.Permission
}{
	"fee_schedule": {feesEnd, authz.FeeRead},
	"bank_account": {payoutsEnd, authz.PayoutRead},
}

// subjectPage is the page of what an entry tells of; "" if it has none, none yet, or none for the visitor.
func subjectPage(c *web.Request, e audit.Entry) string {
	if of, ok := merchantEnds[e.SubjectKind]; ok && e.MerchantID != nil && c.May(of.may) {
		return merchantAt(*e.MerchantID, of.end)
	}
	if of, ok := subjectPages[e.SubjectKind]; ok && e.SubjectID != "" && c.May(of.may) {
		return of.list + "/" + e.SubjectID
	}
	return ""
}
