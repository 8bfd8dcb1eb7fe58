package fee_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"svcpay/internal/fee"
)

// A proposal has the twelve rates, and carrying out all of them leaves nothing of the old.
func TestProposalsHaveAllRates(t *testing.T) {
	t.Parallel()
	for i, s := range fee.Settings() {
		if tag := reflect.TypeFor[fee.Proposal]().Field(i).Tag.Get("json"); tag != s.Name {
			t.Errorf("member %d is %s, want %s", i, tag, s.Name)
		}
	}
	const text = `{"authorization_fee":1,"capture_fee":2,"amex_surcharge_percentage":3,"ach_transfer_flat_fee":4,"ach_transfer_percentage":5,
		"ach_transfer_failed_fee":6,"ach_return_fee":7,"chargeback_fee":8,"retrieval_fee":9,"platform_flat_fee":10,"platform_percentage":11,"daf_percentage":12}`
	var p fee.Proposal
	var want fee.Rates
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(text), &want); err != nil {
		t.Fatal(err)
	}
	if got := p.On(fee.Rates{}); !got.Equal(want) {
		t.Errorf("all: %+v", got)
	}
	if got := (fee.Proposal{}).On(want); !got.Equal(want) {
		t.Errorf("nothing: %+v", got)
	}
	var off fee.Proposal
	if err := json.Unmarshal([]byte(`{"platform_flat_fee":null,"platform_percentage":null,"capture_fee":null}`),
		&off); err != nil {
		t.Fatal(err)
	}
	if got := off.On(want); got.PlatformFlatFee != nil || got.PlatformPercentage != nil || got.CaptureFee != 2 {
		t.Errorf("off: %+v", got)
	}
}
