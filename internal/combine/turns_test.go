package combine

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// turn is a combiner that takes turns with others: its rounds tell their name and how many they are, and wait to be let go.
func turn(t *Turns, name string, begun chan<- string, letGo <-chan struct{}) *Combiner[int, int] {
	return New(t, func(ctx context.Context, ins []int) ([]int, error) {
		begun <- name
		<-letGo
		return doubled(ctx, ins)
	}, noKey)
}

func (c *Combiner[In, Out]) waits() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.waiting)
}

// Where as many rounds run as are to run by themselves, few inputs wait until one ends, and many do not.
func TestFewWaitForTheRoundsOfOthers(t *testing.T) {
	t.Parallel()
	turns, begun, letGo := &Turns{patient: true}, make(chan string, 100), make(chan struct{})
	var all sync.WaitGroup
	ask := func(c *Combiner[int, int], n int) {
		for in := range n {
			all.Go(func() {
				if out, err := c.Do(t.Context(), in); err != nil || out != 2*in {
					t.Errorf("%d, %v", out, err)
				}
			})
		}
	}
	for range rounds {
		ask(turn(turns, "first", begun, letGo), 1)
		<-begun
	}
	late := turn(turns, "late", begun, letGo)
	ask(late, worthwhile-1)
	eventually(t, "they do not wait", func() bool { return late.waits() == worthwhile-1 })
	if len(begun) > 0 {
		t.Error("a few began a round beside the others")
	}
	ask(late, 1)
	if name := <-begun; name != "late" {
		t.Errorf("a round of %s begins", name)
	}
	close(letGo)
	all.Wait()
}

// Where other servers have rounds on the database, only as many as a whole round takes are worth one beside another.
func TestOnlyAWholeRoundBesideOtherServers(t *testing.T) {
	t.Parallel()
	begun, letGo := make(chan string, 100), make(chan struct{})
	others := new(atomic.Bool)
	turns := &Turns{patient: true, others: others.Load}
	others.Store(true)
	one, late := turn(turns, "one", begun, letGo), turn(turns, "late", begun, letGo)
	var all sync.WaitGroup
	ask := func(c *Combiner[int, int], n int) {
		for in := range n {
			all.Go(func() { _, _ = c.Do(t.Context(), in) })
		}
	}
	for range rounds {
		ask(one, 1)
		<-begun
	}
	ask(late, enough-1)
	eventually(t, "they do not wait", func() bool { return late.waits() == enough-1 })
	if len(begun) > 0 {
		t.Error("less than a whole round began beside others")
	}
	ask(late, 1)
	if name := <-begun; name != "late" {
		t.Errorf("a round of %s begins", name)
	}
	others.Store(false)
	ask(turn(turns, "later", begun, letGo), worthwhile)
	if name := <-begun; name != "later" {
		t.Errorf("alone again: a round of %s begins", name)
	}
	close(letGo)
	all.Wait()
}

// Who waits is begun when a round ends, the others before whose turn it was.
func TestCombinersTakeTurns(t *testing.T) {
	t.Parallel()
	turns, begun, letGo := &Turns{patient: true}, make(chan string, 100), make(chan struct{})
	one, other := turn(turns, "one", begun, letGo), turn(turns, "other", begun, letGo)
	var all sync.WaitGroup
	ask := func(c *Combiner[int, int]) { all.Go(func() { _, _ = c.Do(t.Context(), 1) }) }
	for range rounds {
		ask(one)
		<-begun
	}
	ask(one)
	eventually(t, "one does not wait", func() bool { return one.waits() == 1 })
	ask(other)
	eventually(t, "the other does not wait", func() bool { return other.waits() == 1 })
	letGo <- struct{}{}
	got := []string{<-begun}
	letGo <- struct{}{}
	if got = append(got, <-begun); !slices.Equal(got, []string{"other", "one"}) {
		t.Errorf("%v", got)
	}
	close(letGo)
	all.Wait()
}

// A round that takes long keeps nobody from theirs.
func TestNobodyWaitsForASlowRound(t *testing.T) {
	t.Parallel()
	turns, begun, letGo := new(Turns), make(chan string, 100), make(chan struct{})
	var all sync.WaitGroup
	for range rounds {
		all.Go(func() { _, _ = turn(turns, "slow", begun, letGo).Do(t.Context(), 1) })
		<-begun
	}
	quick := New(turns, doubled, noKey)
	if out, err := quick.Do(t.Context(), 3); err != nil || out != 6 {
		t.Errorf("%d, %v", out, err)
	}
	close(letGo)
	all.Wait()
	eventually(t, "rounds are still counted", func() bool { quick.mu.Lock(); defer quick.mu.Unlock(); return quick.running == 0 })
}
