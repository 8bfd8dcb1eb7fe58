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
		log.With("with", n).WithGroup("g").Error("message "+n, "string", n, "error",
			fmt.Errorf("outer: %w", errors.New(n)), "number", number, "unsigned", uint64(number),
			"struct", struct{ A string }{n}, "list", []string{n}, "map", map[string]any{"a": n},
			slog.Group("sub", "deep", n), "pan", sensitive.NewPAN(n))
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
	newLog(&b).Info("request", "status", 201, "took_ms", int64(12), "ok", true, "ids", []int{1, 2}, "error",
		errors.New("no"))
	var got map[string]any
	if err := json.Unmarshal(b.Bytes(), &got); err != nil || got["status"] != 201.0 || got["ok"] != true ||
		got["error"] != "no" || len(got["ids"].([]any)) != 2 {
		t.Errorf("%s, %v", &b, err)
	}
}
