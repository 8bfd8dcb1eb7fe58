package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

const tellsSlack = "SVCPAY_TEST_TELLS_SLACK"

// A program begins anew once, as the same process with the same arguments and surroundings, and has the slack then.
func TestTimersAreSlack(t *testing.T) {
	t.Parallel()
	if os.Getenv(tellsSlack) != "" {
		tellSlack()
	}
	cmd := itself(t, tellsSlack)
	out, err := cmd.CombinedOutput()
	want := fmt.Sprintf("process %d, slack %v, %q", cmd.Process.Pid, timerSlack, "")
	if err != nil || strings.Count(string(out), "process ") != 1 || !strings.Contains(string(out), want) {
		t.Errorf("want %s, got\n%s%v", want, out, err)
	}
}

// itself is the test as a program of its own, which a variable has tell of itself.
func itself(t *testing.T, variable string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), variable+"=1")
	return cmd
}

// tellSlack is the program that is begun.
func tellSlack() {
	slacken()
	slack, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Printf("process %d, slack %v, %q\n", os.Getpid(), time.Duration(slack), os.Getenv(begunAnew))
	os.Exit(0)
}
