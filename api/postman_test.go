package api

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// postmanForm is the part of the schema of collections, v2.1, that ours has.
const postmanForm = `{
  "type": "object", "required": ["info", "item"], "additionalProperties": false,
  "properties": {
    "info": {"type": "object", "required": ["name", "schema"], "properties": {
      "schema": {"const": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}}},
    "auth": {"$ref": "#/$defs/auth"},
    "variable": {"type": "array", "items": {"type": "object", "required": ["key", "value"]}},
    "item": {"type": "array", "items": {"$ref": "#/$defs/folder"}}
  },
  "$defs": {
    "auth": {"type": "object", "required": ["type"], "properties": {"type": {"enum": ["apikey", "noauth"]}, "apikey": {"$ref": "#/$defs/fields"}}},
    "fields": {"type": "array", "items": {"type": "object", "required": ["key", "value"],
      "properties": {"key": {"type": "string", "minLength": 1}, "value": {"type": "string"}, "disabled": {"type": "boolean"}}}},
    "folder": {"type": "object", "required": ["name", "item"], "properties": {
      "item": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/request"}}}},
    "request": {"type": "object", "required": ["name", "request"], "properties": {"request": {"type": "object", "required": ["method", "url", "header"],
      "properties": {
        "method": {"enum": ["GET", "POST", "PUT", "PATCH", "DELETE"]}, "header": {"$ref": "#/$defs/fields"}, "auth": {"$ref": "#/$defs/auth"},
        "body": {"type": "object", "required": ["mode"], "properties": {"mode": {"enum": ["raw", "file"]}, "raw": {"type": "string"}}},
        "url": {"type": "object", "required": ["raw", "host", "path"], "properties": {
          "host": {"const": ["{{base_url}}"]}, "path": {"type": "array", "items": {"type": "string", "minLength": 1}},
          "query": {"$ref": "#/$defs/fields"}, "variable": {"$ref": "#/$defs/fields"}}}}}}}
  }
}`

// TestPostmanCollectionHasEveryOperation in the form of a collection, with its ids as variables and a body that parses.
func TestPostmanCollectionHasEveryOperation(t *testing.T) {
	t.Parallel()
	s := open(t)
	response := fetch(t, s.url+postmanPath)
	var c struct {
		Variable []struct{ Key string }
		Item     []struct {
			Item []struct {
				Request struct {
					Method string
					URL    struct {
						Raw      string
						Variable []struct{ Key string }
					}
					Body *struct{ Mode, Raw string }
				}
			}
		}
	}
	if err := json.Unmarshal(response, &c); err != nil {
		t.Fatal(err)
	}
	form, err := jsonschema.UnmarshalJSON(strings.NewReader(postmanForm))
	compiler := jsonschema.NewCompiler()
	if err != nil || compiler.AddResource("postman", form) != nil {
		t.Fatal("the form is not a schema", err)
	}
	schema, err := compiler.Compile("postman")
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(decoded(t, response)); err != nil {
		t.Error(err)
	}
	var described, found, variables []string
	for path, item := range read(t).Paths.Map() {
		for method := range item.Operations() {
			described = append(described, method+" "+strings.NewReplacer("{", ":", "}", "").Replace(path))
		}
	}
	for _, folder := range c.Item {
		for _, r := range folder.Item {
			found = append(found, r.Request.Method+" "+strings.TrimPrefix(r.Request.URL.Raw, "{{base_url}}"))
			if strings.Contains(r.Request.URL.Raw, "/:") != (len(r.Request.URL.Variable) > 0) {
				t.Errorf("%s has the variables %v", r.Request.URL.Raw, r.Request.URL.Variable)
			}
			if b := r.Request.Body; b != nil && b.Mode == "raw" && !json.Valid([]byte(b.Raw)) {
				t.Errorf("%s has no JSON as its body", r.Request.URL.Raw)
			}
		}
	}
	same(t, "operations", found, described)
	for _, v := range c.Variable {
		variables = append(variables, v.Key)
	}
	if !slices.Equal(variables, []string{"base_url", "api_key", "app_id"}) {
		t.Errorf("the variables are %v", variables)
	}
}
