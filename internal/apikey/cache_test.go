package apikey

import (
	"fmt"
	"testing"
	"time"
)

// However many keys are made up, those that there are stay known, and memory stays bounded.
func TestMadeUpKeysEvictNoKey(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	c := newCache(func() time.Time { return now })
	c.put("good", cached{key: Key{Name: "good"}, found: true})
	for i := range 3 * cacheMax {
		c.put(fmt.Sprint("made up ", i), cached{})
		if len(c.found)+len(c.missed) > cacheMax+1 {
			t.Fatalf("%d keys are remembered", len(c.found)+len(c.missed))
		}
	}
	if v, ok := c.get("good"); !ok || !v.found || v.key.Name != "good" {
		t.Errorf("%+v, %v", v, ok)
	}
	if v, ok := c.get(fmt.Sprint("made up ", 3*cacheMax-1)); !ok || v.found {
		t.Errorf("the last one that was made up: %+v, %v", v, ok)
	}
	for i := range cacheMax {
		c.put(fmt.Sprint("key ", i), cached{found: true})
	}
	if len(c.found) > cacheMax {
		t.Errorf("%d keys are remembered", len(c.found))
	}
	now = now.Add(cacheFor + 1)
	if _, ok := c.get(fmt.Sprint("key ", cacheMax-1)); ok {
		t.Error("a key is remembered for too long")
	}
}

// What is known of a key by now is what was seen last of it.
func TestTheLastThatWasSeenOfAKeyCounts(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 1, 9, 0, 0, 0, time.UTC)
	c := newCache(func() time.Time { return now })
	for _, found := range []bool{false, true, false} {
		c.put("key", cached{found: found})
		if v, ok := c.get("key"); !ok || v.found != found {
			t.Errorf("%v is remembered as %v, %v", found, v.found, ok)
		}
		now = now.Add(cacheFor + 1)
	}
	c.put("key", cached{found: true})
	c.put("made up", cached{})
	c.forget()
	for _, key := range []string{"key", "made up"} {
		if _, ok := c.get(key); ok {
			t.Errorf("%s is not forgotten", key)
		}
	}
}
