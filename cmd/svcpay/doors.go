package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// firstInherited is the first descriptor that systemd, or a predecessor, passes to a program.
const firstInherited = 3

// Names of inherited descriptors. Any other name is of a socket of the service: systemd calls a
// socket by its unit, unless FileDescriptorName= says something else.
const (
	serviceName = "service"
	adminName   = "admin" // a socket on which metrics are told
	readyName   = "ready" // the pipe on which a predecessor waits for its successor
)

// doors are the sockets on which a server answers, and the pipe on which its predecessor, if it has
// one, waits for it.
type doors struct {
	service, admin []net.Listener
	ready          *os.File
}

// inherit takes over the descriptors that LISTEN_FDS reports, as sd_listen_fds(3) has it. The first
// one is a parameter for the sake of tests. A predecessor cannot tell LISTEN_PID, since it starts its
// successor before it knows it; but one of another process is not for us.
func inherit(env []string, first int) (d doors, err error) {
	pid, count := lookup(env, "LISTEN_PID"), lookup(env, "LISTEN_FDS")
	if count == "" || pid != "" && pid != strconv.Itoa(os.Getpid()) {
		return doors{}, nil
	}
	n, err := strconv.ParseUint(count, 10, 8)
	if err != nil {
		return doors{}, errors.New("LISTEN_FDS: not a number of descriptors")
	}
	names := append(strings.Split(lookup(env, "LISTEN_FDNAMES"), ":"), make([]string, n)...)
	for i, name := range names[:n] {
		err = errors.Join(err, d.take(first+i, name))
	}
	if err != nil {
		d.close()
		return doors{}, err
	}
	return d, nil
}

// take takes over one descriptor, which no program that we start shall have by accident.
func (d *doors) take(fd int, name string) error {
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), name)
	if name == readyName && d.ready == nil {
		d.ready = f
		return nil
	}
	defer f.Close() // a listener has a descriptor of its own
	if on, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ACCEPTCONN); err != nil || on == 0 {
		return fmt.Errorf("the inherited descriptor %d (%s) is not a socket that listens", fd, name)
	}
	l, err := net.FileListener(f)
	if err != nil {
		return fmt.Errorf("the inherited descriptor %d (%s): %w", fd, name, err)
	}
	if name != adminName {
		d.service = append(d.service, l)
		return nil
	}
	d.admin = append(d.admin, l)
	if a, ok := l.Addr().(*net.TCPAddr); !ok || !a.IP.IsLoopback() {
		return errors.New("the inherited socket for metrics: " + errAdminAddr.Error())
	}
	return nil
}

// open listens wherever nothing was inherited.
func (d *doors) open(c config) error {
	if len(d.service) == 0 {
		l, err := net.Listen("tcp", c.addr)
		if err != nil {
			return err
		}
		d.service = []net.Listener{l}
	}
	if len(d.admin) == 0 && c.adminAddr != "" {
		admin, err := listenLoopback(c.adminAddr)
		if err != nil {
			return fmt.Errorf("SVCPAY_ADMIN_ADDR: %w", err)
		}
		d.admin = admin
	}
	return nil
}

// tellReady tells the predecessor that it may go, or else systemd that the service is there: it listens
// to the process that it knows, hence the predecessor tells it of its successor.
func (d *doors) tellReady(env []string) error {
	if d.ready == nil {
		return notify(env, "READY=1")
	}
	_, err := d.ready.Write([]byte{1})
	return errors.Join(err, d.ready.Close())
}

// files duplicates the sockets for a successor. Both share each socket with all connections that wait
// in it, so that closing ours refuses no one.
func (d *doors) files() (files []*os.File, names []string, err error) {
	for _, l := range slices.Concat(d.service, d.admin) {
		f, err := l.(interface{ File() (*os.File, error) }).File()
		if err != nil {
			closeFiles(files)
			return nil, nil, err
		}
		name := serviceName
		if slices.Contains(d.admin, l) {
			name = adminName
		}
		files, names = append(files, f), append(names, name)
	}
	return files, names, nil
}

func closeFiles(files []*os.File) {
	for _, f := range files {
		_ = f.Close() // a duplicate: the socket has others
	}
}

// close gives up what was taken or opened.
func (d *doors) close() {
	closeAll(d.service)
	closeAll(d.admin)
	if d.ready != nil {
		_ = d.ready.Close() // the predecessor reads that there will be no successor
	}
}
