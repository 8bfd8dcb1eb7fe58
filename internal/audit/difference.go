package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"svcpay/internal/redact"
)

// empty is an object without members.
const empty = "{}"

// unsaid are members of objects that are in every change, or say nothing of it.
var unsaid = []string{"object", "version", "livemode", "updated_at"}

// private are members that tell of payers: that they changed is kept, not how.
var private = []string{"billing", "payment_method", "evidence", "metadata", "note", "description", "user"}

// difference is what differs between two objects of one kind, as JSON objects of the members before and
// after. nil is no object: then the other one is told whole. Both have no secrets in them.
func difference(before, after any) (was, is string, err error) {
	b, err := members(before)
	if err != nil {
		return "", "", err
	}
	a, err := members(after)
	if err != nil {
		return "", "", err
	}
	for name, value := range b {
		if bytes.Equal(value, a[name]) {
			delete(b, name)
			delete(a, name)
		}
	}
	if was, err = shown(b); err != nil {
		return "", "", err
	}
	is, err = shown(a)
	return was, is, err
}

// members reads an object of ours.
func members(object any) (map[string]json.RawMessage, error) {
	out := map[string]json.RawMessage{}
	if object == nil || reflect.ValueOf(object).Kind() == reflect.Pointer && reflect.ValueOf(object).IsNil() {
		return out, nil
	}
	text, err := json.Marshal(object)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return out, nil
}

// shown prints members for people who may not see everything.
func shown(of map[string]json.RawMessage) (string, error) {
	for name, value := range of {
		switch {
		case slices.Contains(unsaid, name):
			delete(of, name)
		case slices.Contains(private, name) && len(value) > len(`null`):
			of[name] = json.RawMessage(`"` + redact.Mark + `"`)
		}
	}
	text, err := json.Marshal(of)
	if err != nil {
		return "", fmt.Errorf("audit: %w", err)
	}
	out, ok := redact.JSON(text)
	if !ok {
		return "", fmt.Errorf("audit: an object of ours is no JSON")
	}
	return out, nil
}
