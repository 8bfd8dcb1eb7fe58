package conformance

import (
	"context"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/processor"
)

func debits(t *testing.T, h Harness) {
	settles, returned := h.debited(t, h.Settles), h.debited(t, h.Returned)
	for _, early := range h.feed(t, "") {
		if early.Reference == settles || early.Reference == returned {
			t.Errorf("the feed reports %+v too early", early)
		}
	}
	e := h.await(t, "", processor.DebitReturned, returned, 7)
	if e.Account != h.Account.External || e.ReturnCode == "" || e.Dispute != nil || e.At.After(h.Now()) || e.ID == "" {
		t.Errorf("%+v", e)
	}
	h.tries(t, h.open().Refund)("refund of what was returned", "declined", returned, 1)
	h.Advance(90 * 24 * time.Hour)
	for _, e := range h.feed(t, "") {
		if e.Reference == settles && e.Kind == processor.DebitReturned {
			t.Errorf("%+v", e)
		}
	}
}

func payouts(t *testing.T, h Harness) {
	out := h.payout()
	answer, err := h.open().Payout(t.Context(), out)
	outcome(t, "payout", "", answer, err)
	e := h.await(t, "", processor.PayoutPaid, out.Reference, 7)
	if e.Account != out.Account.External || e.ReturnCode != "" || e.Dispute != nil || e.At.After(h.Now()) {
		t.Errorf("%+v", e)
	}
}

func disputes(t *testing.T, h Harness) {
	p, answered, ignored := h.open(), h.authorized(t, h.Disputed, true), h.authorized(t, h.Disputed, true)
	opened := h.await(t, "", processor.DisputeOpened, answered, 1)
	other := h.await(t, "", processor.DisputeOpened, ignored, 0)
	d := opened.Dispute
	if d == nil || other.Dispute == nil || d.ID == "" || d.ID == other.Dispute.ID || d.Retrieval || d.Reason == "" ||
		d.Amount != amount || d.Currency != money.USD || !d.RespondBy.After(h.Now()) {
		t.Fatalf("%+v, %+v", d, other.Dispute)
	}
	respond := func(what, want string, account processor.Account, dispute string) {
		t.Helper()
		answer, err := p.Respond(t.Context(),
			processor.Response{Reference: h.reference(), Account: account, Dispute: dispute,
				Amount: amount, Currency: money.USD, Evidence: map[string]string{"explanation": "It was delivered."}})
		outcome(t, what, want, answer, err)
	}
	respond("another merchant", "declined", h.Other, d.ID)
	respond("in time", "", h.Account, d.ID)
	respond("again", "declined", h.Account, d.ID)
	h.Advance(other.Dispute.RespondBy.Sub(h.Now()))
	respond("too late", "declined", h.Account, other.Dispute.ID)
	e := h.await(t, opened.ID, processor.DisputeLost, ignored, 1)
	if e.Dispute == nil || e.Dispute.ID != other.Dispute.ID {
		t.Errorf("%+v", e)
	}
}

// pay makes payouts, whose events the feed tells later.
func (h Harness) pay(t *testing.T, n int) (references []string) {
	p := h.open()
	for range n {
		out := h.payout()
		if answer, err := p.Payout(t.Context(), out); err != nil || !answer.Approved {
			t.Errorf("%+v, %v", answer, err)
		}
		references = append(references, out.Reference)
	}
	return references
}

func pages(t *testing.T, h Harness) {
	const n = 12
	first := h.pay(t, n)
	h.Advance(7 * 24 * time.Hour)
	second := h.pay(t, n)
	h.Advance(7 * 24 * time.Hour)
	all := h.feed(t, "")
	if len(all) != 2*n {
		t.Fatalf("%d events, want %d", len(all), 2*n)
	}
	for i, e := range all {
		if !slices.Contains([][]string{first, second}[i/n], e.Reference) ||
			i > 0 && (e.ID <= all[i-1].ID || e.At.Before(all[i-1].At)) {
			t.Errorf("event %d is out of order: %+v", i, e)
		}
	}
	p := h.open()
	for i, e := range all {
		after := ""
		if i > 0 {
			after = all[i-1].ID
		}
		if page, err := Events(t.Context(), p, after, 1); err != nil || len(page) != 1 ||
			!reflect.DeepEqual(page[0], e) {
			t.Errorf("after %q comes %+v, %v; want %+v", after, page, err, e)
		}
	}
	if rest, err := Events(t.Context(), p, all[len(all)-1].ID, 10); err != nil || len(rest) != 0 {
		t.Errorf("after the last comes %+v, %v", rest, err)
	}
	if again := h.feed(t, ""); !reflect.DeepEqual(again, all) {
		t.Error("the feed reads differently the second time")
	}
	if page, err := Events(t.Context(), p, "no event", 10); err == nil {
		t.Errorf("after what is no event comes %+v", page)
	}
}

// misses lets payouts be made, time pass and the feed be read, all at the same time.
func misses(t *testing.T, h Harness) {
	const writers, each, readers = 4, 15, 3
	var wanted []string
	var mu sync.Mutex
	var writing, reading sync.WaitGroup
	for range writers {
		writing.Go(func() {
			references := h.pay(t, each)
			mu.Lock()
			defer mu.Unlock()
			wanted = append(wanted, references...)
		})
	}
	patience, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	seen := make([][]processor.Event, readers)
	for i := range readers {
		reading.Go(func() { seen[i] = h.follow(patience, t, writers*each) })
	}
	h.passUntil(&writing)
	h.passUntil(&reading)
	slices.Sort(wanted)
	after := h.feed(t, "")
	for i, events := range seen {
		var references []string
		for _, e := range events {
			references = append(references, e.Reference)
		}
		slices.Sort(references)
		if !slices.Equal(references, wanted) {
			t.Errorf("reader %d saw %d events, want %d, each once", i, len(events), len(wanted))
		}
		if !reflect.DeepEqual(events, after) {
			t.Errorf("reader %d saw another feed than there is after a restart", i)
		}
	}
}

// passUntil lets time pass until all are done, at most ten days: a feed may drop events older than thirty days.
func (h Harness) passUntil(all *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		all.Wait()
	}()
	for left := 10 * 24 * time.Hour; ; {
		if left > 0 {
			h.Advance(2 * time.Hour)
			left -= 2 * time.Hour
		}
		select {
		case <-done:
			return
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// follow reads the feed with a cursor of its own until it has so many events.
func (h Harness) follow(ctx context.Context, t *testing.T, n int) (events []processor.Event) {
	p, after := h.open(), ""
	for len(events) < n {
		page, err := Events(ctx, p, after, 7)
		if err != nil {
			t.Errorf("after %d events: %v", len(events), err)
			return events
		}
		if len(page) > 0 {
			events, after = append(events, page...), page[len(page)-1].ID
			continue
		}
		time.Sleep(time.Millisecond)
	}
	return events
}

func books(t *testing.T, h Harness) {
	p := h.open()
	if p.Terms().BookOfMoney {
		h.booksMoney(t, p)
		return
	}
	var want []string
	for range 2 { // a repeated submission is one more line
		for _, c := range h.calls(t) {
			for range 2 {
				if _, err := c.make(t.Context(), p); err != nil {
					t.Fatal(err)
				}
				want = append(want, c.reference)
			}
		}
	}
	h.Advance(24 * time.Hour)
	got := h.booked(t, p)
	at := 0
	for _, reference := range got { // among them, those that prepared the calls
		if at < len(want) && reference == want[at] {
			at++
		}
	}
	if at != len(want) {
		t.Errorf("the book has only the first %d of %d submissions, in their order", at, len(want))
	}
}

// booksMoney checks a book with [processor.Terms.BookOfMoney]: each call that moved money has one line, however often
// it was sent.
func (h Harness) booksMoney(t *testing.T, p processor.Processor) {
	moves := []string{"authorize, capture", "capture", "refund"}
	calls := h.calls(t)
	for _, c := range calls {
		for range 2 {
			if _, err := c.make(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			h.Advance(time.Second)
		}
	}
	h.Advance(24 * time.Hour)
	got := h.booked(t, p)
	for name, c := range calls {
		n := 0
		for _, reference := range got {
			if reference == c.reference {
				n++
			}
		}
		if slices.Contains(moves, name) && n != 1 || !c.approved && n > 0 || n > 1 {
			t.Errorf("%s: %d lines", name, n)
		}
	}
}

// booked reads the whole book in pages, and returns the references of its lines that calls caused.
func (h Harness) booked(t *testing.T, p processor.Processor) (got []string) {
	t.Helper()
	var after int64
	for {
		page, err := p.Book(t.Context(), after, 7)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			return got
		}
		for _, l := range page {
			at := h.Account
			if l.Kind == "payout" {
				at = h.payout().Account
			}
			if l.Number <= after || l.Account != at.External || l.Amount < 1 || l.Currency != money.USD ||
				l.Kind == "" || l.At.After(h.Now()) {
				t.Errorf("after %d comes %+v", after, l)
			}
			if after = l.Number; l.IsFee() {
				continue
			}
			answer, err := p.Lookup(t.Context(), at, l.Reference)
			if !slices.Contains(got, l.Reference) && (err != nil || answer.Approved != l.Approved) {
				t.Errorf("%+v: %+v, %v", l, answer, err)
			}
			got = append(got, l.Reference)
		}
	}
}
