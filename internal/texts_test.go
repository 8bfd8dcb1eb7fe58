package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"svcpay/views/text"
)

// catalogue is the package whose texts are looked at.
const catalogue = "svcpay/views/text"

// compiled is a package as the build has it.
type compiled struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// built are the packages that say texts, and all that they are made of, compiled.
func built(t *testing.T, saying []string) map[string]compiled {
	t.Helper()
	args := append([]string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}, saying...)
	out, err := exec.CommandContext(t.Context(), "go", args...).Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := map[string]compiled{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p compiled
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}

// selected notes which fields of the catalogue's types the files of a package name, as Type.Field.
func selected(t *testing.T, p compiled, from types.Importer, fset *token.FileSet, seen map[string]bool) {
	t.Helper()
	var files []*ast.File
	for _, name := range p.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	info := types.Info{Selections: map[*ast.SelectorExpr]*types.Selection{}}
	if _, err := (&types.Config{Importer: from}).Check(p.ImportPath, fset, files, &info); err != nil {
		t.Fatal(err)
	}
	for _, s := range info.Selections {
		of := s.Recv()
		if to, ok := of.(*types.Pointer); ok {
			of = to.Elem()
		}
		if named, ok := of.(*types.Named); ok && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == catalogue {
			seen[named.Obj().Name()+"."+s.Obj().Name()] = true
		}
	}
}

// textsOf are the texts of a type of the catalogue and of those in it, as Type.Field.
func textsOf(of reflect.Type) (out []string) {
	for f := range of.Fields() {
		out = append(out, of.Name()+"."+f.Name)
		if f.Type.Kind() == reflect.Struct {
			out = append(out, textsOf(f.Type)...)
		}
	}
	return out
}

// Every text of the catalogue is said somewhere.
func TestNoTextIsUnused(t *testing.T) {
	t.Parallel()
	saying := []string{catalogue}
	for _, p := range modulePackages(t) {
		if slices.Contains(p.Imports, catalogue) {
			saying = append(saying, p.ImportPath)
		}
	}
	packages, fset, seen := built(t, saying), token.NewFileSet(), map[string]bool{}
	from := importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(packages[path].Export) })
	for _, path := range saying {
		selected(t, packages[path], from, fset, seen)
	}
	all := textsOf(reflect.TypeFor[text.Catalogue]())
	if len(all) < 1000 || len(seen) < 500 {
		t.Fatalf("only %d texts and %d uses were found", len(all), len(seen))
	}
	for _, name := range all {
		if !seen[name] {
			t.Errorf("nothing says %s", name)
		}
	}
}
