//go:build chaos

package crash_test

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"svcpay/internal/testing/crash"
)

// TestMain lets the test run this binary as a victim, which passes two points twice.
func TestMain(m *testing.M) {
	if os.Args[0] != "victim" {
		os.Exit(m.Run())
	}
	crash.Arm(os.Args[1], int64(os.Args[2][0]-'0'))
	for range 2 {
		crash.Point("a")
		crash.Point("b")
	}
}

func TestArmedPointKillsAtItsHit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		point, hit string
		dies       bool
	}{{"a", "1", true}, {"a", "2", true}, {"b", "2", true}, {"a", "3", false}, {"c", "1", false}} {
		victim := exec.Command("/proc/self/exe")
		victim.Args = []string{"victim", c.point, c.hit}
		_ = victim.Run() // how it ended is looked at below
		status := victim.ProcessState.Sys().(syscall.WaitStatus)
		if status.Signaled() != c.dies || (c.dies && status.Signal() != syscall.SIGKILL) {
			t.Errorf("%s:%s ends with %v", c.point, c.hit, victim.ProcessState)
		}
	}
}
