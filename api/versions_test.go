package api

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// Every change that takes If-Match is refused, and writes nothing, if its object is of another version.
func TestChangesOfAnotherVersionAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	made := s.theirObjects(t)
	before, tried := s.rows(t), 0
	for _, c := range everyRoute(t) {
		if !c.route.handler.versioned {
			continue
		}
		c = c.about(t, made)
		c.as = &s.Other
		a := s.send(t,
			c.header1("If-Match", `"99"`).header1("Idempotency-Key", "k"+strings.ReplaceAll(c.path, "/", "-"))).want(t,
			412, "object_changed")
		if a.header.Get("ETag") != "" {
			t.Errorf("%s: refused with %v", c.name(), a.header)
		}
		tried++
	}
	if after := s.rows(t); after != before || tried < 4 {
		t.Errorf("%d rows were written in %d operations", after-before, tried)
	}
}

func TestChangesOfTheVersionThatWasRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	held, other := s.authorized(t, good), s.authorized(t, good)
	path := "/api/tokens/" + s.Token(good)
	for _, tt := range []struct {
		method, path, body, version, next string
	}{
		{http.MethodPut, path, `{"exp_month":11}`, `"1"`, `"2"`},
		{http.MethodPut, path, `{"exp_month":12}`, "*", `"3"`},
		{http.MethodDelete, path, "", `"3"`, `"4"`},
		{http.MethodPost, "/api/charges/" + held.ID.String() + "/capture", "", `"2"`, `"3"`},
		{http.MethodPost, "/api/charges/" + other.ID.String() + "/void", "", `"2"`, `"3"`},
	} {
		c := call{method: tt.method, path: tt.path, body: tt.body}.header1("If-Match", tt.version).
			header1("Idempotency-Key", tt.method+strings.ReplaceAll(tt.path, "/", "-")+tt.body)
		first := s.send(t, c).want(t, 200, "")
		again := s.send(t, c).want(t, 200, "")
		if first.header.Get("ETag") != tt.next || !again.replayed() || again.header.Get("ETag") != tt.next {
			t.Errorf("%s %s at %s is answered %v, then %v", tt.method, tt.path, tt.version, first.header, again.header)
		}
		delete(c.header, "Idempotency-Key")
		if tt.version != "*" {
			s.send(t, c).want(t, 412, "object_changed")
		}
	}
}

// Of many who read the same version, one changes it.
func TestOneOfManyChangesTheVersionThatAllRead(t *testing.T) {
	t.Parallel()
	s := open(t)
	path := "/api/tokens/" + s.Token(good)
	var done, refused atomic.Int64
	var wg sync.WaitGroup
	for month := 1; month <= 7; month++ { // the card has 8
		wg.Go(func() {
			c := call{method: http.MethodPut, path: path,
				body: fmt.Sprintf(`{"exp_month":%d}`, month)}.header1("If-Match", `"1"`)
			switch a := s.send(t, c); {
			case a.status == 200 && a.header.Get("ETag") == `"2"`:
				done.Add(1)
			case a.want(t, 412, "object_changed").status == 412:
				refused.Add(1)
			}
		})
	}
	if wg.Wait(); done.Load() != 1 || refused.Load() != 6 {
		t.Errorf("%d changed it, %d were refused", done.Load(), refused.Load())
	}
}
