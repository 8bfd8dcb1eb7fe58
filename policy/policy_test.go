package policy_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/testing/roledoc"
	"svcpay/policy"
)

// constants reads the values of authz's constants of one type from its source.
func constants(t *testing.T, typeName string) (out []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../internal/authz/authz.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == typeName {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, text)
		}
		return true
	})
	if len(out) < 2 {
		t.Fatalf("found %v of type %s", out, typeName)
	}
	return out
}

func TestPolicyAndCodeKnowTheSamePermissionsAndRoles(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("policy.csv")
	if err != nil {
		t.Fatal(err)
	}
	permissions, roles := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if f := strings.Split(strings.TrimSpace(line), ", "); len(f) == 5 {
			roles[f[1]], permissions[f[3]+":"+f[4]] = true, true
		}
	}
	compare := func(what string, inPolicy map[string]bool, inCode []string) {
		for _, c := range inCode {
			if !inPolicy[c] {
				t.Errorf("%s %s is not in the policy", what, c)
			}
			delete(inPolicy, c)
		}
		for left := range inPolicy {
			t.Errorf("%s %s of the policy is not in the code", what, left)
		}
	}
	compare("permission", permissions, constants(t, "Permission"))
	roles[string(authz.RoleRestrictedKey)] = true // by its rights, of what a secret key may
	compare("role", roles, constants(t, "Role"))
}

// rights is what the policy must say of programs, by hand: a wrong line there is found here. What it
// must say of people is docs/roles.md.
const rights = `secret_key charge:create
secret_key charge:read
secret_key charge:update
secret_key charge:capture
secret_key charge:void
secret_key refund:create
secret_key refund:read
secret_key refund:cancel
secret_key dispute:read
secret_key dispute:answer
secret_key file:create
secret_key file:read
secret_key token:create_test
secret_key token:read
secret_key token:update
secret_key token:delete
secret_key token:verify
secret_key mandate:read
secret_key mandate:revoke
secret_key donation:create
secret_key donation:read
secret_key donation:update
secret_key balance:read
secret_key payout:read
secret_key processing:read
secret_key statement:read
secret_key merchant:create
secret_key merchant:read
secret_key merchant:update
secret_key merchant:set_features
secret_key merchant:set_domains
secret_key domain:read
secret_key domain:verify
secret_key search:read
secret_key export:create
secret_key export:read
secret_key fee:read
secret_key fee:write_daf
secret_key fee_default:read
secret_key card_rule:read
secret_key card_rule:manage
secret_key sandbox:simulate
secret_key sandbox:clock
secret_key me:read
secret_key request_log:read
secret_key idempotency_key:read
secret_key event:read
secret_key event:redeliver
secret_key webhook:read
secret_key webhook:manage
public_key token:create
`

// document reads docs/roles.md.
func document(t *testing.T) roledoc.Document {
	t.Helper()
	text, err := os.ReadFile("../docs/roles.md")
	if err != nil {
		t.Fatal(err)
	}
	d, err := roledoc.Read(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// actorOf is someone who holds a role where it belongs.
func actorOf(role authz.Role) authz.Actor {
	a := authz.Actor{Role: role, ApplicationID: 1}
	if scope := role.Scope(); scope != "" {
		a.PersonID, a.Granted = 5, authz.Domain{
			Scope: scope, ID: map[authz.Scope]int64{authz.ScopeApplication: 1, authz.ScopeOrganization: 2}[scope]}
	}
	return a
}

// Every permission that someone of the people has is in the document, and nothing else does.
func TestTheDocumentKnowsThePermissionsOfPeople(t *testing.T) {
	t.Parallel()
	known := document(t).Permissions()
	for _, p := range known {
		if !slices.Contains(constants(t, "Permission"), string(p)) {
			t.Errorf("docs/roles.md speaks of %s, which nothing asks for", p)
		}
	}
	text, err := os.ReadFile("policy.csv")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(strings.TrimSpace(line), ", ")
		scope := authz.Role(f[1]).Scope()
		if scope != "" && !slices.Contains(known, authz.Permission(f[3]+":"+f[4])) {
			t.Errorf("no cell of docs/roles.md justifies %s", line)
		}
		if scope != "" && f[2] != string(scope) || scope == "" && f[2] != string(authz.ScopeApplication) {
			t.Errorf("a role is in another kind of domain than its own: %s", line)
		}
	}
}

// A role that was granted in another kind of domain, or in none that exists, may nothing.
func TestRolesHoldInTheirOwnDomains(t *testing.T) {
	t.Parallel()
	checker, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	domains := []authz.Domain{authz.System(), {Scope: authz.ScopeApplication, ID: 1},
		{Scope: authz.ScopeOrganization, ID: 1},
		{Scope: authz.ScopeApplication}, {Scope: authz.ScopeOrganization, ID: -1}, {Scope: authz.ScopeSystem, ID: 1},
		{Scope: "*", ID: 1}, {ID: 1}}
	for _, role := range authz.PeopleRoles() {
		for _, d := range domains {
			want := d.Whole() && d.Scope == role.Scope()
			for _, p := range constants(t, "Permission") {
				err := checker.Check(authz.Actor{Role: role, ApplicationID: 1, PersonID: 1, Granted: d},
					authz.Permission(p))
				if err == nil && !want {
					t.Errorf("%s in %q may %s", role, d, p)
				}
			}
			if err := checker.Check(authz.Actor{Role: role, ApplicationID: 1, PersonID: 1, Granted: d},
				authz.RoleRead); (err == nil) != want {
				t.Errorf("%s in %q reads roles: %v", role, d, err)
			}
		}
	}
}

func TestEveryRoleAndPermission(t *testing.T) {
	t.Parallel()
	checker, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	allowed := make(map[string]bool)
	for line := range strings.Lines(rights) {
		allowed[strings.TrimSpace(line)] = true
	}
	people := document(t)
	for _, role := range authz.PeopleRoles() {
		for _, p := range constants(t, "Permission") {
			allowed[string(role)+" "+p] = people.Allows(role, authz.Permission(p))
		}
	}
	for _, role := range append(constants(t, "Role"), "", "nobody", "secret_key\x00") {
		for _, permission := range append(constants(t, "Permission"), "", "charge", "charge:", "charge:delete", "*:*") {
			err := checker.Check(actorOf(authz.Role(role)), authz.Permission(permission))
			if want := allowed[role+" "+permission]; (err == nil) != want {
				t.Errorf("%s may %s: %v, want %v", role, permission, err == nil, want)
			}
			if f, ok := fault.As(err); err != nil &&
				(!ok || f.Code != "permission_denied" || f.Detail["required_permission"] != permission) {
				t.Errorf("%s is refused %s by %v", role, permission, err)
			}
		}
	}
}

// A restricted key with every right may do exactly what a secret key may; with one right, what that covers.
func TestRestrictedKeys(t *testing.T) {
	t.Parallel()
	checker, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	needed := make(map[authz.Right]bool)
	may := func(rights ...authz.Right) func(authz.Permission) bool {
		return func(p authz.Permission) bool {
			return checker.Check(authz.Actor{Role: authz.RoleRestrictedKey,
				Restriction: &authz.Restriction{Rights: rights}}, p) == nil
		}
	}
	for _, text := range append(constants(t, "Permission"), "charge:delete", "charge", "") {
		p := authz.Permission(text)
		secret := checker.Check(authz.Actor{Role: authz.RoleSecretKey}, p) == nil
		if may(authz.Rights()...)(p) != secret {
			t.Errorf("with every right it may %s: %v; add what is missing to authz.Rights", p, !secret)
		}
		if may()(p) != (p == authz.MeRead) {
			t.Errorf("without a right it may %s: %v", p, p != authz.MeRead)
		}
		for _, r := range authz.Rights() {
			covered := r == authz.RightFor(p) ||
				strings.Replace(string(r), ":write", ":read", 1) == string(authz.RightFor(p))
			if want := secret && (covered || p == authz.MeRead); may(r)(p) != want {
				t.Errorf("with %s it may %s: %v", r, p, !want)
			}
		}
		if secret {
			needed[authz.RightFor(p)] = true
		}
		err := checker.Check(authz.Actor{Role: authz.RoleRestrictedKey}, p)
		if f, ok := fault.As(err); !ok || f.Code != "permission_denied" || f.Detail["required_permission"] != text {
			t.Errorf("without a restriction it is answered %v", err)
		}
	}
	for _, r := range authz.Rights() {
		if !needed[r] {
			t.Errorf("nothing needs %s", r)
		}
	}
}

// TestRightsDocument compares docs/keys.md with what each right allows.
func TestRightsDocument(t *testing.T) {
	t.Parallel()
	checker, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| right | allows |\n|---|---|\n")
	for _, r := range authz.Rights() {
		var allowed []string
		for _, p := range constants(t, "Permission") {
			if authz.RightFor(authz.Permission(p)) == r &&
				checker.Check(authz.Actor{Role: authz.RoleSecretKey}, authz.Permission(p)) == nil {
				allowed = append(allowed, "`"+p+"`")
			}
		}
		fmt.Fprintf(&want, "| `%s` | %s |\n", r, strings.Join(allowed, ", "))
	}
	text, err := os.ReadFile("../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	var whole []string
	for _, p := range constants(t, "Permission") {
		all, one := authz.Restriction{Rights: authz.Rights()}, authz.Restriction{Rights: authz.Rights(),
			Merchants: []int64{1}}
		if all.Covers(authz.Permission(p)) && !one.Covers(authz.Permission(p)) {
			whole = append(whole, "`"+p+"`")
		}
	}
	unwrapped := strings.Join(strings.Fields(string(text)), " ")
	if told := "all merchants at once: " + strings.Join(whole, ", ") + "."; !strings.Contains(unwrapped, told) {
		t.Errorf("docs/keys.md must tell of %q", told)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/keys.md must contain this table:\n%s", want.String())
	}
}

// TestReadsDocument compares docs/keys.md with the rights that objects of each kind are read with.
func TestReadsDocument(t *testing.T) {
	t.Parallel()
	checker, err := policy.New()
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| object | right |\n|---|---|\n")
	for _, kind := range authz.Kinds() {
		for _, r := range authz.Rights() {
			a := authz.Actor{Role: authz.RoleRestrictedKey, Restriction: &authz.Restriction{Rights: []authz.Right{r}}}
			if strings.HasSuffix(string(r), ":read") && authz.Reads(checker, a, kind) == nil {
				fmt.Fprintf(&want, "| `%s` | `%s` |\n", kind, r)
			}
		}
		if err := authz.Reads(checker, authz.Actor{Role: authz.RoleSecretKey}, kind); err != nil {
			t.Errorf("a secret key does not read objects of the kind %s: %v", kind, err)
		}
	}
	text, err := os.ReadFile("../docs/keys.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("docs/keys.md must contain this table:\n%s", want.String())
	}
	if err := authz.Reads(checker, authz.Actor{Role: authz.RoleSecretKey}, "cat"); err == nil {
		t.Error("a kind without a permission is read")
	}
}
