package main

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// inHugePages is how much of the heap is to be in huge pages: what a busy server has, but for its peaks.
const inHugePages = 128 << 20

// enlargePages has the memory that the heap will grow into held in huge pages (madvise(2), MADV_HUGEPAGE), where the kernel
// leaves that to programs.
//
// It is allocated once, and given up untouched: so the heap has its addresses, which it fills from the lowest, and the kernel
// holds none of it before that. Where there are no huge pages nothing happens.
func enlargePages() {
	room := make([]byte, inHugePages)
	_ = unix.Madvise(room, unix.MADV_HUGEPAGE)
	runtime.KeepAlive(room)
	runtime.GC() // otherwise the next collection would wait for four times as much
}
