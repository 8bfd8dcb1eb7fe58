package webhook_test

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when something still runs that the tests have stopped, or should have.
func TestMain(m *testing.M) {
	// A server that closed a connection early rests half a second before it forgets it.
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("net/http.(*conn).closeWriteAndWait"))
}
