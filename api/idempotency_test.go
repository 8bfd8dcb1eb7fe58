package api

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/charge"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
	"svcpay/internal/testing/fixture"
)

func TestParallelRequestsWithOneKeyMakeOneCharge(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token(good))
	answers := make([]answer, 16)
	var wg sync.WaitGroup
	for i := range answers {
		wg.Go(func() {
			for a := s.postKey(t, "k", body); ; a = s.postKey(t, "k", body) {
				if a.status != 409 {
					answers[i] = a
					return
				}
				if a.want(t, 409, "idempotency_key_in_use"); a.header.Get("Retry-After") != "1" ||
					!a.error().Retryable {
					t.Errorf("in use, but told to come back %q", a.header.Get("Retry-After"))
				}
				time.Sleep(5 * time.Millisecond)
			}
		})
	}
	wg.Wait()
	first := slices.IndexFunc(answers, func(a answer) bool { return !a.replayed() })
	for i, a := range answers {
		a.want(t, 201, "")
		if a.replayed() == (i == first) || !bytes.Equal(a.body, answers[first].body) {
			t.Errorf("request %d (first was %d): replayed %v\n%s", i, first, a.replayed(), a.body)
		}
		if a.header.Get("Location") != answers[first].header.Get("Location") ||
			a.header.Get("ETag") != answers[first].header.Get("ETag") {
			t.Errorf("request %d: %v", i, a.header)
		}
	}
	n, err := pg.Value[int64](t.Context(), s.Pool, `SELECT (SELECT count(*) FROM charges) * 100 + (SELECT count(*)
		FROM sandbox_processor_book)`, pg.Args{})
	if err != nil || n != 101 {
		t.Errorf("100 × charges + submissions = %d, %v; want 101", n, err)
	}
}

func TestKeyOfADifferentRequestIsRefused(t *testing.T) {
	t.Parallel()
	s := open(t)
	token, other := s.Token(good), s.Token(good)
	base := s.body(token, "description", `"a"`)
	first := s.postKey(t, "k", base).want(t, 201, "")
	before := s.rows(t)
	for _, tt := range []struct {
		body   string
		differ []string
	}{
		{s.body(token, "description", `"a"`, "amount", "12501"), []string{"amount"}},
		{s.body(other, "description", `"b"`), []string{"description", "token"}},
		{s.body(token), []string{"description"}},
		{s.body(token, "description", `"a"`, "capture", "false", "metadata", `{"a":"b"}`), []string{"capture", "metadata"}},
	} {
		e := s.postKey(t, "k", tt.body).want(t, 422, "idempotency_key_reused").error()
		if !slices.Equal(e.DifferingParameters, tt.differ) {
			t.Errorf("differing are %v, want %v", e.DifferingParameters, tt.differ)
		}
	}
	if after := s.rows(t); after != before {
		t.Errorf("%d rows were written", after-before)
	}
	spaced := fmt.Sprintf("\n{ \"description\" : \"\\u0061\",\t\"token\":%q, \"amount\":12500,\"merchant_id\":%d }",
		token, s.App.Merchants.US)
	if again := s.postKey(t, "k", spaced).want(t, 201, ""); !again.replayed() || !bytes.Equal(again.body, first.body) {
		t.Errorf("the same request, written differently, got\n%s", again.body)
	}
}

// A request may be repeated with its defaults named, or with null where null counts as not sent.
func TestRepetitionsThatMeanTheSame(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	base := s.body(token)
	named := s.body(token, "recurring", "false", "capture", "true", "origin", `"ecommerce"`, "metadata", "{}",
		"description", "null", "type", "null")
	for key, two := range map[string][2]string{"less": {base, named}, "more": {named, base}} {
		first := s.postKey(t, key, two[0]).want(t, 201, "")
		if again := s.postKey(t, key, two[1]).want(t, 201, ""); !again.replayed() ||
			!bytes.Equal(again.body, first.body) {
			t.Errorf("sent first\n%s\nand again\n%s\nwhich got\n%s", two[0], two[1], again.body)
		}
		e := s.postKey(t, key, s.body(token, "recurring", "true", "capture", "true")).want(t, 422,
			"idempotency_key_reused").error()
		if want := []string{"recurring"}; !slices.Equal(e.DifferingParameters, want) {
			t.Errorf("differing are %v, want %v", e.DifferingParameters, want)
		}
	}
	// A server of an earlier release knows what was sent, not what it means.
	s.execute(t, `UPDATE idempotency_keys SET meaning = NULL`, pg.Args{})
	if again := s.postKey(t, "less", base).want(t, 201, ""); !again.replayed() {
		t.Error("the same bytes are another request")
	}
	s.postKey(t, "less", s.body(token, "recurring", "true")).want(t, 422, "idempotency_key_reused")
}

func TestKeysOfTwoApplicationsAreApart(t *testing.T) {
	t.Parallel()
	s := open(t)
	mine := s.postKey(t, "k", s.body(s.Token(good))).want(t, 201, "")
	theirToken := s.TokenIn(s.SessionOf(s.Other, s.Other.Merchants.US), good)
	theirs := s.send(t, call{
		method: "POST", path: "/api/charges", as: &s.Other, header: map[string]string{"Idempotency-Key": "k"},
		body: s.body(theirToken, "merchant_id", fmt.Sprint(s.Other.Merchants.US)),
	}).want(t, 201, "")
	if theirs.replayed() || theirs.charge(t).ID == mine.charge(t).ID {
		t.Error("one application's key reached another's charge")
	}
}

func TestRequestsThatWriteNothingLeaveTheirKey(t *testing.T) {
	t.Parallel()
	s := open(t)
	token := s.Token(good)
	s.postKey(t, "k", s.body(token, "amount", "1.5")).want(t, 400, "amount_not_integer")
	s.postKey(t, "k", "{").want(t, 400, "json_invalid")
	s.postKey(t, "k", s.body(marker)).want(t, 422, "token_not_found")
	s.send(t, call{method: "POST", path: "/api/charges", body: s.body(token),
		header: map[string]string{"Idempotency-Key": "k", "X-API-Key": "-"}}).
		want(t, 401, "api_key_missing")
	if a := s.postKey(t, "k", s.body(token)).want(t, 201, ""); a.replayed() {
		t.Error("a refusal was remembered")
	}
}

func TestKeysAreKeptSevenDays(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token(good))
	first := s.postKey(t, "k", body).want(t, 201, "").charge(t)
	const days = 7 * 24 * time.Hour
	s.Clock.Advance(days - time.Millisecond)
	if a := s.postKey(t, "k", body).want(t, 201, ""); a.charge(t).ID != first.ID {
		t.Error("a key was forgotten early")
	}
	s.Clock.Advance(time.Millisecond)
	if a := s.postKey(t, "k", body).want(t, 201, ""); a.replayed() || a.charge(t).ID == first.ID {
		t.Error("a key was kept too long")
	}
	if n, err := idempotency.Purge(t.Context(), s.Pool, s.Clock.Now().Add(days)); err != nil || n == 0 {
		t.Errorf("purged %d, %v", n, err)
	}
}

func TestWithoutAKeyEveryRequestIsNew(t *testing.T) {
	t.Parallel()
	s := open(t)
	body := s.body(s.Token(good))
	if a, b := s.post(t, body).charge(t), s.post(t, body).charge(t); a.ID == b.ID {
		t.Error("two requests without a key made one charge")
	}
}

// held is a processor whose submissions wait until they may go.
type held struct {
	processor.Processor
	arrived, release chan struct{}
}

func (h held) Authorize(ctx context.Context, a processor.Authorization) (processor.Answer, error) {
	close(h.arrived)
	<-h.release
	return h.Processor.Authorize(ctx, a)
}

// A key whose first request hangs is in use at first; later its repetitions look for themselves.
func TestKeyOfARequestThatHangs(t *testing.T) {
	t.Parallel()
	h := held{arrived: make(chan struct{}), release: make(chan struct{})}
	w := fixture.NewWith(t, func(inner *sandbox.Processor) processor.Processor {
		h.Processor = inner
		return h
	})
	s := serve(t, w, configOf(w), time.Minute)
	body := s.body(s.Token(good))
	first := make(chan answer)
	go func() { first <- s.postKey(t, "k", body) }()
	<-h.arrived
	if a := s.postKey(t, "k", body).want(t, 409, "idempotency_key_in_use"); a.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After is %q", a.header.Get("Retry-After"))
	}
	s.Clock.Advance(3 * time.Second)
	waiting := s.postKey(t, "k", body).want(t, 202, "")
	if c := waiting.charge(t); c.Status != charge.Processing || !waiting.replayed() {
		t.Errorf("the repetition got %s", waiting.body)
	}
	close(h.release)
	a := (<-first).want(t, 201, "")
	again := s.postKey(t, "k", body).want(t, 201, "")
	if a.charge(t).ID != waiting.charge(t).ID || !again.replayed() || !bytes.Equal(a.body, again.body) {
		t.Errorf("first\n%s\nthen\n%s", a.body, again.body)
	}
}
