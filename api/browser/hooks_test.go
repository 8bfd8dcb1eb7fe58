package browser

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"

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
	header, body, err := p.SignedNotice(t.Context(), processor.Event{ID: "0000000000000000001", Kind: processor.PayoutPaid, Account: account, Reference: "x"})
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
		n, err := pg.Value[int](t.Context(), d.Pool, `SELECT count(*)::int FROM inbound_events WHERE feed = 'processor/sandbox' AND source = 'notice'`, pg.Args{})
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
