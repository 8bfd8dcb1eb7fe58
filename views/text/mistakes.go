package text

// Mistakes are what forms say is wrong.
type Mistakes struct {
	// Codes has a sentence for each code with which a form can be refused, but for those of [SaidByUseCases].
	Codes map[string]string
	// Fields has sentences by code and field, such as "parameter_missing name".
	Fields map[string]string
	// Changed is the message of a form whose object was changed by another person, if the use-case has no message.
	Changed string
}

// Of is what a form says of a refusal with a code, of a field, for which the use-case has a message.
func (m Mistakes) Of(code, field, message string) string {
	if words, ok := m.Fields[code+" "+field]; ok {
		return words
	}
	if words, ok := m.Codes[code]; ok {
		return words
	}
	return message
}

// SaidByUseCases lists the codes whose message is written for people already, so that forms show it.
var SaidByUseCases = []string{
	"api_key_not_active", "association_file_missing", "authenticator_set", "authorization_expired",
	"authorization_unsupported", "bank_account_changed", "bank_account_exists", "bank_account_missing",
	"bank_account_unverified", "charge_disputed", "charge_not_capturable", "charge_not_refundable",
	"charge_not_voidable", "content_type_unsupported", "country_invalid", "currency_unsupported",
	"daf_amount_mismatch", "daf_not_eligible", "daf_session_already_used", "daf_session_not_found",
	"daf_status_not_allowed", "dispute_not_answerable", "domain_invalid", "email_taken", "export_not_done",
	"exports_in_progress", "fee_schedule_begun", "file_invalid", "funding_currency_mismatch",
	"incomplete_account_holder_name", "incomplete_cvc", "incomplete_email", "incomplete_expiry", "incomplete_number",
	"invalid_account_holder_name", "invalid_account_number", "invalid_cvc", "invalid_email", "invalid_expiry",
	"invalid_expiry_month_past", "invalid_expiry_year_past", "invalid_number", "invalid_routing_number",
	"invalid_scheme", "invalid_token_data", "invalid_transit_number", "invitation_in_progress", "last_administrator",
	"mail_unavailable", "mandate_not_accepted", "merchant_not_active", "merchant_status_not_allowed",
	"network_not_supported", "object_changed", "operation_in_progress", "parameter_invalid", "parameter_read_only",
	"passkeys_many", "payment_method_disabled", "processing_not_configured", "processor_account_active",
	"processor_account_connected", "processor_account_exists", "processor_account_of_other_merchant",
	"processor_account_refused", "processor_account_requested", "processor_account_unknown", "processor_account_used",
	"processor_platform_missing", "proof_required", "receipt_impossible", "refund_exceeds_remaining",
	"refund_not_cancelable",
	"search_too_broad", "sign_in_first", "token_disabled", "token_not_found", "token_type_mismatch",
	"unsupported_brand", "verification_failed", "wallet_payload_expired", "webhook_endpoint_not_enabled",
	"webhook_endpoints_exhausted",
}

var mistakesEnglish = Mistakes{
	Changed: "This has changed since you opened it. Reload the page, then make your change again.",
	Codes: map[string]string{
		"amount_too_large":            "Enter an amount of 999,999.99 or less.",
		"amount_too_small":            "Enter an amount of 0.01 or more.",
		"capture_exceeds_authorized":  "Enter at most the authorized amount.",
		"daf_amount_not_whole_dollar": "Enter an amount in whole dollars.",
		"external_id_taken":           "This ID is already in use. Enter a different one.",
		"idempotency_key_in_use":      "This form is still being processed. Wait a moment, then reload the page.",
		"idempotency_key_reused":      "This form was already sent with other values. Reload the page and try again.",
		"parameter_missing":           "Fill in this field.",
		"parameter_unknown":           "This form is out of date. Reload the page and try again.",
		"parameters_exclusive":        "Choose one of the two.",
		"request_too_large":           "Files can be up to 5 MB. Choose a smaller file.",
	},
	Fields: map[string]string{
		"parameter_missing name":              "Enter a name.",
		"parameter_missing organization.name": "Enter the name of the organization.",
		"parameter_missing organization":      "Choose an organization, or enter the name of a new one.",
		"parameter_missing url":               "Enter the endpoint URL.",
		"parameter_missing reason":            "Enter a reason.",
		"parameter_missing since":             "Choose where the replay starts.",
		"parameter_missing data":              "Enter the event data.",
		"parameter_missing amounts":           "Enter the amounts of both deposits.",
		"parameter_missing evidence":          "Enter some text or add a file.",
		"parameter_missing country":           "Choose a country.",
		"parameter_missing rights":            "Choose at least one permission.",
		"parameter_invalid amounts":           "Enter two amounts from 0.01 to 0.99.",
		"parameter_invalid processor":         "Choose a processor.",
		"parameter_missing list":              "Choose a list.",
		"parameter_missing kind":              "Choose a type.",
		"parameter_missing values":            "Enter at least one value, one per line.",
		"parameter_missing methods":           "Choose at least one method.",
		"parameter_invalid methods":           "This processor doesn’t support all of these methods.",
		"parameter_invalid external_account":  "Enter the account’s ID, up to 255 characters.",
		"parameter_invalid priority":          "Enter a number from 1 to 100.",
	},
}
