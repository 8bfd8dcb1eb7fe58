package web

import "strconv"

// The addresses of pages that the navigation, or pages of several rooms, lead to.
const (
	// Home is the address of the first page.
	Home = "/portal"

	SearchPath = Home + "/search"

	LoginPath       = Home + "/login"
	SecondStepPath  = Home + "/2fa"
	ForgotPath      = Home + "/forgot"
	SettingsPath    = Home + "/settings"
	TeamPath        = Home + "/team"
	InvitePath      = TeamPath + "/invite"
	InvitationsPath = TeamPath + "/invitations"
	KeysPath        = Home + "/keys"
	ShortcutsPath   = Home + "/shortcuts"
	ViewPath        = Home + "/view-as"

	ProofPath  = Home + "/proof"
	SwitchPath = Home + "/switch"
	StayPath   = Home + "/stay" // takes a sign of life of a person who is asked for one

	ChargesPath   = Home + "/charges"
	RefundsPath   = Home + "/refunds"
	DisputesPath  = Home + "/disputes"
	EvidencePath  = DisputesPath + "/:id/evidence"
	PayoutsPath   = Home + "/payouts"
	BalancesPath  = PayoutsPath + "/balances"
	DonationsPath = Home + "/donations"

	MerchantsPath   = Home + "/merchants"
	MerchantPath    = MerchantsPath + "/:id"
	EntriesNewPath  = MerchantPath + CardRulesEnd + "/entries/new"
	FeesPath        = Home + "/fees"
	ServiceFeesPath = FeesPath + "/service"
	ProcessingPath  = Home + "/processing" // the application's default processor accounts

	DevelopersPath  = Home + "/developers"
	APIKeysPath     = DevelopersPath + "/keys"
	WebhooksPath    = DevelopersPath + "/webhooks"
	EventsPath      = DevelopersPath + "/events"
	LogsPath        = DevelopersPath + "/logs"
	IdempotencyPath = DevelopersPath + "/idempotency"
	DebugPath       = DevelopersPath + "/signature"
	StartPath       = DevelopersPath + "/start"

	RolesPath          = Home + "/roles"
	AuditPath          = Home + "/audit"
	ChainPath          = AuditPath + "/chain"
	SystemPath         = Home + "/system"
	InboundPath        = SystemPath + "/inbound"
	AssociationPath    = SystemPath + "/association"
	DAFProviderPath    = SystemPath + "/daf-provider"
	NewApplicationPath = SystemPath + "/applications/new"
)

// Ends of the addresses of a merchant's tabs, see [MerchantAt].
const (
	PayoutsEnd = "/payouts"
	FeesEnd    = "/fees"

	ProcessingEnd = "/processing"
	CardRulesEnd  = "/card-rules"
)

// MerchantAt is the address of a merchant's page, or with an end of one of its tabs.
func MerchantAt(id int64, end string) string {
	return MerchantsPath + "/" + strconv.FormatInt(id, 10) + end
}

// BalanceAt is the address of a merchant's balance, with the end of what is below it.
func BalanceAt(id int64, end string) string { return BalancesPath + "/" + Whole(id) + end }
