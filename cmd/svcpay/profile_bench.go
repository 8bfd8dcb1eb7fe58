//go:build bench

package main

import (
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
)

// init writes down what the processor works on from one SIGUSR1 to the next, if BENCH_PROFILE names a file.
func init() {
	name := os.Getenv("BENCH_PROFILE")
	if name == "" {
		return
	}
	turns := make(chan os.Signal, 1)
	signal.Notify(turns, syscall.SIGUSR1)
	go func() {
		for range turns {
			file, err := os.Create(name)
			if err != nil || pprof.StartCPUProfile(file) != nil {
				continue
			}
			<-turns
			pprof.StopCPUProfile()
			_ = file.Close()
		}
	}()
}
