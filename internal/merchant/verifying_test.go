package merchant

import (
	"testing"

	"svcpay/internal/fault"
)

func TestVerificationsTakeTurns(t *testing.T) {
	t.Parallel()
	v := verifying{busy: make(map[int64]bool)}
	ends := make(map[int64]func())
	for id := range int64(mostVerifying) {
		end, err := v.begin(id)
		if err != nil {
			t.Fatal(err)
		}
		ends[id] = end
	}
	if _, err := v.begin(3); !fault.HasCode(err, "operation_in_progress") {
		t.Errorf("the same merchant again: %v", err)
	}
	if _, err := v.begin(99); !fault.HasCode(err, "overloaded") {
		t.Errorf("one more merchant: %v", err)
	}
	ends[3]()
	if _, err := v.begin(99); err != nil {
		t.Errorf("one more merchant in the place of one that is done: %v", err)
	}
	ends[4]()
	if _, err := v.begin(3); err != nil {
		t.Errorf("a merchant whose verification is done: %v", err)
	}
}
