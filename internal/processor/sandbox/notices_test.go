package sandbox_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"svcpay/internal/platform/notice"
	"svcpay/internal/processor"
)

// Each event is also sent as a notice, until it is accepted or five were sent; both are the same message.
func TestNoticesAreSentUntilAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ refuses, tried, took int }{{0, 1, 1}, {3, 4, 1}, {9, 5, 0}} {
		w := newWorld(t)
		var mu sync.Mutex
		var took []notice.Message
		tried := 0
		receiver := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, in *http.Request) {
			body, err := io.ReadAll(in.Body)
			if err != nil {
				t.Error(err)
			}
			escaped, ok := strings.CutPrefix(in.URL.EscapedPath(), "/hooks/"+w.open().Name()+"/")
			external, err := url.PathUnescape(escaped)
			if !ok || err != nil {
				t.Errorf("sent to %s", in.URL)
			}
			at := processor.Account{Adapter: w.open().Name(), External: external}
			messages, err := w.open().Notice(in.Context(), at, in.Header, body)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if tried++; tried <= tt.refuses {
				out.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			took = append(took, messages...)
			out.WriteHeader(http.StatusNoContent)
		}))
		t.Cleanup(receiver.Close)
		paidOut(t, w, "payout_paid")
		w.pass(2 * day)
		messages, err := w.open().Messages(t.Context(), "", 10)
		if err != nil || len(messages) != 1 {
			t.Fatalf("%+v, %v", messages, err)
		}
		for range 12 {
			_, err := w.open().Notify(t.Context(), receiver.URL+"/hooks")
			if tt.refuses == 0 && err != nil {
				t.Error(err)
			}
			w.pass(time.Minute)
		}
		if tried != tt.tried || len(took) != tt.took {
			t.Errorf("%d refused: tried %d times, took %+v", tt.refuses, tried, took)
		}
		if tt.took == 1 && (took[0].ID != messages[0].ID || string(took[0].Body) != string(messages[0].Body) ||
			took[0].Account != messages[0].Account) {
			t.Errorf("the notice has %+v, the feed %+v", took[0], messages[0])
		}
	}
}
