package api

import (
	"encoding/json"
	"errors"
	"fmt"
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
		"api_key_missing", "app_id_missing", "api_key_invalid", "app_id_mismatch", "public_key_not_allowed", "key_mode_mismatch",
		"api_key_expired", "secret_key_in_browser", "ip_not_allowed", "permission_denied", "rate_limited",
	},
	any: []string{
		"validation_failed", "parameter_unknown", "parameter_invalid", "api_version_unknown", "api_key_missing", "app_id_missing", "api_key_invalid", "app_id_mismatch",
		"public_key_not_allowed", "key_mode_mismatch", "api_key_expired", "secret_key_in_browser", "ip_not_allowed", "permission_denied",
		"not_acceptable", "rate_limited", "internal_error", "overloaded",
	},
	withID:    []string{"resource_missing"},
	inSandbox: []string{"route_missing"}, // in production
	withBody:  []string{"json_invalid", "request_too_large", "content_type_unsupported"},
	withKey:   []string{"idempotency_key_invalid", "idempotency_key_in_use", "idempotency_key_reused"},
	withPages: []string{"parameters_exclusive", "cursor_invalid"},
}

// shared names the responses that stand once, under components, because many operations give
// exactly their codes.
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
	{"Unauthenticated", []string{
		"api_key_missing", "app_id_missing", "api_key_invalid", "app_id_mismatch", "public_key_not_allowed",
		"key_mode_mismatch", "api_key_expired",
	}},
	{"Forbidden", []string{"secret_key_in_browser", "ip_not_allowed", "permission_denied"}},
	{"Missing", []string{"resource_missing"}},
	{"NotAcceptable", []string{"not_acceptable"}},
	{"KeyInUse", []string{"idempotency_key_in_use"}},
	{"Changed", []string{"object_changed"}},
	{"TooLarge", []string{"request_too_large"}},
	{"MediaType", []string{"content_type_unsupported"}},
	{"KeyReused", []string{"idempotency_key_reused"}},
	{"Limited", []string{"rate_limited"}},
	{"Internal", []string{"internal_error"}},
	{"Unavailable", []string{"overloaded"}},
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

// headersOfAll are those of every answer, headersOfKnown further ones if the caller is known.
const (
	headersOfAll = "Request-Id: {$ref: '#/components/headers/RequestId'}, X-Request-Id: {$ref: '#/components/headers/ClientRequestId'}, " +
		"X-API-Version: {$ref: '#/components/headers/APIVersion'}"
	headersOfKnown = ", RateLimit-Policy: {$ref: '#/components/headers/RateLimitPolicy'}, RateLimit: {$ref: '#/components/headers/RateLimit'}"
)

// errorResponse is the answer that has one of some codes, which share a status.
func errorResponse(names []string) *yaml.Node {
	var types, told, examples []string
	var kept, waits bool
	members := slices.Clone(codeByName[names[0]].Members)
	sure := true // that all wait
	for _, name := range names {
		c := codeByName[name]
		if d := c.dress(); !slices.Contains(types, d.Type) {
			types = append(types, d.Type)
		}
		told = append(told, fmt.Sprintf("- `%s`: %s", name, c.Meaning))
		examples = append(examples, fmt.Sprintf("%s: {$ref: '#/components/examples/%s'}", name, name))
		members = slices.DeleteFunc(members, func(m string) bool { return !slices.Contains(c.Members, m) })
		kept, waits, sure = kept || c.Kept, waits || c.Waits, sure && c.Waits
	}
	headers := headersOfAll
	if codeByName[names[0]].dress().Status != http.StatusUnauthorized {
		headers += headersOfKnown
	}
	if kept {
		headers += ", Idempotent-Replayed: {$ref: '#/components/headers/Replayed'}"
	}
	if waits {
		headers += fmt.Sprintf(", Retry-After: {required: %t, description: After how many seconds to try again., schema: {type: integer, minimum: 1}}", sure)
	}
	text, _ := json.Marshal(strings.Join(told, "\n"))
	r := node(`
description: %s
headers: {%s}
content:
  application/json:
    schema:
      allOf:
        - $ref: '#/components/schemas/Error'
        - properties: {error: {properties: {type: {enum: [%s]}, code: {enum: [%s]}}}}
    examples: {%s}
`, text, headers, strings.Join(types, ", "), strings.Join(names, ", "), strings.Join(examples, ", "))
	if len(members) > 0 {
		e := child(r, "content", mediaJSON, "schema", "allOf").Content[1]
		e = child(e, "properties", "error")
		put(e, "required", flow(members))
		for _, m := range members {
			put(child(e, "properties"), m, node("{}"))
		}
	}
	if len(told) == 1 {
		child(r, "description").Value = codeByName[names[0]].Meaning
	} else {
		child(r, "description").Style = yaml.LiteralStyle
	}
	return r
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
	byStatus := make(map[int][]string)
	for _, c := range codes { // in the table's order
		if slices.Contains(have, c.Name) {
			byStatus[c.dress().Status] = append(byStatus[c.dress().Status], c.Name)
		}
	}
	responses := ensure(o.node, "responses")
	for status := http.StatusBadRequest; status < 600; status++ {
		if names := byStatus[status]; names != nil {
			r := errorResponse(names)
			for _, s := range shared {
				if slices.Equal(s.codes, names) {
					r = node("{$ref: '#/components/responses/%s'}", s.name)
				}
			}
			put(responses, strconv.Itoa(status), r)
		}
	}
	for i := 0; i < len(responses.Content); i += 2 {
		responses.Content[i].Style = yaml.SingleQuotedStyle
	}
	return nil
}

// requires tells whether a body's schema has required members.
func (o operation) requires(schema *yaml.Node) bool {
	if ref := child(schema, "$ref"); ref != nil {
		schema = child(o.doc, strings.Split(strings.TrimPrefix(ref.Value, "#/"), "/")...)
	}
	return child(schema, "required") != nil
}
