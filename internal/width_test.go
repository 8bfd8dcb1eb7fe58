package internal_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	maxColumns = 120 // a tab counts as four
	unbroken   = 50  // a string literal of more columns is not divided, so that it can be searched for
)

// tableRow is a line of a table: one element of a composite literal. Rows are easier to compare on a line each.
var tableRow = regexp.MustCompile("^(\\{|[\\w\"`\\[].*?:\\s).*,$")

// literals gives the lines that have a long string literal, and the lines inside literals that hold JSON or HTML.
func literals(text []byte) map[int]bool {
	set := token.NewFileSet()
	file := set.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	out := map[int]bool{}
	for {
		at, kind, literal := s.Scan()
		if kind == token.EOF {
			return out
		}
		if kind != token.STRING {
			continue
		}
		multi := strings.Contains(literal, "\n")
		for i, part := range strings.Split(literal, "\n") {
			data := multi && strings.ContainsAny(part, `"<`)
			if data || !multi && utf8.RuneCountInString(part) > unbroken {
				out[file.Line(at)+i] = true
			}
		}
	}
}

// wide gives the lines of a Go file that are too wide and could be wrapped.
func wide(text []byte) []string {
	whole := literals(text)
	return wider(string(text), func(number int, line string) bool {
		return whole[number] || tableRow.MatchString(strings.TrimSpace(line))
	})
}

// cannotWrap is a line with a quotation or a word too long to be divided, or a row of a Markdown table.
var cannotWrap = regexp.MustCompile("\"[^\"]{50,}\"|'[^']{50,}'|`[^`]{50,}`|\\S{50,}|^\\s*\\|")

// wideElsewhere gives such lines of a file that is not Go. Markdown between fences is an example.
func wideElsewhere(text string) []string {
	fenced := false
	return wider(text, func(_ int, line string) bool {
		if fence := strings.TrimSpace(line); strings.HasPrefix(fence, "```") {
			fenced = !fenced
		}
		return fenced || cannotWrap.MatchString(line)
	})
}

// wider gives the lines of a text that have too many columns and are not excepted.
func wider(text string, excepted func(number int, line string) bool) (found []string) {
	for i, line := range strings.Split(text, "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if except := excepted(i+1, line); columns > maxColumns && !except {
			found = append(found, fmt.Sprintf("line %d has %d columns", i+1, columns))
		}
	}
	return found
}

// wrapped are the kinds of files other than Go whose lines are wrapped. Migrations that have landed cannot be changed,
// and generated and published files need not be.
var (
	wrapped   = []string{".templ", ".css", ".html", ".js", ".md", ".mjs", ".sh", ".sql", ".ts", ".yaml"}
	unwrapped = regexp.MustCompile(`/(migrations|testdata|client/generate|svcpay/released)/|/(openapi.yaml|scenario.md|clients.md)$`)
)

func TestLinesAreWrapped(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && slices.Contains([]string{"node_modules", "dist", "bin", ".git"}, e.Name()) {
			return filepath.SkipDir
		}
		kind := filepath.Ext(path)
		if e.IsDir() || kind != ".go" && (!slices.Contains(wrapped, kind) || unwrapped.MatchString(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if generated.Match(text) {
			return err
		}
		found := wideElsewhere(string(text))
		if kind == ".go" {
			found = wide(text)
		}
		for _, what := range found {
			t.Errorf("%s: %s, at most %d are allowed", path, what, maxColumns)
		}
		seen++
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files were looked at: %v", seen, err)
	}
}

func TestWideLinesAreFound(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a, ", 40)
	for text, want := range map[string]int{
		"package p\n\nvar x = f(" + long + ")":                        1,
		"package p\n\n// " + long:                                     1,
		"package p\n\nvar x = `\n\tSELECT " + long + "`":              1,
		"package p\n\nvar x = []string{\n\t\"a\": f(" + long + "),\n": 0,
		"package p\n\nvar x = f(\"" + long + "\")":                    0,
		"package p\n\nvar x = f(a, b)":                                0,
	} {
		if got := wide([]byte(text)); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestWideLinesAreFoundElsewhere(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a, ", 41)
	for text, want := range map[string]int{
		long:                                       1,
		"\t\t" + long[:118]:                        1,
		"| " + long + "|":                          0,
		"```\n" + long + "\n```\n" + long:          1,
		"see " + strings.Repeat("path/", 30):       0,
		"title: '" + strings.Repeat(long, 2) + "'": 0,
	} {
		if got := wideElsewhere(text); len(got) != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
