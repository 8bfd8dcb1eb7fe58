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
func wide(text []byte) (found []string) {
	whole := literals(text)
	for i, line := range strings.Split(string(text), "\n") {
		columns := utf8.RuneCountInString(line) + 3*strings.Count(line, "\t")
		if columns > maxColumns && !whole[i+1] && !tableRow.MatchString(strings.TrimSpace(line)) {
			found = append(found, fmt.Sprintf("line %d has %d columns", i+1, columns))
		}
	}
	return found
}

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
		if e.IsDir() || filepath.Ext(path) != ".go" {
			return nil
		}
		text, err := os.ReadFile(path)
		if generated.Match(text) {
			return err
		}
		for _, what := range wide(text) {
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
