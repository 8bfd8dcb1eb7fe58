package generators

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"svcpay/test/generators/ogenapi"
)

// ogenKeys are the credentials of every request.
type ogenKeys struct{}

func (ogenKeys) SecretKey(context.Context, ogenapi.OperationName) (ogenapi.SecretKey, error) {
	return ogenapi.SecretKey{APIKey: "sk_test_1"}, nil
}

func (ogenKeys) ApplicationId(context.Context, ogenapi.OperationName) (ogenapi.ApplicationId, error) {
	return ogenapi.ApplicationId{APIKey: "1"}, nil
}

func ogenClient(t *testing.T, next func() (int, any)) *ogenapi.Client {
	t.Helper()
	c, err := ogenapi.NewClient(server(t, next).URL, ogenKeys{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestOgenTypesEvents(t *testing.T) {
	events, schemas := read(t).events(t)
	c := ogenClient(t, func() (int, any) { return 200, list(events) })
	answer, err := c.ListEvents(t.Context(), ogenapi.ListEventsParams{})
	if err != nil {
		t.Fatal(err)
	}
	page, ok := answer.(*ogenapi.EventList)
	if !ok || len(page.Data) != len(events) {
		t.Fatalf("%T", answer)
	}
	for i, e := range page.Data {
		typed := reflect.ValueOf(e).MethodByName("Get" + schemas[i]).Call(nil)
		if string(e.Type) != events[i]["type"] || !typed[1].Bool() {
			t.Errorf("%s is no %s", e.Type, schemas[i])
		}
		if captured, ok := e.GetChargeCapturedEvent(); ok && captured.Data.Object.Amount != 12500 {
			t.Errorf("%+v", captured.Data.Object)
		}
	}
}

// TestOgenNamesErrors calls every operation for each of its error answers.
func TestOgenNamesErrors(t *testing.T) {
	var now failure
	c := ogenClient(t, func() (int, any) { return now.status, now.body })
	for _, now = range read(t).failures() {
		call := reflect.ValueOf(c).MethodByName(method(now.operation))
		args := []reflect.Value{reflect.ValueOf(t.Context())}
		for i := 1; i < call.Type().NumIn(); i++ {
			args = append(args, ogenArgument(call.Type().In(i)))
		}
		results := call.Call(args)
		answer := results[0]
		if status, ok := errors.AsType[*ogenapi.FailureStatusCodeWithHeaders](asError(results[1])); ok {
			answer = reflect.ValueOf(&status.Response)
		} else if !results[1].IsNil() {
			t.Errorf("%s %d %s: %v", now.operation, now.status, now.code, results[1])
			continue
		}
		if code := ogenCode(answer); code != now.code {
			t.Errorf("%s %d %s came as %q in %s", now.operation, now.status, now.code, code, answer.Type())
		}
	}
}

// ogenArgument is an argument that can be sent: what it says does not matter.
func ogenArgument(of reflect.Type) reflect.Value {
	switch {
	case of.Kind() == reflect.Pointer:
		return reflect.New(of.Elem())
	case of == reflect.TypeFor[ogenapi.CreateFileReq](): // one of several media types
		return reflect.ValueOf(&ogenapi.CreateFileReqApplicationPdf{Data: strings.NewReader("%PDF")})
	}
	return reflect.Zero(of)
}

// ogenCode is the code of an error answer, with or without headers.
func ogenCode(answer reflect.Value) string {
	for answer.Kind() == reflect.Pointer || answer.Kind() == reflect.Interface {
		answer = answer.Elem()
	}
	if inner := answer.FieldByName("Response"); inner.IsValid() {
		answer = inner
	}
	if e := answer.FieldByName("Error"); e.IsValid() {
		return e.FieldByName("Code").String()
	}
	return ""
}

func asError(v reflect.Value) error {
	err, _ := v.Interface().(error)
	return err
}

// TestOgenTellsErrorsApart as an integrator's program does.
func TestOgenTellsErrorsApart(t *testing.T) {
	taken := read(t).failure("createCharge", "external_id_taken")
	c := ogenClient(t, func() (int, any) { return taken.status, taken.body })
	answer, err := c.CreateCharge(t.Context(), &ogenapi.CreateCharge{MerchantID: 1001, Amount: 1050, Token: "tok_1"},
		ogenapi.CreateChargeParams{})
	if err != nil {
		t.Fatal(err)
	}
	switch answer := answer.(type) {
	case *ogenapi.CreateChargeConflictHeaders:
		if e := answer.Response.Error; e.Code != ogenapi.ErrorCodeExternalIDTaken {
			t.Errorf("%+v", e)
		}
	default:
		t.Errorf("%T", answer)
	}
}
