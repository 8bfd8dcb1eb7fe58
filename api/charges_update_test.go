package api

import (
	"bytes"
	"fmt"
	"net/http"
	"testing"
)

func TestChargesAreUpdated(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.post(t, s.body(s.Token(good), "external_id", `"gift-1"`, "metadata", `{"desk":"4"}`)).want(t, 201,
		"").charge(t)
	path := "/api/charges/" + made.ID.String()
	first := s.once(t, http.MethodPut, path, `{"description":"Gala","metadata":{"campaign":"gala"}}`,
		`{"description":null}`, 200)
	c := first.charge(t)
	if *c.Description != "Gala" || *c.ExternalID != "gift-1" || fmt.Sprint(c.Metadata) != "map[campaign:gala]" ||
		c.Version != made.Version+1 ||
		first.header.Get("ETag") != fmt.Sprintf(`"%d"`, c.Version) {
		t.Errorf("%v %s", first.header, first.body)
	}
	if read := s.get(t, path); !bytes.Equal(read.body, first.body) {
		t.Errorf("updated to\n%s\nread as\n%s", first.body, read.body)
	}
	cleared := s.on(t, http.MethodPut, path, `{"description":null,"external_id":null,"metadata":null}`, "").want(t, 200,
		"").charge(t)
	if cleared.Description != nil || cleared.ExternalID != nil || cleared.Metadata == nil ||
		len(cleared.Metadata) != 0 || cleared.Version != c.Version+1 {
		t.Errorf("%+v", cleared)
	}
	before := s.rows(t)
	for _, same := range []string{`{}`, `{"description":null}`, `{"metadata":{}}`} {
		if a := s.on(t, http.MethodPut, path, same, "").want(t, 200, ""); a.charge(t).Version != cleared.Version {
			t.Errorf("%s: %s", same, a.body)
		}
	}
	s.post(t, s.body(s.Token(good), "external_id", `"gift-1"`)).want(t, 201, "") // it is free again
	other := s.post(t, s.body(s.Token(good), "external_id", `"gift-2"`)).charge(t)
	taken := s.on(t, http.MethodPut, path, `{"external_id":"gift-2"}`, "").want(t, 409, "external_id_taken").error()
	if taken.Param != "external_id" || taken.ChargeID != other.ID.String() {
		t.Errorf("%+v", taken)
	}
	if after := s.get(t, path).charge(t); after.Version != cleared.Version || before == s.rows(t) {
		t.Errorf("%+v", after)
	}
}

func TestUpdatesOfChargesThatAreWrong(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.post(t, s.body(s.Token(good))).charge(t)
	path := "/api/charges/" + made.ID.String()
	before := s.rows(t)
	const invalid, readOnly, several = "parameter_invalid", "parameter_read_only", "validation_failed"
	for _, tt := range []struct{ body, code, params string }{
		{`{"amount":5}`, readOnly, "[amount]"},
		{`{"description":"x","status":"` + marker + `"}`, readOnly, "[status]"},
		{`{"id":"x","amount":null,"metadata":{}}`, several, "[amount id]"},
		{`{"amount":5,"colour":1,"metadata":5,"description":7}`, several, "[description metadata colour amount]"},
		{`{"metadata":5}`, invalid, "[metadata]"},
		{`{"metadata":[]}`, invalid, "[metadata]"},
		{`{"metadata":{"a":null}}`, invalid, "[metadata]"},
		{`{"metadata":{"a":1}}`, invalid, "[metadata]"},
		{`{"metadata":{"":"x"}}`, invalid, "[metadata]"},
		{`{"metadata":{"a":"4242 4242 4242 4242"}}`, invalid, "[metadata]"},
		{`{"description":true}`, invalid, "[description]"},
		{`{"description":"4242424242424242"}`, invalid, "[description]"},
		{`{"external_id":""}`, invalid, "[external_id]"},
		{`{"external_id":5,"description":"\u0000"}`, several, "[description external_id]"},
		{`{"Description":"x"}`, "parameter_unknown", "[Description]"},
		{`{"application_id":5}`, "parameter_unknown", "[application_id]"},
		{`{"IfVersion":5}`, "parameter_unknown", "[IfVersion]"},
		{`{"-":5}`, "parameter_unknown", "[]"},
	} {
		var params []string
		for _, f := range s.on(t, http.MethodPut, path, tt.body, "").want(t, 400, tt.code).error().Errors {
			params = append(params, f.Param)
		}
		if fmt.Sprint(params) != tt.params {
			t.Errorf("%s: the mistakes are told of %v, want %s", tt.body, params, tt.params)
		}
	}
	if after := s.get(t, path).charge(t); after.Version != made.Version || s.rows(t) != before {
		t.Errorf("%+v", after)
	}
}
