package api

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
)

const (
	postmanPath   = "/docs/postman.json"
	postmanSchema = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"
)

// postman is the contract as a Postman collection (v2.1), for people who try the API by hand.
var postman = sync.OnceValues(func() ([]byte, error) {
	text, err := openapiJSON()
	if err != nil {
		return nil, err
	}
	var d postmanContract
	if err := json.Unmarshal(text, &d); err != nil {
		return nil, err
	}
	return json.MarshalIndent(d.collection(), "", "  ")
})

// servePostman sends the collection as a file.
func (a *API) servePostman(c echo.Context) error {
	text, err := postman()
	if err != nil {
		return err
	}
	h := c.Response().Header()
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set(echo.HeaderContentDisposition, `attachment; filename="svcpay.postman_collection.json"`)
	return c.Blob(http.StatusOK, mediaJSON, text)
}

// postmanContract is what a collection needs of the contract.
type postmanContract struct {
	Info struct{ Title, Version string }
	Tags []struct{ Name, Description string }
	// Paths has the operations by path and method.
	Paths      map[string]map[string]postmanOperation
	Components struct {
		Parameters map[string]postmanParameter
		Examples   map[string]struct{ Value any }
	}
}

type postmanOperation struct {
	Summary, Description string
	Tags                 []string
	Security             *[]any // empty: anyone may ask
	Parameters           []postmanParameter
	RequestBody          struct {
		Content map[string]struct {
			Examples map[string]postmanExample
		}
	}
}

type postmanParameter struct {
	Ref         string `json:"$ref"`
	Name        string
	In          string
	Description string
	Required    bool
	Example     any
}

type postmanExample struct {
	Ref   string `json:"$ref"`
	Value any
}

type object = map[string]any

// collection has a folder for each tag, with a request for each operation.
func (d postmanContract) collection() object {
	folders := make([]object, len(d.Tags))
	for i, t := range d.Tags {
		folders[i] = object{"name": t.Name, "description": t.Description, "item": d.requests(t.Name)}
	}
	return object{
		"info": object{"name": d.Info.Title + " " + d.Info.Version, "schema": postmanSchema,
			"description": "Set base_url, api_key and app_id in the collection's variables. In the sandbox, nothing moves real money."},
		"auth": object{"type": "apikey", "apikey": []object{
			{"key": "key", "value": "X-API-Key", "type": "string"},
			{"key": "value", "value": "{{api_key}}", "type": "string"},
			{"key": "in", "value": "header", "type": "string"}}},
		"variable": []object{{"key": "base_url", "value": "http://localhost:8080"}, {"key": "api_key", "value": ""}, {"key": "app_id", "value": ""}},
		"item":     folders,
	}
}

// requests are those of a tag's operations, by path.
func (d postmanContract) requests(tag string) []object {
	out := []object{}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			if op := d.Paths[path][method]; slices.Contains(op.Tags, tag) {
				out = append(out, object{"name": op.Summary, "request": d.request(path, method, op)})
			}
		}
	}
	return out
}

func (d postmanContract) request(path, method string, op postmanOperation) object {
	var query, ids []object
	headers := []object{{"key": "Accept", "value": "application/json"}}
	if op.Security == nil {
		headers = append(headers, object{"key": "X-App-ID", "value": "{{app_id}}"})
	}
	for _, p := range op.Parameters {
		if p.Ref != "" {
			p = d.Components.Parameters[lastOf(p.Ref)]
		}
		field := object{"key": p.Name, "value": sampleText(p), "description": p.Description}
		switch p.In {
		case "path":
			ids = append(ids, field)
		case "query":
			field["disabled"] = !p.Required
			query = append(query, field)
		case "header":
			field["disabled"] = true
			headers = append(headers, field)
		}
	}
	segments := strings.Split(strings.Trim(path, "/"), "/")
	for i, s := range segments {
		segments[i] = strings.TrimSuffix(strings.Replace(s, "{", ":", 1), "}")
	}
	r := object{"method": strings.ToUpper(method), "description": op.Description, "header": headers,
		"url": object{"raw": "{{base_url}}/" + strings.Join(segments, "/"), "host": []string{"{{base_url}}"},
			"path": segments, "query": orEmpty(query), "variable": orEmpty(ids)}}
	if op.Security != nil {
		r["auth"] = object{"type": "noauth"}
	}
	if media, body := d.body(op); body != nil {
		r["header"], r["body"] = append(headers, object{"key": "Content-Type", "value": media}), body
	}
	return r
}

// body is the example with the least of an operation's body; a file is for people to choose.
func (d postmanContract) body(op postmanOperation) (media string, body object) {
	medias := slices.Sorted(maps.Keys(op.RequestBody.Content))
	if len(medias) == 0 {
		return "", nil
	}
	if medias[0] != mediaJSON {
		return medias[0], object{"mode": "file", "file": object{}}
	}
	examples := op.RequestBody.Content[mediaJSON].Examples
	e, ok := examples["least"]
	if names := slices.Sorted(maps.Keys(examples)); !ok && len(names) > 0 {
		e = examples[names[0]]
	}
	if e.Ref != "" {
		e.Value = d.Components.Examples[lastOf(e.Ref)].Value
	}
	text, _ := json.MarshalIndent(e.Value, "", "  ") // which came from JSON
	return mediaJSON, object{"mode": "raw", "raw": string(text), "options": object{"raw": object{"language": "json"}}}
}

func sampleText(p postmanParameter) string {
	text, isText := p.Example.(string)
	if p.Example == nil || isText {
		return text
	}
	return fmt.Sprint(p.Example)
}

func lastOf(ref string) string { return ref[strings.LastIndex(ref, "/")+1:] }

// orEmpty is a list that JSON writes as one, even without entries.
func orEmpty(list []object) []object { return append([]object{}, list...) }
