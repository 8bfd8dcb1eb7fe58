package main

import (
	"io"
	"log/slog"

	"svcpay/internal/sensitive/redact"
)

// newLog writes JSON lines. Its last filter replaces what looks like a card number or a key,
// anyone who let it get that far.
func newLog(w io.Writer) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.LevelKey { // as text it is written without encoding/json
			a.Value = slog.StringValue(a.Value.String())
		}
		switch a.Value.Kind() {
		case slog.KindString, slog.KindInt64, slog.KindUint64, slog.KindAny:
			was := a.Value.String()
			if now := redact.Text(was); now != was {
				a.Value = slog.StringValue(now)
			}
		}
		return a
	}}))
}
