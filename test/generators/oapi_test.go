package generators

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"testing"

	"svcpay/test/generators/oapi"
)

func oapiClient(t *testing.T, next func() (int, any)) *oapi.ClientWithResponses {
	t.Helper()
	keys := oapi.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("X-API-Key", "sk_test_1")
		r.Header.Set("X-App-ID", "1")
		return nil
	})
	c, err := oapi.NewClientWithResponses(server(t, next).URL, keys)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOapiCodegenTypesEvents(t *testing.T) {
	events, schemas := read(t).events(t)
	c := oapiClient(t, func() (int, any) { return 200, list(events) })
	answer, err := c.ListEventsWithResponse(t.Context(), &oapi.ListEventsParams{})
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON200 == nil || len(answer.JSON200.Data) != len(events) {
		t.Fatalf("%s", answer.Body)
	}
	for i, e := range answer.JSON200.Data {
		typed, err := e.ValueByDiscriminator()
		if err != nil || reflect.TypeOf(typed).Name() != schemas[i] {
			t.Errorf("%s: %T, %v", events[i]["type"], typed, err)
		}
		if captured, ok := typed.(oapi.ChargeCapturedEvent); ok && captured.Data.Object.Amount != 12500 {
			t.Errorf("%+v", captured.Data.Object)
		}
	}
}

// TestOapiCodegenNamesErrors calls every operation for each of its error answers.
func TestOapiCodegenNamesErrors(t *testing.T) {
	var now failure
	c := oapiClient(t, func() (int, any) { return now.status, now.body })
	for _, now = range read(t).failures() {
		call := reflect.ValueOf(c).MethodByName(method(now.operation) + "WithResponse")
		if !call.IsValid() {
			call = reflect.ValueOf(c).MethodByName(method(now.operation) + "WithBodyWithResponse")
		}
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < call.Type().NumIn()-1; i++ {
			args = append(args, oapiArgument(call.Type().In(i)))
		}
		results := call.Call(args)
		if !results[1].IsNil() {
			t.Errorf("%s %d %s: %v", now.operation, now.status, now.code, results[1])
			continue
		}
		name := fmt.Sprintf("JSON%d", now.status)
		if now.status == anyStatus {
			name = "JSONDefault"
		}
		member := results[0].Elem().FieldByName(name)
		if !member.IsValid() || member.IsNil() {
			t.Errorf("%s %d %s has no %s", now.operation, now.status, now.code, name)
		} else if code := member.Elem().FieldByName("Error").FieldByName("Code").String(); code != now.code {
			t.Errorf("%s %d %s came as %q", now.operation, now.status, now.code, code)
		}
	}
}

// oapiArgument is an argument that can be sent: what it says does not matter.
func oapiArgument(of reflect.Type) reflect.Value {
	switch {
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of.Kind() == reflect.String:
		return reflect.ValueOf("x").Convert(of)
	case of == reflect.TypeFor[interface{ Read([]byte) (int, error) }]():
		return reflect.ValueOf(http.NoBody)
	}
	return reflect.Zero(of)
}

// TestOapiCodegenTellsErrorsApart as an integrator's program does.
func TestOapiCodegenTellsErrorsApart(t *testing.T) {
	taken := read(t).failure("createCharge", "external_id_taken")
	c := oapiClient(t, func() (int, any) { return taken.status, taken.body })
	answer, err := c.CreateChargeWithResponse(t.Context(), &oapi.CreateChargeParams{},
		oapi.CreateCharge{MerchantId: 1001, Amount: 1050, Token: "tok_1"})
	if err != nil {
		t.Fatal(err)
	}
	if answer.JSON409 == nil || answer.JSON409.Error.Code != oapi.ErrorCodeExternalIdTaken {
		t.Errorf("%d %s", answer.StatusCode(), answer.Body)
	}
}
