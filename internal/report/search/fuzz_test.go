package search_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"

	"svcpay/internal/ids"
	"svcpay/internal/report/search"
)

func FuzzRef(f *testing.F) {
	for _, text := range []string{"", "0", "1042", "01042", "-1", "999999999999", "1000000000000",
		"ch_01jq8z6k4t8m2x9v5c7b1n3d0f", "tok_7zzzzzzzzzzzzzzzzzzzzzzzzz", "po_",
		"evt_01jq8z6k4t8m2x9v5c7b1n3d0f", "\x00"} {
		f.Add(text)
	}
	form := regexp.MustCompile(`\A([1-9][0-9]{0,11}|(ch|re|dp|po|tok)_[0-7][0-9a-hjkmnp-tv-z]{25})\z`)
	f.Fuzz(func(t *testing.T, text string) {
		ref, err := search.ParseRef(text)
		if none := strings.HasSuffix(text, "_"+strings.Repeat("0", 26)); (err == nil) != (form.MatchString(text) &&
			!none) {
			t.Errorf("%q is read as %v, %v", text, ref, err)
		}
		if err != nil && !errors.Is(err, ids.ErrID) {
			t.Errorf("%q is refused with %v", text, err)
		}
	})
}
