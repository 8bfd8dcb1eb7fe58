package text

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// article is a text that ends with an article, for a word that is added to it.
var article = regexp.MustCompile(`(?i)(^|[^\p{L}])an? $`)

// No text puts a fixed article before a word that it is given.
func TestArticlesFollowTheirWord(t *testing.T) {
	t.Parallel()
	var files []string
	for _, pattern := range []string{"*.go", "../*.go", "../../portal/*.go", "../../portal/*/*.go",
		"../../internal/*/*.go", "../../api/*.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	added, looked := token.NewFileSet(), 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(added, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			sum, ok := n.(*ast.BinaryExpr)
			if !ok || sum.Op != token.ADD || filepath.Base(name) == "parts.go" && inIndefinite(file, sum) {
				return true
			}
			looked++
			if words, ok := lastText(sum.X); ok && article.MatchString(words) {
				t.Errorf("%s: %q comes before a word that may sound otherwise: use indefinite",
					added.Position(sum.Pos()), words)
			}
			return true
		})
	}
	if looked < 200 {
		t.Errorf("only %d sums of texts were looked at", looked)
	}
}

// lastText is the literal that a sum of texts ends with.
func lastText(e ast.Expr) (string, bool) {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		e = sum.Y
	}
	literal, ok := e.(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return "", false
	}
	words, err := strconv.Unquote(literal.Value)
	return words, err == nil
}

// inIndefinite reports whether an expression is in the function that chooses the article.
func inIndefinite(file *ast.File, e ast.Expr) bool {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == "indefinite" && f.Pos() <= e.Pos() && e.End() <= f.End() {
			return true
		}
	}
	return false
}

// Every role is asked for with its article.
func TestRolesHaveTheirArticle(t *testing.T) {
	t.Parallel()
	for _, name := range English.Roles {
		said := English.Rights.AskMore(strings.ToLower(name))
		if vowel := strings.ContainsAny(name[:1], "AEIOU"); strings.HasPrefix(said, "Ask an ") != vowel ||
			!strings.HasPrefix(said, "Ask a") {
			t.Errorf("%q", said)
		}
	}
	if got := English.Rights.AskMore("organization administrator"); got != "Ask an organization administrator." {
		t.Errorf("%q", got)
	}
}
