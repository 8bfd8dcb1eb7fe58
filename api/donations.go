package api

import (
	"net/http"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
)

func (a *API) donationRoutes() []route {
	const all, one = "/api/dafDonations", "/api/dafDonations/:id"
	return []route{
		{http.MethodPost, all, "/dafDonations", authz.DonationCreate, constant, creates(all, a.DAF.Create)},
		{http.MethodGet, all, "/dafDonations", authz.DonationRead, grows, lists(donationList, a.DAF.List, a.merchantOf())},
		{http.MethodGet, one, "/dafDonations/:id", authz.DonationRead, constant, get(a.DAF.Get, a.merchantOf())},
		{http.MethodPut, one, "/dafDonations/:id", authz.DonationUpdate, constant, updates(a.DAF.Update)},
		{http.MethodPatch, one, "/dafDonations/:id", authz.DonationUpdate, constant, updates(a.DAF.Update)},
	}
}

// maxTracking is how long a tracking id may be that donations are searched for, in characters.
const maxTracking = 32

func donationList(q *query) daf.ListInput {
	return daf.ListInput{
		Page: pageOf(q, ids.ParseDonation), Created: q.times("created_at"), Amounts: q.amounts("amount"),
		Kinds: q.words("kind", daf.Kinds()), Statuses: q.words("status", daf.Statuses()),
		Merchants:  q.integers("merchant_id"),
		TrackingID: q.text("tracking_id", maxTracking), ExternalID: q.text("external_id", check.MaxExternalID),
		Email: q.email(), Metadata: q.pairs("metadata"),
	}
}

// donationCodes are those of donations.
var donationCodes = []code{
	{Name: "daf_session_not_found", Kind: fault.KindRefused, Param: "workflowSessionId",
		Meaning: "No donor authorized this for this merchant: the id is forged, or another merchant's.",
		Remedy:  "Send workflowSessionId or grantId as the event dafAuthorized told it, with the merchant of the page.",
		Message: "No donor authorized this for this merchant."},
	{Name: "daf_session_already_used", Kind: fault.KindConflict, Param: "workflowSessionId",
		Meaning: "A donation was made of this authorization by another request, which said something else; donation_id names it.",
		Remedy:  "Read that donation. What is to be changed of it can be changed by an update.",
		Message: "Another donation was made of this authorization.",
		Members: []string{"donation_id"}},
	{Name: "daf_session_expired", Kind: fault.KindGone, Param: "workflowSessionId",
		Meaning: "The donor authorized more than 15 minutes ago. Nothing was given.",
		Remedy:  "Have the donor authorize again, and create the donation at once.",
		Message: "The donor's authorization has expired. It is valid for 15 minutes."},
	{Name: "daf_session_declined", Kind: fault.KindDeclined, Own: dress{http.StatusPaymentRequired, "daf_error"},
		Kept:    true,
		Meaning: "The donor's fund refused the grant; decline_code has the reason. The donation is recorded as canceled.",
		Remedy:  "Show the donor the message, and have them authorize again.",
		Message: "The fund declined the grant: its balance is too low.",
		Members: []string{"decline_code", "donation_id", "advice"}},
	{Name: "daf_amount_not_whole_dollar", Kind: fault.KindRefused, Param: "amount",
		Meaning: "Grants are whole dollars: the amount is no multiple of 100 cents. nearest_amount is the nearest that is one.",
		Remedy:  "Send the amount that the event dafAuthorized told. Round what you ask for up before you set the price.",
		Message: "Grants are whole dollars: the amount is a multiple of 100. The nearest is 12300.",
		Members: []string{"nearest_amount"}},
	{Name: "daf_amount_mismatch", Kind: fault.KindRefused, Param: "amount",
		Meaning: "The donor authorized another amount, which may have been changed in the modal.",
		Remedy:  "Send the amount that the event dafAuthorized told.",
		Message: "The donor authorized another amount. Send the one that the page was told."},
	{Name: "daf_not_enabled", Kind: fault.KindRefused, Param: "merchant_id",
		Meaning: "DAF Pay is not switched on for the merchant.",
		Remedy:  "Update the merchant with has_daf_provider.",
		Message: "DAF Pay is not enabled for this merchant."},
	{Name: "daf_not_enrolled", Kind: fault.KindRefused, Param: "merchant_id",
		Meaning: "The merchant is not enrolled in DAF Pay: its daf_provider_connect_id is null.",
		Remedy:  "An administrator of the merchant's organization enrolls it, in the portal.",
		Message: "This merchant is not enrolled in DAF Pay."},
	{Name: "daf_status_not_allowed", Kind: fault.KindConflict, Param: "status", Members: []string{"status"},
		Meaning: "A donation of this kind cannot get this status by hand from the one that it has, which status tells: " +
			"an integrated one is marked completed and corrected back to initiated, and only its provider cancels it.",
		Remedy:  "Read the donation. See the table of its states.",
		Message: "The donation is initiated. One of this kind cannot be made canceled by hand from there."},
}
