package chaos

import (
	"fmt"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svcpay/test/rig"
)

// supervisor keeps a server running, as an operator's would. Its socket is one for all servers, so that
// nobody else gets the port between two of them.
type supervisor struct {
	path   string
	env    []string
	socket *os.File
	log    *os.File
	next   func() string // the crash point that the next server is armed with, as point:hit; "" for none
	counts *tally

	mu      sync.Mutex
	current *rig.Process
	shot    bool // by us
	over    atomic.Bool
	done    chan struct{}
}

// supervise starts the first server, and tells its address.
func (s *supervisor) supervise(t *testing.T) (addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if s.socket, err = listener.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	addr = listener.Addr().String()
	if err := listener.Close(); err != nil { // the duplicate stays
		t.Fatal(err)
	}
	s.done = make(chan struct{})
	go s.loop()
	t.Cleanup(func() {
		s.over.Store(true)
		s.kill()
		<-s.done
		_ = s.socket.Close()
	})
	return addr
}

func (s *supervisor) loop() {
	defer close(s.done)
	for !s.over.Load() {
		env, armed := append([]string{"LISTEN_FDS=1"}, s.env...), s.next()
		if armed != "" {
			env = append(env, "SVCPAY_CRASH_POINT="+armed)
		}
		p, err := rig.Start(s.path, env, []*os.File{s.socket}, s.log, "serve")
		if err != nil {
			s.counts.add("server: could not be started")
			time.Sleep(time.Second)
			continue
		}
		s.mu.Lock()
		s.current, s.shot = p, false
		s.mu.Unlock()
		if s.over.Load() { // told meanwhile
			p.Signal(syscall.SIGKILL)
		}
		<-p.Done
		s.bury(p, armed)
	}
}

// bury notes how a server ended.
func (s *supervisor) bury(p *rig.Process, armed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	switch {
	case s.over.Load() || s.shot:
	case rig.Killed(p.Cmd.ProcessState) && armed != "":
		point, _, _ := cutPoint(armed)
		s.counts.add("crash: " + point)
	default: // it does not start without its database
		s.counts.add(fmt.Sprintf("server: ended by itself (%s)", p.Cmd.ProcessState))
		time.Sleep(50 * time.Millisecond)
	}
}

// kill ends the server by SIGKILL, and tells whether there was one.
func (s *supervisor) kill() bool { return s.shoot(s.running()) }

// killLater is patient: the server comes up first, and may meet the crash point that it was armed with.
func (s *supervisor) killLater(ready func() bool) bool {
	p := s.running()
	return p != nil && outlives(p, ready) && s.shoot(p)
}

func (s *supervisor) running() *rig.Process {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *supervisor) shoot(p *rig.Process) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil || s.current != p || s.shot {
		return false
	}
	s.shot = true
	p.Signal(syscall.SIGKILL)
	return true
}

// outlives tells whether a server is still there a second after it was ready.
func outlives(p *rig.Process, ready func() bool) bool {
	for pause := 50 * time.Millisecond; ; time.Sleep(pause) {
		select {
		case <-p.Done:
			return false
		default:
		}
		if ready() {
			break
		}
	}
	select {
	case <-p.Done:
		return false
	case <-time.After(time.Second):
		return true
	}
}
