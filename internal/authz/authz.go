// Package authz defines actors, actions and the places where they act. The rules are in package policy, behind
// [Checker].
package authz

import (
	"net/netip"

	"svcpay/internal/fault"
	"svcpay/internal/ids"
)

// Role is a row of the policy.
type Role string

// The roles of programs. People's roles are grants kept by package identity.
const (
	RoleSecretKey     Role = "secret_key"     // an application's own server
	RoleRestrictedKey Role = "restricted_key" // a program that may do a part of that
	RolePublicKey     Role = "public_key"     // a payer's browser, through svcpay.js
)

// The roles of people, the widest first: no one gives a role that stands before his own.
const (
	RoleSystemAdmin       Role = "system_admin"       // of the whole deployment
	RoleSupportStaff      Role = "support_staff"      // of the deployment: helps everybody, changes next to nothing
	RoleApplicationAdmin  Role = "application_admin"  // of one application
	RoleOrganizationAdmin Role = "organization_admin" // of one customer of an application
	RoleOrganizationStaff Role = "organization_staff" // who works there
)

// IsServer reports whether it is a key of the server API, rather than a person or a payer's browser.
func (r Role) IsServer() bool { return r == RoleSecretKey || r == RoleRestrictedKey }

// Actor is anyone who calls a use-case. ApplicationID bounds everything that it can see: it is 0 of
// people who work in the whole deployment and have chosen no application.
type Actor struct {
	Role          Role
	ApplicationID int64
	KeyID         ids.Key
	KeyName       string
	RequestID     ids.Request
	Address       netip.Addr // that the request comes from; the zero one is unknown
	// Restriction holds a restricted key to less than the whole application; nil for all others.
	Restriction *Restriction

	// PersonID and PersonName are of people; the commands of a deployment's operator have neither.
	PersonID   int64
	PersonName string
	// Operator says who runs a command, and where: the login name, host and terminal. "" of everybody else.
	Operator string
	// Granted is where the role that a person acts in was granted; see [Actor.Domain].
	Granted Domain
	// OrganizationID is the organization that the role was granted in, 0 if it was not in one, and
	// Merchants are its merchants: no one else's exist for the actor.
	OrganizationID int64
	Merchants      []int64
	// Viewer is the role of someone who looks at the portal through Role: they read what both may read, and
	// change nothing. "" for anyone who acts as themselves.
	Viewer Role
}

// Permission is resource:action.
type Permission string

// The permissions that use-cases ask for, by resource.
const (
	ChargeCreate  Permission = "charge:create"
	ChargeRead    Permission = "charge:read"
	ChargeUpdate  Permission = "charge:update" // what the application itself wrote on it
	ChargeCapture Permission = "charge:capture"
	ChargeVoid    Permission = "charge:void"

	RefundCreate Permission = "refund:create"
	RefundRead   Permission = "refund:read"
	RefundCancel Permission = "refund:cancel"
	ReceiptSend  Permission = "receipt:send" // a charge's, to its payer

	DisputeRead   Permission = "dispute:read"
	DisputeAnswer Permission = "dispute:answer"
	FileCreate    Permission = "file:create"
	FileRead      Permission = "file:read"

	TokenCreate     Permission = "token:create"      // by a payer's browser
	TokenCreateTest Permission = "token:create_test" // from a sandbox's test case
	TokenRead       Permission = "token:read"
	TokenUpdate     Permission = "token:update"
	TokenDelete     Permission = "token:delete"
	TokenVerify     Permission = "token:verify"
	MandateRead     Permission = "mandate:read"
	MandateRevoke   Permission = "mandate:revoke"

	DonationCreate Permission = "donation:create"
	DonationRead   Permission = "donation:read"
	DonationUpdate Permission = "donation:update" // its status, and what the merchant wrote on it

	BalanceRead   Permission = "balance:read"
	PayoutRead    Permission = "payout:read"
	PayoutResume  Permission = "payout:resume"
	StatementRead Permission = "statement:read"

	MerchantCreate Permission = "merchant:create"
	MerchantRead   Permission = "merchant:read"
	MerchantUpdate Permission = "merchant:update"
	SearchRead     Permission = "search:read" // what is found is what one may read besides
	ExportCreate   Permission = "export:create"
	ExportRead     Permission = "export:read"

	MerchantFeatures Permission = "merchant:set_features" // has_wallet_a and has_daf_provider
	MerchantDomains  Permission = "merchant:set_domains"
	MerchantStatus   Permission = "merchant:set_status"
	MerchantBank     Permission = "merchant_bank:manage"
	DomainRead       Permission = "domain:read"   // what is known of a merchant's websites
	DomainVerify     Permission = "domain:verify" // look whether they are in order
	AssociationWrite Permission = "association_file:manage"

	ProcessingRead   Permission = "processing:read"   // where payments of a merchant go
	ProcessingManage Permission = "processing:manage" // connect, test, change and disable accounts at processors

	DAFProviderManage   Permission = "daf_provider:manage"   // connect and test the deployment's provider
	DAFEnrollmentManage Permission = "daf_enrollment:manage" // look an organization up, enroll a merchant, opt out

	FeeRead          Permission = "fee:read"           // a merchant's rates, and a preview of others
	FeeWriteDAF      Permission = "fee:write_daf"      // a merchant's daf_percentage
	FeeManage        Permission = "fee:manage"         // change a merchant's rates
	FeeDefaultRead   Permission = "fee_default:read"   // what new merchants begin with
	FeeDefaultManage Permission = "fee_default:manage" // change that
	FeeManageService Permission = "fee:manage_service" // see and change the service's own rates

	CardRuleRead   Permission = "card_rule:read"   // a merchant's rules and lists for card payments, and a preview
	CardRuleManage Permission = "card_rule:manage" // change them

	MeRead    Permission = "me:read"    // who one is: the application and the key
	KeyRead   Permission = "key:read"   // the application's keys, never their texts
	KeyManage Permission = "key:manage" // make, change, roll and revoke them

	RequestLogRead Permission = "request_log:read" // what was asked, and what was told
	// the bodies, queries and addresses of both, and the bodies and headers of deliveries
	ContentRead        Permission = "content:read"
	IdempotencyKeyRead Permission = "idempotency_key:read" // the outcome of a key

	EventRead      Permission = "event:read"
	EventRedeliver Permission = "event:redeliver"
	WebhookRead    Permission = "webhook:read"   // endpoints and what was sent to them
	WebhookManage  Permission = "webhook:manage" // make, change and try endpoints

	TeamRead         Permission = "team:read"          // who has which role in a domain
	TeamManage       Permission = "team:manage"        // invite people, change and take their roles
	SystemUserManage Permission = "system_user:manage" // the same of the deployment's own people
	RoleRead         Permission = "role:read"          // which role may do what
	AuditRead        Permission = "audit:read"         // who did what, and who was refused
	PayerErase       Permission = "payer:erase"        // forget who a payer is

	ApplicationManage Permission = "application:manage"
	DeploymentManage  Permission = "deployment:manage" // rotate the vault's keys, recompute totals, grant rights
	SystemRead        Permission = "system:read"       // jobs, queues and health of the deployment
	ViewAs            Permission = "view_as:start"

	SandboxSimulate Permission = "sandbox:simulate" // have something happen at the sandbox's processor
	SandboxClock    Permission = "sandbox:clock"    // move the application's clock
)

// Checker answers whether an actor holds a permission.
type Checker interface {
	// Check returns nil, or a fault with code permission_denied that names the permission.
	Check(Actor, Permission) error
}

// Denied is the fault that a Checker returns.
func Denied(p Permission) error {
	return fault.New(fault.KindForbidden, "permission_denied", "You don't have permission to do this.").
		With("required_permission", string(p))
}
