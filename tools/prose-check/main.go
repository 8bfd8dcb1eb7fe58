// Command prose-check finds words that make a native speaker stumble, in comments, texts and documents. It reads the
// files that Git tracks, and words.tsv next to this file: a pattern, a tab, and what to write instead.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed words.tsv
var words string

// rule is a banned construction.
type rule struct {
	pattern *regexp.Regexp
	instead string
}

// kinds are the files that are read, by extension.
var kinds = map[string]func(source []byte) []line{
	".go": goLines, "_test.go": goComments, ".templ": allLines, ".md": proseLines, ".html": allLines, ".yaml": allLines,
	".ts": commentLines, ".js": commentLines, ".mjs": commentLines, ".css": commentLines, ".sh": commentLines,
}

// skipped are files that may not change, are written by a program, or quote others, as docs/roles.md the reference.
var skipped = regexp.MustCompile(
	`^migrations/|_templ\.go$|\.gen\.(go|ts)$|^api/openapi\.yaml$|package(-lock)?\.json$|` +
		`^static/svcpay/(released/|src/locales/(es|fr))|^docs/roles\.md$|^tools/prose-check/|/testdata/`)

func main() {
	rules := parse(words)
	list, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "prose-check: list files:", err)
		os.Exit(2)
	}
	found := 0
	for _, name := range strings.Split(strings.TrimRight(string(list), "\x00"), "\x00") {
		kind := path.Ext(name)
		if strings.HasSuffix(name, "_test.go") {
			kind = "_test.go"
		}
		read, ok := kinds[kind]
		if !ok || skipped.MatchString(name) {
			continue
		}
		source, err := os.ReadFile(name)
		if os.IsNotExist(err) { // deleted, not yet committed
			continue
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "prose-check:", err)
			os.Exit(2)
		}
		found += report(name, read(source), rules)
	}
	if found > 0 {
		fmt.Printf("prose-check: %d places to rewrite\n", found)
		os.Exit(1)
	}
}

func parse(words string) (rules []rule) {
	for text := range strings.Lines(words) {
		pattern, instead, ok := strings.Cut(strings.TrimSpace(text), "\t")
		if ok && !strings.HasPrefix(pattern, "#") {
			rules = append(rules, rule{regexp.MustCompile(`(?i)(?:^|[\s("'“>])(?:` + pattern + `)\b`), instead})
		}
	}
	return rules
}

// line is text that people read.
type line struct {
	number int
	text   string
}

// report prints each banned construction and returns how many there are.
func report(name string, lines []line, rules []rule) (found int) {
	for _, l := range lines {
		for _, r := range rules {
			if at := r.pattern.FindString(l.text); at != "" {
				fmt.Printf("%s:%d: %q: write %s\n", name, l.number, strings.TrimLeft(at, " \t(\"'“>"), r.instead)
				found++
			}
		}
	}
	return found
}

func allLines(source []byte) (lines []line) {
	for i, text := range bytes.Split(source, []byte("\n")) {
		lines = append(lines, line{i + 1, string(text)})
	}
	return lines
}

var comment = regexp.MustCompile(`^\s*(//|\*|/\*|#)`)

// commentLines returns the lines that are comments.
func commentLines(source []byte) []line {
	return slices.DeleteFunc(allLines(source), func(l line) bool { return !comment.MatchString(l.text) })
}

var code = regexp.MustCompile("`[^`]*`")

// proseLines returns the lines of a Markdown file, without code.
func proseLines(source []byte) (lines []line) {
	fenced := false
	for _, l := range allLines(source) {
		if strings.HasPrefix(strings.TrimSpace(l.text), "```") {
			fenced = !fenced
		} else if !fenced {
			lines = append(lines, line{l.number, code.ReplaceAllString(l.text, "")})
		}
	}
	return lines
}

// goLines returns the comments of a Go file and its string literals of more than one word.
func goLines(source []byte) []line {
	return goText(source, func(kind token.Token, text string) bool {
		return kind == token.COMMENT || kind == token.STRING && strings.Contains(text, " ")
	})
}

// goComments returns the comments of a Go file.
func goComments(source []byte) []line {
	return goText(source, func(kind token.Token, _ string) bool { return kind == token.COMMENT })
}

func goText(source []byte, wanted func(kind token.Token, text string) bool) (lines []line) {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(source))
	var s scanner.Scanner
	s.Init(file, source, nil, scanner.ScanComments)
	for {
		position, kind, text := s.Scan()
		if kind == token.EOF {
			return lines
		}
		if !wanted(kind, text) {
			continue
		}
		first := file.Line(position)
		for i, part := range strings.Split(text, "\n") {
			lines = append(lines, line{first + i, part})
		}
	}
}
