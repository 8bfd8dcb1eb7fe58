package internal_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"regexp"
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

// row is the rank of a package and which packages of the module it may import: whole lower ranks by their number,
// packages of its own rank by name, without "internal/".
type row struct {
	rank int
	may  string
}

// rows has every package of the module, as ARCHITECTURE.md lists them. Imports of tests are not looked at.
var rows = map[string]row{
	"money":                {0, ""},
	"fault":                {0, ""},
	"ids":                  {0, ""},
	"lifecycle":            {0, ""},
	"instant":              {0, ""},
	"sensitive":            {0, "sensitive/digits"},
	"sensitive/digits":     {0, ""},
	"sensitive/redact":     {0, "sensitive"},
	"authz":                {0, "ids fault"},
	"check":                {0, "fault money sensitive"},
	"check/patch":          {0, ""},
	"platform/textindex":   {0, "sensitive/digits"},
	"processor/returncode": {0, ""},
	"views/text":           {0, "money"},
	"platform/page":        {0, ""}, "platform/csp": {0, ""},
	"platform/mailbox": {0, ""}, "platform/notice": {0, ""},
	"platform/atomicfile":  {0, ""},
	"platform/spreadsheet": {0, ""}, "platform/flush": {0, ""},
	"testing/crash": {0, ""},

	"migrations":           {1, ""},
	"platform/pg":          {1, "fault platform/page"},
	"platform/jobs":        {1, "platform/pg migrations"},
	"platform/clock":       {1, "instant platform/page platform/pg"},
	"platform/bulkhead":    {1, ""},
	"platform/batch":       {1, "fault platform/clock platform/pg"},
	"platform/inbox":       {1, "authz platform/notice platform/pg testing/crash"},
	"platform/outbox":      {1, "authz ids instant platform/pg"},
	"platform/idempotency": {1, "fault ids platform/pg"},
	"platform/audit":       {1, "0 platform/pg platform/seal"},
	"platform/security":    {1, "0 platform/audit platform/pg platform/seal"},
	"platform/calendar":    {1, "0 platform/pg"},
	"platform/localpg":     {1, "0 platform/pg"},
	"platform/mail":        {1, "0 platform/pg platform/ratelimit platform/seal"},
	"platform/ratelimit":   {1, "platform/bulkhead platform/pg"},
	"platform/safehttp":    {1, ""},
	"platform/seal":        {1, ""},
	"platform/typeset":     {1, ""},

	"identity":   {2, "0 1"},
	"apikey":     {2, "0 1"},
	"merchant":   {2, "0 1 fee identity processor processor/accounts"},
	"fee":        {2, "0 1"},
	"vault":      {2, "0 1"},
	"ledger":     {2, "0 1"},
	"event":      {2, "0 1 apikey"},
	"upload":     {2, "0 1"},
	"requestlog": {2, "0 1"},
	"operation":  {2, "0 1 processor daf/provider"},

	"processor":             {2, "fault money platform/notice sensitive"},
	"processor/accounts":    {2, "0 1 processor"},
	"processor/sandbox":     {2, "0 1 processor sandbox/kit"},
	"processor/stripe":      {2, "0 processor"},
	"processor/stripe/fake": {2, "0 sandbox/kit"}, "processor/remote": {2, "0 processor"}, // for tests alone
	"processor/unconnected": {2, "processor banklink/institution"},
	// for measurements alone
	"processor/memory":          {2, "platform/notice sensitive processor"},
	"processor/conformance":     {2, "0 processor"}, // for tests alone
	"daf/provider":              {2, "money sensitive platform/notice"},
	"daf/provider/chariot/fake": {2, "0 sandbox/kit"}, "daf/provider/chariot/described": {2, ""}, // for tests alone
	"daf/provider/sandbox":         {2, "0 1 processor sandbox/kit daf/provider"},
	"daf/provider/chariot":         {2, "0 1 processor daf/provider"},
	"daf/provider/connection":      {2, "0 1 daf/provider"},
	"daf/provider/conformance":     {2, "0 daf/provider processor/conformance"}, // for tests alone
	"banklink/institution":         {2, "sensitive"},
	"banklink/institution/sandbox": {2, "0 1 banklink/institution"},
	"wallet":                       {2, "fault money platform/safehttp sensitive"},
	"wallet/credentials":           {2, "platform/safehttp wallet wallet/sandbox"},
	"wallet/sandbox":               {2, "money platform/atomicfile platform/safehttp sensitive wallet"},
	"sandbox/kit":                  {2, "0 1 processor"},
	"charge/rule":                  {2, "0 1 processor"}, "token": {3, "0 1 2"},
	"charge":       {3, "0 1 2 token"},
	"refund":       {3, "0 1 2 charge"},
	"dispute":      {3, "0 1 2 charge refund"},
	"payout":       {3, "0 1 2 token"},
	"daf":          {3, "0 1 2 daf/workflow"},
	"daf/workflow": {3, "0 1 2 token"},
	"banklink":     {3, "0 1 2 token"},
	"webhook":      {3, "0 1 2"},

	"inbound":          {4, "0 1 2 3"},
	"reconcile":        {4, "0 1 2 3"},
	"report/export":    {4, "0 1 2 3"},
	"report/search":    {4, "0 1 2 3"},
	"report/statement": {4, "0 1 2 3"},
	"report/timeline":  {4, "0 1 2 3"},
	"report/totals":    {4, "0 1 2 3"},
	"notify":           {4, "0 1 2 3"},
	"receipt":          {4, "0 1 2 3"},
	"erasure":          {4, "0 1 2 3"},
	"metrics":          {4, "0 1 2"},
	"sandbox/simulate": {4, "0 1 2 3 inbound"},
	"sandbox/demo":     {4, "0 1 2 3"}, "sandbox/cardtesting": {4, "0 1 2 3"},
	"sandbox/history":    {4, "0 1 2 3 sandbox/demo sandbox/simulate assembly"},
	"devtools/signature": {4, "0"},
	"devtools/listen":    {4, "0 event devtools/signature"},
	"devtools/doctor":    {4, "fault ids platform/pg migrations processor processor/accounts daf/provider/connection vault"},
	"assembly":           {4, "0 1 2 3 inbound notify reconcile receipt report/export report/search report/statement report/timeline report/totals sandbox/simulate processor/sandbox daf/provider/sandbox"},

	"api":               {5, "0 1 2 3 assembly report/export report/search report/statement report/timeline sandbox/simulate static"},
	"api/browser":       {5, "0 1 2 3 static views/bank views/daf views/modal views/sheet views/ui"},
	"api/client":        {5, ""}, // for other people's programs
	"portal":            {5, "platform/bulkhead assembly portal/account portal/developers portal/merchants portal/overview portal/payments portal/web static views views/kit views/ui"},
	"portal/developers": {5, "0 1 2 webhook devtools/signature views views/ui portal/web"},
	"portal/account":    {5, "0 1 2 notify views views/ui portal/web"},
	"portal/payments":   {5, "0 1 2 3 receipt report/statement report/timeline views views/ui portal/web"},
	"portal/overview":   {5, "0 1 2 3 report/search report/totals views views/ui portal/web"},
	"portal/merchants":  {5, "0 1 2 charge daf payout views views/ui portal/web"},
	"portal/web":        {5, "0 1 2 charge daf views views/ui static"},
	"views":             {5, "money fault ids instant views/ui views/text"},
	"views/ui":          {5, "money fault ids instant views/text"},
	"views/kit":         {5, "money views views/ui views/text"},
	"views/modal":       {5, "views/ui"},
	"views/daf":         {5, "views/modal views/text views/ui"},
	"views/bank":        {5, "views/modal views/text views/ui"},
	"views/sheet":       {5, ""},
	"policy":            {5, "authz"},
	"static":            {5, ""},

	"cmd/svcpay":           {6, "0 1 2 3 4 5 devtools/trigger examples/shop"},
	"devtools/trigger":     {6, "0 event api/client"},
	"examples/go-client":   {6, "api/client"},
	"examples/shop":        {6, ""},
	"examples/shop/server": {6, "examples/shop"},
	"testing/fixture":      {6, "0 1 2 3 4 policy testing/pgtest"},
	"testing/pgtest":       {6, "platform/localpg platform/pg migrations"},
	"testing/nametest":     {6, ""},
	"testing/pdftest":      {6, ""},
	"testing/roledoc":      {6, "authz"},
	"test/rig":             {6, "platform/localpg"},
	"test/bench":           {6, "platform/localpg test/rig"},
}

// guarded lists imports that only some packages may have, ours and others'. A name ending in / means all
// packages below it.
var guarded = []struct{ name, users string }{
	{"svcpay/internal/vault", "token charge payout assembly devtools/doctor cmd/svcpay testing/fixture"},
	{"svcpay/internal/processor/sandbox", "assembly cmd/svcpay testing/fixture"},
	{"svcpay/internal/daf/provider/sandbox", "assembly cmd/svcpay testing/fixture api/browser sandbox/history"},
	{"svcpay/internal/banklink/institution/sandbox", "cmd/svcpay testing/fixture api/browser"},
	{"svcpay/internal/wallet", "token wallet/sandbox wallet/credentials"},
	{"svcpay/internal/wallet/sandbox", "assembly cmd/svcpay testing/fixture api/browser wallet/credentials"},
	{"svcpay/internal/processor/remote", "cmd/svcpay"},
	{"svcpay/internal/processor/memory", "cmd/svcpay"},
	{"svcpay/internal/processor/conformance", "daf/provider/conformance"},
	{"svcpay/internal/daf/provider/conformance", ""},
	{"svcpay/internal/daf/provider/chariot/described", ""},
	{"svcpay/internal/testing/fixture", ""},
	{"github.com/getkin/", "daf/provider/chariot/described"},
	{"svcpay/internal/testing/pgtest", "testing/fixture"},
	{"svcpay/internal/testing/nametest", ""},
	{"svcpay/internal/testing/pdftest", ""},
	{"codeberg.org/go-pdf/", "platform/typeset"},
	{"github.com/go-text/", "platform/typeset"},
	{"svcpay/internal/testing/roledoc", ""},
	{"svcpay/internal/sandbox/demo", "cmd/svcpay testing/fixture sandbox/history"},
	{"svcpay/api/client", "examples/go-client devtools/trigger cmd/svcpay"},
	{"github.com/casbin/", "policy"},
	{"github.com/tink-crypto/", "vault platform/seal wallet"},
	{"crypto/aes", "vault platform/seal wallet"},
	{"crypto/cipher", "vault platform/seal wallet"},
	{"crypto/des", ""},
	{"crypto/rc4", ""},
	{"golang.org/x/crypto/chacha20poly1305", "vault platform/seal wallet"},
	{"golang.org/x/crypto/nacl/", "vault platform/seal wallet"},
	{"github.com/labstack/echo/", "api api/browser portal portal/web cmd/svcpay"},
	{"github.com/yuin/goldmark", "api"},
	{"github.com/a-h/templ", "views views/ui views/kit views/bank views/daf views/modal views/sheet portal/developers portal/payments portal/overview portal/merchants portal/web api/browser"},
	{"github.com/prometheus/", "metrics"},
	{"github.com/wneessen/", "platform/mail"},
	{"github.com/pquerna/", "identity"},
	{"github.com/go-webauthn/", "identity"},
	{"github.com/riverqueue/", "platform/jobs migrations testing/pgtest test/bench"},
}

// never lists what single packages must not import although their rank would allow it.
var never = map[string][]string{
	"views":     {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/ui":  {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/kit": {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"views/daf": {"github.com/jackc/", "github.com/labstack/", "net/http"},
	"portal":    {"svcpay/internal/vault", "svcpay/internal/sensitive", "svcpay/internal/processor"},
	// all packages below it
	"portal/": {"svcpay/internal/vault", "svcpay/internal/sensitive", "svcpay/internal/processor"},
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
		for _, n := range slices.Concat(never[name], never[path.Dir(name)+"/"]) {
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
	return ok && (slices.Contains(allowed, imported) || target.rank < r.rank &&
		slices.Contains(allowed, fmt.Sprint(target.rank)))
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
		"svcpay/internal/platform/pg":       {"svcpay/internal/ids", "svcpay/internal/platform/outbox", "github.com/labstack/echo/v4"},
		"svcpay/internal/ledger":            {"svcpay/internal/charge", "svcpay/internal/merchant", "crypto/aes"},
		"svcpay/internal/merchant":          {"svcpay/internal/vault", "svcpay/internal/token"},
		"svcpay/internal/processor":         {"svcpay/internal/platform/pg"},
		"svcpay/internal/processor/sandbox": {"svcpay/internal/vault", "svcpay/internal/ledger"},
		"svcpay/internal/token":             {"svcpay/internal/charge", "svcpay/internal/processor/sandbox", "github.com/tink-crypto/tink-go/v2/aead"},
		"svcpay/internal/charge":            {"svcpay/internal/sandbox/demo", "svcpay/internal/testing/fixture", "crypto/cipher", "github.com/a-h/templ"},
		"svcpay/internal/identity":          {"svcpay/policy", "svcpay/internal/apikey", "github.com/casbin/casbin/v2"},
		"svcpay/internal/apikey":            {"svcpay/internal/identity", "github.com/go-webauthn/webauthn/webauthn"},
		"svcpay/views":                      {"net/http", "github.com/jackc/pgx/v5", "svcpay/internal/charge"},
		"svcpay/api":                        {"svcpay/api/browser", "svcpay/portal", "svcpay/internal/vault", "svcpay/api/client"},
		"svcpay/api/browser":                {"svcpay/api", "svcpay/portal"},
		"svcpay/portal":                     {"svcpay/api", "svcpay/internal/sensitive", "svcpay/internal/processor"},
		"svcpay/portal/developers":          {"svcpay/portal/account", "svcpay/portal", "svcpay/internal/processor"},
		"svcpay/portal/account":             {"svcpay/portal/payments", "svcpay/portal", "svcpay/internal/processor"},
		"svcpay/portal/payments":            {"svcpay/portal/account", "svcpay/portal", "svcpay/internal/processor"},
		"svcpay/portal/overview":            {"svcpay/portal/account", "svcpay/portal", "svcpay/internal/processor"},
		"svcpay/portal/merchants":           {"svcpay/portal/account", "svcpay/portal", "svcpay/internal/processor"},
		"svcpay/portal/web":                 {"svcpay/portal", "svcpay/portal/account", "svcpay/internal/refund"},
		"svcpay/examples/shop":              {"svcpay/internal/money"},
		"svcpay/examples/go-client":         {"svcpay/internal/money"},
		"svcpay/api/client":                 {"svcpay/internal/money", "svcpay/api"},
		"svcpay/cmd/svcpay":                 {"svcpay/internal/testing/pgtest"},
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

// documented reads the rank of each package from the table of ranks in ARCHITECTURE.md.
func documented(document string) map[string]int {
	ranks := map[string]int{}
	for _, line := range regexp.MustCompile(`(?m)^\| (\d) \|[^|]*\|([^|]*)\|`).FindAllStringSubmatch(document, -1) {
		rank := int(line[1][0] - '0')
		for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(line[2], -1) {
			ranks[name[1]] = rank
		}
	}
	return ranks
}

func TestTheDocumentHasTheRanksOfTheTable(t *testing.T) {
	t.Parallel()
	document, err := os.ReadFile("../ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]int{}
	for name, r := range rows {
		want[name] = r.rank
	}
	got := documented(string(document))
	for name, rank := range want {
		if have, ok := got[name]; !ok || have != rank {
			t.Errorf("ARCHITECTURE.md: rank of %s: %d (listed: %t), want %d", name, have, ok, rank)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("ARCHITECTURE.md lists %s, which is no package", name)
		}
	}
}

// TestArrowsOfTheTablePointDownward refuses a row that allows an import of a higher rank.
func TestArrowsOfTheTablePointDownward(t *testing.T) {
	t.Parallel()
	for name, r := range rows {
		for _, allowed := range strings.Fields(r.may) {
			if target, ok := rows[allowed]; ok && target.rank > r.rank {
				t.Errorf("%s, of rank %d, may import %s, of rank %d", name, r.rank, allowed, target.rank)
			}
		}
	}
}
