// Package rig runs the real program as a child process, for tests, and talks to it over HTTP, as operators and clients
// do.
package rig

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Process is a running program of ours.
type Process struct {
	Cmd  *exec.Cmd
	Done chan struct{} // closed when it has ended
}

// Start starts a program that dies with us, with env added to our environment, of which its own settings
// are no part. files become its descriptors from 3 on; out gets what it prints.
func Start(path string, env []string, files []*os.File, out io.Writer, args ...string) (*Process, error) {
	p := &Process{Cmd: exec.Command(path, args...)}
	p.Cmd.Env = append(ForeignEnv(), env...)
	p.Cmd.Stdout, p.Cmd.Stderr, p.Cmd.ExtraFiles = out, out, files
	p.Cmd.WaitDelay = 5 * time.Second
	var err error
	if p.Done, err = Spawn(p.Cmd); err != nil {
		return nil, err
	}
	return p, nil
}

// Spawn starts a command that dies with us, and closes done when it has ended. The kernel kills it when the thread ends
// that started it, and not only when we do, so that thread stays with it: others end as soon as someone's goroutine
// ends that had locked one.
func Spawn(cmd *exec.Cmd) (done chan struct{}, err error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	done = make(chan struct{})
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocked
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait() // the state says how it ended
			close(done)
		}
	}()
	return done, <-started
}

// ForeignEnv is our environment without the settings of our programs.
func ForeignEnv() (env []string) {
	for _, pair := range os.Environ() {
		if !strings.HasPrefix(pair, "SVCPAY_") && !strings.HasPrefix(pair, "DATABASE_URL=") {
			env = append(env, pair)
		}
	}
	return env
}

// Signal ignores that the process may have ended in the meantime.
func (p *Process) Signal(s syscall.Signal) { _ = p.Cmd.Process.Signal(s) }

// Killed reports whether a process ended by SIGKILL.
func Killed(s *os.ProcessState) bool {
	w, ok := s.Sys().(syscall.WaitStatus)
	return ok && w.Signaled() && w.Signal() == syscall.SIGKILL
}

// KillAll ends a process and all that it started as a power cut would, and waits until none is left. It
// reports whether there were any.
func KillAll(pid int) bool {
	members := Family(pid)
	if len(members) == 0 {
		return false
	}
	_ = syscall.Kill(pid, syscall.SIGKILL) // first, so that it starts no others
	for member := range members {
		_ = syscall.Kill(member, syscall.SIGKILL)
	}
	for len(Alive(members)) > 0 {
		time.Sleep(5 * time.Millisecond)
	}
	return true
}

// Build builds the program of the module at root.
func Build(root, path string, flags ...string) error {
	cmd := exec.Command("go", append(append([]string{"build", "-o", path}, flags...), "./cmd/svcpay")...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0", "GOGC=400") // as make builds it
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
	return nil
}

// Output collects what a process writes while others read it.
type Output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

// Write implements io.Writer.
func (o *Output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

// Text is all that was written.
func (o *Output) Text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// Stat is the state, parent and name of a process; ok is false when it is gone or only waits to be buried.
func Stat(pid int) (parent int, name string, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, "", false
	}
	left, right := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[right+1:]))
	parent, err = strconv.Atoi(fields[1])
	return parent, string(text[left+1 : right]), err == nil && fields[0] != "Z"
}

// PIDs lists the processes of this machine.
func PIDs() (all []int) {
	dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is well-formed
	for _, dir := range dirs {
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			all = append(all, pid)
		}
	}
	return all
}

// Family is a process and all that it started, with their names.
func Family(pid int) map[int]string {
	members := map[int]string{}
	if _, name, ok := Stat(pid); ok {
		members[pid] = name
	}
	for grown := true; grown; {
		grown = false
		for _, other := range PIDs() {
			parent, name, ok := Stat(other)
			if _, known := members[other]; ok && !known && members[parent] != "" {
				members[other], grown = name, true
			}
		}
	}
	return members
}

// Alive returns those of a family that still run.
func Alive(members map[int]string) (left []string) {
	for pid, name := range members {
		if _, now, ok := Stat(pid); ok && now == name {
			left = append(left, fmt.Sprintf("%d (%s)", pid, name))
		}
	}
	return left
}
