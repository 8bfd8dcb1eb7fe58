package api

import (
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/money"
)

// resource is what the tests of all operations must know of one resource.
type resource struct {
	// shapes are the structs of schemas, by name; Charge.failure is a member. An input is held to
	// what its Validate misses in an empty body.
	shapes map[string]any
	// always are members that the API always gives although their structs may leave them out.
	always map[string][]string
	// enums are the words of schemas, by name.
	enums map[string][]string
	// theirs makes an object of the other application and tells its id, by the path that leads to it.
	theirs map[string]func(*testing.T, *site) string
}

// resources has a line for each; theirs stand in files of their own.
var resources = []resource{
	{
		shapes: map[string]any{"FieldError": fault.Field{}},
		enums:  map[string][]string{"Currency": currencies()},
	},
	chargeResource,
	refundResource,
	tokenResource,
	balanceResource,
	disputeResource,
	fileResource,
	payoutResource,
	sandboxResource,
	feeResource,
	meResource,
	requestLogResource,
}

func currencies() (out []string) {
	for _, c := range money.Currencies() {
		out = append(out, string(c))
	}
	return out
}
