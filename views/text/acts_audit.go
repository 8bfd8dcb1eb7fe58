package text

// auditActs say what someone did, after their name; {} is what it was done with. Acts of an account have nothing else.
var auditActs = map[string]string{
	"account:signed_in": "signed in", "account:locked": "was locked out after too many wrong passwords",
	"account:wrong_codes":      "failed two-step verification five times in a row",
	"account:reset_made":       "created a link to reset the password of {}",
	"account:password_changed": "changed their password", "account:authenticator_added": "added an authenticator app",
	"account:authenticator_removed": "removed an authenticator app",
	"account:passkey_added":         "added a passkey", "account:passkey_removed": "removed a passkey",
	"account:recovery_codes_made": "created new recovery codes",
	"account:recovery_code_used":  "signed in with a recovery code", "account:change": "changed how they sign in",
	"invitation:accept":  "accepted an invitation",
	"application:manage": "added {}", "view:start": "started viewing the portal as another role",
	"view:end":        "stopped viewing the portal as another role",
	"merchant:create": "added {}", "merchant:update": "edited {}", "merchant:wallet_on": "turned Wallet A on for {}",
	"merchant:wallet_off": "turned Wallet A off for {}",
	"merchant:daf_on":     "turned DAF Pay on for {}", "merchant:daf_off": "turned DAF Pay off for {}",
	"merchant:set_features": "changed the payment methods of {}",
	"merchant:set_domains":  "changed the domains of {}", "merchant:suspended": "suspended {}",
	"merchant:active": "reactivated {}", "merchant:closed": "closed {}",
	"merchant:set_status": "changed the status of {}", "domain:verify": "verified the domains of {}",
	"association:install": "installed {}", "association:replace": "replaced {}",
	"daf_provider:connect": "connected {}", "daf_provider:test": "tested {}",
	"daf_provider:credentials": "replaced the credentials of {}",
	"bank:add":                 "added a bank account for payouts to {}",
	"bank:change":              "changed the bank account for payouts to {}",
	"enrollment:start":         "enrolled {} in DAF Pay",
	"enrollment:end":           "removed {} from DAF Pay", "donation:status": "changed the status of {}",
	"donation:update": "edited {}", "fee:change": "changed the fees of {}",
	"fee:cancel": "canceled a scheduled fee change of {}", "fee:schedule": "scheduled a fee change for {}",
	"fee_default:manage": "changed the default fees", "card_rule:manage": "changed the card rules of {}",
	"card_rule:add":      "added entries to the block or allow list of {}",
	"card_rule:remove":   "removed entries from the block or allow list of {}",
	"processing:connect": "connected {}", "processing:enable": "enabled {}", "processing:disable": "disabled {}",
	"processing:failover_on": "turned failover on for {}", "processing:failover_off": "turned failover off for {}",
	"processing:request": "requested the creation of {}", "processing:onboard": "opened the onboarding page of {}",
	"processing:remove": "removed {}", "processing:credentials": "replaced the credentials of {}",
	"processing:test": "tested {}", "processing:manage": "edited {}",
	"key:create": "created {}", "key:revoke": "revoked {}", "key:roll": "rolled {}", "key:change": "edited {}",
	"endpoint:create": "added {}", "endpoint:delete": "deleted {}",
	"endpoint:test": "sent a test event to {}", "endpoint:replay": "replayed events to {}",
	"endpoint:replay_canceled": "canceled a replay to {}", "endpoint:enabled": "enabled {}",
	"endpoint:disabled": "disabled {}", "endpoint:change": "edited {}", "event:redeliver": "resent {}",
	"charge:void": "voided {}", "charge:capture": "captured {}",
	"refund:create": "created {}", "refund:cancel": "canceled {}", "receipt:send": "sent a receipt for {}",
	"dispute:draft":  "saved evidence for {}",
	"dispute:submit": "submitted evidence for {}", "dispute:accept": "accepted {}", "dispute:answer": "responded to {}",
	"file:create": "uploaded evidence", "payout:resume": "resumed payouts to {}",
	"team:invite": "invited {}", "team:withdraw": "revoked the invitation of {}", "team:role": "changed the role of {}",
	"team:remove": "removed {} from the team",
	"payer:erase": "erased a payer", "export:create": "exported data", "export:download": "downloaded an export",
}

// securityActs say what a program was not allowed to do.
var securityActs = map[string]string{
	"security:api_key":      "call the API with this key",
	"security:permission":   "use an API operation without permission",
	"security:card_number":  "send a card number outside the payment fields",
	"security:card_testing": "tokenize more cards",
}

// auditThings are what acts are done with: by name, where %s is one, and without.
var auditThings = map[string]AuditThing{
	"charge": {"the %s charge", "a charge"}, "refund": {"the %s refund", "a refund"},
	"dispute": {"the %s dispute", "a dispute"}, "payout": {"the %s payout", "a payout"},
	"daf_donation": {"the %s donation", "a donation"}, "merchant": {"%s", "a merchant"},
	"fee_schedule": {"%s", "a merchant"}, "bank_account": {"%s", "a merchant"},
	"card_rules": {"%s", "a merchant"}, "card_rule_entry": {"%s", "a merchant"},
	"daf_enrollment": {"%s", "a merchant"}, "service_fee_schedule": {"%s", "the service"},
	"api_key":           {"the API key “%s”", "an API key"},
	"webhook_endpoint":  {"the endpoint %s", "a webhook endpoint"},
	"processor_account": {"the processor account %s", "a processor account"},
	"event":             {"the event %s", "an event"}, "grant": {"%s", "a team member"},
	"invitation": {"%s", "a person"},
	"person":     {"%s", "a person"}, "application": {"the application %s", "an application"},
	"association_file": {"%s", "the Wallet A association file"},
	"daf_provider":     {"%s", "the DAF provider"},
}

// AuditThing is a kind of things that something was done with.
type AuditThing struct{ Named, Nameless string }
