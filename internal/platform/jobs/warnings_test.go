package jobs

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
)

func TestWhatAStopCutsOffIsNothingToWarnOf(t *testing.T) {
	t.Parallel()
	stopped, stop := context.WithCancel(t.Context())
	stop()
	late, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	for _, row := range []struct {
		ctx  context.Context
		want string
	}{{t.Context(), "level=ERROR"}, {stopped, "level=INFO"}, {late, "level=ERROR"}} {
		var out bytes.Buffer
		slog.New(warnings{slog.NewTextHandler(&out, nil)}).ErrorContext(row.ctx, "the commit failed")
		if !strings.Contains(out.String(), row.want) {
			t.Errorf("%v: %s", row.ctx.Err(), out.String())
		}
	}
}
