// Package flush runs the loops of queues that a server keeps in memory and writes from time to time.
package flush

import (
	"context"
	"time"
)

// lastWrite is how long the last write may take.
const lastWrite = 5 * time.Second

// Start calls write once in each interval until the function that it returns is called. That function waits for the
// write in progress, which is not cut off, and then calls write a last time.
func Start(every time.Duration, write func(ctx context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				write(context.WithoutCancel(ctx))
			}
		}
	}()
	return func() {
		cancel()
		<-ended
		last, cancel := context.WithTimeout(context.Background(), lastWrite)
		defer cancel()
		write(last)
	}
}
