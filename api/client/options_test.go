package client_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"svcpay/api/client"
)

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"", "api.example.org", "ftp://api.example.org", "https://",
		"https://user@api.example.org", "https://a.example?b=c", "https://a.example#b", "https://a b"} {
		if _, err := client.New(url, 1, "k"); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
	for _, of := range []struct {
		app int64
		key string
	}{{0, "k"}, {-1, "k"}, {1, ""}} {
		if _, err := client.New("https://api.example.org", of.app, of.key); err == nil {
			t.Errorf("%v is taken", of)
		}
	}
}

// Callers can show that a request is being retried, before they wait for it.
func TestRetriesAreAnnounced(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var notices []string
		notice := client.WithRetryNotice(func(failed error, pause time.Duration) {
			notices = append(notices, fmt.Sprint(failed, " ", pause > 0))
		})
		c, _ := talking(t, []client.Setting{notice}, answer{err: errors.New("connection refused")},
			refusal(503, "overloaded", "Retry-After", "1"),
			answer{status: 200, body: `{"object":"list","data":[]}`})
		if _, err := c.Events.ListPage(t.Context(), client.ListEventsParams{}); err != nil {
			t.Fatal(err)
		}
		want := []string{"svcpay: GET /api/events: connection refused true",
			"svcpay: GET /api/events: 503 overloaded: Said so. (req_2) true"}
		if !slices.Equal(notices, want) {
			t.Errorf("%q", notices)
		}
	})
}
