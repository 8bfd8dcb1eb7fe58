package daf

import (
	"strings"
	"testing"
)

// A fund whose website is unknown has no link.
func TestInstructionsLinkToKnownWebsites(t *testing.T) {
	t.Parallel()
	for website, want := range map[string]bool{"": false, "https://fund.example": true} {
		var page strings.Builder
		if err := InstructionsPage(Page{Text: TextOf("en")}, Instructions{Fund: "A fund", Website: website}).Render(t.Context(),
			&page); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(page.String(), `target="_blank"`) != want {
			t.Errorf("%q: %s", website, page.String())
		}
	}
}
