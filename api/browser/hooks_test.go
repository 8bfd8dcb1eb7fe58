package browser

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/platform/notice"
	"svcpay/internal/platform/pg"
	"svcpay/internal/processor"
	"svcpay/internal/processor/sandbox"
)

// Processors send webhooks to the address of an account; what is refused leaves nothing behind.
func TestNoticesOfProcessors(t *testing.T) {
	t.Parallel()
	d := newDonor(t)
	p := sandbox.New("sandbox", d.Pool, d.Clock.Now, nil)
	account := processor.MerchantAccount(d.App.AppID, d.App.Merchants.US)
	header, body, err := p.SignedNotice(t.Context(),
		processor.Event{ID: "0000000000000000001", Kind: processor.PayoutPaid, Account: account, Reference: "x"})
	if err != nil {
		t.Fatal(err)
	}
	hook := func(path string, header http.Header, body []byte) int {
		r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
		r.Header = header
		a := httptest.NewRecorder()
		d.e.ServeHTTP(a, r)
		if a.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s may be stored", path)
		}
		return a.Code
	}
	address := "/hooks/sandbox/" + url.PathEscape(account)
	stored := func() int {
		n, err := pg.Value[int](t.Context(), d.Pool, `SELECT count(*)::int FROM inbound_events
			WHERE feed = 'processor/sandbox' AND source = 'notice'`, pg.Args{})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for name, tt := range map[string]struct {
		path   string
		header http.Header
		body   []byte
		want   int
	}{
		"another processor": {"/hooks/other/" + url.PathEscape(account), header, body, 404},
		"no account":        {"/hooks/sandbox/acct_1", header, body, 404},
		"another account":   {"/hooks/sandbox/" + url.PathEscape(processor.MerchantAccount(d.App.AppID, d.App.Merchants.US+1)), header, body, 400},
		"a percent sign":    {"/hooks/sandbox/a%25b", header, body, 404},
		"not signed":        {address, http.Header{}, body, 401},
		"another body":      {address, header, append(bytes.Clone(body), ' '), 401},
		"too large":         {address, header, make([]byte, 256<<10+1), 413},
	} {
		if got := hook(tt.path, tt.header, tt.body); got != tt.want {
			t.Errorf("%s: %d, want %d", name, got, tt.want)
		}
	}
	if n := stored(); n != 0 {
		t.Errorf("%d were stored of those that were refused", n)
	}
	for range 2 {
		if got := hook(address, header, body); got != 204 {
			t.Errorf("%d", got)
		}
	}
	if n := stored(); n != 1 {
		t.Errorf("%d were stored, want 1", n)
	}
}

// An address that sends refused notices is soon not heard any more, but for accounts whose notices are accepted.
func TestRefusedNoticesAreLimited(t *testing.T) {
	t.Parallel()
	now, limited := time.Date(2027, 5, 6, 7, 8, 9, 0, time.UTC), echo.New()
	read := 0
	RegisterHooks(limited, HookConfig{Noticed: func(string, string) {}, Log: slog.New(slog.DiscardHandler),
		Limit: NewLimit(1, func() time.Time { return now }),
		Notice: func(_ context.Context, _ processor.Account, h http.Header, _ []byte) error {
			if read++; h.Get("Signed") == "" {
				return notice.ErrSignature
			}
			return nil
		}})
	sends := func(account, from, signed string, want int) {
		t.Helper()
		r := httptest.NewRequest(http.MethodPost, "/hooks/acme/"+account, nil)
		r.RemoteAddr = from + ":1234"
		r.Header.Set("Signed", signed)
		a := httptest.NewRecorder()
		limited.ServeHTTP(a, r)
		if a.Code != want || want == 429 && a.Header().Get("Retry-After") != "1" {
			t.Fatalf("notice %d, of %s from %s: %d with %v, want %d", read, account, from, a.Code, a.Header(), want)
		}
	}
	sends("good", "192.0.2.1", "yes", 204)
	for range 20 {
		sends("rolled", "192.0.2.1", "", 401)
	}
	read = 0
	sends("rolled", "192.0.2.1", "", 429)
	sends("new", "192.0.2.1", "yes", 429) // it is sent again
	sends("new", "192.0.2.2", "yes", 204)
	sends("good", "192.0.2.2", "", 401) // a stranger's changes nothing for the sender
	sends("good", "192.0.2.1", "yes", 204)
	if read != 3 {
		t.Errorf("%d were read", read)
	}
	now = now.Add(time.Second)
	sends("rolled", "192.0.2.1", "", 401)
	sends("rolled", "192.0.2.1", "", 429)
}
