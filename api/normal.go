package api

import (
	"bytes"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// normal is what the members of a body mean to an input of type t, in canonical JSON: two requests mean the same if it
// is the same. A member that has its default is left out, as is one that is null where null counts as not sent.
// Defaults that depend on other objects, such as a merchant's currency, are not known here: naming one makes another
// request. The body was read without a mistake.
func normal(raw map[string]jsontext.Value, t reflect.Type) map[string]jsontext.Value {
	fields := fieldsOf(reflect.New(t).Elem())
	out := make(map[string]jsontext.Value, len(raw))
	for name, value := range raw {
		field := fields[name]
		value = normalValue(value, field.Type())
		_, clears := field.Interface().(interface{ Holds() reflect.Type }) // by null
		if value.Kind() == 'n' && !clears || field.byDefault != nil && bytes.Equal(value, field.byDefault) {
			continue
		}
		out[name] = value
	}
	return out
}

// normalValue is the canonical form of a member's value: of an object with members of its own what they mean, of a time
// the instant.
func normalValue(value jsontext.Value, t reflect.Type) jsontext.Value {
	value = value.Clone()
	if value.Canonicalize() != nil { // it was read once already
		return value
	}
	if t == reflect.TypeFor[*time.Time]() && value.Kind() == '"' {
		var at time.Time
		if json.Unmarshal(value, &at) == nil {
			text, _ := json.Marshal(at.UTC()) // a time that was read can be written
			return text
		}
	}
	part, ok := within(reflect.New(t).Elem(), value)
	var inner map[string]jsontext.Value
	if !ok || json.Unmarshal(value, &inner) != nil {
		return value
	}
	return joinedMembers(normal(inner, part.Type()))
}

// joinedMembers is the canonical JSON of an object.
func joinedMembers(members map[string]jsontext.Value) jsontext.Value {
	text, err := json.Marshal(members, json.Deterministic(true))
	if err != nil { // canonical values can be written
		panic(err)
	}
	return text
}
