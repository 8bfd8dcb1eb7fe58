package browser

import (
	"fmt"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/labstack/echo/v4"

	"svcpay/internal/testing/fixture"
	"svcpay/static"
)

// flooded is a pay origin that answers 20 requests of an address at once, and one a second.
func flooded(t *testing.T) *visitor {
	t.Helper()
	w, e := fixture.New(t), echo.New()
	w.TakesDAF(w.App.Merchants.US)
	limit, log := NewLimit(1, w.Clock.Now), slog.New(slog.DiscardHandler)
	RegisterClient(e, ClientConfig{Tokens: w.Tokens, Workflows: w.Workflows, Links: w.Links, Limit: limit, Log: log,
		Now: w.Clock.Now})
	for _, err := range []error{
		RegisterFiles(e, library(), keys, limit, true),
		RegisterModal(e, ModalConfig{Workflows: w.Workflows, Static: static.FS(), PayURL: payURL, Limit: limit,
			Log: log}),
		RegisterLink(e, LinkConfig{Links: w.Links, Static: static.FS(), PayURL: payURL, Limit: limit, Log: log}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return &visitor{w, t, e}
}

// Anyone who makes up keys gets a few answers. A key that works goes on in the meantime, on a page of many frames, too,
// and even one that was not used before.
func TestMadeUpKeysAreAnsweredSoOften(t *testing.T) {
	t.Parallel()
	v := flooded(t)
	frame := func(key string, want int) {
		t.Helper()
		if s := v.do("/3.2/frame/field?k="+key, nil); s.status != want || want == 429 &&
			(s.header.Get("Retry-After") != "1" ||
				s.header.Get("Content-Security-Policy") != fmt.Sprintf(framePolicy, "")+noOrigin) {
			t.Errorf("%s: %d with %v", key, s.status, s.header)
		}
	}
	for range 100 {
		frame("pk_bound", 200)
	}
	for n := range 40 {
		frame(fmt.Sprint("pk_made_up_", n), map[bool]int{true: 200, false: 429}[n < 20])
	}
	frame("pk_bound", 200)
	frame("pk_widget", 200)
	frame("", 200) // asks for nothing
	v.Clock.Advance(time.Second)
	frame("pk_late", 200)
	frame("pk_later", 429)
	v.do(modalPath+"forged", nil).has(t, 429)
}

// Pages of modals are counted with all else that an address asks for.
func TestPagesOfModalsAreShownSoOften(t *testing.T) {
	t.Parallel()
	v := flooded(t)
	way := (&donor{*v}).begins()
	all := []string{modalPath + "forged", linkPath + "forged", way, way + "/fund"}
	for n := range 19 { // the way's begin was the first
		if s := v.do(all[n%len(all)], nil); s.status == http.StatusTooManyRequests {
			t.Fatalf("%d: %d", n, s.status)
		}
	}
	for _, path := range all {
		s := v.do(path, nil)
		s.has(t, 429, "Too many requests", "Try again")
		if s.header.Get("Retry-After") != "1" || s.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, s.header)
		}
	}
	if s := v.do(way+"/fund", map[string][]string{"fund": {"fund_juniper"}}); s.status != http.StatusTooManyRequests {
		t.Errorf("a form: %d", s.status)
	}
	if status, _ := v.posts("/client/session", "{}"); status != http.StatusTooManyRequests {
		t.Errorf("a session: %d", status)
	}
	v.Clock.Advance(time.Second)
	v.do(way+"/fund", nil).has(t, 200, "Riverside Food Bank")
}
