package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// tally counts what happened.
type tally struct {
	mu sync.Mutex
	of map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what]++
}

// set replaces a count.
func (c *tally) set(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	c.of[what] = n
}

func (c *tally) count(what string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.of[what]
}

// sum counts everything whose name begins so.
func (c *tally) sum(prefix string) (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for what, times := range c.of {
		if strings.HasPrefix(what, prefix) {
			n += times
		}
	}
	return n
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(c.of)) {
		fmt.Fprintf(&b, "\n  %5d  %s", c.of[what], what)
	}
	return b.String()
}

// findings are broken promises, each told once.
type findings struct {
	mu   sync.Mutex
	list []string
}

func (f *findings) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if what := fmt.Sprintf(format, args...); !slices.Contains(f.list, what) {
		f.list = append(f.list, what)
	}
}

func (f *findings) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}
