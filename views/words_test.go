package views_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	values = regexp.MustCompile(`="[^"]*"`)
	tags   = regexp.MustCompile(`<[^>]*>`)
	spoken = regexp.MustCompile(`(?:aria-label|title|placeholder|alt)="([^"]*)"`)
	word   = regexp.MustCompile(`\p{L}{2,}`)
	// names are the same in every language.
	names = strings.NewReplacer("SvcPay", "", "Ctrl K", "")
)

// written is what the functions of a generated template write on their own, without what they are given.
func written(t *testing.T, name string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "WriteString" && len(call.Args) == 3 {
			if text, ok := call.Args[2].(*ast.BasicLit); ok {
				html, err := strconv.Unquote(text.Value)
				if err != nil {
					t.Fatal(err)
				}
				b.WriteString(html)
			}
		}
		return true
	})
	return b.String()
}

// words finds what people would read in some HTML: between its tags, and in attributes that are shown or said.
func words(html string) (found []string) {
	for _, match := range spoken.FindAllStringSubmatch(html, -1) {
		found = append(found, word.FindAllString(names.Replace(match[1]), -1)...)
	}
	html = values.ReplaceAllString(html, "")
	return append(found, word.FindAllString(names.Replace(tags.ReplaceAllString(html, " ")), -1)...)
}

// vouched are the ways in which a template says that a value needs no look: an address, HTML, a script.
var vouched = regexp.MustCompile(`templ\.(SafeURL|SafeCSS|Raw|JSExpression|JSUnsafeFuncCall)\b`)

// No template vouches for what it is given: addresses are looked at as they are drawn, and nothing else is let through.
func TestTemplatesVouchForNothing(t *testing.T) {
	t.Parallel()
	files := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".templ" {
			return err
		}
		files++
		source, err := os.ReadFile(path)
		found := vouched.FindString(string(source))
		if found != "" && path+" "+found != "ui/icon.templ templ.Raw" { // drawings of ours
			t.Errorf("%s uses %s", path, found)
		}
		return err
	})
	if err != nil || files < 40 {
		t.Errorf("%d templates were looked at: %v", files, err)
	}
	if !vouched.MatchString("href={ templ.SafeURL(at) }") {
		t.Error("what vouches is not found")
	}
}

func TestTemplatesHaveNoWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*_templ.go", "ui/*_templ.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	if len(files) < 20 {
		t.Fatalf("only %d templates were found", len(files))
	}
	for _, name := range files {
		if found := words(written(t, name)); len(found) > 0 {
			t.Errorf("%s says %q: its place is views/text", name, found)
		}
	}
	if found := words(`<p class="two [&>svg]:words" title="Its title">Some &amp; <b>text</b></p>SvcPay`); len(
		found) != 5 {
		t.Errorf("words are found as %q", found)
	}
}

// inline are the components that are drawn within a line of text: what is next to them needs a space of its own,
// because a template keeps none between a text and a component.
var (
	inline = regexp.MustCompile(
		`^@(ui\.)?(Time|Date|Money|Amount|Number|Status|Badge|Mono|Short|Linked|Plain|Copied|Keys)\(`)
	expression = regexp.MustCompile(`^\{ [^{].*\}$`)
)

// glued finds the texts of a template that run into the component before or after them.
func glued(source string) (found []string) {
	lines := strings.Split(source, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	for i := 1; i < len(lines); i++ {
		before, after := lines[i-1], lines[i]
		into := expression.MatchString(before) && inline.MatchString(after) || inline.MatchString(before) &&
			expression.MatchString(after)
		if into && !strings.Contains(before+after, `" "`) {
			found = append(found, before+" "+after)
		}
	}
	return found
}

func TestTextsDoNotRunIntoComponents(t *testing.T) {
	t.Parallel()
	looked := 0
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".templ" {
			return err
		}
		looked++
		source, err := os.ReadFile(path)
		for _, one := range glued(string(source)) {
			t.Errorf("%s: no space between %s", path, one)
		}
		return err
	})
	if err != nil || looked < 40 {
		t.Errorf("%d templates were looked at: %v", looked, err)
	}
	if len(glued("\t{ t.Saved }\n\t@ui.Time(at)\n")) != 1 ||
		len(glued("\t{ t.Saved + \" \" }\n\t@ui.Time(at)\n")) != 0 {
		t.Error("a text without a space is not found")
	}
}
