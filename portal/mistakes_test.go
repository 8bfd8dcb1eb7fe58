package portal

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/portal/web"
	"svcpay/views/text"
)

// formless are packages under internal whose refusals no form of the portal gets: of payers' pages, of sandboxes, of
// programs, of what only the API can change.
var formless = []string{"sandbox", "devtools", "testing", "wallet", "processor/sandbox", "daf/provider", "daf/workflow",
	"banklink", "erasure", "search"}

// refusal is one that a use-case can give a form, as its source has it.
type refusal struct{ at, code, param, message string } // param and message are "" where they are not constant

// apiWords are those of the API, which no form has.
var apiWords = regexp.MustCompile(
	`minor unit|\bparameters?\b|\bnull\b|\bintegers?\b|\bbody\b|Content-Type|If-Match|\bheader\b|\bmembers?\b|[a-z]_[a-z]|\bcontrol character`)

// constant is the text of a literal, the format of a Sprintf, or of the constant parts of a sum.
func constant(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		s, _ := strconv.Unquote(e.Value)
		return s
	case *ast.BinaryExpr:
		return constant(e.X) + constant(e.Y)
	case *ast.CallExpr:
		if fun, ok := e.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "Sprintf" {
			return constant(e.Args[0])
		}
	}
	return ""
}

// literal is the text of a literal alone.
func literal(e ast.Expr) string {
	if _, ok := e.(*ast.BasicLit); !ok {
		return ""
	}
	return constant(e)
}

// refusalOf reads a call that makes a refusal, if it is one.
func refusalOf(call *ast.CallExpr) (out refusal, ok bool) {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return out, false
	}
	of, _ := fun.X.(*ast.Ident)
	switch {
	case fun.Sel.Name == "Add" && len(call.Args) == 3 && constant(call.Args[1]) != "":
		return refusal{code: constant(call.Args[1]), param: literal(call.Args[0]),
			message: constant(call.Args[2])}, true
	case of != nil && of.Name == "check" && (fun.Sel.Name == "Required" || fun.Sel.Name == "Choice"):
		return refusal{code: "parameter_missing", param: literal(call.Args[1])}, true
	case of != nil && of.Name == "fault" && (fun.Sel.Name == "Invalid" || fun.Sel.Name == "Refused"):
		return refusal{code: constant(call.Args[0]), message: constant(call.Args[1])}, true
	case of != nil && of.Name == "fault" && fun.Sel.Name == "New" && formKinds[faultKindOf(call.Args[0])]:
		return refusal{code: constant(call.Args[1]), message: constant(call.Args[2])}, true
	}
	return out, false
}

// formKinds are those that a form shows (see problems).
var formKinds = map[string]bool{"KindInvalid": true, "KindRefused": true, "KindConflict": true, "KindDeclined": true,
	"KindChanged": true}

func faultKindOf(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}

// refusals are all that the sources under a directory make.
func refusals(t *testing.T, root string) (out []refusal) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(root, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains(formless, name):
			return filepath.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, isCall := n.(*ast.CallExpr)
			if !isCall {
				return true
			}
			if fun, ok := call.Fun.(*ast.SelectorExpr); ok && fun.Sel.Name == "On" && len(call.Args) == 1 {
				if made, ok := fun.X.(*ast.CallExpr); ok {
					if r, ok := refusalOf(made); ok {
						r.at, r.param = set.Position(made.Pos()).String(), literal(call.Args[0])
						out = append(out, r)
						return false
					}
				}
			}
			if r, ok := refusalOf(call); ok {
				r.at = set.Position(call.Pos()).String()
				out = append(out, r)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every refusal that a use-case can give a form has a sentence of the portal's: its own for the code, or for the code
// and the field, or the use-case's where the catalogue says that it is for people, too. None has words of the API.
func TestFormsSayWhatIsWrongInWordsOfTheirOwn(t *testing.T) {
	t.Parallel()
	all := refusals(t, "../internal")
	if len(all) < 150 {
		t.Fatalf("%d refusals are found", len(all))
	}
	for _, language := range text.Languages() {
		known := map[string]bool{}
		for _, r := range all {
			if r.code == "" { // made of another refusal, or told by the processor
				continue
			}
			known[r.code] = true
			if slices.Contains(unseen, cmp.Or(r.message, r.code+" "+r.param)) {
				continue
			}
			if r.code == "parameter_missing" && r.param != "" && language.Mistakes.Fields[r.code+" "+r.param] == "" {
				t.Errorf("%s: no sentence asks for the field %s", r.at, r.param)
			}
			if _, ok := language.Mistakes.Codes[r.code]; !ok && !slices.Contains(text.SaidByUseCases, r.code) {
				t.Errorf("%s: there is no sentence for the code %s (%s: %s)", r.at, r.code, r.param, r.message)
			} else if said := language.Mistakes.Of(r.code, r.param, r.message); apiWords.MatchString(said) {
				t.Errorf("%s: a form says of %s %q", r.at, r.code+" "+r.param, said)
			}
		}
		for _, r := range refusals(t, ".") {
			if language.Mistakes.Of(r.code, r.param, "mine") != "mine" {
				t.Errorf("%s: the portal's own words would not be shown: use codeForm", r.at)
			}
		}
		for _, code := range slices.AppendSeq(slices.Clone(text.SaidByUseCases), maps.Keys(language.Mistakes.Codes)) {
			if !known[code] {
				t.Errorf("no use-case refuses with %s", code)
			}
		}
	}
}

// A form never has a text that a use-case wrote for programs.
func TestARefundFormSpeaksOfItsFields(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	one := w.charged(visaCard, 10_000, nil)
	at, cookie := web.ChargesPath+"/"+one.ID.String()+"/refund", w.as(authz.RoleOrganizationAdmin)
	for _, c := range []struct{ name, value, want string }{
		{"amount", "0", "Enter an amount of 0.01 or more."},
		{"note", strings.Repeat("x", 1000), "characters, all of them printable."},
		{"note", "4242 4242 4242 4242", "This looks like a card number."},
	} {
		form := w.drawnForm(at, cookie)
		form.Set("amount", "1.00")
		form.Set(c.name, c.value)
		a := w.send(at, form, "Cookie", cookie)
		a.wants(t, http.StatusUnprocessableEntity, "")
		a.says(t, c.want)
		said := regexp.MustCompile(`(?s)<form[^>]*action="` + at + `".*?</form>`).FindString(a.body)
		if said == "" {
			t.Fatalf("no form: %s", a.words())
		}
		if word := apiWords.FindString(tag.ReplaceAllString(said, " ")); word != "" {
			t.Errorf("%s of %.10s: the form says %q", c.name, c.value, word)
		}
	}
}

// unseen are refusals that no form gets: of members that none has, by their code and name, and of values that none
// sends, by their message.
var unseen = []string{
	"parameter_missing merchant_id", "parameter_missing charge_id", "parameter_missing amount",
	"parameter_missing token", "parameter_missing test_case",
	"parameter_missing resource", "parameter_missing format", "parameter_missing workflowSessionId",
	"Send the workflowSessionId or grantId from the donor's authorization.",
	"This cannot be null: leave it out to leave it as it is.", "A merchant's id is a positive integer.",
	"Set allowed_countries or blocked_countries, not both.", "Positive integers.",
	"The file is of another type than its Content-Type says.",
	"The processor of this payment is not part of the sandbox.",
	"Too many objects had to be looked at. Add a term that fewer objects have, such as last4, external_id or a rarer word.",
}
