package api

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

var commandURL = regexp.MustCompile(`"\$URL(/[^"]*)"`)

// What the guide to lists asks for is answered.
func TestGuideToListsWorks(t *testing.T) {
	t.Parallel()
	s := open(t)
	id := s.post(t, s.body(s.Token(good))).charge(t).ID.String()
	text, err := os.ReadFile("../docs/lists.md")
	if err != nil {
		t.Fatal(err)
	}
	all := commandURL.FindAllStringSubmatch(string(text), -1)
	for _, m := range all {
		s.get(t, strings.ReplaceAll(m[1], "$CHARGE", id)).want(t, 200, "")
	}
	if len(all) < 10 {
		t.Errorf("%d commands were found", len(all))
	}
}
