// Package policy decides who may do what. The rules are in policy.csv, read by casbin with the model in model.conf;
// nothing else in the program decides on a permission. A rule names a role, the kind of domain that the role is granted
// in, a resource and an action. docs/roles.md shows those of people as a table; package identity keeps who has which
// role where.
package policy

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/casbin/casbin/v2"
	"github.com/casbin/casbin/v2/model"

	"svcpay/internal/authz"
)

//go:embed model.conf
var modelText string

//go:embed policy.csv
var policyText string

// Checker implements authz.Checker over the embedded policy.
type Checker struct{ enforcer *casbin.SyncedCachedEnforcer }

// New reads the embedded policy. It fails only if that is malformed.
func New() (*Checker, error) {
	m, err := model.NewModelFromString(modelText)
	if err != nil {
		return nil, fmt.Errorf("policy: model: %w", err)
	}
	e, err := casbin.NewSyncedCachedEnforcer(m)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	for line := range strings.Lines(policyText) {
		rule := strings.FieldsFunc(line, func(r rune) bool { return r == ',' || r == ' ' || r == '\n' })
		if len(rule) == 0 {
			continue
		}
		if len(rule) != 5 || rule[0] != "p" {
			return nil, fmt.Errorf("policy: malformed rule %q", strings.TrimSpace(line))
		}
		if _, err := e.AddPolicy(rule[1], rule[2], rule[3], rule[4]); err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
	}
	return &Checker{e}, nil
}

// Check implements authz.Checker. Of what a secret key may do, a restricted one may what its rights cover.
// A role that was granted in another kind of domain than its own may nothing. Which domain of its kind it
// was granted in says what the actor sees, not what it may do: left out, the cache of answers stays small.
func (c *Checker) Check(a authz.Actor, p authz.Permission) error {
	role, domain := a.Role, a.Domain()
	if a.Granted != (authz.Domain{}) && !a.Granted.Whole() {
		return authz.Denied(p)
	}
	if role == authz.RoleRestrictedKey {
		if !a.Restriction.Covers(p) {
			return authz.Denied(p)
		}
		role = authz.RoleSecretKey
	}
	resource, action, _ := strings.Cut(string(p), ":")
	ok, err := c.enforcer.Enforce(string(role), string(domain.Scope), resource, action)
	if a.Viewer != "" && ok && err == nil {
		if action != "read" {
			return authz.Denied(p)
		}
		ok, err = c.enforcer.Enforce(string(a.Viewer), string(authz.ScopeSystem), resource, action)
	}
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	if !ok {
		return authz.Denied(p)
	}
	return nil
}
