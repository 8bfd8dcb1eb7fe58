// Command confine runs a program inside the bounds that a systemd unit sets, where systemd itself doesn't run. It
// applies SystemCallFilter, RestrictAddressFamilies, MemoryDenyWriteExecute, NoNewPrivileges, CapabilityBoundingSet and
// ProtectSystem, and refuses a unit without one of them. The program takes over its process. Start it with unshare
// --user --map-current-user --keep-caps --mount.
package main

import (
	"bufio"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"

	seccomp "github.com/elastic/go-seccomp-bpf"
	"github.com/elastic/go-seccomp-bpf/arch"
	"golang.org/x/sys/unix"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: confine UNIT PROGRAM [ARGUMENT...]")
		os.Exit(2)
	}
	runtime.LockOSThread() // capabilities belong to a thread, and the one that calls exec keeps its own
	err := confine(os.Args[1])
	if err == nil {
		err = syscall.Exec(os.Args[2], os.Args[2:], os.Environ())
	}
	fmt.Fprintln(os.Stderr, "confine:", err)
	os.Exit(1)
}

func confine(file string) error {
	u, err := readUnit(file)
	if err != nil {
		return err
	}
	for key, want := range map[string]string{"ProtectSystem": "strict", "NoNewPrivileges": "yes",
		"MemoryDenyWriteExecute": "yes", "CapabilityBoundingSet": "", "SystemCallErrorNumber": "EPERM"} {
		if got := u[key]; len(got) != 1 || got[0] != want {
			return fmt.Errorf("%s: %s is %q, and only %q is known here", file, key, got, want)
		}
	}
	filter, err := u.filter()
	if err != nil {
		return err
	}
	readOnly := &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, readOnly); err != nil {
		return fmt.Errorf("mount read-only: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: filter})
}

// unit is a unit's settings with all values of each, in their order.
type unit map[string][]string

func readUnit(file string) (unit, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	u := unit{}
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), "="); ok && !strings.HasPrefix(key, "#") {
			u[key] = append(u[key], value)
		}
	}
	return u, nil
}

// filter allows the calls of the unit. What it refuses fails with EPERM, and a family of addresses with EAFNOSUPPORT.
func (u unit) filter() (p seccomp.Policy, err error) {
	names := map[string]bool{}
	for _, value := range u["SystemCallFilter"] {
		list, refused := strings.CutPrefix(value, "~")
		for _, group := range strings.Fields(list) {
			calls, err := callsOf(group)
			if err != nil {
				return p, err
			}
			for _, name := range calls {
				if refused {
					delete(names, name)
				} else {
					names[name] = true
				}
			}
		}
	}
	families := map[string]uint64{"AF_UNIX": unix.AF_UNIX, "AF_INET": unix.AF_INET, "AF_INET6": unix.AF_INET6}
	var others seccomp.ArgumentConditions
	for _, name := range strings.Fields(strings.Join(u["RestrictAddressFamilies"], " ")) {
		family, ok := families[name]
		if !ok {
			return p, fmt.Errorf("the address family %s is not known here", name)
		}
		others = append(others, seccomp.Condition{Argument: 0, Operation: seccomp.NotEqual, Value: family})
	}
	if len(names) == 0 || len(others) == 0 {
		return p, fmt.Errorf("%d calls and %d address families are allowed", len(names), len(others))
	}
	// protected matches calls whose third argument has all of some bits.
	protected := func(call string, bits ...uint64) seccomp.NameWithConditions {
		all := make(seccomp.ArgumentConditions, len(bits))
		for i, bit := range bits {
			all[i] = seccomp.Condition{Argument: 2, Operation: seccomp.BitsSet, Value: bit}
		}
		return seccomp.NameWithConditions{Name: call, Conditions: all}
	}
	return seccomp.Policy{DefaultAction: seccomp.ActionErrno, Syscalls: []seccomp.SyscallGroup{ // EPERM
		{Action: seccomp.ActionErrno | seccomp.Action(unix.EAFNOSUPPORT),
			NamesWithCondtions: []seccomp.NameWithConditions{{Name: "socket", Conditions: others}}},
		{Action: seccomp.ActionErrno, NamesWithCondtions: []seccomp.NameWithConditions{
			protected("mmap", unix.PROT_EXEC, unix.PROT_WRITE), protected("mprotect", unix.PROT_EXEC),
			protected("pkey_mprotect", unix.PROT_EXEC)}},
		{Action: seccomp.ActionAllow, Names: slices.Sorted(maps.Keys(names))},
	}}, nil
}

// callsOf are the calls of a group of systemd's, such as @system-service, that this kernel's architecture has.
func callsOf(group string) (calls []string, err error) {
	here, err := arch.GetInfo("")
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(group, "@") {
		return []string{group}, nil
	}
	out, err := exec.Command("systemd-analyze", "syscall-filter", group).Output()
	if err != nil {
		return nil, fmt.Errorf("systemd-analyze syscall-filter %s: %w", group, err)
	}
	for line := range strings.Lines(string(out)) {
		name := strings.TrimSpace(line)
		switch _, known := here.SyscallNames[name]; {
		case name == group, name == "", strings.HasPrefix(name, "#"):
		case strings.HasPrefix(name, "@"):
			more, err := callsOf(name)
			if err != nil {
				return nil, err
			}
			calls = append(calls, more...)
		case known:
			calls = append(calls, name)
		}
	}
	return calls, nil
}

// dropCapabilities leaves the program none, even if it runs as root.
func dropCapabilities() error {
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return err
	}
	for c := uintptr(0); c <= unix.CAP_LAST_CAP; c++ {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0); err != nil {
			return err
		}
	}
	var none [2]unix.CapUserData // one for each half of the capabilities
	return unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0])
}
