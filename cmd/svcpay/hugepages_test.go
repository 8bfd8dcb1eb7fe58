package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"
)

const tellsPages = "SVCPAY_TEST_TELLS_PAGES"

// A server's heap may be held in huge pages, if the kernel has any, and takes no memory for that before it is used.
func TestHeapIsInHugePages(t *testing.T) {
	t.Parallel()
	if os.Getenv(tellsPages) != "" {
		enlargePages()
		tellPages()
	}
	out, err := itself(t, tellsPages).CombinedOutput()
	var advised, resident int
	if _, scan := fmt.Sscanf(string(out), "advised %d, resident %d", &advised, &resident); err != nil || scan != nil {
		t.Fatalf("%s%v", out, errors.Join(err, scan))
	}
	_, err = os.Stat("/sys/kernel/mm/transparent_hugepage")
	if none := errors.Is(err, fs.ErrNotExist); none != (advised == 0) || !none && advised < inHugePages>>10 {
		t.Errorf("%d KB may be in huge pages; the kernel has none: %t", advised, none)
	}
	if resident > inHugePages>>11 {
		t.Errorf("%d KB are held", resident)
	}
}

// tellPages is the program that is begun. It tells of its memory in KB, as the kernel has it.
func tellPages() {
	maps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	var advised, resident, size, rss int
	for line := range strings.Lines(string(maps)) {
		_, _ = fmt.Sscanf(line, "Size: %d kB", &size)
		if n, _ := fmt.Sscanf(line, "Rss: %d kB", &rss); n == 1 {
			resident += rss
		}
		if strings.HasPrefix(line, "VmFlags:") && strings.Contains(line, " hg") {
			advised += size
		}
	}
	fmt.Printf("advised %d, resident %d\n", advised, resident)
	os.Exit(0)
}
