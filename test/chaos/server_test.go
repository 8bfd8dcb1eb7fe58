package chaos

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svcpay/test/rig"
)

// servers is how many run at once: what one would keep apart on its own, two must keep apart in the database.
const servers = 2

// supervisor keeps a server running, as an operator's would. Its socket is one for all servers, so that
// each answers and no one else gets the port between two of them.
type supervisor struct {
	path   string
	env    []string
	socket *os.File
	log    *os.File
	next   func() string // the crash point that the next server is armed with, as point:hit; "" for none
	counts *tally

	mu      sync.Mutex
	current *life
	shot    bool // by us
	over    atomic.Bool
	done    chan struct{}
}

// life is one server's. What it prints goes to a log, and says when it serves.
type life struct {
	*rig.Process
	log    io.Writer
	serves chan struct{}
	once   sync.Once
}

// Write implements io.Writer.
func (l *life) Write(line []byte) (int, error) {
	if bytes.Contains(line, []byte(`"msg":"serving"`)) {
		l.once.Do(func() { close(l.serves) })
	}
	return l.log.Write(line)
}

// share makes a socket for servers, and tells its address.
func share(t *testing.T) (socket *os.File, addr string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if socket, err = listener.(*net.TCPListener).File(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	if err := listener.Close(); err != nil { // the duplicate stays
		t.Fatal(err)
	}
	return socket, listener.Addr().String()
}

// supervise starts the first server.
func (s *supervisor) supervise(t *testing.T) {
	s.done = make(chan struct{})
	go s.loop()
	t.Cleanup(func() {
		s.over.Store(true)
		s.kill()
		<-s.done
	})
}

func (s *supervisor) loop() {
	defer close(s.done)
	for !s.over.Load() {
		env, armed := append([]string{"LISTEN_FDS=1"}, s.env...), s.next()
		if armed != "" {
			env = append(env, "SVCPAY_CRASH_POINT="+armed)
		}
		p := &life{log: s.log, serves: make(chan struct{})}
		var err error
		if p.Process, err = rig.Start(s.path, env, []*os.File{s.socket}, p, "serve"); err != nil {
			s.counts.add("server: could not be started")
			time.Sleep(time.Second)
			continue
		}
		s.mu.Lock()
		s.current, s.shot = p, false
		s.mu.Unlock()
		if s.over.Load() { // told in the meantime
			p.Signal(syscall.SIGKILL)
		}
		<-p.Done
		s.bury(p, armed)
	}
}

// bury notes how a server ended.
func (s *supervisor) bury(p *life, armed string) {
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

// kill ends the server by SIGKILL, and reports whether there was one.
func (s *supervisor) kill() bool { return s.shoot(s.running()) }

// killLater is patient: the server comes up first, and may meet the crash point that it was armed with.
func (s *supervisor) killLater() bool {
	p := s.running()
	return p != nil && p.works() && s.shoot(p)
}

func (s *supervisor) running() *life {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.current
}

func (s *supervisor) shoot(p *life) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p == nil || s.current != p || s.shot {
		return false
	}
	s.shot = true
	p.Signal(syscall.SIGKILL)
	return true
}

// works reports whether a server is still there a second after it began to serve.
func (l *life) works() bool {
	select {
	case <-l.Done:
		return false
	case <-l.serves:
	}
	select {
	case <-l.Done:
		return false
	case <-time.After(time.Second):
		return true
	}
}
