package operation_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when something still runs that the tests have stopped, or should have.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
