package api

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// bodyPlace is a member of a body, or a part of one, that the contract describes.
type bodyPlace struct {
	name     string // in answers: filters.status
	schema   *openapi3.Schema
	required bool
	put      func(value string) call // the example with a value there
}

// absentIsAll reports whether a request without the member is about everything there is.
func (p bodyPlace) absentIsAll() bool { return p.schema.Extensions["x-absent"] == "all" }

// placesOf are all places of an operation's JSON body.
func placesOf(t testing.TB, c call) (out []bodyPlace) {
	schema := bodyOfCall(c)
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		out = append(out, placesWithin(name, schema.Properties[name].Value, slices.Contains(schema.Required, name),
			func(value string) call {
				return c.put(t, name, value)
			})...)
	}
	return out
}

// placesWithin are a member and its parts.
func placesWithin(name string, s *openapi3.Schema, required bool, put func(string) call) []bodyPlace {
	out := []bodyPlace{{name, s, required, put}}
	for _, part := range slices.Sorted(maps.Keys(s.Properties)) {
		out = append(out, placesWithin(name+"."+part, s.Properties[part].Value, slices.Contains(s.Required, part),
			func(value string) call {
				return put(fmt.Sprintf("{%q:%s}", part, value))
			})...)
	}
	return out
}
