package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	testName    = regexp.MustCompile("`(Test[A-Za-z0-9]+)`")
	settingName = regexp.MustCompile("`(SVCPAY_[A-Z_]+)`")
	evidence    = regexp.MustCompile("`Test|`SVCPAY_|\\]\\(|the operator's own records|not applicable")
	declared    = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9]+)\(`)
)

// TestComplianceDocuments holds the lines of docs/compliance.md and docs/threat-model.md to their evidence: each names
// a test, a setting or a page, and the tests and settings are there.
func TestComplianceDocuments(t *testing.T) {
	t.Parallel()
	const root = "../.."
	tests, sources := map[string]bool{}, strings.Builder{}
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && (e.Name() == "node_modules" || e.Name() == ".git") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".go" {
			return err
		}
		text, err := os.ReadFile(path)
		if strings.HasSuffix(path, "_test.go") {
			for _, m := range declared.FindAllStringSubmatch(string(text), -1) {
				tests[m[1]] = true
			}
		} else if filepath.Dir(path) == filepath.Join(root, "cmd/svcpay") {
			sources.Write(text)
		}
		return err
	})
	if err != nil || len(tests) < 1000 {
		t.Fatalf("%d tests, %v", len(tests), err)
	}
	lines := 0
	for _, name := range []string{"compliance.md", "threat-model.md"} {
		text, err := os.ReadFile(filepath.Join(root, "docs", name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "| ") && !strings.Contains(line, "by |") {
				lines++
				if cells := strings.Split(line, "|"); !evidence.MatchString(cells[len(cells)-2]) {
					t.Errorf("%s has no evidence: %s", name, line)
				}
			}
		}
		for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
			if !tests[m[1]] {
				t.Errorf("%s: there is no %s", name, m[1])
			}
		}
		for _, m := range settingName.FindAllStringSubmatch(string(text), -1) {
			if !strings.Contains(sources.String(), `"`+m[1]+`"`) {
				t.Errorf("%s: there is no setting %s", name, m[1])
			}
		}
	}
	if lines < 50 {
		t.Errorf("%d lines are held", lines)
	}
}
