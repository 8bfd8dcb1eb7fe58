package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "svcpay"

// pkg is what the rules look at of a package.
type pkg struct {
	ImportPath string
	Name       string
	Dir        string
	Doc        string
	GoFiles    []string
	Imports    []string
}

// row says where a package stands. may lists what of ours it imports: whole ranks by their
// number, packages by name, without "internal/".
type row struct {
	rank int
	may  string
}

// rows has every package of the module. Imports of tests are not looked at.
var rows = map[string]row{
	"money":       {0, ""},
	"fault":       {0, ""},
	"ids":         {0, ""},
	"instant":     {0, ""},
	"digits":      {0, ""},
	"sensitive":   {0, "digits"},
	"crash":       {0, ""},
	"page":        {0, ""},
	"authz":       {0, "ids fault"},
	"patch":       {0, ""},
	"check":       {0, "fault money sensitive"},
	"redact":      {0, "sensitive"},
	"search":      {0, "digits fault"},
	"mailbox":     {0, ""},
	"wholefile":   {0, ""},
	"spreadsheet": {0, ""},
	"planted":     {0, ""},

	"migrations":  {1, ""},
	"pg":          {1, "fault page planted"},
	"jobs":        {1, "pg migrations"},
	"returns":     {1, ""},
	"seal":        {1, ""},
	"calendar":    {1, "0 pg"},
	"localpg":     {1, "0 pg"},
	"safehttp":    {1, ""},
	"outbox":      {1, "authz ids instant pg"},
	"clock":       {1, "instant page pg"},
	"batch":       {1, "clock fault pg"},
	"idempotency": {1, "ids fault pg"},
	"ratelimit":   {1, "pg"},
	"audit":       {1, "0 pg"},
	"mail":        {1, "0 pg ratelimit seal"},
	"typeset":     {1, ""},

	"identity":                     {2, "0 1"},
	"event":                        {2, "0 1 identity"},
	"fee":                          {2, "0 1"},
	"merchant":                     {2, "0 1 fee identity"},
	"vault":                        {2, "0 1"},
	"ledger":                       {2, "0 1"},
	"operation":                    {2, "0 1 processor daf/provider"},
	"processor":                    {2, "money sensitive fault"},
	"processor/sandbox":            {2, "0 1 processor counterparty"},
	"processor/remote":             {2, "0 processor"},
	"counterparty":                 {2, "0 1 processor"},
	"unconnected":                  {2, "processor daf/provider banklink/institution"},
	"upload":                       {2, "0 1"},
	"requestlog":                   {2, "0 1"},
	"daf/provider":                 {2, "money"},
	"wallet":                       {2, "fault money safehttp sensitive"},
	"wallet/credentials":           {2, "safehttp wallet wallet/sandbox"},
	"wallet/sandbox":               {2, "money safehttp sensitive wallet wholefile"},
	"banklink/institution":         {2, "sensitive"},
	"banklink/institution/sandbox": {2, "0 1 banklink/institution"},

	"daf/provider/sandbox": {2, "0 1 processor counterparty daf/provider"},

	"processor/memory":         {2, "processor"},   // for measurements alone
	"processor/conformance":    {2, "0 processor"}, // for tests alone
	"daf/provider/conformance": {2, "0 daf/provider"},

	"token":   {3, "0 1 2"},
	"charge":  {3, "0 1 2 token"},
	"refund":  {3, "0 1 2 charge"},
	"dispute": {3, "0 1 2 charge refund"},
	"demo":    {3, "0 1 2 daf payout token"},
	"payout":  {3, "0 1 2 token"},
	"webhook": {3, "0 1 2"},
	"daf":     {3, "0 1 2 daf/workflow"},

	"daf/workflow": {3, "0 1 2 token"},
	"banklink":     {3, "0 1 2 token"},

	"inbound":   {4, "0 1 2 3"},
	"reconcile": {4, "0 1 2 3"},
	"report":    {4, "0 1 2 3"},
	"simulate":  {4, "0 1 2 3 inbound"},
	"assembly":  {4, "0 1 2 3 inbound report receipt simulate processor/sandbox daf/provider/sandbox reconcile"},

	"demo/history": {4, "0 1 2 3 simulate assembly"},

	"signature": {4, "0"},
	"relay":     {4, "0 event signature"},
	"trigger":   {4, "0 event api/client"},

	"metrics":     {4, "0 1 2"},
	"notify":      {4, "0 1 2 3 views/text"},
	"receipt":     {4, "0 1 2 3 views/text"},
	"erasure":     {4, "0 1 2 3"},
	"doctor":      {4, "ids pg migrations vault"},
	"policy":      {4, "authz"},
	"static":      {4, ""},
	"views":       {4, "money fault ids instant views/ui views/text"},
	"views/ui":    {4, "money fault ids instant views/text"},
	"views/kit":   {4, "money views views/ui views/text"},
	"views/text":  {4, "money"},
	"views/modal": {4, "views/ui"},
	"views/daf":   {4, "views/modal views/ui"},
	"views/bank":  {4, "views/modal views/ui"},
	"views/sheet": {4, ""},
	"api":         {4, "0 1 2 3 simulate report assembly static"},
	"api/browser": {4, "0 1 2 3 static views/bank views/daf views/modal views/sheet views/ui"},
	"portal":      {4, "0 1 2 3 assembly notify receipt report signature simulate views views/ui views/text views/kit static"},

	"cmd/svcpay":           {5, "0 1 2 3 4 assembly examples/shop api/client"},
	"api/client":           {5, ""}, // for other people's programs
	"examples/go-client":   {5, "api/client"},
	"examples/shop":        {5, ""},
	"examples/shop/server": {5, "examples/shop"},
	"nametest":             {5, ""},
	"pdftest":              {5, ""},
	"roledoc":              {5, "authz"},
	"pgtest":               {5, "localpg pg migrations"},
	"test/rig":             {5, "localpg"},
	"test/bench":           {5, "localpg"},
	"fixture":              {5, "0 1 2 3 assembly policy pgtest"},
}

// guarded lists imports that only some packages may have, ours and others'. A name ending in /
// stands for all below it; users may be a rank and all above it, written 4+.
var guarded = []struct{ name, users string }{
	{"svcpay/internal/vault", "token charge payout assembly doctor cmd/svcpay fixture"},
	{"svcpay/internal/processor/sandbox", "assembly cmd/svcpay fixture"},
	{"svcpay/internal/daf/provider/sandbox", "assembly cmd/svcpay fixture api/browser demo/history"},
	{"svcpay/internal/banklink/institution/sandbox", "cmd/svcpay fixture api/browser"},
	{"svcpay/internal/wallet", "token wallet/sandbox wallet/credentials"},
	{"svcpay/internal/wallet/sandbox", "assembly cmd/svcpay fixture api/browser wallet/credentials"},
	{"svcpay/internal/processor/remote", "cmd/svcpay"},
	{"svcpay/internal/processor/memory", "cmd/svcpay"},
	{"svcpay/internal/processor/conformance", ""},
	{"svcpay/internal/daf/provider/conformance", ""},
	{"svcpay/internal/fixture", ""},
	{"svcpay/internal/pgtest", "fixture"},
	{"svcpay/internal/nametest", ""},
	{"svcpay/internal/pdftest", ""},
	{"codeberg.org/go-pdf/", "typeset"},
	{"github.com/go-text/", "typeset"},
	{"svcpay/internal/roledoc", ""},
	{"svcpay/internal/demo", "cmd/svcpay fixture demo/history"},
	{"svcpay/api/client", "examples/go-client trigger cmd/svcpay"},
	{"github.com/casbin/", "policy"},
	{"github.com/tink-crypto/", "vault seal wallet"},
	{"crypto/aes", "vault seal wallet"},
	{"crypto/cipher", "vault seal wallet"},
	{"crypto/des", ""},
	{"crypto/rc4", ""},
	{"golang.org/x/crypto/chacha20poly1305", "vault seal wallet"},
	{"golang.org/x/crypto/nacl/", "vault seal wallet"},
	{"github.com/labstack/echo/", "api api/browser portal cmd/svcpay"},
	{"github.com/yuin/goldmark", "api"},
	{"github.com/a-h/templ", "views views/ui views/kit views/bank views/daf views/modal views/sheet portal"},
	{"github.com/a-h/templ", "views views/ui views/kit views/bank views/daf views/modal views/sheet portal api/browser"},
	{"github.com/prometheus/", "metrics"},
	{"github.com/wneessen/", "mail"},
	{"github.com/pquerna/", "identity"},
	{"github.com/go-webauthn/", "identity"},
	{"github.com/riverqueue/", "jobs migrations pgtest test/bench"},
}

// never lists what single packages must not import although their rank would allow it.
var never = map[string][]string{
	"views":     {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/ui":  {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/kit": {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/daf": {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"portal":    {"svcpay/internal/vault", "svcpay/internal/sensitive", "svcpay/internal/processor"},
}

func short(path string) string {
	return strings.TrimPrefix(strings.TrimPrefix(path, module+"/"), "internal/")
}

func matches(path, name string) bool {
	return path == name || strings.HasSuffix(name, "/") && strings.HasPrefix(path, name)
}

// violations tells every broken rule of one package.
func violations(p pkg) (bad []string) {
	name := short(p.ImportPath)
	r, ok := rows[name]
	if !ok {
		return []string{name + " has no row in the table of packages"}
	}
	complain := func(imp, why string) { bad = append(bad, fmt.Sprintf("%s imports %s: %s", name, imp, why)) }
	for _, imp := range p.Imports {
		if strings.HasPrefix(imp, module+"/") && !r.allows(short(imp)) {
			complain(imp, "no arrow leads there")
		}
		for _, g := range guarded {
			if matches(imp, g.name) && !slices.Contains(strings.Fields(g.users), name) {
				complain(imp, fmt.Sprintf("only these do: %q", g.users))
			}
		}
		for _, n := range never[name] {
			if matches(imp, n) {
				complain(imp, "it never does")
			}
		}
	}
	return bad
}

func (r row) allows(imported string) bool {
	target, ok := rows[imported]
	allowed := strings.Fields(r.may)
	return ok && (slices.Contains(allowed, imported) || target.rank < r.rank && slices.Contains(allowed, fmt.Sprint(target.rank)))
}

// packages lists the module's packages as the chaos build sees them, which has every import that
// the others have.
var packages = sync.OnceValues(func() ([]pkg, error) {
	list := exec.Command("go", "list", "-tags", "chaos", "-json=ImportPath,Name,Dir,Doc,GoFiles,Imports", "./...")
	list.Dir = ".."
	out, err := list.Output()
	if err != nil {
		return nil, err
	}
	var all []pkg
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		if len(p.GoFiles) > 0 { // else it has tests only
			all = append(all, p)
		}
	}
})

func modulePackages(t *testing.T) []pkg {
	t.Helper()
	all, err := packages()
	if err != nil || len(all) < 20 {
		t.Fatalf("go list gave %d packages: %v", len(all), err)
	}
	return all
}

func TestArrowsPointDownward(t *testing.T) {
	t.Parallel()
	for _, p := range modulePackages(t) {
		for _, v := range violations(p) {
			t.Error(v)
		}
	}
}

func TestEveryBrokenArrowIsFound(t *testing.T) {
	t.Parallel()
	planted := map[string][]string{ // importer → imports that must each be complained about
		"svcpay/internal/money":             {"svcpay/internal/fault", "svcpay/internal/unheard"},
		"svcpay/internal/pg":                {"svcpay/internal/ids", "svcpay/internal/outbox", "github.com/labstack/echo/v4"},
		"svcpay/internal/ledger":            {"svcpay/internal/charge", "svcpay/internal/merchant", "crypto/aes"},
		"svcpay/internal/merchant":          {"svcpay/internal/vault", "svcpay/internal/token"},
		"svcpay/internal/processor":         {"svcpay/internal/pg"},
		"svcpay/internal/processor/sandbox": {"svcpay/internal/vault", "svcpay/internal/ledger"},
		"svcpay/internal/token":             {"svcpay/internal/charge", "svcpay/internal/processor/sandbox", "github.com/tink-crypto/tink-go/v2/aead"},
		"svcpay/internal/charge":            {"svcpay/internal/demo", "svcpay/internal/fixture", "crypto/cipher", "github.com/a-h/templ"},
		"svcpay/internal/identity":          {"svcpay/policy", "github.com/casbin/casbin/v2"},
		"svcpay/views":                      {"net/http", "github.com/jackc/pgx/v5", "svcpay/internal/charge"},
		"svcpay/api":                        {"svcpay/api/browser", "svcpay/portal", "svcpay/internal/vault", "svcpay/api/client"},
		"svcpay/api/browser":                {"svcpay/api", "svcpay/portal"},
		"svcpay/portal":                     {"svcpay/api", "svcpay/internal/sensitive", "svcpay/internal/processor"},
		"svcpay/examples/shop":              {"svcpay/internal/money"},
		"svcpay/examples/go-client":         {"svcpay/internal/money"},
		"svcpay/api/client":                 {"svcpay/internal/money", "svcpay/api"},
		"svcpay/cmd/svcpay":                 {"svcpay/internal/pgtest"},
		"svcpay/internal/newcomer":          {"fmt"},
	}
	for importer, imports := range planted {
		for _, imp := range imports {
			if len(violations(pkg{ImportPath: importer, Imports: []string{imp}})) == 0 {
				t.Errorf("%s may import %s", importer, imp)
			}
		}
	}
	for importer, imp := range map[string]string{
		"svcpay/internal/charge": "svcpay/internal/vault", "svcpay/policy": "github.com/casbin/casbin/v2",
		"svcpay/api": "github.com/labstack/echo/v4", "svcpay/internal/merchant": "svcpay/internal/fee",
	} {
		if v := violations(pkg{ImportPath: importer, Imports: []string{imp}}); len(v) > 0 {
			t.Error(v)
		}
	}
}

func TestEveryPackageStandsInTheDocument(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	for name := range rows {
		if !strings.Contains(string(document), "`"+name+"`") {
			t.Errorf("ARCHITECTURE.md does not name %s", name)
		}
	}
}
