package returns_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"svcpay/internal/returns"
)

// classes says for each class whether the account may be debited again.
var classes = map[returns.Class]bool{
	returns.Retryable: false, returns.Administrative: false,
	returns.AccountInvalid: true, returns.Unauthorized: true, returns.Stopped: true, returns.Deceased: true,
}

func TestTable(t *testing.T) {
	t.Parallel()
	form := map[returns.Scheme]*regexp.Regexp{returns.Nacha: regexp.MustCompile(`^R[0-9]{2}$`), returns.Canada: regexp.MustCompile(`^9[0-9]{2}$`)}
	seen := map[string]bool{}
	for _, c := range returns.All() {
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
		if found, ok := returns.Find(c.Code); !ok || found != c {
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
	windows := map[returns.Window][]string{}
	for _, c := range returns.All() {
		windows[c.Window] = append(windows[c.Window], c.Code)
	}
	for w, want := range map[returns.Window]string{
		{Days: 60}:                "R05 R07 R10 R11 R29 R33 R37 R38 R51 R52 R53",
		{Days: 90}:                "915 916 917 918",
		{Days: 10, Banking: true}: "919 920 921",
	} {
		if got := strings.Join(windows[w], " "); got != want {
			t.Errorf("%s: %s, want %s", w, got, want)
		}
		delete(windows, w)
	}
	if len(windows) != 1 || windows[returns.Window{Days: 2, Banking: true}] == nil {
		t.Errorf("other windows: %v", windows)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]returns.Class{
		"R01": returns.Retryable, "R09": returns.Retryable, "901": returns.Retryable, "R02": returns.AccountInvalid, "R03": returns.AccountInvalid,
		"905": returns.AccountInvalid, "R10": returns.Unauthorized, "915": returns.Unauthorized, "R08": returns.Stopped, "903": returns.Stopped,
		"R15": returns.Deceased, "910": returns.Deceased, "R24": returns.Administrative, "900": returns.Administrative,
	} {
		if c, ok := returns.Find(code); !ok || c.Class != want {
			t.Errorf("%s is %q, want %q", code, c.Class, want)
		}
	}
	for _, code := range []string{"", "R99", "r01", "1", "R1"} {
		if c, ok := returns.Find(code); ok || c.Code != code || c.Title == "" || c.Disables() {
			t.Errorf("%q is found as %+v", code, c)
		}
	}
	all := returns.All()
	all[0].Title = "changed"
	if c, _ := returns.Find("R01"); c.Title == "changed" || slices.Contains(returns.All(), all[0]) {
		t.Error("a caller can change the table")
	}
}

// TestDocument compares docs/return-codes.md with the table.
func TestDocument(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/return-codes.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []returns.Scheme{returns.Nacha, returns.Canada} {
		var want strings.Builder
		want.WriteString("| code | the bank sent it back | class | token disabled | arrives within |\n|---|---|---|---|---|\n")
		for _, c := range returns.All() {
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
