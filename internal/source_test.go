package internal_test

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	maxFile     = 400
	maxFunction = 60
	maxMakefile = 80
)

// mayLook may look at clock and environment: what supports tests, and the client, which runs in other people's
// programs.
var mayLook = []string{"testing/pgtest", "platform/localpg", "testing/fixture", "api/client", "test/rig"}

// outside finds what a file takes from the machine behind its caller's back: the time, the environment.
func outside(file *ast.File) (found []string) {
	forbidden := []string{"time.Now", "time.Since", "time.Until", "os.Getenv", "os.LookupEnv", "os.Environ"}
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(forbidden, x.Name+"."+s.Sel.Name) {
				found = append(found, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return found
}

// longFunctions names the functions of a file that are longer than a screen or two.
func longFunctions(set *token.FileSet, file *ast.File) (found []string) {
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if lines := set.Position(d.End()).Line - set.Position(d.Pos()).Line + 1; ok && lines > maxFunction {
			found = append(found, fmt.Sprintf("%s has %d lines", f.Name.Name, lines))
		}
	}
	return found
}

func TestSources(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		if p.Doc == "" {
			t.Errorf("package %s has no doc comment", p.ImportPath)
		}
		for _, name := range p.GoFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil,
				parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if ast.IsGenerated(file) {
				continue
			}
			if p.Name != "main" && !slices.Contains(mayLook, short(p.ImportPath)) {
				for _, what := range outside(file) {
					t.Errorf("%s/%s uses %s: take a clock or a setting from the caller", short(p.ImportPath),
						name, what)
				}
			}
			for _, what := range longFunctions(set, file) {
				t.Errorf("%s/%s: %s, at most %d are allowed", short(p.ImportPath), name, what, maxFunction)
			}
		}
	}
}

func TestScansOfSourcesFind(t *testing.T) {
	t.Parallel()
	text := "package p\nfunc f() { _ = os.Getenv(`X`); x := time.Now; _ = x }\nfunc g() {" +
		strings.Repeat("\n", maxFunction) + "}"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := outside(file); !slices.Equal(got, []string{"os.Getenv", "time.Now"}) {
		t.Errorf("found %v", got)
	}
	if got := longFunctions(set, file); len(got) != 1 || !strings.HasPrefix(got[0], "g has") {
		t.Errorf("found %v", got)
	}
}

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

func TestFilesAreShort(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if e.IsDir() && slices.Contains([]string{"node_modules", "dist", "bin", ".git"}, e.Name()) {
			return filepath.SkipDir
		}
		limit := maxFile
		if e.Name() == "Makefile" {
			limit = maxMakefile
		} else if !slices.Contains([]string{".go", ".ts", ".mjs", ".css", ".templ"}, filepath.Ext(path)) || e.IsDir() {
			return nil
		}
		text, err := os.ReadFile(path)
		if lines := bytes.Count(text, []byte("\n")); lines > limit && !generated.Match(text) {
			t.Errorf("%s has %d lines, at most %d are allowed", path, lines, limit)
		}
		seen++
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d files were looked at: %v", seen, err)
	}
}

// namedTests are the tests of a cell: names of one file, then the file.
var namedTests = regexp.MustCompile("((?:(?:`Test\\w+`|\"[^\"]+\")(?:, )?)+) \\(([^)]+)\\)")

// Each row of the decision about faults names tests that exist.
func TestFaultsNameTheirTests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/decisions/0031-faults-found-in-use.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "| ") || strings.Contains(line, "fault | tests |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		tests := namedTests.FindAllStringSubmatch(cells[len(cells)-1], -1)
		if left := strings.Trim(namedTests.ReplaceAllString(cells[len(cells)-1], ""), "; "); len(tests) == 0 ||
			left != "" {
			t.Errorf("%s has no tests, or others: %s", cells[0], left)
		}
		for _, of := range tests {
			source, err := os.ReadFile(filepath.Join("..", of[2]))
			if err != nil {
				t.Error(err)
			}
			for _, name := range regexp.MustCompile("`Test\\w+`|\"[^\"]+\"").FindAllString(of[1], -1) {
				want := strings.Trim(name, "`\"")
				if name[0] == '`' {
					want = "func " + want + "("
				}
				if !bytes.Contains(source, []byte(want)) {
					t.Errorf("%s: %s has no test %s", cells[0], of[2], name)
				}
			}
		}
	}
	if rows < 60 {
		t.Errorf("%d rows", rows)
	}
}

// TestFunctionsOfATransactionSaySo finds functions that take the caller's transaction and whose name does not end in
// Tx.
func TestFunctionsOfATransactionSaySo(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, p := range modulePackages(t) {
		for _, name := range p.GoFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || !takesTransaction(f.Type) {
					continue
				}
				looked++
				if !strings.HasSuffix(f.Name.Name, "Tx") {
					t.Errorf("%s: %s takes a transaction: end its name in Tx", short(p.ImportPath), f.Name.Name)
				}
			}
		}
	}
	if looked < 200 {
		t.Errorf("%d functions were looked at", looked)
	}
}

// takesTransaction reports whether a parameter is a *pg.Tx.
func takesTransaction(f *ast.FuncType) bool {
	return slices.ContainsFunc(f.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		s, ok := star.X.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		x, ok := s.X.(*ast.Ident)
		return ok && x.Name == "pg" && s.Sel.Name == "Tx"
	})
}
