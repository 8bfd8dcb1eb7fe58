package main

import (
	"os"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// timerSlack is how much later than they asked for the kernel may wake our threads.
const timerSlack = 5 * time.Millisecond

// begunAnew marks a process that has begun anew already, lest one where that does not help do it for ever.
const begunAnew = "SVCPAY_BEGUN_ANEW"

// slacken has the program begin anew, once, as the same process with another timer slack (prctl(2), PR_SET_TIMERSLACK).
//
// Go watches over its threads by one that sleeps for 20 µs at a time as long as there is anything to do. On a machine of two
// processors it is woken some thirty times during a charge that comes alone: a third of the program's processor time, and a
// fourteenth of the charge's. Nothing here waits for less than milliseconds. A thread has the slack of the one that made it, and
// the watch is there before main is: so only a program that begins with it has it everywhere. Where the kernel does not know of
// it, or systemd's TimerSlackNSec has set as much, nothing happens.
func slacken() {
	if os.Getenv(begunAnew) != "" {
		_ = os.Unsetenv(begunAnew)
		return
	}
	has, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil || time.Duration(has) >= timerSlack {
		return
	}
	runtime.LockOSThread() // whose slack is kept
	defer runtime.UnlockOSThread()
	if unix.Prctl(unix.PR_SET_TIMERSLACK, uintptr(timerSlack), 0, 0, 0) == nil {
		_ = syscall.Exec("/proc/self/exe", os.Args, append(os.Environ(), begunAnew+"=1")) // which returns only if it failed
	}
}
