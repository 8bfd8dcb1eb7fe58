// Package authz holds the words of authorization: who acts, what they want to do, where.
// The rules themselves live in package policy, behind [Checker].
package authz

import (
	"svcpay/internal/fault"
	"svcpay/internal/ids"
)

// Role is a row of the policy.
type Role string

// The roles of programs. People's roles are grants kept by package identity.
const (
	RoleSecretKey Role = "secret_key" // an application's own server
	RolePublicKey Role = "public_key" // a payer's browser, through svcpay.js
)

// Actor is whoever calls a use-case. ApplicationID bounds everything that it can see.
type Actor struct {
	Role          Role
	ApplicationID int64
	KeyID         ids.Key
	KeyName       string
	RequestID     ids.Request
}

// Permission is resource:action.
type Permission string

// The permissions that use-cases ask for.
const (
	ChargeCreate    Permission = "charge:create"
	ChargeRead      Permission = "charge:read"
	ChargeCapture   Permission = "charge:capture"
	ChargeVoid      Permission = "charge:void"
	TokenCreate     Permission = "token:create"
	TokenCreateTest Permission = "token:create_test" // from a sandbox's test case
	BalanceRead     Permission = "balance:read"
	ChargeCreate  Permission = "charge:create"
	ChargeRead    Permission = "charge:read"
	ChargeCapture Permission = "charge:capture"
	ChargeVoid    Permission = "charge:void"
	TokenCreate   Permission = "token:create"

	FeeRead        Permission = "fee:read"         // a merchant's rates, and a preview of others
	FeeWriteDAF    Permission = "fee:write_daf"    // a merchant's daf_percentage
	FeeDefaultRead Permission = "fee_default:read" // what new merchants begin with
)

// Checker answers whether an actor holds a permission.
type Checker interface {
	// Check returns nil, or a fault with code permission_denied that names the permission.
	Check(Actor, Permission) error
}

// Denied is the fault that a Checker returns.
func Denied(p Permission) error {
	return fault.New(fault.KindForbidden, "permission_denied", "These credentials do not allow this.").
		With("required_permission", string(p))
}
