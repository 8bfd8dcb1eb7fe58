package api

import (
	"net/http"

	"svcpay/internal/fault"
)

// code is what is known of an error code. The contract's enum and the page at /docs/errors are
// held to this table.
type code struct {
	Name string
	Kind fault.Kind
	// Meaning and Remedy are for the page: what happened, what to do.
	Meaning, Remedy string
	// Card is a sandbox card that gives the code, "" for most.
	Card string
	// Own is the code's dress where that does not follow from Kind.
	Own dress
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
	fault.KindInternal:        {http.StatusInternalServerError, "api_error"},
}

func (c code) dress() dress {
	if c.Own.Status != 0 {
		return c.Own
	}
	return byKind[c.Kind]
}

// codes lists every error code that the API can give.
var codes = []code{
	{
		Name: "json_invalid", Kind: fault.KindInvalid,
		Meaning: "The body is not one JSON object: it is cut short, has a name twice, is not UTF-8, nests too deep or goes on after its end.",
		Remedy:  "Send exactly one object, at most 16 levels deep. A JSON library gets this right; a template does not.",
	},
	{
		Name: "validation_failed", Kind: fault.KindInvalid,
		Meaning: "Several parameters are wrong.",
		Remedy:  "Go through errors, which names each with its own code.",
	},
	{
		Name: "parameter_missing", Kind: fault.KindInvalid,
		Meaning: "A required parameter is absent or null.",
		Remedy:  "Send the parameter that param names.",
	},
	{
		Name: "parameter_unknown", Kind: fault.KindInvalid,
		Meaning: "There is no such parameter here.",
		Remedy:  "Correct the name; the message proposes the nearest one.",
	},
	{
		Name: "parameter_invalid", Kind: fault.KindInvalid,
		Meaning: "A parameter has the wrong type, length or value, or the address is too long.",
		Remedy:  "Send what the message asks for.",
	},
	{
		Name: "parameters_exclusive", Kind: fault.KindInvalid,
		Meaning: "Two parameters exclude each other.",
		Remedy:  "Send one of them.",
	},
	{
		Name: "amount_not_integer", Kind: fault.KindInvalid,
		Meaning: "An amount is not a plain integer.",
		Remedy:  "Send minor units, such as 1050 for 10.50: no point, exponent or quotes.",
	},
	{
		Name: "amount_too_small", Kind: fault.KindInvalid,
		Meaning: "The amount is below 1.",
		Remedy:  "Send at least 1, in minor units.",
	},
	{
		Name: "amount_too_large", Kind: fault.KindInvalid,
		Meaning: "The amount is above 99,999,999.",
		Remedy:  "Check that you send minor units; split a larger amount.",
	},
	{
		Name: "currency_unsupported", Kind: fault.KindInvalid,
		Meaning: "There is no such currency here, or the merchant has another one.",
		Remedy:  "Send usd or cad in lowercase, or leave the parameter out.",
	},
	{
		Name: "cursor_invalid", Kind: fault.KindInvalid,
		Meaning: "A cursor is not an id that a list gave.",
		Remedy:  "Send next as starting_after or previous as ending_before.",
	},
	{
		Name: "idempotency_key_invalid", Kind: fault.KindInvalid,
		Meaning: "The Idempotency-Key is empty, too long, sent twice or has other than visible ASCII characters.",
		Remedy:  "Send one key of 1 to 255 characters, such as a UUID.",
	},
	{
		Name: "api_version_unknown", Kind: fault.KindInvalid,
		Meaning: "X-API-Version names no version.",
		Remedy:  "Send " + Version + " or leave the header out.",
	},

	{
		Name: "api_key_missing", Kind: fault.KindUnauthenticated,
		Meaning: "There is no X-API-Key.",
		Remedy:  "Send your secret key.",
	},
	{
		Name: "app_id_missing", Kind: fault.KindUnauthenticated,
		Meaning: "There is no X-App-ID.",
		Remedy:  "Send your application's id.",
	},
	{
		Name: "api_key_invalid", Kind: fault.KindUnauthenticated,
		Meaning: "The key is malformed, unknown or revoked.",
		Remedy:  "Copy the key again, whole, or make a new one.",
	},
	{
		Name: "app_id_mismatch", Kind: fault.KindUnauthenticated,
		Meaning: "The key belongs to another application than X-App-ID names.",
		Remedy:  "Send the id of the key's application.",
	},
	{
		Name: "public_key_not_allowed", Kind: fault.KindUnauthenticated,
		Meaning: "This is a public key.",
		Remedy:  "Send the secret key; the public one is for svcpay.js.",
	},
	{
		Name: "key_mode_mismatch", Kind: fault.KindUnauthenticated,
		Meaning: "The key belongs to another environment.",
		Remedy:  "Use sandbox keys in the sandbox and production keys in production.",
	},
	{
		Name: "api_key_expired", Kind: fault.KindUnauthenticated,
		Meaning: "The key's life is over.",
		Remedy:  "Use the key that replaced it.",
	},

	{
		Name: "card_declined", Kind: fault.KindDeclined, Card: "4000000000000002",
		Meaning: "The issuer declined. The charge is recorded as failed; decline_code has the reason.",
		Remedy:  "Show the payer the message and follow advice.",
	},
	{
		Name: "expired_card", Kind: fault.KindDeclined, Card: "4000000000000069",
		Meaning: "The card has expired. The charge is recorded as failed.",
		Remedy:  "Ask the payer for another card.",
	},
	{
		Name: "incorrect_cvc", Kind: fault.KindDeclined, Card: "4000000000000127",
		Meaning: "The security code is wrong. The charge is recorded as failed.",
		Remedy:  "Ask the payer to enter the card again.",
	},

	{
		Name: "secret_key_in_browser", Kind: fault.KindForbidden,
		Meaning: "A secret key came from a browser, where everybody can read it.",
		Remedy:  "Move the call to your server and replace this key.",
	},
	{
		Name: "permission_denied", Kind: fault.KindForbidden,
		Meaning: "The credentials lack the right that required_permission names.",
		Remedy:  "Use a key that has it.",
	},
	{
		Name: "merchant_not_associated", Kind: fault.KindForbidden,
		Meaning: "The merchant does not exist or is not your application's.",
		Remedy:  "Check merchant_id and the environment.",
	},

	{
		Name: "resource_missing", Kind: fault.KindNotFound,
		Meaning: "There is no such object, or it is another application's.",
		Remedy:  "Check the id and the environment.",
	},
	{
		Name: "route_missing", Kind: fault.KindNotFound,
		Meaning: "There is no such path.",
		Remedy:  "Compare the path with the reference.",
	},
	{
		Name: "method_not_allowed", Kind: fault.KindInvalid, Own: dress{http.StatusMethodNotAllowed, "invalid_request_error"},
		Meaning: "The path does not take this method.",
		Remedy:  "Use one of those in the Allow header.",
	},
	{
		Name: "not_acceptable", Kind: fault.KindInvalid, Own: dress{http.StatusNotAcceptable, "invalid_request_error"},
		Meaning: "The Accept header leaves out JSON.",
		Remedy:  "Accept application/json.",
	},

	{
		Name: "idempotency_key_in_use", Kind: fault.KindConflict, Own: dress{http.StatusConflict, "idempotency_error"},
		Meaning: "The first request with this key is still under way.",
		Remedy:  "Repeat after Retry-After seconds; you will get its answer.",
	},
	{
		Name: "external_id_taken", Kind: fault.KindConflict,
		Meaning: "Another charge has this external_id; charge_id names it.",
		Remedy:  "Read that charge: it may be the one that you want to make.",
	},
	{
		Name: "token_expired", Kind: fault.KindGone,
		Meaning: "The token was not used for 13 months.",
		Remedy:  "Ask the payer for the payment method again.",
	},
	{
		Name: "request_too_large", Kind: fault.KindInvalid, Own: dress{http.StatusRequestEntityTooLarge, "invalid_request_error"},
		Meaning: "The body is larger than 256 KiB.",
		Remedy:  "Send less; metadata is not a place for documents.",
	},
	{
		Name: "content_type_unsupported", Kind: fault.KindInvalid, Own: dress{http.StatusUnsupportedMediaType, "invalid_request_error"},
		Meaning: "The body is not declared as JSON in UTF-8, or is compressed.",
		Remedy:  "Send Content-Type: application/json and no Content-Encoding.",
	},

	{
		Name: "idempotency_key_reused", Kind: fault.KindRefused, Own: dress{http.StatusUnprocessableEntity, "idempotency_error"},
		Meaning: "The key was used for another request; differing_parameters says what differs.",
		Remedy:  "Use a new key for a new request, and the same body for a repetition.",
	},
	{
		Name: "merchant_not_active", Kind: fault.KindRefused,
		Meaning: "The merchant takes no new charges at present.",
		Remedy:  "Wait until it is active again.",
	},
	{
		Name: "funding_currency_mismatch", Kind: fault.KindRefused,
		Meaning: "The merchant is paid in another currency, and amounts are not converted.",
		Remedy:  "Leave funding_currency out.",
	},
	{
		Name: "token_not_found", Kind: fault.KindRefused,
		Meaning: "This merchant has no such token.",
		Remedy:  "Check token and merchant_id: a token belongs to one merchant.",
	},
	{
		Name: "token_disabled", Kind: fault.KindRefused,
		Meaning: "The token can no longer be charged.",
		Remedy:  "Ask the payer for the payment method again.",
	},

	{
		Name: "internal_error", Kind: fault.KindInternal,
		Meaning: "Something went wrong on our side; it has been recorded.",
		Remedy:  "Repeat the request with the same Idempotency-Key; quote request_id if it stays.",
	},
	{
		Name: "processor_error", Kind: fault.KindUnavailable, Own: dress{http.StatusBadGateway, "api_error"},
		Meaning: "The charge never reached the card processor. It is recorded as failed; nothing was charged.",
		Remedy:  "Try again with a new Idempotency-Key.",
	},
	{
		Name: "overloaded", Kind: fault.KindUnavailable,
		Meaning: "The service is busy or cannot reach its database.",
		Remedy:  "Repeat after Retry-After seconds, with the same Idempotency-Key.",
	},
}

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
