package chariot_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svcpay/internal/daf/provider"
	"svcpay/internal/daf/provider/chariot"
	"svcpay/internal/daf/provider/chariot/fake"
	"svcpay/internal/platform/notice"
)

// arrivals reads the book, which the money that arrived belongs to, and what arrived after a number.
func (w *world) arrivals(t *testing.T, after int64) []provider.Arrival {
	t.Helper()
	p := w.open()
	_, err := p.Book(t.Context(), 0, 10)
	ok(t, err)
	found, err := p.Arrivals(t.Context(), after, 100)
	ok(t, err)
	return found
}

// TestMoneyArrives finds the deposit of one of our grants once, with what was deducted, and again when it changes.
func TestMoneyArrives(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, answer := w.granted(t)
	w.DepositForeign(5_000_00)
	if found := w.arrivals(t, 0); len(found) > 0 {
		t.Fatalf("nothing arrived: %+v", found)
	}
	w.Advance(6 * day)
	found := w.arrivals(t, 0)
	const fee = gift * 29 / 1000
	if len(found) != 1 || found[0].Reference != g.Reference || found[0].Amount != gift-fee || found[0].Fee != fee ||
		found[0].ReportedFee == nil || *found[0].ReportedFee != fee {
		t.Fatalf("%+v", found)
	}
	w.Requests()
	if again := w.arrivals(t, found[0].Number); len(again) > 0 {
		t.Errorf("%+v", again)
	}
	for _, r := range w.Requests() {
		if r.Path == "/v1/deposits" || r.Path == "/v1/donations" {
			t.Errorf("it is read again: %+v", r)
		}
	}
	w.Advance(time.Hour)
	w.Requests()
	if again := w.arrivals(t, found[0].Number); len(again) > 0 {
		t.Errorf("%+v", again)
	}
	for _, r := range w.Requests() {
		if r.Path == "/v1/donations" {
			t.Errorf("deposits that did not change are read again: %+v", r)
		}
	}
	w.Deposit(answer.TrackingID, 10_00, false)
	w.Advance(time.Hour)
	changed := w.arrivals(t, found[0].Number)
	if len(changed) != 1 || changed[0].ID != found[0].ID || changed[0].Amount != gift-10_00 {
		t.Fatalf("%+v", changed)
	}
	w.Deposit(answer.TrackingID, 10_00, true)
	w.Advance(time.Hour)
	if gone := w.arrivals(t, changed[0].Number); len(gone) != 1 || gone[0].Amount != 0 || gone[0].Fee != 0 {
		t.Errorf("returned: %+v", gone)
	}
}

// TestNoticeOfADeposit: a deposit that a notice reports is read at once; it reports no event.
func TestNoticeOfADeposit(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.granted(t)
	w.Advance(6 * day)
	w.arrivals(t, 0) // also the line of the grant
	w.Deposit(w.Made()[0].Tracking, 20_00, false)
	header, body := w.Webhook(w.Events()[len(w.Events())-1])
	messages, err := w.open().Notice(t.Context(), header, body)
	if err != nil || len(messages) != 1 || messages[0].Kind != "deposit.updated" {
		t.Fatalf("%+v, %v", messages, err)
	}
	for range 2 {
		events, err := w.open().Events(t.Context(), messages[0])
		if len(events) > 0 || err != nil {
			t.Errorf("%+v, %v", events, err)
		}
	}
	if found := w.arrivals(t, 1); len(found) != 1 || found[0].Fee != 20_00 {
		t.Errorf("%+v", found)
	}
	w.Advance(2 * time.Minute)
	fed, err := w.open().Messages(t.Context(), "", 10)
	ok(t, err)
	if len(fed) == 0 || fed[len(fed)-1].ID != messages[0].ID {
		t.Errorf("the feed has %+v", fed)
	}
}

// TestADepositThatChangesWhileItIsRead: money that is returned after a notice's deposit was read, and that a walk finds
// first, stays returned.
func TestADepositThatChangesWhileItIsRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, answer := w.granted(t)
	w.Advance(6 * day)
	w.arrivals(t, 0)
	w.Deposit(answer.TrackingID, 20_00, false)
	header, body := w.Webhook(w.Events()[len(w.Events())-1])
	messages, err := w.open().Notice(t.Context(), header, body)
	ok(t, err)
	var returned []provider.Arrival
	between := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.ServeHTTP(rw, r)
		if strings.HasPrefix(r.URL.Path, "/v1/deposits/") {
			w.Advance(time.Hour)
			w.Deposit(answer.TrackingID, 20_00, true)
			returned = w.arrivals(t, 1)
		}
	}))
	defer between.Close()
	slow := &world{Fake: w.Fake, pool: w.pool, address: between.URL, credentials: w.credentials}
	_, err = slow.open().Events(t.Context(), messages[0])
	ok(t, err)
	if len(returned) != 1 || returned[0].Amount != 0 {
		t.Fatalf("%+v", returned)
	}
	if found := w.arrivals(t, returned[0].Number); len(found) > 0 {
		t.Errorf("the money is there again: %+v", found)
	}
}

// TestADepositWithoutItsDonations: money of a deposit that failed is gone, also if its donations are of no deposit
// then.
func TestADepositWithoutItsDonations(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, answer := w.granted(t)
	w.Advance(6 * day)
	arrived := w.arrivals(t, 0)
	w.Unsettle(answer.TrackingID)
	w.Advance(time.Hour)
	gone := w.arrivals(t, arrived[0].Number)
	if len(gone) != 1 || gone[0].ID != arrived[0].ID || gone[0].Amount != 0 || gone[0].Fee != 0 {
		t.Fatalf("%+v", gone)
	}
	if again := w.arrivals(t, gone[0].Number); len(again) > 0 {
		t.Errorf("%+v", again)
	}
}

// TestAccountsWithoutDeposits: an account that may not read deposits works, and has none.
func TestAccountsWithoutDeposits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.granted(t)
	w.NoDeposits(true)
	w.Advance(6 * day)
	if found := w.arrivals(t, 0); len(found) > 0 {
		t.Errorf("%+v", found)
	}
	messages, events := w.read(t, "")
	if len(messages) != 2 || len(events) != 1 { // of the grant, and of its deposit
		t.Errorf("%+v, %+v", messages, events)
	}
	w.NoDeposits(false)
	w.Advance(time.Hour)
	if found := w.arrivals(t, 0); len(found) != 1 {
		t.Errorf("deposits are allowed now: %+v", found)
	}
}

// TestDepositsThatCannotBeRead: an error is returned, and the next walk reads everything.
func TestDepositsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.granted(t)
	w.Advance(6 * day)
	p := w.open()
	_, err := p.Book(t.Context(), 0, 10)
	ok(t, err)
	for _, tt := range []struct {
		at    string
		fault fake.Fault
	}{{"GET /v1/deposits", fake.Broken}, {"GET /v1/donations", fake.Broken}, {"GET /v1/donations", fake.Forbidden}} {
		w.Fail(tt.at, tt.fault)
		if found, err := p.Arrivals(t.Context(), 0, 10); err == nil {
			t.Errorf("%s, %d: %+v", tt.at, tt.fault, found)
		}
	}
	if found := w.arrivals(t, 0); len(found) != 1 {
		t.Errorf("%+v", found)
	}
	var _ provider.Arrivals = (*chariot.Provider)(nil)
	for _, m := range []notice.Message{{ID: "00000000000001_x", Body: []byte(`{"id":"x"}`)}} {
		if _, err := p.Events(t.Context(), m); err == nil {
			t.Error("a message about nothing is read")
		}
	}
}
