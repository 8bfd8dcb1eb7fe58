package internal_test

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/testing/pgtest"
)

// This file prepares every SQL statement of the program against the migrated schema. It finds them
// in the sources: the argument of every call that takes a statement must be made of constants, which
// are put together here. Nothing escapes: a call whose statement cannot be put together is an
// error, and so is a literal that begins like a statement and is part of none that was found.

// statement is one constant text with the names of the arguments that are given next to it.
type statement struct {
	where, sql string
	args       []string // nil: not given as a literal
	row        bool     // args are the members of one of the rows that it takes
}

// consts holds the string constants of all packages, by package and name.
type consts map[string]map[string]ast.Expr

// finder reads the statements of one package.
type finder struct {
	pkg    string
	consts consts
	local  map[string][]ast.Expr // constants of, and assignments in, the current function
	found  []statement
	broken []string
}

// values evaluates an expression to every constant text that it can have; none if it is not constant.
func (f *finder) values(e ast.Expr) []string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.values(e.X)
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && e.Kind == token.STRING {
			return []string{text}
		}
	case *ast.BinaryExpr:
		var out []string
		for _, x := range f.values(e.X) {
			for _, y := range f.values(e.Y) {
				out = append(out, x+y)
			}
		}
		return out
	case *ast.Ident:
		if exprs, ok := f.local[e.Name]; ok {
			return f.each(exprs)
		}
		if expr, ok := f.consts[f.pkg][e.Name]; ok {
			return f.values(expr)
		}
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			other := finder{pkg: x.Name, consts: f.consts}
			if expr, ok := f.consts[x.Name][e.Sel.Name]; ok {
				return other.values(expr)
			}
		}
	}
	return nil
}

// each evaluates what a name was set to; one value that is not constant spoils all.
func (f *finder) each(exprs []ast.Expr) (out []string) {
	for _, e := range exprs {
		v := f.values(e)
		if v == nil {
			return nil
		}
		out = append(out, v...)
	}
	return out
}

// position says which argument of a call is a statement, or -1.
func position(call *ast.CallExpr) int {
	fun := call.Fun
	if g, ok := fun.(*ast.IndexExpr); ok {
		fun = g.X
	}
	s, ok := fun.(*ast.SelectorExpr)
	if !ok {
		return -1
	}
	x, _ := s.X.(*ast.Ident)
	at := -1
	switch {
	case x != nil && x.Name == "syscall": // whose Exec is of a program
	case x != nil && x.Name == "pg" && slices.Contains([]string{"One", "All", "Column", "Value", "Exec", "Find",
		"Planned"}, s.Sel.Name):
		at = 2
	case isPage(s):
		at = 3
	case slices.Contains([]string{"Exec", "Query", "QueryRow"}, s.Sel.Name),
		x != nil && slices.Contains([]string{"tx.Row", "pg.Ask"}, x.Name+"."+s.Sel.Name):
		at = 1
	case slices.Contains([]string{"Later", "Queue"}, s.Sel.Name):
		at = 0
	}
	if at >= len(call.Args) {
		return -1
	}
	return at
}

// isRow reports whether a call is tx.Row, which is given one row of many.
func isRow(s *ast.SelectorExpr) bool { return s != nil && s.Sel.Name == "Row" }

// isPage reports whether a call is pg.Page, which adds to its statement.
func isPage(s *ast.SelectorExpr) bool {
	x, ok := s.X.(*ast.Ident)
	return ok && x.Name == "pg" && s.Sel.Name == "Page"
}

// ends are what pg.Page adds to a statement, read from its constants.
func (f *finder) ends() (out []string) {
	page := finder{pkg: "pg", consts: f.consts}
	for _, name := range []string{"pageFirstUp", "pageFirstDown", "pageUp", "pageDown"} {
		for _, rows := range []string{"anyRows", "peopleRows"} {
			out = append(out, page.values(&ast.BinaryExpr{X: ast.NewIdent(name), Y: ast.NewIdent(rows)})...)
		}
	}
	return out
}

// add notes the statements of a call; args are nil for those that pg.Page completes.
func (f *finder) add(call *ast.CallExpr, where, text string, args []string) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !isPage(s) {
		f.found = append(f.found, statement{where, text, args, isRow(s)})
		return
	}
	for _, end := range f.ends() {
		f.found = append(f.found, statement{where, text + end, nil, false})
	}
}

// function reads the statements of one function.
func (f *finder) function(set *token.FileSet, fn *ast.FuncDecl) {
	f.local = make(map[string][]ast.Expr)
	ast.Inspect(fn, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, v := range n.Values {
				f.local[n.Names[i].Name] = append(f.local[n.Names[i].Name], v)
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok && len(n.Rhs) == len(n.Lhs) {
					f.local[name.Name] = append(f.local[name.Name], n.Rhs[i])
				}
			}
		}
		return true
	})
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || position(call) < 0 {
			return true
		}
		at := position(call)
		where := fmt.Sprintf("%s %s", f.pkg, set.Position(call.Pos()))
		texts := f.values(call.Args[at])
		if len(texts) == 0 {
			f.broken = append(f.broken, where+": the statement is not constant")
		}
		for _, text := range texts {
			f.add(call, where, text, names(call.Args[at+1:]))
		}
		return true
	})
}

// names reads the keys of a literal of arguments.
func names(rest []ast.Expr) []string {
	if len(rest) != 1 {
		return nil
	}
	lit, ok := rest[0].(*ast.CompositeLit)
	if !ok {
		return nil
	}
	out := []string{}
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.BasicLit); ok {
				out = append(out, strings.Trim(key.Value, `"`))
			}
		}
	}
	slices.Sort(out)
	return out
}

var beginsLikeSQL = regexp.MustCompile(`^\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH)\s`)

// source is one parsed file of a package that talks to the database.
type source struct {
	pkg  string
	file *ast.File
}

// statements reads the statements of some sources, and what is wrong with how they are written.
func statements(set *token.FileSet, sources []source) (found []statement, broken []string) {
	all := consts{}
	for _, s := range sources {
		if all[s.pkg] == nil {
			all[s.pkg] = map[string]ast.Expr{}
		}
		for _, d := range s.file.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				for _, spec := range g.Specs {
					for i, v := range spec.(*ast.ValueSpec).Values {
						all[s.pkg][spec.(*ast.ValueSpec).Names[i].Name] = v
					}
				}
			}
		}
	}
	for _, s := range sources {
		f := &finder{pkg: s.pkg, consts: all}
		for _, d := range s.file.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				f.function(set, fn)
			}
		}
		found = append(found, f.found...)
		if s.pkg != "pg" { // which is given statements
			broken = append(broken, f.broken...)
		}
	}
	for _, s := range sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			text, _ := strconv.Unquote(lit.Value)
			if beginsLikeSQL.MatchString(text) && !strings.HasPrefix(text, "SELECT set_config(") &&
				!slices.ContainsFunc(found, func(st statement) bool { return strings.Contains(st.sql, text) }) {
				broken = append(broken,
					fmt.Sprintf("%s %s: a statement that no known call takes", s.pkg, set.Position(lit.Pos())))
			}
			return true
		})
	}
	return found, broken
}

var argument = regexp.MustCompile(`@([a-z_][a-z_0-9]*)`)

// rewritten gives the statement as it is sent, and checks that exactly its arguments are given.
func rewritten(s statement) (string, error) {
	args := pgx.StrictNamedArgs{}
	for _, m := range argument.FindAllStringSubmatch(s.sql, -1) {
		args[m[1]] = nil
	}
	if s.args != nil && !s.row {
		args = pgx.StrictNamedArgs{}
		for _, name := range s.args {
			args[name] = nil
		}
	}
	text, _, err := args.RewriteQuery(context.Background(), nil, s.sql, nil)
	return text, err
}

func TestEveryStatementFitsTheSchema(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	var sources []source
	for _, p := range modulePackages(t) {
		uses := slices.Contains(p.Imports, "svcpay/internal/platform/pg") || short(p.ImportPath) == "platform/pg"
		if !uses || slices.Contains([]string{"testing/pgtest", "platform/localpg"}, short(p.ImportPath)) {
			continue
		}
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(set, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, source{path.Base(p.ImportPath), file})
		}
	}
	found, broken := statements(set, sources)
	for _, b := range broken {
		t.Error(b)
	}
	if len(found) < 30 {
		t.Errorf("only %d statements were found", len(found))
	}
	conn, err := pgtest.New(t).Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	for _, s := range found {
		text, err := rewritten(s)
		if err == nil {
			_, err = conn.Conn().Prepare(t.Context(), "", text)
		}
		if err != nil {
			t.Errorf("%s: %v", s.where, err)
		}
		if err := lacking(t, conn, s); err != nil {
			t.Errorf("%s: %v", s.where, err)
		}
		settles := strings.Contains(s.where, "pg/rounds.go") // where no pooler is between
		if ofSessions.MatchString(text) && !settles {
			t.Errorf("%s: behind a pooler the next transaction has another session", s.where)
		}
	}
}

var rowsOf = regexp.MustCompile(`@rows::(\w+)\[\]`)

// lacking says what is wrong with the members of a row that a statement is given.
func lacking(t *testing.T, conn *pgxpool.Conn, s statement) error {
	if !s.row || s.args == nil {
		return nil
	}
	kind := rowsOf.FindStringSubmatch(s.sql)
	if kind == nil {
		return errors.New("takes no @rows")
	}
	var want []string
	err := conn.QueryRow(t.Context(), `
		SELECT array_agg(attname::text ORDER BY attname) FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped`, kind[1]).Scan(&want)
	got := slices.Sorted(slices.Values(s.args))
	if err == nil && !slices.Equal(got, want) {
		err = fmt.Errorf("a %s of %v, not of %v", kind[1], want, got)
	}
	return err
}

func TestStatementsAreFoundOrComplainedAbout(t *testing.T) {
	t.Parallel()
	const text = "package p\nconst cols = `a, b`\nconst lost = `DELETE FROM x`\n" +
		"func one() { pg.One[int](ctx, q, `SELECT `+cols+` FROM t WHERE id = @id`, pg.Args{\"id\": 1}) }\n" +
		"func two(up bool) { s := `SELECT 1`\nif up { s = `SELECT 2` }\npg.All[int](ctx, q, s, nil) }\n" +
		"func three(s string) { tx.Later(`UPDATE `+s, nil); tx.Exec(ctx, fmt.Sprint(1), nil) }\n" +
		"func four() { tx.Later(`SELECT @a`, pg.Args{\"b\": 1}) }\n"
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", text, 0)
	if err != nil {
		t.Fatal(err)
	}
	found, broken := statements(set, []source{{"p", file}})
	var sql []string
	for _, s := range found {
		sql = append(sql, s.sql)
	}
	if !slices.Equal(sql, []string{"SELECT a, b FROM t WHERE id = @id", "SELECT 1", "SELECT 2", "SELECT @a"}) ||
		len(broken) != 4 {
		t.Errorf("found %q; broken %q", sql, broken)
	}
	if got, err := rewritten(found[0]); err != nil || got != "SELECT a, b FROM t WHERE id = $1" {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := rewritten(found[3]); err == nil {
		t.Errorf("an argument that is not the statement's: %s", got)
	}
}
