package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"svcpay/internal/processor/sandbox"
	"svcpay/internal/sensitive"
)

func TestRedaction(t *testing.T) {
	t.Parallel()
	secret := "sk_sandbox_" + strings.Repeat("aB3", 12)
	for text, want := range map[string]string{
		"4242424242424242":                              "[redacted]",
		"card 4242 4242 4242 4242.":                     "card [redacted].",
		"card 4242-4242-4242-4242":                      "card [redacted]",
		"3782 822463 10005":                             "[redacted]",
		`{"n":"378282246310005"}`:                       `{"n":"[redacted]"}`,
		"at 1700000000 4242424242424242 seen":           "at 1700000000 [redacted] seen",
		"at 1700000000 4242 4242 4242 4242 seen":        "at 1700000000 [redacted] seen",
		"two: 4242424242424242,5555555555554444":        "two: [redacted],[redacted]",
		"4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2":               "[redacted]",
		"4242424242424241":                              "4242424242424241",
		"amount 99999999 id 12345678901":                "amount 99999999 id 12345678901",
		"key " + secret + ", x":                         "key [redacted], x",
		"pk_production_abc rk_sandbox_abc":              "[redacted] [redacted]",
		"cs_" + strings.Repeat("x-_9", 10):              "[redacted]",
		"whsec_c2VjcmV0+/=":                             "[redacted]",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f cs_short task_1": "ch_01jq8z6k4t8m2x9v5c7b1n3d0f cs_short task_1",
	} {
		if got := redact(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestLogShowsNoCardByAnyWay(t *testing.T) {
	t.Parallel()
	for _, c := range sandbox.Cases() {
		n := c.Number
		var number int64
		if _, err := fmt.Sscan(n, &number); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		log := newLog(&b)
		log.With("with", n).WithGroup("g").Error("message "+n, "string", n, "error", fmt.Errorf("outer: %w", errors.New(n)), "number", number, "unsigned", uint64(number),
			"struct", struct{ A string }{n}, "list", []string{n}, "map", map[string]any{"a": n}, slog.Group("sub", "deep", n), "pan", sensitive.NewPAN(n))
		if strings.Contains(b.String(), n) || strings.Count(b.String(), "[redacted]") < 9 {
			t.Errorf("%s: %s", c.Name, &b)
		}
		if !json.Valid(b.Bytes()) || bytes.Count(b.Bytes(), []byte("\n")) != 1 {
			t.Errorf("not one line of JSON: %s", &b)
		}
	}
}

func TestLogKeepsWhatIsHarmless(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	newLog(&b).Info("request", "status", 201, "took_ms", int64(12), "ok", true, "ids", []int{1, 2}, "error", errors.New("no"))
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got["status"] != 201.0 || got["ok"] != true || got["error"] != "no" || len(got["ids"].([]any)) != 2 {
		t.Errorf("%s, %v", &b, err)
	}
}
