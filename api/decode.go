package api

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

var (
	errBody  = fault.Invalid("json_invalid", "The body is not one valid JSON object (UTF-8, no duplicate names, nothing after it).")
	errLarge = fault.New(fault.KindInvalid, "request_too_large", "The body is larger than 256 KiB.")
	errMedia = fault.New(fault.KindInvalid, "content_type_unsupported", "Send the body as application/json, not compressed.")
)

// maxMistakes bounds how many unknown names one answer tells.
const maxMistakes = 100

// validator is an input that can tell its own mistakes.
type validator interface{ Validate() fault.Fields }

// readBody returns the body's bytes, within bounds.
func readBody(r *http.Request) ([]byte, error) {
	if !isJSON(r) {
		return nil, errMedia
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	if err != nil {
		return nil, errBody.Because(err)
	}
	if len(body) > maxBody {
		return nil, errLarge
	}
	return body, nil
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

// decode fills in, a pointer to a struct of json-tagged fields, and returns every mistake of the
// request at once: wrong types, unknown names, and what in itself finds wrong.
func decode(raw map[string]jsontext.Value, in validator) error {
	var fs fault.Fields
	fields := fieldsOf(reflect.ValueOf(in).Elem())
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		value := raw[name]
		target, known := fields[name]
		if !known {
			if len(fs) < maxMistakes {
				unknown(&fs, name, fields)
			}
			continue
		}
		if code, message := set(target, value); code != "" {
			fs.Add(name, code, message)
		}
	}
	named := make(map[string]bool)
	for _, f := range fs {
		named[f.Param] = true
	}
	for _, f := range in.Validate() { // a value that could not be read is not also missing
		if !named[f.Param] {
			fs = append(fs, f)
		}
	}
	return sorted(fs, in).Err()
}

func fieldsOf(v reflect.Value) map[string]reflect.Value {
	out := make(map[string]reflect.Value)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		out[name] = v.Field(i)
	}
	return out
}

// sorted puts the mistakes in the order of the input's fields, unknown names last.
func sorted(fs fault.Fields, in validator) fault.Fields {
	t := reflect.TypeOf(in).Elem()
	place := make(map[string]int)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		place[name] = i - t.NumField() // below zero, which is the place of the others
	}
	slices.SortStableFunc(fs, func(a, b fault.Field) int { return cmp.Compare(place[a.Param], place[b.Param]) })
	return fs
}

var integer = regexp.MustCompile(`^-?[0-9]+$`)

// set reads one value into its field; a code other than "" says what is wrong with it.
func set(target reflect.Value, value jsontext.Value) (code, message string) {
	err := json.Unmarshal(value, target.Addr().Interface())
	if err == nil && !(target.Kind() == reflect.Map && holdsNull(value)) {
		return "", ""
	}
	element := target.Type()
	if element.Kind() == reflect.Pointer {
		element = element.Elem()
	}
	target.SetZero()
	switch {
	case element == reflect.TypeFor[money.Amount]() && integer.Match(value) && value[0] == '-':
		return "amount_too_small", "The amount is out of range."
	case element == reflect.TypeFor[money.Amount]() && integer.Match(value):
		return "amount_too_large", "The amount is out of range."
	case element == reflect.TypeFor[money.Amount]():
		return "amount_not_integer", "An amount is an integer of minor units (1050 for 10.50)."
	case element.Kind() == reflect.Int64:
		return "parameter_invalid", "This must be an integer."
	case element.Kind() == reflect.Bool:
		return "parameter_invalid", "This must be true or false."
	case element.Kind() == reflect.Map:
		return "parameter_invalid", "This must be an object of texts."
	}
	return "parameter_invalid", "This must be a text."
}

func holdsNull(object jsontext.Value) bool {
	var values map[string]jsontext.Value
	if json.Unmarshal(object, &values) != nil {
		return true
	}
	for _, v := range values {
		if v.Kind() == 'n' {
			return true
		}
	}
	return false
}

// plainName is a name that may be repeated in an answer.
var plainName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)

func unknown(fs *fault.Fields, name string, fields map[string]reflect.Value) {
	if !plainName.MatchString(name) {
		fs.Add("", "parameter_unknown", "The body has a parameter with a name that does not exist here.")
		return
	}
	message := "There is no such parameter here."
	if near := nearest(name, fields); near != "" {
		message += " Did you mean " + near + "?"
	}
	fs.Add(name, "parameter_unknown", message)
}

func nearest(name string, fields map[string]reflect.Value) string {
	best, least := "", 1+len(name)/3
	for candidate := range fields {
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
