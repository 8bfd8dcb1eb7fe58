//go:build !chaos

package crash_test

import (
	"testing"

	"svcpay/internal/testing/crash"
)

func TestOrdinaryBuildsSurviveEveryPoint(t *testing.T) {
	t.Parallel()
	crash.Arm("here", 1)
	crash.Point("here")
	if crash.Enabled {
		t.Error("this build can crash on purpose")
	}
}
