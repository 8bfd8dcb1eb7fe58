//go:build !planted

package planted_test

import (
	"testing"

	"svcpay/internal/testing/planted"
)

func TestOrdinaryBuildsHaveNoBugOnPurpose(t *testing.T) {
	t.Parallel()
	for _, bug := range append(planted.Names(), "") {
		if planted.Is(bug) {
			t.Errorf("this build has %q", bug)
		}
	}
}
