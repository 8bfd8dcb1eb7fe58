package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// startsWithin is how long a successor may take until it answers.
const startsWithin = time.Minute

// handover replaces this server by a successor: the same command with the same settings, from the file
// that has replaced the running one. The successor inherits the sockets.
type handover struct {
	world   *world
	doors   *doors
	log     *slog.Logger
	hangups <-chan os.Signal
}

// await starts a successor at every hangup until one answers; then it calls leave and returns. It
// also returns when ctx ends.
func (h *handover) await(ctx context.Context, leave func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.hangups:
		}
		h.log.Info("starting a successor")
		successor, err := h.start(ctx)
		if err != nil {
			h.log.Error("there is no successor: this server goes on", "error", err.Error())
			continue
		}
		if ctx.Err() != nil { // asked to stop in the meantime, and not to be replaced
			_ = successor.Signal(syscall.SIGTERM) // it may have ended
			return
		}
		h.log.Info("a successor answers", "pid", successor.Pid)
		if err := notify(h.world.env, fmt.Sprintf("MAINPID=%d\nREADY=1", successor.Pid)); err != nil {
			h.log.Warn("systemd does not know the successor", "error", err.Error())
		}
		leave()
		return
	}
}

// start starts a successor and waits until it is ready. One that is not in time is killed.
func (h *handover) start(ctx context.Context) (*os.Process, error) {
	files, names, err := h.doors.files()
	if err != nil {
		return nil, err
	}
	ready, told, err := os.Pipe()
	if err != nil {
		closeFiles(files)
		return nil, err
	}
	defer ready.Close()
	files, names = append(files, told), append(names, readyName)
	cmd := h.successor(files, names)
	err = cmd.Start()
	closeFiles(files)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startsWithin)
	defer cancel()
	spare := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() }) // it may have ended
	if _, err := io.ReadFull(ready, make([]byte, 1)); err == nil && spare() {
		go func() { _ = cmd.Wait() }() // its exit status is the successor's concern
		return cmd.Process, nil
	}
	_ = cmd.Wait() // the state says how it ended
	return nil, fmt.Errorf("it did not become ready (%s)", cmd.ProcessState)
}

// successor is this server's command, with its environment as it was inherited: files with secrets are read again.
func (h *handover) successor(files []*os.File, names []string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], os.Args[1:]...)
	cmd.Env, cmd.ExtraFiles = successorEnv(h.world.inherited, names), files
	cmd.Stdout, cmd.Stderr = h.world.stdout, h.world.stderr
	return cmd
}

// successorEnv is the environment with the names of what is inherited.
func successorEnv(env, names []string) []string {
	env = slices.DeleteFunc(slices.Clone(env), func(pair string) bool { return strings.HasPrefix(pair, "LISTEN_") })
	return append(env, "LISTEN_FDS="+strconv.Itoa(len(names)), "LISTEN_FDNAMES="+strings.Join(names, ":"))
}

// notify tells systemd, if it started us, what sd_notify(3) would.
func notify(env []string, state string) error {
	socket := lookup(env, "NOTIFY_SOCKET")
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unixgram", socket)
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte(state))
	return errors.Join(err, conn.Close())
}
