package check_test

import (
	"testing"

	"svcpay/internal/check"
	"svcpay/internal/fault"
)

func TestVersion(t *testing.T) {
	t.Parallel()
	three := 3
	if check.Version(nil, 3) != nil || check.Version(&three, 3) != nil {
		t.Error("the version that it is was refused")
	}
	for _, is := range []int{0, 2, 4} {
		f, ok := fault.As(check.Version(&three, is))
		if !ok || f.Code != "object_changed" || f.Detail["version"] != is {
			t.Errorf("3 instead of %d: %+v", is, f)
		}
	}
}
