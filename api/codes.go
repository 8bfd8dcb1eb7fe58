package api

import (
	"net/http"
	"slices"

	"svcpay/internal/fault"
)

// code is what is known of an error code. The page at /docs/errors and every error answer of the
// contract are made of this table.
type code struct {
	Name string
	Kind fault.Kind
	// Meaning and Remedy are for the page: what happened, what to do.
	Meaning, Remedy string
	// Card is a sandbox card that gives the code, "" for most.
	Card string
	// Own is the code's dress where that does not follow from Kind.
	Own dress

	// The rest is what the contract reports answers with this code.

	// Message is one that it is given with; some test must have seen it.
	Message string
	// Param is a parameter that it names; "" if it never names one.
	Param string
	// Field says that it may stand in errors, for one parameter among several.
	Field bool
	// Members are the details that it always has, such as charge_id.
	Members []string
	// Kept says that the answer is kept under an Idempotency-Key and given again.
	Kept bool
	// Waits says that it comes with Retry-After.
	Waits bool
}

// dress is how a code looks over HTTP.
type dress struct {
	Status int
	Type   string
}

// byKind is the dress of every code that has none of its own.
var byKind = map[fault.Kind]dress{
	fault.KindInvalid:         {http.StatusBadRequest, "invalid_request_error"},
	fault.KindUnauthenticated: {http.StatusUnauthorized, "authentication_error"},
	fault.KindForbidden:       {http.StatusForbidden, "permission_error"},
	fault.KindDeclined:        {http.StatusPaymentRequired, "card_error"},
	fault.KindNotFound:        {http.StatusNotFound, "invalid_request_error"},
	fault.KindConflict:        {http.StatusConflict, "conflict_error"},
	fault.KindGone:            {http.StatusGone, "invalid_request_error"},
	fault.KindChanged:         {http.StatusPreconditionFailed, "conflict_error"},
	fault.KindRefused:         {http.StatusUnprocessableEntity, "business_error"},
	fault.KindLimited:         {http.StatusTooManyRequests, "rate_limit_error"},
	fault.KindUnavailable:     {http.StatusServiceUnavailable, "api_error"},
	fault.KindClosed:          {fault.StatusClosed, "api_error"},
	fault.KindInternal:        {http.StatusInternalServerError, "api_error"},
}

func (c code) dress() dress {
	if c.Own.Status != 0 {
		return c.Own
	}
	return byKind[c.Kind]
}

// codes lists every error code that the API can give: each resource's own, in its file.
var codes = slices.Concat(
	baseCodes,
	chargeCodes,
	refundCodes,
	tokenCodes,
	disputeCodes,
	sandboxCodes,
	feeCodes,
	merchantCodes,
	searchCodes,
	exportCodes,
	webhookCodes,
	donationCodes,
)

// decline is one reason of an issuer's no.
type decline struct{ Name, Meaning, Card string }

// declines lists every decline_code.
var declines = []decline{
	{"generic_decline", "The issuer gives no reason.", "4000000000000002"},
	{"insufficient_funds", "There is not enough money.", "4000000000009995"},
	{"lost_card", "The card was reported lost. Do not tell the payer.", "4000000000009987"},
	{"stolen_card", "The card was reported stolen. Do not tell the payer.", "4000000000009979"},
	{"expired_card", "The card has expired.", "4000000000000069"},
	{"incorrect_cvc", "The security code is wrong.", "4000000000000127"},
	{"processing_error", "The issuer could not process the card.", "4000000000000119"},
}

var codeByName = func() map[string]code {
	out := make(map[string]code, len(codes))
	for _, c := range codes {
		out[c.Name] = c
	}
	return out
}()

func dressOf(f *fault.Error) dress {
	if c, ok := codeByName[f.Code]; ok {
		return c.dress()
	}
	return byKind[f.Kind]
}
