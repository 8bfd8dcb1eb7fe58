// Package policy enforces who may do what. The rules are policy.csv, read by casbin by the model
// in model.conf; nothing else in the program decides on a permission.
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
		if len(rule) != 4 || rule[0] != "p" {
			return nil, fmt.Errorf("policy: malformed rule %q", strings.TrimSpace(line))
		}
		if _, err := e.AddPolicy(rule[1], rule[2], rule[3]); err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
	}
	return &Checker{e}, nil
}

// Check implements authz.Checker. Of what a secret key may do, a restricted one may what its rights cover.
func (c *Checker) Check(a authz.Actor, p authz.Permission) error {
	role := a.Role
	if role == authz.RoleRestrictedKey {
		if !a.Restriction.Covers(p) {
			return authz.Denied(p)
		}
		role = authz.RoleSecretKey
	}
	resource, action, _ := strings.Cut(string(p), ":")
	ok, err := c.enforcer.Enforce(string(role), resource, action)
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	if !ok {
		return authz.Denied(p)
	}
	return nil
}
