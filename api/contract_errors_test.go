package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// This file makes the contract's error answers out of the table of codes.

// standard are the codes that operations have by their form alone, in sets by status.
var standard = struct{ any, ofCallers, withID, inSandbox, withBody, withKey, withPages []string }{
	// of any those that only a caller who must be known can get
	ofCallers: []string{
		"api_key_missing", "app_id_missing", "api_key_invalid", "app_id_mismatch", "public_key_not_allowed",
		"key_mode_mismatch",
		"api_key_expired", "secret_key_in_browser", "ip_not_allowed", "permission_denied", "rate_limited",
	},
	any: []string{
		"validation_failed", "parameter_unknown", "parameter_invalid", "api_version_unknown", "api_key_missing",
		"app_id_missing", "api_key_invalid", "app_id_mismatch",
		"public_key_not_allowed", "key_mode_mismatch", "api_key_expired", "secret_key_in_browser", "ip_not_allowed",
		"permission_denied", "not_acceptable", "rate_limited", "internal_error", "overloaded",
	},
	withID:    []string{"resource_missing"},
	inSandbox: []string{"route_missing"}, // in production
	withBody:  []string{"json_invalid", "request_too_large", "content_type_unsupported"},
	withKey:   []string{"idempotency_key_invalid", "idempotency_key_in_use", "idempotency_key_reused"},
	withPages: []string{"parameters_exclusive", "cursor_invalid"},
}

// shared names the responses that stand once, under components, because many operations give
// exactly their codes. Any other is named by errorComponent.
var shared = []struct {
	name  string
	codes []string
}{
	{"BadRequest", []string{"validation_failed", "parameter_unknown", "parameter_invalid", "api_version_unknown"}},
	{"BadBody", []string{
		"json_invalid", "validation_failed", "parameter_missing", "parameter_unknown", "parameter_invalid",
		"idempotency_key_invalid", "api_version_unknown",
	}},
	{"BadQuery", []string{"validation_failed", "parameter_unknown", "parameter_invalid", "parameters_exclusive", "cursor_invalid", "api_version_unknown"}},
	{"Forbidden", []string{"secret_key_in_browser", "ip_not_allowed", "permission_denied"}},
	{"Missing", []string{"resource_missing"}},
	{"Failure", failures("not_acceptable", "rate_limited", "internal_error", "overloaded")},
	{"FailureOfBody", failures("not_acceptable", "request_too_large", "content_type_unsupported", "rate_limited", "internal_error", "overloaded")},
	{"FailureForAnyone", []string{"not_acceptable", "internal_error", "overloaded"}},
	{"KeyInUse", []string{"idempotency_key_in_use"}},
	{"Changed", []string{"object_changed"}},
	{"KeyReused", []string{"idempotency_key_reused"}},
	{"BadChange", []string{"json_invalid", "validation_failed", "parameter_unknown", "parameter_invalid", "idempotency_key_invalid", "api_version_unknown"}},
	{"BadUpdate", []string{
		"json_invalid", "validation_failed", "parameter_unknown", "parameter_invalid", "parameter_read_only",
		"idempotency_key_invalid", "api_version_unknown",
	}},
	{"BadAmount", []string{
		"json_invalid", "validation_failed", "parameter_missing", "parameter_unknown", "parameter_invalid",
		"amount_not_integer", "amount_too_small", "amount_too_large", "idempotency_key_invalid", "api_version_unknown",
	}},
	{"BadDeletion", []string{"validation_failed", "parameter_unknown", "parameter_invalid", "idempotency_key_invalid", "api_version_unknown"}},
	{"BadDocumentQuery", []string{"validation_failed", "parameter_missing", "parameter_unknown", "parameter_invalid", "api_version_unknown"}},
	{"ForbiddenFees", []string{"secret_key_in_browser", "ip_not_allowed", "permission_denied", "fee_portal_only"}},
	{"ForbiddenMerchant", []string{"secret_key_in_browser", "ip_not_allowed", "permission_denied", "merchant_not_associated"}},
	{"MissingInSandbox", []string{"resource_missing", "route_missing"}},
	{"ConflictingSimulation", []string{"idempotency_key_in_use", "simulation_not_possible"}},
}

// failures are those of callers who are not known, and others, in the table's order.
func failures(others ...string) (out []string) {
	for _, c := range codes {
		if c.dress().Status == http.StatusUnauthorized || slices.Contains(others, c.Name) {
			out = append(out, c.Name)
		}
	}
	return out
}

// addExamples makes an example of an error for every code.
func addExamples(doc *yaml.Node) error {
	members := child(doc, errorMembers...)
	examples := ensure(child(doc, "components"), "examples")
	for _, c := range codes {
		e := node(`{type: %s, code: %s, message: %q, errors: []}`, c.dress().Type, c.Name, c.Message)
		if c.Param != "" {
			put(e, "param", node("%s", c.Param))
		}
		if c.Field {
			put(e, "errors", node(`[{param: %s, code: %s, message: %q}]`, c.Param, c.Name, c.Message))
		}
		if c.Name == "validation_failed" {
			put(e, "errors", severalErrors())
		}
		for _, m := range c.Members {
			value, err := sample(doc, child(members, m))
			if err != nil {
				return fmt.Errorf("error %s, member %s: %w", c.Name, m, err)
			}
			put(e, m, value)
		}
		put(e, "retryable", node("%t", retryable(c.Kind, c.Name)))
		put(e, "request_id", node("req_01jq8z6k4t8m2x9v5c7b1n3d0f"))
		put(e, "doc_url", node("https://api.example.com/docs/errors#%s", c.Name))
		value := &yaml.Node{Kind: yaml.MappingNode, Style: yaml.FlowStyle}
		put(value, "error", e)
		example := &yaml.Node{Kind: yaml.MappingNode}
		put(example, "value", value)
		put(examples, c.Name, example)
	}
	return nil
}

func severalErrors() *yaml.Node {
	var out []string
	for _, name := range []string{"parameter_missing", "amount_not_integer"} {
		c := codeByName[name]
		out = append(out, fmt.Sprintf(`{param: %s, code: %s, message: %q}`, c.Param, c.Name, c.Message))
	}
	return node("[%s]", strings.Join(out, ", "))
}

// sample is a value that a schema allows: its example, or the first of its enum.
func sample(doc, schema *yaml.Node) (*yaml.Node, error) {
	if ref := child(schema, "$ref"); ref != nil {
		schema = child(doc, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
	}
	if e := child(schema, "example"); e != nil {
		return e, nil
	}
	if e := child(schema, "enum"); e != nil {
		return e.Content[0], nil
	}
	return nil, errors.New("there is no such detail, or its schema has no example")
}

// errorResponse is the answer that has one of some codes.
func errorResponse(names []string) *yaml.Node {
	var told, examples, headers []string
	var kept, waits bool
	sure := true // that all wait
	for _, name := range names {
		c := codeByName[name]
		told = append(told, fmt.Sprintf("- `%s`: %s", name, c.Meaning))
		examples = append(examples, fmt.Sprintf("%s: {$ref: '#/components/examples/%s'}", name, name))
		kept, waits, sure = kept || c.Kept, waits || c.Waits, sure && c.Waits
	}
	if kept {
		headers = append(headers, "Idempotent-Replayed: {$ref: '#/components/headers/ReplayedHeader'}")
	}
	if waits {
		retry := map[bool]string{true: "RetryAfterHeader", false: "MaybeRetryAfterHeader"}[sure]
		headers = append(headers, fmt.Sprintf("Retry-After: {$ref: '#/components/headers/%s'}", retry))
	}
	text, _ := json.Marshal(strings.Join(told, "\n"))
	r := node(`
description: %s
headers: {%s}
content:
  application/json:
    schema: {$ref: '#/components/schemas/Error'}
    examples: {%s}
x-error-codes: [%s]
`, text, strings.Join(headers, ", "), strings.Join(examples, ", "), strings.Join(names, ", "))
	if len(headers) == 0 {
		drop(r, "headers")
	}
	if len(told) == 1 {
		child(r, "description").Value = codeByName[names[0]].Meaning
	} else {
		child(r, "description").Style = yaml.LiteralStyle
	}
	return r
}

// byForm are the statuses that say nothing of an operation: the contract has them as its default answer.
var byForm = []int{
	http.StatusUnauthorized, http.StatusNotAcceptable, http.StatusRequestEntityTooLarge,
	http.StatusUnsupportedMediaType, http.StatusTooManyRequests,
	http.StatusInternalServerError, http.StatusServiceUnavailable,
}

// statusOf is the key of the response of a code: its status, or default.
func statusOf(c code) string {
	if slices.Contains(byForm, c.dress().Status) {
		return "default"
	}
	return strconv.Itoa(c.dress().Status)
}

// addErrors adds the error responses: the standard codes and the operation's own, by status.
func (o operation) addErrors(own []string, pages bool) error {
	have := slices.Clone(standard.any)
	if o.public {
		have = slices.DeleteFunc(have, func(name string) bool { return slices.Contains(standard.ofCallers, name) })
	}
	add := func(when bool, names []string) {
		for _, n := range names {
			if when && !slices.Contains(have, n) {
				have = append(have, n)
			}
		}
	}
	body := child(o.node, "requestBody", "content")
	jsonBody := child(body, mediaJSON, "schema")
	add(strings.Contains(o.path, "{"), standard.withID)
	add(strings.HasPrefix(o.path, "/api/sandbox/"), standard.inSandbox)
	add(jsonBody != nil, standard.withBody)
	add(jsonBody != nil && o.requires(jsonBody), []string{"parameter_missing"})
	add(body != nil && jsonBody == nil, []string{"request_too_large", "content_type_unsupported"})
	add(o.takesKey(), standard.withKey)
	add(pages, standard.withPages)
	add(o.versioned, []string{"object_changed"})
	for _, name := range own {
		if codeByName[name].Name == "" || slices.Contains(have, name) {
			return fmt.Errorf("x-errors: %s is no code, or one that the operation has anyhow", name)
		}
	}
	have = append(have, own...)
	byStatus := make(map[string][]string)
	for _, c := range codes { // in the table's order
		if slices.Contains(have, c.Name) {
			byStatus[statusOf(c)] = append(byStatus[statusOf(c)], c.Name)
		}
	}
	responses := ensure(o.node, "responses")
	for _, status := range slices.Sorted(maps.Keys(byStatus)) { // default comes last
		put(responses, status, node("{$ref: '#/components/responses/%s'}", o.errorComponent(status, byStatus[status])))
	}
	for i := 0; i < len(responses.Content); i += 2 {
		responses.Content[i].Style = yaml.SingleQuotedStyle
	}
	return nil
}

// statusNames end the name of an error answer that only one operation gives.
var statusNames = map[string]string{
	"400": "BadRequest", "402": "PaymentFailed", "403": "Forbidden", "404": "NotFound", "409": "Conflict",
	"410": "Gone", "422": "Unprocessable",
}

// errorComponent names the response, under components, that has some codes: a shared one, else one of a single code by
// that code, else the operation's own, such as CaptureChargeConflict. It adds a component that is not there yet.
func (o operation) errorComponent(status string, names []string) string {
	for _, s := range shared {
		if slices.Equal(s.codes, names) {
			return s.name
		}
	}
	name := pascal(names[0])
	if len(names) > 1 {
		id := child(o.node, "operationId").Value
		name = strings.ToUpper(id[:1]) + id[1:] + statusNames[status]
	}
	put(child(o.doc, "components", "responses"), name, errorResponse(names))
	return name
}

// pascal writes route_missing as RouteMissing.
func pascal(name string) string {
	var out strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '.' || r == '_' }) {
		out.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return out.String()
}

// requires reports whether a body's schema has required members.
func (o operation) requires(schema *yaml.Node) bool {
	if ref := child(schema, "$ref"); ref != nil {
		schema = child(o.doc, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
	}
	return child(schema, "required") != nil
}
