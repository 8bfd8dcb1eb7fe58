package e2e

import (
	"testing"
	"time"

	"svcpay/internal/platform/pg"
)

// TestTimeout: a charge whose call timed out becomes final within 30 s without another request,
// whether or not the server is killed in the meantime; then its key gives the charge.
func TestTimeout(t *testing.T) {
	t.Parallel()
	t.Run("left alone", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		s := p.serve(t, program)
		timedOut(t, p, s, func(answers <-chan answer) *server {
			wantProcessing(t, <-answers)
			return s
		})
	})
	t.Run("killed after the 202", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		s := p.serve(t, program)
		timedOut(t, p, s, func(answers <-chan answer) *server {
			wantProcessing(t, <-answers)
			s.kill(t)
			return p.serve(t, program)
		})
	})
	t.Run("killed during the call", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t)
		s := p.serve(t, program)
		timedOut(t, p, s, func(answers <-chan answer) *server {
			eventually(t, patience, "the submission", func() bool { return submitted(t, p) > 0 })
			s.kill(t)
			if a, ok := <-answers; ok {
				t.Errorf("the kill came too late: %s", a)
			}
			return p.serve(t, program)
		})
	})
}

func submitted(t *testing.T, p *place) int64 {
	return value[int64](t, p, `SELECT count(*) FROM sandbox_processor_book`, pg.Args{})
}

func wantProcessing(t *testing.T, a answer) {
	t.Helper()
	if a.status != 202 || a.text("status") != "processing" || a.replayed() {
		t.Fatalf("the first answer: %s", a)
	}
}

// timedOut charges the card and lets in the meantime do its worst. Nothing else asks for the charge.
func timedOut(t *testing.T, p *place, s *server, meanwhile func(<-chan answer) *server) {
	body := s.order(s.token(t, timeoutCard), 4200)
	answers := make(chan answer, 1)
	begun := time.Now()
	go func() {
		defer close(answers)
		if a, err := s.charge("key", body); err == nil {
			answers <- a
		}
	}()
	s = meanwhile(answers)
	status := ""
	eventually(t, 40*time.Second, "a final status", func() bool {
		status = value[string](t, p, `SELECT status FROM charges`, pg.Args{})
		return status != "processing"
	})
	took := time.Since(begun)
	t.Logf("%s %s after the request", status, took.Round(time.Millisecond))
	if status != "captured" || took > 30*time.Second {
		t.Errorf("the charge is %s after %s", status, took)
	}
	a, err := s.charge("key", body)
	if err != nil || a.status != 201 || !a.replayed() || a.text("status") != "captured" {
		t.Errorf("the replay: %v, %s", err, a)
	}
	for _, r := range audit(t, p) {
		sameOutcome(t, &s.site, r)
	}
}
