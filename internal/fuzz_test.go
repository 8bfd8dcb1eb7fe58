package internal_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fuzzed has every function that reads what a caller wrote: package.function, and the fuzz target of
// the package that runs it.
var fuzzed = map[string]string{
	"authz.ParseDomain": "FuzzDomain",
	"api.members":       "FuzzDecodeBody", "api.mistakes": "FuzzEveryBody", "api.queryOf": "FuzzQuery",
	"api.preferred": "FuzzAcceptHeader",
	"api.mediaOf":   "FuzzContentType", "api.validKey": "FuzzIdempotencyKey", "api.ifMatch": "FuzzIfMatch",
	"api.query.pairs":   "FuzzFilters",
	"api.query.amounts": "FuzzFilters", "api.query.times": "FuzzFilters", "api.query.expand": "FuzzFilters",
	"api.query.flag":     "FuzzFilters",
	"api.query.integers": "FuzzFilters", "api.monthIn": "FuzzFilters",
	"api.parseSequence": "FuzzEventList", "api.parseAny": "FuzzEventList", "api.query.eventTypes": "FuzzEventList",
	"api.query.wait":               "FuzzEventList",
	"webhook.Sample.UnmarshalJSON": "FuzzSample", "webhook.retryAfter": "FuzzRetryAfter",
	"daf/workflow.readCustomer": "FuzzCustomer", "daf/provider/chariot.code.UnmarshalJSON": "FuzzCode",
	"daf/provider/chariot.stamp.UnmarshalJSON": "FuzzGrant",
	"check.Text": "FuzzTexts", "check.Word": "FuzzTexts", "check.Prose": "FuzzTexts", "check.Metadata": "FuzzTexts",
	"apikey.parseText": "FuzzKeyText", "apikey.parseAllowedIPs": "FuzzAllowedIPs",
	"apikey.parseAllowedOrigins": "FuzzAllowedOrigins",
	"ids.Parse":                  "FuzzParse", "ids.ID.UnmarshalText": "FuzzParse",
	"instant.Time.UnmarshalJSON": "FuzzTime",
	"ledger.ParseSource":         "FuzzSource",
	"merchant.ParseDomain":       "FuzzParseDomain",
	"money.ParseCurrency":        "FuzzCurrency", "money.ParseDecimal": "FuzzDecimal",
	"money.ParsePercent":               "FuzzPercent",
	"money.Percent.UnmarshalJSON":      "FuzzPercent",
	"check/patch.Member.UnmarshalJSON": "FuzzMember", "sensitive/redact.Text": "FuzzRedact",
	"sensitive/redact.JSON": "FuzzRedact", "sensitive/redact.Query": "FuzzRedact",
	"sensitive.HoldsPAN": "FuzzPAN", "sensitive.FindPANs": "FuzzPAN",
	"sandbox/simulate.AdvanceInput.Validate": "FuzzAdvance",
	"devtools/signature.SecretOf":            "FuzzDiagnose",
	"platform/csp.Parse":                     "FuzzParse",
	"report/search.Parse":                    "FuzzParse", "report/search.ParseRef": "FuzzRef",
	"report/search.parseMerchant": "FuzzRef",
	"token.CardInput.validate":    "FuzzValidation", "upload.TypeOf": "FuzzTypeOf",
	"wallet.canonical.UnmarshalText": "FuzzOpen", "wallet/credentials.parseRootKeys": "FuzzRootKeys",
}

// unfuzzed look like parsers and read nothing of a caller's, or only what another has read.
var unfuzzed = map[string]string{
	"api.parseInteger":                     "digits, as of a filter by integers",
	"fee.ParseRates":                       "a setting of the operator's, read by json",
	"report/export.parseMerchant":          "our own file's cursor",
	"merchant.parseDomains":                "a list, each of which ParseDomain reads",
	"api/browser.merchantID.UnmarshalJSON": "the pages' own frames; json has read it",
	"apikey.CreateInput.parseRights":       "words of a list",
	"apikey.CreateInput.parseMerchants":    "integers that json has read",
	"wallet/sandbox.parseKey":              "our own file",
	"platform/localpg.parseAccount":        "the machine's accounts",
	"test/bench.parseStat":                 "the machine's own figures of a process",
}

// parserName is how functions are called that read a text.
var parserName = regexp.MustCompile(`^([Pp]arse[A-Z].*|Parse|Unmarshal(JSON|Text))$`)

// declared are the functions of a package's files, methods with the names of their types.
func declared(t *testing.T, dir string, files []string) (out []string) {
	t.Helper()
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				out = append(out, receiver(f)+f.Name.Name)
			}
		}
	}
	return out
}

func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	e := f.Recv.List[0].Type
	if p, ok := e.(*ast.StarExpr); ok {
		e = p.X
	}
	switch i := e.(type) {
	case *ast.IndexExpr:
		e = i.X
	case *ast.IndexListExpr:
		e = i.X
	}
	return e.(*ast.Ident).Name + "."
}

func TestEveryParserHasAFuzzTarget(t *testing.T) {
	t.Parallel()
	seen := make(map[string]bool)
	for _, p := range modulePackages(t) {
		name := short(p.ImportPath)
		tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		var targets []string
		for _, path := range tests {
			targets = append(targets, declared(t, "", []string{path})...)
		}
		for _, function := range declared(t, p.Dir, p.GoFiles) {
			whole := name + "." + function
			target := fuzzed[whole]
			if seen[whole] = true; target != "" && !slices.Contains(targets, target) {
				t.Errorf("%s is to be fuzzed by %s, which does not exist", whole, target)
			}
			_, method, _ := strings.Cut("."+function, ".")
			if i := strings.LastIndex(method, "."); i >= 0 {
				method = method[i+1:]
			}
			if parserName.MatchString(method) && target == "" && unfuzzed[whole] == "" {
				t.Errorf("%s reads a text: name its fuzz target in fuzzed, or why it needs none in unfuzzed", whole)
			}
		}
	}
	for _, table := range []map[string]string{fuzzed, unfuzzed} {
		for whole := range table {
			if !seen[whole] {
				t.Errorf("there is no %s", whole)
			}
		}
	}
}

// Every kind of id has its parser among those that are fuzzed.
func TestEveryKindOfIDIsFuzzed(t *testing.T) {
	t.Parallel()
	kinds, err := os.ReadFile("ids/kinds.go")
	if err != nil {
		t.Fatal(err)
	}
	tests, err := os.ReadFile("ids/ids_test.go")
	if err != nil {
		t.Fatal(err)
	}
	parsers := regexp.MustCompile(`(?m)^\s(Parse\w+)\s+= Parse\[`).FindAllStringSubmatch(string(kinds), -1)
	for _, p := range parsers {
		if !strings.Contains(string(tests), "printed(ids."+p[1]+")") {
			t.Errorf("FuzzParse does not run %s", p[1])
		}
	}
	if len(parsers) < 11 {
		t.Errorf("%d parsers were found", len(parsers))
	}
}
