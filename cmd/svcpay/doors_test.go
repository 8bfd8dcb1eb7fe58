package main

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// passed puts duplicates of files side by side, from first on, as systemd does for a program.
func passed(t *testing.T, first int, files ...*os.File) {
	t.Helper()
	for i, f := range files {
		if err := syscall.Dup3(int(f.Fd()), first+i, 0); err != nil {
			t.Fatal(err)
		}
		_ = f.Close() // the duplicate counts
	}
}

// socket listens and returns the socket as a file.
func socket(t *testing.T, addr string) (*os.File, string) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := l.(*net.TCPListener).File()
	if err != nil {
		t.Fatal(err)
	}
	return f, l.Addr().String()
}

func isOpen(fd int) bool {
	var stat syscall.Stat_t
	return syscall.Fstat(fd, &stat) == nil
}

func addresses(ls []net.Listener) (all []string) {
	for _, l := range ls {
		all = append(all, l.Addr().String())
	}
	return all
}

func TestSocketsAreInheritedByName(t *testing.T) {
	t.Parallel()
	const first = 600
	service, serviceAddr := socket(t, "127.0.0.1:0")
	admin, adminAddr := socket(t, "127.0.0.1:0")
	more, moreAddr := socket(t, "0.0.0.0:0")
	heard, ready, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	passed(t, first, service, admin, ready, more)
	// the last has no name
	env := []string{"LISTEN_PID=" + strconv.Itoa(os.Getpid()), "LISTEN_FDS=4",
		"LISTEN_FDNAMES=svcpay.socket:admin:ready"}
	d, err := inherit(env, first)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	_, port, _ := net.SplitHostPort(moreAddr)
	if got := addresses(d.service); len(got) != 2 || got[0] != serviceAddr || !strings.HasSuffix(got[1], ":"+port) {
		t.Errorf("service: %v instead of %s, %s", got, serviceAddr, moreAddr)
	}
	if got := addresses(d.admin); !slices.Equal(got, []string{adminAddr}) {
		t.Errorf("admin: %v instead of %s", got, adminAddr)
	}
	for _, fd := range []int{first, first + 1, first + 3} {
		if isOpen(fd) {
			t.Errorf("descriptor %d is open beside its listener", fd)
		}
	}
	files, names, err := d.files()
	if err != nil || !slices.Equal(names, []string{serviceName, serviceName, adminName}) || len(files) != 3 {
		t.Errorf("to hand over: %v, %v", names, err)
	}
	closeFiles(files)
	if err := d.tellReady([]string{"NOTIFY_SOCKET=/nowhere"}); err != nil {
		t.Errorf("a predecessor waits, and not systemd: %v", err)
	}
	b := make([]byte, 9)
	if n, err := heard.Read(b); n != 1 || err != nil {
		t.Errorf("the predecessor hears %d bytes, %v", n, err)
	}
}

func TestNothingIsOpenedBesideInheritedSockets(t *testing.T) {
	t.Parallel()
	const first = 620
	service, serviceAddr := socket(t, "127.0.0.1:0")
	passed(t, first, service)
	d, err := inherit([]string{"LISTEN_FDS=1"}, first)
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	if err := d.open(config{addr: "192.0.2.1:1", adminAddr: "127.0.0.1:0"}); err != nil {
		t.Fatal(err)
	}
	if got := addresses(d.service); !slices.Equal(got, []string{serviceAddr}) || len(d.admin) == 0 {
		t.Errorf("service: %v, admin: %v", got, addresses(d.admin))
	}
	if err := d.open(config{addr: "192.0.2.1:1", adminAddr: "192.0.2.1:1"}); err != nil {
		t.Errorf("all doors are open already: %v", err)
	}
	var fresh doors
	defer fresh.close()
	if err := fresh.open(config{addr: "127.0.0.1:0"}); err != nil || len(fresh.service) != 1 || len(fresh.admin) != 0 {
		t.Errorf("without any: %+v, %v", fresh, err)
	}
	if err := (&doors{}).open(config{addr: serviceAddr}); err == nil {
		t.Error("an address in use is opened twice")
	}
}

func TestWhatIsNotForUsIsLeftAlone(t *testing.T) {
	t.Parallel()
	const first = 630
	service, _ := socket(t, "127.0.0.1:0")
	passed(t, first, service)
	defer syscall.Close(first)
	for _, env := range [][]string{nil, {"LISTEN_PID=1", "LISTEN_FDS=1"}, {"LISTEN_FDS="}, {"LISTEN_FDS=0"}} {
		d, err := inherit(env, first)
		if err != nil || len(d.service)+len(d.admin) > 0 || !isOpen(first) {
			t.Errorf("%v: %+v, %v", env, d, err)
		}
	}
}

func TestWrongDescriptorsAreRefused(t *testing.T) {
	t.Parallel()
	const first = 640
	everywhere, _ := socket(t, "0.0.0.0:0")
	good, _ := socket(t, "127.0.0.1:0")
	reads, writes, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	passed(t, first, everywhere)
	passed(t, first+10, good, reads, writes)
	for _, c := range []struct {
		first int
		env   []string
		want  string
	}{
		{first, []string{"LISTEN_FDS=many"}, "LISTEN_FDS: not a number"},
		{first, []string{"LISTEN_FDS=-1"}, "LISTEN_FDS: not a number"},
		{first, []string{"LISTEN_FDS=1", "LISTEN_FDNAMES=admin"}, "the inherited socket for metrics: not a loopback address"},
		{first + 10, []string{"LISTEN_FDS=3", "LISTEN_FDNAMES=a:ready:ready"}, "the inherited descriptor 652 (ready) is not a socket that listens"},
	} {
		_, err := inherit(c.env, c.first)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v: %v", c.env, err)
		}
	}
	for _, fd := range []int{first, first + 10, first + 11, first + 12} {
		if isOpen(fd) {
			t.Errorf("descriptor %d is still open", fd)
		}
	}
}
