package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// tick is the unit of times in /proc: USER_HZ is 100 on every Linux.
const tick = 10 * time.Millisecond

// process is what /proc/<pid>/stat tells. Its time includes that of children that have ended.
type process struct {
	parent int
	cpu    time.Duration
}

// parseStat reads a stat file. The name in parentheses may hold anything.
func parseStat(text string) (process, error) {
	_, rest, ok := strings.Cut(text[max(strings.LastIndex(text, ")"), 0):], ") ")
	fields := strings.Fields(rest)
	if !ok || len(fields) < 15 {
		return process{}, fmt.Errorf("stat: %q", text)
	}
	parent, err := strconv.Atoi(fields[1])
	p := process{parent: parent}
	for _, f := range fields[11:15] { // utime, stime, cutime, cstime
		n, bad := strconv.ParseInt(f, 10, 64)
		if bad != nil {
			err = bad
		}
		p.cpu += time.Duration(n) * tick
	}
	return p, err
}

// processes reads all that run.
func processes() map[int]process {
	out := make(map[int]process)
	files, _ := filepath.Glob("/proc/[0-9]*/stat") // a pattern that is well formed
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(f)))
		if p, err := parseStat(string(text)); err == nil {
			out[pid] = p
		}
	}
	return out
}

// tree sums the time of a process and of all below it.
func tree(all map[int]process, root int) time.Duration {
	sum := all[root].cpu
	for pid, p := range all {
		if p.parent == root && pid != root {
			sum += tree(all, pid)
		}
	}
	return sum
}

// busy is the time that the machine has worked, all together.
func busy() time.Duration {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	var sum time.Duration
	for i, f := range strings.Fields(string(line))[1:] {
		n, _ := strconv.ParseInt(f, 10, 64)
		if i != 3 && i != 4 && i < 8 { // idle, iowait; guests are in user
			sum += time.Duration(n) * tick
		}
	}
	return sum
}

// spent is the time of those who take part, and of the whole machine.
type spent struct{ server, database, generator, machine time.Duration }

func (b *bench) spent() spent {
	all := processes()
	s := spent{database: tree(all, b.cluster.pid), machine: busy()}
	for _, p := range []*product{b.server, b.twin} {
		if p != nil {
			s.server += tree(all, p.pid())
		}
	}
	s.generator = tree(all, os.Getpid()) - s.server - s.database // which are our children
	return s
}

func (s spent) since(before spent) spent {
	return spent{s.server - before.server, s.database - before.database, s.generator - before.generator,
		s.machine - before.machine}
}

// foreign is the share of the machine's work that was not ours.
func (s spent) foreign() float64 {
	if s.machine <= 0 {
		return 0
	}
	return max(0, 1-float64(s.server+s.database+s.generator)/float64(s.machine))
}

// resident is the memory of a process, in MB.
func resident(pid int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	pages, _ := strconv.ParseFloat(fields[1], 64)
	return pages * float64(os.Getpagesize()) / (1 << 20)
}
