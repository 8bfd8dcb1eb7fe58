package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"svcpay/internal/sensitive/redact"
)

// empty is an object without members.
const empty = "{}"

// unsaid are members of objects that are in every change, or say nothing of it.
var unsaid = []string{"object", "version", "livemode", "updated_at"}

// private are members that report payers, wherever they stand in an object: that they changed is kept, not how, as
// nothing is ever taken out of the log. A text user is no payer but who of us did something.
var private = []string{"billing", "payment_method", "evidence", "metadata", "note", "description", "user",
	"void_reason"}

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
		if other, ok := a[name]; ok && reflect.DeepEqual(value, other) {
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

// members returns the members of an object by their JSON names; nil has none.
func members(object any) (map[string]any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // an amount stays as it is written
	out := map[string]any{}
	if err := d.Decode(&out); err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	return out, nil
}

// shown prints members for people who may not see everything: without what is private in them and in whatever they
// hold, such as the notes of a history.
func shown(of map[string]any) (string, error) {
	if len(of) == 0 {
		return empty, nil
	}
	for _, name := range unsaid {
		delete(of, name)
	}
	hide(of)
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

// hide marks what is private in a value.
func hide(v any) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			hide(one)
		}
	case map[string]any:
		for name, member := range v {
			if _, text := member.(string); slices.Contains(private, name) && member != nil &&
				!(text && (name == "user" || member == "")) {
				v[name] = redact.Mark
				continue
			}
			hide(member)
		}
	}
}
