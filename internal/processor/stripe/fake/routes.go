package fake

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// parameters are those of each endpoint; every other one is refused.
var parameters = map[string]string{
	"GET /v1/account":                      "",
	"POST /v1/payment_methods":             "type card billing_details",
	"POST /v1/payment_intents":             "amount currency capture_method payment_method_types transfer_group metadata statement_descriptor_suffix",
	"GET /v1/payment_intents":              "created limit starting_after",
	"GET /v1/payment_intents/:id":          "expand",
	"POST /v1/payment_intents/:id/confirm": "payment_method error_on_requires_action setup_future_usage off_session expand",
	"POST /v1/payment_intents/:id/capture": "amount_to_capture metadata",
	"POST /v1/payment_intents/:id/cancel":  "cancellation_reason",
	"GET /v1/charges":                      "transfer_group limit starting_after",
	"GET /v1/charges/:id":                  "expand",
	"POST /v1/refunds":                     "payment_intent amount metadata",
	"GET /v1/refunds":                      "created limit starting_after",
	"GET /v1/refunds/:id":                  "expand",
	"GET /v1/events":                       "created types limit starting_after",
}

// route executes a request.
func (f *Fake) route(a *Account, r *http.Request) (object, *failure) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	id, endpoint := "", r.Method+" /v1/"+parts[0]
	if len(parts) > 1 {
		id, endpoint = parts[1], endpoint+"/:id"
	}
	if len(parts) > 2 {
		endpoint += "/" + strings.Join(parts[2:], "/")
	}
	allowed, ok := parameters[endpoint]
	if !ok {
		return nil, missing()
	}
	for name := range r.Form {
		if head, _, _ := strings.Cut(name, "["); !slices.Contains(strings.Fields(allowed), head) {
			return nil, invalid("parameter_unknown")
		}
	}
	switch endpoint {
	case "GET /v1/account":
		return object{"id": a.ID, "object": "account", "charges_enabled": a.ChargesEnabled, "details_submitted": a.ChargesEnabled}, nil
	case "POST /v1/payment_methods":
		return f.method(a, r.Form)
	case "POST /v1/payment_intents":
		return f.intent(a, r.Form)
	case "POST /v1/refunds":
		return f.refund(a, r)
	case "GET /v1/payment_intents":
		return page(a.intents, r.Form)
	case "GET /v1/charges":
		return page(a.charges, r.Form)
	case "GET /v1/refunds":
		return page(a.refunds, r.Form)
	case "GET /v1/events":
		return page(a.events, r.Form)
	case "GET /v1/charges/:id":
		return one(a.charges.find(id))
	case "GET /v1/refunds/:id":
		return one(a.refunds.find(id))
	}
	i := a.intents.find(id)
	if i == nil {
		return nil, missing()
	}
	switch endpoint {
	case "POST /v1/payment_intents/:id/confirm":
		return f.confirm(a, i, r)
	case "POST /v1/payment_intents/:id/capture":
		return f.capture(a, i, r)
	case "POST /v1/payment_intents/:id/cancel":
		return f.cancel(a, i, r.Form.Get("cancellation_reason"), r.Header.Get("Idempotency-Key"))
	}
	return a.expanded(i, r.Form), nil
}

func one(o object) (object, *failure) {
	if o == nil {
		return nil, missing()
	}
	return o, nil
}

// expanded is an intent with its charge, if the request wants it.
func (a *Account) expanded(i object, form url.Values) object {
	if form.Get("expand[0]") != "latest_charge" || i["latest_charge"] == nil {
		return i
	}
	whole := make(object, len(i))
	for name, value := range i {
		whole[name] = value
	}
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
	var types []string
	for name, values := range form {
		if strings.HasPrefix(name, "types[") {
			types = append(types, values...)
		}
	}
	return len(types) == 0 || slices.Contains(types, o["type"].(string))
}
