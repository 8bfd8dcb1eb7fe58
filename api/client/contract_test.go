package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"

	"svcpay/api/client"
)

func contract(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromFile("../openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// method is a method of a service, bound to a client that talks to s.
type method struct {
	reflect.Value
	name string
	s    *service
}

// methods are all of them; the services answer {}.
func methods(t *testing.T) (all []method) {
	t.Helper()
	c, s := talking(t, nil, answer{status: 200, body: "{}"})
	for service, value := range reflect.ValueOf(c.Services).Fields() {
		for m, f := range value.Methods() {
			all = append(all, method{f, service.Name + "." + m.Name, s})
		}
	}
	return all
}

const (
	stringID = "an id/with?marks"
	numberID = 1042
)

// call sends a request with the least arguments, and what it answers is looked at once.
func (m method) call(t *testing.T) request {
	t.Helper()
	args := []reflect.Value{reflect.ValueOf(t.Context())}
	for i := 1; i < m.Type().NumIn()-1; i++ {
		switch in := m.Type().In(i); in.Kind() {
		case reflect.String:
			args = append(args, reflect.ValueOf(stringID))
		case reflect.Int64:
			args = append(args, reflect.ValueOf(int64(numberID)))
		default:
			args = append(args, reflect.Zero(in))
		}
	}
	before := len(m.s.requests)
	out := m.Call(args)
	if out[0].Kind() == reflect.Func {
		for _, err := range out[0].Seq2() {
			t.Errorf("%s: %v", m.name, err)
		}
	} else if err := out[len(out)-1]; !err.IsNil() {
		t.Errorf("%s: %v", m.name, err)
	}
	if got := len(m.s.requests) - before; got != 1 {
		t.Fatalf("%s sent %d requests", m.name, got)
	}
	return m.s.last()
}

// operation names the operation of the contract that a request is for.
func (r request) operation() string {
	path := strings.NewReplacer("an%20id%2Fwith%3Fmarks", "{id}", fmt.Sprint(numberID),
		"{id}").Replace(r.URL.EscapedPath())
	return r.Method + " " + path
}

// named is the name of what is in a path.
var named = regexp.MustCompile(`\{[a-z_]+\}`)

// TestEveryOperationIsReachable compares the methods with the contract, both ways, and the headers that each sends.
func TestEveryOperationIsReachable(t *testing.T) {
	t.Parallel()
	reached := map[string]bool{}
	found := methods(t)
	doc := contract(t)
	keyed := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for verb, op := range item.Operations() {
			keyed[verb+" "+named.ReplaceAllString(path, "{id}")] = op.Parameters.GetByInAndName("header",
				"Idempotency-Key") != nil
		}
	}
	for _, m := range found {
		r := m.call(t)
		wantsKey, known := keyed[r.operation()]
		if !known {
			t.Errorf("%s calls %s, which the contract does not have", m.name, r.operation())
		}
		if got := r.Header.Get("Idempotency-Key"); (got != "") != wantsKey || (wantsKey && len(got) < 20) {
			t.Errorf("%s has the key %q", m.name, got)
		}
		for name, want := range map[string]string{"X-API-Key": secretKey, "X-App-ID": "12",
			"X-API-Version": doc.Info.Version} {
			if got := r.Header.Get(name); got != want {
				t.Errorf("%s sends %s: %q", m.name, name, got)
			}
		}
		if !strings.HasPrefix(r.Header.Get("User-Agent"), "svcpay-go/"+doc.Info.Version) {
			t.Errorf("%s is sent by %s", m.name, r.Header.Get("User-Agent"))
		}
		if takesBody := r.body != ""; takesBody != (r.Header.Get("Content-Type") == "application/json") {
			t.Errorf("%s sends %q as %q", m.name, r.body, r.Header.Get("Content-Type"))
		}
		reached[r.operation()] = true
	}
	for name := range keyed {
		if !reached[name] {
			t.Errorf("no method calls %s", name)
		}
	}
}

// TestTypesLoseNothing: what the contract shows as an answer is the same after it was read and written by the client.
func TestTypesLoseNothing(t *testing.T) {
	t.Parallel()
	answers := map[string]reflect.Type{}
	for _, m := range methods(t) {
		if out := m.Type().Out(0); out.Kind() == reflect.Pointer && !strings.HasSuffix(m.name, "File") {
			answers[m.call(t).operation()] = out.Elem()
		}
	}
	examples := 0
	for path, item := range contract(t).Paths.Map() {
		for verb, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				media := response.Value.Content.Get("application/json")
				if status[0] != '2' || media == nil {
					continue
				}
				for name, e := range media.Examples {
					examples++
					if lost := compare(answers[verb+" "+named.ReplaceAllString(path, "{id}")],
						e.Value.Value); lost != "" {
						t.Errorf("%s %s, the example %s: %s", verb, path, name, lost)
					}
				}
			}
		}
	}
	if examples < 40 {
		t.Errorf("only %d examples were looked at", examples)
	}
}

func compare(answer reflect.Type, example any) string {
	if answer == nil {
		return "no method gives it"
	}
	text, err := json.Marshal(example)
	if err != nil {
		return err.Error()
	}
	object := reflect.New(answer)
	d := json.NewDecoder(bytes.NewReader(text))
	if answer.Name() != "Page[svcpay/api/client.Charge]" && !strings.HasPrefix(answer.Name(), "Page[") {
		d.DisallowUnknownFields()
	}
	if err := d.Decode(object.Interface()); err != nil {
		return err.Error()
	}
	again, err := json.Marshal(object.Interface())
	var was, is any
	if err != nil || json.Unmarshal(text, &was) != nil || json.Unmarshal(again, &is) != nil {
		return fmt.Sprint("cannot be written: ", err)
	}
	return difference("", was, is)
}

// difference finds what is told in was and not in is. Null may be absent, and a time have another number of digits.
func difference(path string, was, is any) string {
	switch w := was.(type) {
	case map[string]any:
		i, _ := is.(map[string]any)
		for name, member := range w {
			if path == "" && name == "object" && member == "list" {
				continue // which a Page is
			}
			if d := difference(path+"."+name, member, i[name]); d != "" {
				return d
			}
		}
		return ""
	case []any:
		i, _ := is.([]any)
		if len(w) != len(i) {
			return path + " has another length"
		}
		for n := range w {
			if d := difference(fmt.Sprint(path, ".", n), w[n], i[n]); d != "" {
				return d
			}
		}
		return ""
	case string:
		a, errA := time.Parse(time.RFC3339, w)
		b, errB := time.Parse(time.RFC3339, fmt.Sprint(is))
		if errA == nil && errB == nil && a.Equal(b) {
			return ""
		}
	}
	if was != is {
		return fmt.Sprintf("%s was %v and is %v", path, was, is)
	}
	return ""
}

// TestErrorsLoseNothing: each error that the contract shows arrives with all its members.
func TestErrorsLoseNothing(t *testing.T) {
	t.Parallel()
	seen := 0
	for code, e := range contract(t).Components.Examples {
		example, _ := e.Value.Value.(map[string]any)
		if example["error"] == nil {
			continue
		}
		seen++
		text, err := json.Marshal(example)
		if err != nil {
			t.Fatal(err)
		}
		c, _ := talking(t, []client.Setting{client.WithRetries(0)},
			answer{status: http.StatusBadRequest, body: string(text)})
		_, err = c.Charges.Get(t.Context(), "ch_1", client.GetChargeParams{})
		got := failure(t, err)
		problem, err := json.Marshal(got.Problem)
		var is any
		if err != nil || json.Unmarshal(problem, &is) != nil || string(got.Code) != code {
			t.Fatalf("%s: %s, %v", code, problem, err)
		}
		if d := difference("", example["error"], is); d != "" {
			t.Errorf("%s: %s", code, d)
		}
	}
	if seen < 40 {
		t.Errorf("only %d errors were looked at", seen)
	}
}
