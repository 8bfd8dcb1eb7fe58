package returncode_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"svcpay/internal/processor/returncode"
)

// classes says for each class whether the account may be debited again.
var classes = map[returncode.Class]bool{
	returncode.Retryable: false, returncode.Administrative: false,
	returncode.AccountInvalid: true, returncode.Unauthorized: true, returncode.Stopped: true, returncode.Deceased: true,
}

func TestTable(t *testing.T) {
	t.Parallel()
	form := map[returncode.Scheme]*regexp.Regexp{returncode.Nacha: regexp.MustCompile(`^R[0-9]{2}$`),
		returncode.Canada: regexp.MustCompile(`^9[0-9]{2}$`)}
	seen := map[string]bool{}
	for _, c := range returncode.All() {
		disables, known := classes[c.Class]
		if !known || c.Disables() != disables {
			t.Errorf("%s of class %q disables: %v", c.Code, c.Class, c.Disables())
		}
		if f := form[c.Scheme]; f == nil || !f.MatchString(c.Code) || seen[c.Code] {
			t.Errorf("%s of %q is no code, or stands twice", c.Code, c.Scheme)
		}
		if c.Title == "" || !unicode.IsLower(rune(c.Title[0])) || strings.HasSuffix(c.Title, ".") {
			t.Errorf("%s: the title %q cannot end a sentence", c.Code, c.Title)
		}
		if found, ok := returncode.Find(c.Code); !ok || found != c {
			t.Errorf("%s is found as %+v", c.Code, found)
		}
		seen[c.Code] = true
	}
	if len(seen) != 65 {
		t.Errorf("%d codes", len(seen))
	}
}

// TestLateReturns: these and no other may come back long after a debit settled.
func TestLateReturns(t *testing.T) {
	t.Parallel()
	windows := map[returncode.Window][]string{}
	for _, c := range returncode.All() {
		windows[c.Window] = append(windows[c.Window], c.Code)
	}
	for w, want := range map[returncode.Window]string{
		{Days: 60}:                "R05 R07 R10 R11 R29 R33 R37 R38 R51 R52 R53",
		{Days: 90}:                "915 916 917 918",
		{Days: 10, Banking: true}: "919 920 921",
	} {
		if got := strings.Join(windows[w], " "); got != want {
			t.Errorf("%s: %s, want %s", w, got, want)
		}
		delete(windows, w)
	}
	if len(windows) != 1 || windows[returncode.Window{Days: 2, Banking: true}] == nil {
		t.Errorf("other windows: %v", windows)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]returncode.Class{
		"R01": returncode.Retryable, "R09": returncode.Retryable, "901": returncode.Retryable,
		"R02": returncode.AccountInvalid, "R03": returncode.AccountInvalid,
		"905": returncode.AccountInvalid, "R10": returncode.Unauthorized, "915": returncode.Unauthorized,
		"R08": returncode.Stopped, "903": returncode.Stopped,
		"R15": returncode.Deceased, "910": returncode.Deceased, "R24": returncode.Administrative,
		"900": returncode.Administrative,
	} {
		if c, ok := returncode.Find(code); !ok || c.Class != want {
			t.Errorf("%s is %q, want %q", code, c.Class, want)
		}
	}
	for _, code := range []string{"", "R99", "r01", "1", "R1"} {
		if c, ok := returncode.Find(code); ok || c.Code != code || c.Title == "" || c.Disables() {
			t.Errorf("%q is found as %+v", code, c)
		}
	}
	all := returncode.All()
	all[0].Title = "changed"
	if c, _ := returncode.Find("R01"); c.Title == "changed" || slices.Contains(returncode.All(), all[0]) {
		t.Error("a caller can change the table")
	}
}

// TestDocument compares docs/return-codes.md with the table.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../docs/return-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []returncode.Scheme{returncode.Nacha, returncode.Canada} {
		var want strings.Builder
		want.WriteString("| code | reason | class | token disabled | arrives within |\n|---|---|---|---|---|\n")
		for _, c := range returncode.All() {
			if c.Scheme == scheme {
				disables := "no"
				if c.Disables() {
					disables = "yes"
				}
				fmt.Fprintf(&want, "| `%s` | %s | `%s` | %s | %s |\n", c.Code, c.Title, c.Class, disables, c.Window)
			}
		}
		if !strings.Contains(string(text), want.String()) {
			t.Errorf("docs/return-codes.md must contain this table:\n%s", want.String())
		}
	}
}
