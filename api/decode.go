package api

import (
	"bytes"
	"cmp"
	encodingjson "encoding/json"
	"errors"
	"io"
	"iter"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

var errBody = fault.Invalid("json_invalid",
	"The body is not one valid JSON object (UTF-8, no duplicate names, nothing after it).")

// maxMistakes bounds how many unknown names one answer tells.
const maxMistakes = 100

// validator is an input that can tell its own mistakes.
type validator interface{ Validate() fault.Fields }

// screener is an input that refuses some members by their names, before any is read.
type screener interface{ Screen(members []string) error }

// fixer is an input of an object some of whose members no caller sets.
type fixer interface{ ReadOnly() []string }

// withoutFixed refuses the members that no caller sets, and returns the others.
func withoutFixed(fs *fault.Fields, raw map[string]jsontext.Value, names []string) map[string]jsontext.Value {
	rest := maps.Clone(raw)
	for _, name := range names {
		if _, sent := raw[name]; sent {
			fs.Add(name, "parameter_read_only", "This field is read-only.")
			delete(rest, name)
		}
	}
	return rest
}

// members takes a JSON object apart. Duplicate names, invalid UTF-8, trailing data and deep
// nesting are refused.
func members(body []byte) (map[string]jsontext.Value, error) {
	if !shallow(body) {
		return nil, errBody
	}
	var out map[string]jsontext.Value
	if err := json.Unmarshal(body, &out); err != nil || out == nil {
		return nil, errBody
	}
	return out, nil
}

func shallow(body []byte) bool {
	d := jsontext.NewDecoder(bytes.NewReader(body))
	for {
		if _, err := d.ReadToken(); err != nil {
			return errors.Is(err, io.EOF)
		}
		if d.StackDepth() > maxDepth {
			return false
		}
	}
}

// mistakes fills in, a pointer to a struct of json-tagged fields, and returns every mistake of the
// request at once: wrong types, unknown names, and what in itself finds wrong. A member that is a
// struct is taken apart too; its mistakes are reported as member.name.
func mistakes(raw map[string]jsontext.Value, in validator) fault.Fields {
	var fs fault.Fields
	if r, ok := in.(fixer); ok {
		raw = withoutFixed(&fs, raw, r.ReadOnly())
	}
	fill(&fs, "", raw, reflect.ValueOf(in).Elem())
	named := make(map[string]bool)
	for _, f := range fs {
		named[f.Param] = true
	}
	for _, f := range in.Validate() { // a value that could not be read is not also missing, and has no parts that are
		whole, _, _ := strings.Cut(f.Param, ".")
		if !named[f.Param] && !named[whole] {
			fs = append(fs, f)
		}
	}
	return sorted(fs, in)
}

// fill sets the fields of a struct; prefix is where it is in the body.
func fill(fs *fault.Fields, prefix string, raw map[string]jsontext.Value, into reflect.Value) {
	fields := fieldsOf(into)
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		value := raw[name]
		field, known := fields[name]
		if !known {
			if len(*fs) < maxMistakes {
				unknown(fs, "body", prefix, name, maps.Keys(fields))
			}
			continue
		}
		if field.absentIsAll && saysNothing(value) {
			fs.Add(prefix+name, nothingCode(field.Type()),
				"This cannot be null or an empty list. Leave it out to mean all.")
			continue
		}
		if part, ok := within(field.Value, value); ok {
			var inner map[string]jsontext.Value
			if json.Unmarshal(value, &inner) == nil { // it was read once already, as part of the body
				fill(fs, prefix+name+".", inner, part)
			}
			continue
		}
		if code, message := set(field.Value, value); code != "" {
			fs.Add(prefix+name, code, message)
		}
	}
}

// within makes room for an object in a field that is a plain struct, or a pointer to one.
func within(target reflect.Value, value jsontext.Value) (reflect.Value, bool) {
	t := target.Type()
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	_, reads := reflect.New(t).Interface().(encodingjson.Unmarshaler)
	if t.Kind() != reflect.Struct || reads || value.Kind() != '{' {
		return reflect.Value{}, false
	}
	if target.Kind() == reflect.Pointer {
		target.Set(reflect.New(t))
		target = target.Elem()
	}
	return target, true
}

// inputField is a field of an input, with what its tags say.
type inputField struct {
	reflect.Value
	// absentIsAll (absent:"all"): a request without the member is about everything there is, such as all that is left
	// of a charge. Null and an empty list are refused there: programs send them where they have lost a value.
	absentIsAll bool
	// byDefault (default:"true") is the JSON of the value that a request without the member has; nil: there is none.
	byDefault jsontext.Value
}

func fieldsOf(v reflect.Value) map[string]inputField {
	out := make(map[string]inputField)
	for i := range v.NumField() {
		tag := v.Type().Field(i).Tag
		if name, _, _ := strings.Cut(tag.Get("json"), ","); name != "-" { // what the edge sets itself
			m := inputField{Value: v.Field(i), absentIsAll: tag.Get("absent") == "all"}
			if text, ok := tag.Lookup("default"); ok {
				m.byDefault = defaultValue(m.Type(), text)
			}
			out[name] = m
		}
	}
	return out
}

// defaultValue is the JSON of what a tag says: of a text without its quotation marks.
func defaultValue(t reflect.Type, tag string) jsontext.Value {
	if t != reflect.TypeFor[*string]() {
		return jsontext.Value(tag)
	}
	return jsontext.Value(strconv.Quote(tag)) // words in plain letters
}

// saysNothing reports whether a value is null or an empty list.
func saysNothing(value jsontext.Value) bool {
	var elements []jsontext.Value
	return value.Kind() == 'n' || value.Kind() == '[' && json.Unmarshal(value, &elements) == nil && len(elements) == 0
}

// nothingCode is the code of such a value where one of a type must stand.
func nothingCode(t reflect.Type) string {
	if t == reflect.TypeFor[*money.Amount]() {
		return "amount_not_integer"
	}
	return "parameter_invalid"
}

// sorted puts the mistakes in the order of the input's fields, unknown names last.
func sorted(fs fault.Fields, in validator) fault.Fields {
	t := reflect.TypeOf(in).Elem()
	place := make(map[string]int)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		place[name] = i - t.NumField() // below zero, which is the place of the others
	}
	of := func(f fault.Field) int {
		// organization.name, domains[2]
		top := strings.FieldsFunc(f.Param+".", func(r rune) bool { return r == '.' || r == '[' })
		return place[strings.Join(top[:min(len(top), 1)], "")]
	}
	slices.SortStableFunc(fs, func(a, b fault.Field) int { return cmp.Compare(of(a), of(b)) })
	return fs
}

var integer = regexp.MustCompile(`^-?[0-9]+$`)

// set reads one value into its field; a code other than "" says what is wrong with it.
func set(target reflect.Value, value jsontext.Value) (code, message string) {
	err := json.Unmarshal(value, target.Addr().Interface(), json.RejectUnknownMembers(true))
	element := target.Type()
	if element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	if h, ok := target.Interface().(interface{ Holds() reflect.Type }); ok { // a value, or null
		element = h.Holds()
	}
	collection := element.Kind() == reflect.Map || element.Kind() == reflect.Slice
	if err == nil && !(collection && holdsNull(value)) {
		return "", ""
	}
	target.SetZero()
	switch {
	case element == reflect.TypeFor[money.Percent]():
		return "parameter_invalid", "A percentage is a number from 0 to 100 with at most 3 decimal places."
	case element == reflect.TypeFor[money.Amount]() && integer.Match(value) && value[0] == '-':
		return "amount_too_small", "The amount is out of range."
	case element == reflect.TypeFor[money.Amount]() && integer.Match(value):
		return "amount_too_large", "The amount is out of range."
	case element == reflect.TypeFor[money.Amount]():
		return "amount_not_integer", "An amount is an integer of minor units (1050 for 10.50)."
	case element.Kind() == reflect.Int64 || element.Kind() == reflect.Int:
		return "parameter_invalid", "This must be an integer."
	case element.Kind() == reflect.Float64:
		return "parameter_invalid", "This must be a number."
	case element.Kind() == reflect.Bool:
		return "parameter_invalid", "This must be true or false."
	case element.Kind() == reflect.Map:
		return "parameter_invalid", "This must be an object of texts."
	case element.Kind() == reflect.Slice:
		return "parameter_invalid", "This must be a list."
	case element.Kind() == reflect.Struct:
		return "parameter_invalid", "This must be an object."
	}
	return "parameter_invalid", "This must be a text."
}

// holdsNull reports whether an object or a list, not null itself, has an element null.
func holdsNull(collection jsontext.Value) bool {
	var values map[string]jsontext.Value
	isNull := func(v jsontext.Value) bool { return v.Kind() == 'n' }
	if collection.Kind() == '[' {
		var elements []jsontext.Value
		_ = json.Unmarshal(collection, &elements) // it was read as a list already
		return slices.ContainsFunc(elements, isNull)
	}
	return json.Unmarshal(collection, &values) != nil ||
		slices.ContainsFunc(slices.Collect(maps.Values(values)), isNull)
}

// plainName is a name that may be repeated in an answer, such as amount, organization.name,
// created_at[gte], domains[0] or expand[].
var plainName = regexp.MustCompile(
	`^[A-Za-z][A-Za-z0-9_]{0,39}(\.[A-Za-z][A-Za-z0-9_]{0,39}|\[(gte|gt|lte|lt|[0-9]{1,3})?\])?$`)

// unknown records a name that is none of those known there, and the nearest of them.
func unknown(fs *fault.Fields, where, prefix, name string, known iter.Seq[string]) {
	if !plainName.MatchString(prefix + name) {
		fs.Add("", "parameter_unknown", "The "+where+" has a parameter with a name that does not exist here.")
		return
	}
	message := "Unknown parameter."
	if near := nearest(name, known); near != "" {
		message += " Did you mean " + near + "?"
	}
	fs.Add(prefix+name, "parameter_unknown", message)
}

func nearest(name string, known iter.Seq[string]) string {
	best, least := "", 1+len(name)/3
	for candidate := range known {
		if d := distance(name, candidate); d < least || (d == least && (best == "" || candidate < best)) {
			best, least = candidate, d
		}
	}
	return best
}

// distance is the Levenshtein distance of two short names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := diagonal
			if a[i-1] != b[j-1] {
				cost++
			}
			diagonal = row[j]
			row[j] = min(cost, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}
