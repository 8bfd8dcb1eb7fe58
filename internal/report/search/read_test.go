package search_test

import (
	"strings"
	"testing"

	"svcpay/internal/fault"
	"svcpay/internal/report/search"
)

// FuzzParse reads any text: it is a search, or its mistake is told by its place and without the text.
func FuzzParse(f *testing.F) {
	for _, q := range []string{"smith", "status:failed amount>1", "ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "1042",
		"metadata.a:1,2 -metadata.b:3", "created_at<2026-12-01", "last4:x"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, err := search.Parse(text)
		if told, ok := fault.As(err); err != nil &&
			(!ok || told.Code != "parameter_invalid" || !strings.HasPrefix(told.Message, "At character ")) {
			t.Errorf("%q: %v", text, err)
		}
		if r, err := search.ParseRef(text); err == nil && r == (search.Ref{}) {
			t.Errorf("%q is the reference of nothing", text)
		}
	})
}
