package webhook

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"

	"svcpay/internal/platform/safehttp"
)

var noon = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

func TestAttemptsAreMadeAtTheirTimes(t *testing.T) {
	t.Parallel()
	promised := []time.Duration{
		0, 5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour,
		14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
	for made := 1; made < len(promised); made++ {
		least, most := 1.0, 1.0
		for range 1000 {
			at, again := next(made, noon, 0)
			share := float64(at.Sub(noon)) / float64(promised[made])
			if !again || share < 0.9 || share > 1.1 {
				t.Fatalf("after %d attempts the next is in %v, %v", made, at.Sub(noon), again)
			}
			least, most = min(least, share), max(most, share)
		}
		if least > 0.92 || most < 1.08 {
			t.Errorf("after %d attempts the pause is %v to %v of what it should be about", made, least, most)
		}
	}
	if _, again := next(len(promised), noon, time.Second); again {
		t.Error("there is an eleventh attempt")
	}
}

// TestScheduleDocuments compares the pages for operators and for applications with the pauses.
func TestScheduleDocuments(t *testing.T) {
	t.Parallel()
	table, all := "| attempt | after the one before |\n|---|---|\n| 1 | at once |\n", make([]string, 0, len(pauses))
	for i, p := range pauses[1:] {
		text := fmt.Sprint(int(p.Seconds()), " s")
		if p >= time.Hour {
			text = fmt.Sprint(int(p.Hours()), " h")
		} else if p >= time.Minute {
			text = fmt.Sprint(int(p.Minutes()), " min")
		}
		table, all = table+fmt.Sprintf("| %d | %s |\n", i+2, text), append(all, text)
	}
	last := len(all) - 1
	for file, want := range map[string]string{
		"docs/webhooks.md":       table,
		"api/guides/webhooks.md": all[0] + " after the first attempt, then after " + strings.Join(all[1:last], ", ") + " and " + all[last] + ",",
	} {
		text, err := os.ReadFile("../../" + file)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), want) {
			t.Errorf("%s must contain\n%s", file, want)
		}
	}
}

func TestLimitsDocumentNamesTheLimitOfEndpoints(t *testing.T) {
	t.Parallel()
	row := fmt.Sprintf("| webhook endpoints of an application | %d | 422 `webhook_endpoints_exhausted` |\n",
		maxEndpoints)
	if text, err := os.ReadFile("../../docs/limits.md"); err != nil || !strings.Contains(string(text), row) {
		t.Errorf("docs/limits.md must have this row, %v:\n%s", err, row)
	}
}

func TestEndpointsSayWhenTheyWantToBeAskedAgain(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]time.Duration{
		"": 0, "x": 0, "-5": 0, "0": 0, "1.5": 0, "+5": 0, "99999999999": math.MaxInt32 * time.Second,
		"120": 2 * time.Minute, "Tue, 01 Dec 2026 12:10:00 GMT": 10 * time.Minute,
		"Tuesday, 01-Dec-26 12:10:00 GMT": 10 * time.Minute, "Tue Dec  1 12:10:00 2026": 10 * time.Minute,
		"Tue, 01 Dec 2026 11:50:00 GMT": 0,
	} {
		if got := retryAfter(value, noon); got != want {
			t.Errorf("%q is %v, want %v", value, got, want)
		}
	}
	for wanted, want := range map[time.Duration][2]time.Duration{ // after the first attempt
		0: {4500 * time.Millisecond, 5500 * time.Millisecond}, time.Second: {4500 * time.Millisecond,
			5500 * time.Millisecond},
		time.Hour: {time.Hour, time.Hour}, 900 * time.Hour: {24 * time.Hour, 24 * time.Hour},
	} {
		if at, again := next(1, noon, wanted); !again || at.Sub(noon) < want[0] || at.Sub(noon) > want[1] {
			t.Errorf("asked for %v it is %v", wanted, at.Sub(noon))
		}
	}
}

func TestWhatIsKeptOfAnAnswer(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"": "", "ok": "ok", "a\x00b\xffc": "a\uFFFDb\uFFFDc", "card 4242424242424242.": "card [redacted].",
		"whsec_abc": "[redacted]",
		strings.Repeat("x", 2030) + " 4242 4242 4242 4242": strings.Repeat("x", 2030) + " [redacted]",
		strings.Repeat("x", 3000):                          strings.Repeat("x", 2048), "x" +
			strings.Repeat("ä", 2000): "x" + strings.Repeat("ä", 1023),
	} {
		if got := kept([]byte(body)); got != want {
			t.Errorf("of %.30q %.30q is kept, %d bytes", body, got, len(got))
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		got := kept(rapid.SliceOfN(rapid.Byte(), 0, 4000).Draw(t, "body"))
		if len(got) > maxKept || !utf8.ValidString(got) || strings.Contains(got, "\x00") {
			t.Fatalf("%d bytes: %q", len(got), got)
		}
	})
}

func TestEveryReasonHasItsWords(t *testing.T) {
	t.Parallel()
	for _, r := range []safehttp.Reason{safehttp.SchemeNotAllowed, safehttp.HostNotAllowed, safehttp.PortNotAllowed} {
		if hosts[r] == "" {
			t.Errorf("a URL that is refused for %s is told nothing", r)
		}
	}
}

func FuzzRetryAfter(f *testing.F) {
	f.Add("120")
	f.Add("Tue, 01 Dec 2026 12:10:00 GMT")
	f.Fuzz(func(t *testing.T, value string) {
		if d := retryAfter(value, noon); d < 0 {
			t.Errorf("%q is %v", value, d)
		}
	})
}

func FuzzSample(f *testing.F) {
	for _, text := range []string{`{}`, `null`, `[]`, `{"a":1e400}`, `{"a":"\u0000"}`, `{"\u0034":"\ud800"}`,
		`{"a":{"b":[null,true,1.5]}}`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var s Sample
		if json.Unmarshal([]byte(text), &s) != nil {
			return
		}
		again, err := json.Marshal(s)
		if err != nil || !json.Valid(again) || !utf8.Valid(again) {
			t.Errorf("%q becomes %q, %v", text, again, err)
		}
	})
}
