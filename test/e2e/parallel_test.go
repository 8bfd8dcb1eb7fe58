package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"
)

// TestParallelRequests: of many requests with one key exactly one makes the charge; each other
// gets that answer in the end.
func TestParallelRequests(t *testing.T) {
	t.Parallel()
	const clients = 16
	p := newPlace(t)
	s := p.serve(t, program)
	body := s.order(s.token(t, approvedCard), 12500)
	firsts, finals := make([]answer, clients), make([]answer, clients)
	var wg sync.WaitGroup
	start := make(chan struct{})
	for i := range clients {
		wg.Add(1)
		go func() {
			defer wg.Done()
			<-start
			var err error
			if firsts[i], err = s.charge("key", body); err != nil {
				t.Error(err)
			}
		}()
	}
	close(start)
	wg.Wait()
	count := map[string]int{}
	for i, a := range firsts {
		if finals[i] = a; a.status == http.StatusConflict && a.text("error", "code") == "idempotency_key_in_use" {
			finals[i] = s.insist(t, "key", body)
		}
		count[fmt.Sprintf("%d replayed=%v", a.status, a.replayed())]++
	}
	t.Logf("%d requests at once: %v", clients, count)
	original := 0
	for _, a := range finals {
		if a.status != http.StatusCreated || !bytes.Equal(a.body, finals[0].body) {
			t.Errorf("an answer differs: %s", a)
		}
		if !a.replayed() {
			original++
		}
	}
	if original != 1 {
		t.Errorf("%d answers say that they made the charge", original)
	}
	refuseOtherParameters(t, s, body)
	if all := audit(t, p); len(all) != 1 {
		t.Errorf("there are %d charges", len(all))
	}
}

// refuseOtherParameters: a used key with another amount is refused and names the difference.
func refuseOtherParameters(t *testing.T, s *server, body map[string]any) {
	t.Helper()
	other := map[string]any{}
	for name, v := range body {
		other[name] = v
	}
	other["amount"] = 12501
	a, err := s.charge("key", other)
	if err != nil || a.status != 422 || a.text("error", "code") != "idempotency_key_reused" ||
		fmt.Sprint(a.get("error", "differing_parameters")) != "[amount]" {
		t.Errorf("another amount: %v, %s", err, a)
	}
}
