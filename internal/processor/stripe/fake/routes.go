package fake

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// call is a request to an endpoint. id is the one in its path, "" if it has none.
type call struct {
	*http.Request
	id string
}

// key is the request's idempotency key.
func (c call) key() string { return c.Header.Get("Idempotency-Key") }

// endpoint is the parameters that a request may have, and its handler. Any other parameter is rejected.
type endpoint struct {
	parameters string
	serve      handler
}

type handler func(*Fake, *Account, call) (object, *failure)

// endpoints are the endpoints that the adapter uses, by method and path.
var endpoints = map[string]endpoint{
	"GET /v1/account":          {"", (*Fake).account},
	"POST /v1/payment_methods": {"type card us_bank_account acss_debit billing_details", (*Fake).method},
	"POST /v1/payment_intents": {
		"amount currency capture_method payment_method_types transfer_group metadata statement_descriptor_suffix " +
			"statement_descriptor customer on_behalf_of payment_method_options", (*Fake).intent},
	"GET /v1/payment_intents":     {"created limit starting_after", listOf(intents)},
	"GET /v1/payment_intents/:id": {"expand", about(intents, (*Fake).readIntent)},
	"POST /v1/payment_intents/:id/confirm": {
		"payment_method payment_method_data payment_method_options error_on_requires_action " +
			"setup_future_usage off_session mandate expand", about(intents, (*Fake).confirm)},
	"POST /v1/payment_intents/:id/capture": {"amount_to_capture metadata", about(intents, (*Fake).capture)},
	"POST /v1/payment_intents/:id/cancel":  {"cancellation_reason", about(intents, (*Fake).canceled)},
	"GET /v1/charges":                      {"transfer_group limit starting_after", listOf(charges)},
	"GET /v1/charges/:id":                  {"expand", about(charges, (*Fake).read)},
	"POST /v1/refunds":                     {"payment_intent amount metadata", (*Fake).refund},
	"GET /v1/refunds":                      {"created limit starting_after", listOf(refunds)},
	"GET /v1/refunds/:id":                  {"expand", about(refunds, (*Fake).read)},
	"GET /v1/balance_transactions":         {"created type limit starting_after expand", (*Fake).balanceTransactions},
	"GET /v1/disputes":                     {"created limit starting_after", listOf(disputes)},
	"GET /v1/disputes/:id":                 {"expand", about(disputes, (*Fake).readDispute)},
	"POST /v1/disputes/:id":                {"evidence metadata submit", about(disputes, (*Fake).updateDispute)},
	"POST /v1/disputes/:id/close":          {"", about(disputes, (*Fake).closeDispute)},
	"POST /v1/files":                       {"purpose", (*Fake).file},
	"GET /v1/events":                       {"created types limit starting_after", listOf(func(a *Account) list { return a.events })},

	"POST /v1/webhook_endpoints":       {"url enabled_events connect description metadata", (*Fake).addHook},
	"GET /v1/webhook_endpoints":        {"limit starting_after", (*Fake).hooks},
	"GET /v1/webhook_endpoints/:id":    {"", ofHook((*Fake).readHook)},
	"POST /v1/webhook_endpoints/:id":   {"url enabled_events disabled description metadata", ofHook((*Fake).changeHook)},
	"DELETE /v1/webhook_endpoints/:id": {"", ofHook((*Fake).removeHook)},

	"POST /v1/accounts": {"type country email business_type business_profile capabilities settings metadata",
		(*Fake).createAccount},
	"GET /v1/accounts":                       {"created limit starting_after", (*Fake).listAccounts},
	"POST /v1/account_links":                 {"account type return_url refresh_url", (*Fake).accountLink},
	"GET /v1/accounts/:id":                   {"", ofConnected((*Fake).connectedAccount)},
	"GET /v1/accounts/:id/external_accounts": {"object limit starting_after", ofConnected((*Fake).externalAccounts)},
	"POST /v1/transfers":                     {"amount currency destination transfer_group metadata", (*Fake).transfer},
	"GET /v1/transfers":                      {"transfer_group limit starting_after", listOf(transfers)},
	"POST /v1/transfers/:id/reversals":       {"amount", about(transfers, (*Fake).reversal)},
	"POST /v1/payouts":                       {"amount currency destination metadata statement_descriptor", (*Fake).payout},
	"GET /v1/payouts":                        {"created limit starting_after", listOf(payouts)},
	"GET /v1/payouts/:id":                    {"", about(payouts, (*Fake).read)},

	"POST /v1/customers":                 {"metadata", (*Fake).customer},
	"POST /v1/setup_intents":             {"customer usage payment_method_types payment_method_options metadata", (*Fake).setup},
	"GET /v1/setup_intents":              {"created limit starting_after", listOf(setups)},
	"GET /v1/setup_intents/:id":          {"", about(setups, (*Fake).read)},
	"POST /v1/setup_intents/:id/confirm": {"payment_method mandate_data", about(setups, (*Fake).confirmSetup)},

	"POST /v1/setup_intents/:id/verify_microdeposits": {"amounts descriptor_code", about(setups, (*Fake).verify)},
}

// nameOf returns the endpoint of a request and the id in its path.
func nameOf(r *http.Request) (name, id string) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	name = r.Method + " /v1/" + parts[0]
	if len(parts) > 1 {
		id, name = parts[1], name+"/:id"
	}
	if len(parts) > 2 {
		name += "/" + strings.Join(parts[2:], "/")
	}
	return name, id
}

// route executes a request.
func (f *Fake) route(a *Account, r *http.Request) (object, *failure) {
	name, id := nameOf(r)
	e, ok := endpoints[name]
	if !ok {
		return nil, missing()
	}
	for name := range r.Form {
		if head, _, _ := strings.Cut(name, "["); !slices.Contains(strings.Fields(e.parameters), head) {
			return nil, invalid("parameter_unknown")
		}
	}
	return e.serve(f, a, call{r, id})
}

// The objects of an account that requests are about.
func intents(a *Account) list   { return a.intents }
func charges(a *Account) list   { return a.charges }
func refunds(a *Account) list   { return a.refunds }
func disputes(a *Account) list  { return a.disputes }
func transfers(a *Account) list { return a.transfers }
func payouts(a *Account) list   { return a.payouts }
func setups(a *Account) list    { return a.setups }

// listOf serves a list of an account.
func listOf(of func(*Account) list) handler {
	return func(_ *Fake, a *Account, c call) (object, *failure) { return page(of(a), c.Form) }
}

// about serves a request about one object of a list.
func about(of func(*Account) list, serve func(*Fake, *Account, object, call) (object, *failure)) handler {
	return func(f *Fake, a *Account, c call) (object, *failure) {
		if o := of(a).find(c.id); o != nil {
			return serve(f, a, o, c)
		}
		return nil, missing()
	}
}

func (f *Fake) read(_ *Account, o object, _ call) (object, *failure) { return o, nil }

func (f *Fake) account(a *Account, _ call) (object, *failure) {
	return object{"id": a.ID, "object": "account", "charges_enabled": a.ChargesEnabled,
		"details_submitted": a.ChargesEnabled}, nil
}

func (f *Fake) readIntent(a *Account, i object, c call) (object, *failure) {
	return a.expanded(i, c.Form), nil
}

// expanded is an intent with its charge, if the request wants it.
func (a *Account) expanded(i object, form url.Values) object {
	if form.Get("expand[0]") != "latest_charge" || i["latest_charge"] == nil {
		return i
	}
	whole := maps.Clone(i)
	whole["latest_charge"] = a.charges.find(i["latest_charge"].(string))
	return whole
}

// page is a part of a list, the newest first.
func page(all list, form url.Values) (object, *failure) {
	limit := 10
	if text := form.Get("limit"); text != "" {
		limit, _ = strconv.Atoi(text)
	}
	if limit < 1 || limit > 100 {
		return nil, invalid("parameter_invalid_integer")
	}
	matching := slices.DeleteFunc(slices.Clone(all), func(o object) bool { return !matches(o, form) })
	slices.Reverse(matching)
	if after := form.Get("starting_after"); after != "" {
		at := slices.IndexFunc(matching, func(o object) bool { return o["id"] == after })
		matching = matching[at+1:]
	}
	n := min(limit, len(matching))
	data := matching[:n]
	if data == nil {
		data = list{}
	}
	return object{"object": "list", "data": data, "has_more": n < len(matching)}, nil
}

func matches(o object, form url.Values) bool {
	created := o["created"].(int64)
	if text := form.Get("created[gte]"); text != "" {
		if from, _ := strconv.ParseInt(text, 10, 64); created < from {
			return false
		}
	}
	if text := form.Get("created[lte]"); text != "" {
		if to, _ := strconv.ParseInt(text, 10, 64); created > to {
			return false
		}
	}
	if group := form.Get("transfer_group"); group != "" && o["transfer_group"] != group {
		return false
	}
	if kind := form.Get("type"); kind != "" && o["type"] != kind {
		return false
	}
	var types []string
	for name, values := range form {
		if strings.HasPrefix(name, "types[") {
			types = append(types, values...)
		}
	}
	return len(types) == 0 || slices.Contains(types, o["type"].(string))
}
