package api

import (
	"strings"
	"testing"
)

// TestCodesOfTheLibraryHaveAnchors: errors of the library name this page with their code as the fragment.
func TestCodesOfTheLibraryHaveAnchors(t *testing.T) {
	t.Parallel()
	html := string(docsOf(t, &API{}).pages[guidesPath+"/library"].html)
	for _, code := range []string{"not_ready", "timeout", "invalid_number", "mount_target_missing", "internal_error"} {
		if n := strings.Count(html, `<code id="`+code+`">`); n != 1 {
			t.Errorf("%d anchors of %s", n, code)
		}
	}
}
