package report_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"svcpay/internal/fault"
	"svcpay/internal/pg"
	"svcpay/internal/report"
	"svcpay/internal/search"
)

// FuzzReadSearch reads any text: it is a search, or its mistake is told by its place and without the text.
func FuzzReadSearch(f *testing.F) {
	for _, q := range []string{"smith", "status:failed amount>1", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "1042", "metadata.a:1,2 -metadata.b:3", "created_at<2026-12-01", "last4:x"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := report.ReadSearch(text)
		if told, ok := fault.As(err); err != nil && (!ok || told.Code != "parameter_invalid" || !strings.HasPrefix(told.Message, "At character ")) {
			t.Errorf("%q: %v", text, err)
		}
		if r, err := report.ParseRef(text); err == nil && r == (report.Ref{}) {
			t.Errorf("%q is the reference of nothing", text)
		}
	})
}

// The database takes texts apart as the program does; an index and a search would not meet otherwise.
func TestWordsAreTheDatabases(t *testing.T) {
	t.Parallel()
	w := open(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.StringMatching(`[ -~]{0,40}`), rapid.StringMatching(`[0-9eEa. +-]{0,12}`), rapid.StringMatching(`[A-Za-z0-9ÀÉéçÑñøŁžŞ’“”… .,'-]{0,40}`)).Draw(t, "text")
		got, err := pg.Value[string](w.T.Context(), w.Pool, `
			SELECT coalesce(string_agg(substr(lexeme, 2), ' ' ORDER BY position), '') FROM unnest(search_words(@text::text)) w, unnest(w.positions) position`,
			pg.Args{"text": text})
		if want := strings.Join(search.Words(text), " "); err != nil || got != want {
			t.Fatalf("%q: the database has %q, %v; want %q", text, got, err, want)
		}
	})
}
