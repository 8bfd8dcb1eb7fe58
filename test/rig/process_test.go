package rig

import (
	"bytes"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// The end of a thread that someone had locked, and that a program was started on, is not the program's.
func TestAProgramOutlivesTheThreadOfItsCaller(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	var p *Process
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		runtime.LockOSThread() // and the thread ends with us
		p, err = Start("/bin/sleep", nil, nil, &out, "60")
	}()
	if <-ended; err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.Done:
		t.Errorf("it ended with the thread: %s", p.Cmd.ProcessState)
	case <-time.After(time.Second):
	}
	p.Signal(syscall.SIGKILL)
	if <-p.Done; !Killed(p.Cmd.ProcessState) {
		t.Errorf("%s", p.Cmd.ProcessState)
	}
}
