package conformance

import (
	"bytes"
	"errors"
	"maps"
	"net/http"
	"testing"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// loses has the answer to an authorization lost after it was made: the call has no outcome, a look-up finds it within
// the settle window, and the same reference again takes the money once.
func loses(t *testing.T, h Harness) {
	p := h.open()
	a := h.authorization(h.Lost, true)
	if answer, err := p.Authorize(t.Context(), a); err == nil || isUnknown(err) ||
		errors.Is(err, processor.ErrUnsupported) {
		t.Fatalf("%+v, %v; want a lost answer", answer, err)
	}
	h.Advance(p.SettleWindow())
	found, err := h.open().Lookup(t.Context(), h.Account, a.Reference)
	outcome(t, "a lost answer", "", found, err)
	if again, err := p.Authorize(t.Context(), a); err == nil && again != found {
		t.Errorf("the same reference again: %+v, want %+v", again, found)
	}
	h.found(t, p, "after a repetition", a.Reference, found)
	h.approved(t, h.about(a.Reference, amount), p.Refund)
	h.tries(t, p.Refund)("refund of more than was taken once", "declined", a.Reference, 1)
}

// returnsLate has a debit returned after it settled.
func returnsLate(t *testing.T, h Harness) {
	reference := h.debited(t, h.ReturnedLate)
	h.Advance(8 * 24 * time.Hour)
	for _, e := range h.feed(t, "") {
		if e.Reference == reference && e.Kind == processor.DebitReturned {
			t.Errorf("it is returned early: %+v", e)
		}
	}
	e := h.await(t, "", processor.DebitReturned, reference, 60)
	if e.Account != h.Account.External || e.ReturnCode == "" || e.At.After(h.Now()) {
		t.Errorf("%+v", e)
	}
	h.tries(t, h.open().Refund)("refund of what was returned", "declined", reference, 1)
}

// notifies has the counterparty report by notices what its feed has. Others are refused.
func notifies(t *testing.T, h Harness) {
	if h.can().payouts {
		h.pay(t, 1)
	} else {
		h.approved(t, h.about(h.authorized(t, h.RefundFails, true), amount), h.open().Refund)
	}
	h.Advance(7 * 24 * time.Hour)
	reported, err := h.open().Messages(t.Context(), "", 10)
	if err != nil || len(reported) == 0 || h.can().payouts && len(reported) != 1 {
		t.Fatalf("%+v, %v", reported, err)
	}
	header, body := h.Notice(t, reported[0])
	read := func(account processor.Account, header http.Header, body []byte) ([]notice.Message, error) {
		return h.open().Notice(t.Context(), account, header, body)
	}
	for range 2 { // it may come twice
		got, err := read(h.Account, header, body)
		if err != nil || len(got) != 1 || got[0].ID != reported[0].ID || got[0].Account != reported[0].Account ||
			!bytes.Equal(got[0].Body, reported[0].Body) {
			t.Errorf("%+v, %v; the feed has %+v", got, err, reported[0])
		}
	}
	for name := range header {
		without := maps.Clone(header)
		delete(without, name)
		if got, err := read(h.Account, without, body); err == nil && name != "Content-Type" && name != "User-Agent" {
			t.Errorf("without %s: %+v", name, got)
		}
	}
	for what, tt := range map[string]struct {
		header http.Header
		body   []byte
	}{"unsigned": {http.Header{}, body}, "with another body": {header, append(bytes.Clone(body), ' ')},
		"without a body": {header, nil}} {
		if got, err := read(h.Account, tt.header, tt.body); err == nil {
			t.Errorf("%s: %+v", what, got)
		}
	}
	if got, err := read(h.Other, header, body); err == nil {
		t.Errorf("at the address of another account: %+v", got)
	}
	h.Advance(24 * time.Hour)
	if got, err := read(h.Account, header, body); err == nil {
		t.Errorf("a day later: %+v", got)
	}
}
