package e2e

import (
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// listening returns the TCP addresses on which the processes listen, as the kernel lists them.
func listening(t *testing.T, members map[int]string) (addresses []string) {
	t.Helper()
	mine := sockets(t, members)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if os.IsNotExist(err) { // no IPv6 here
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(string(text), "\n") {
			const local, state, inode, listens = 1, 3, 9, "0A"
			f := strings.Fields(line)
			if len(f) > inode && f[state] == listens && mine["socket:["+f[inode]+"]"] {
				addresses = append(addresses, parseAddress(t, f[local]))
			}
		}
	}
	return addresses
}

// sockets are the open sockets of the processes, as their links name them.
func sockets(t *testing.T, members map[int]string) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for pid := range members {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		entries, err := os.ReadDir(dir)
		if err != nil && !os.IsNotExist(err) { // a backend may end in the meantime
			t.Fatal(err)
		}
		for _, e := range entries {
			if link, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil {
				all[link] = true
			}
		}
	}
	return all
}

// parseAddress reads an address as the kernel writes it: 32-bit words in the machine's order.
func parseAddress(t *testing.T, text string) string {
	t.Helper()
	address, _, _ := strings.Cut(text, ":")
	b, err := hex.DecodeString(address)
	if err != nil {
		t.Fatal(err)
	}
	for word := range slices.Chunk(b, 4) {
		slices.Reverse(word) // little-endian, as on every machine that we run on
	}
	return net.IP(b).String()
}

// TestListening: the list shows what it should, wherever it listens.
func TestListening(t *testing.T) {
	t.Parallel()
	wanted := []string{"127.0.0.1", "0.0.0.0"}
	for _, host := range wanted {
		l, err := net.Listen("tcp4", net.JoinHostPort(host, "0"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
	}
	found := listening(t, map[int]string{os.Getpid(): "we"})
	for _, host := range wanted {
		if !slices.Contains(found, host) {
			t.Errorf("%s is missing in %v", host, found)
		}
	}
}
