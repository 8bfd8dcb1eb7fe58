package text

// Places are the names of where people act.
type Places struct {
	Deployment, Applications, Organizations string
	// of a page that was drawn in another place
	Changed      string
	ChangedText  func(here, drawn string) string // drawn may have no name
	GoOn, GoBack func(place string) string
}

var placesEnglish = Places{
	Deployment: "All applications", Applications: "Applications", Organizations: "Organizations",
	Changed: "You switched accounts",
	ChangedText: func(here, drawn string) string {
		if drawn == "" {
			return "You switched to " + here + " in another tab. Nothing was changed."
		}
		return "You switched to " + here + " in another tab. This page is for " + drawn + ". Nothing was changed."
	},
	GoOn:   func(place string) string { return "Continue in " + place },
	GoBack: func(place string) string { return "Switch back to " + place },
}

// Rights say what someone lacks, and whom to ask.
type Rights struct {
	Needs   func(right, permission string) string // what a page or form takes
	Held    func(roles string) string             // which roles have it
	Ask     func(names, place string) string      // who can give one of these roles
	AskMore func(role string) string              // whom to ask when no one here can
	NoRole  string
}

var rightsEnglish = Rights{
	Needs: func(right, permission string) string {
		return "You need permission to " + right + " (" + permission + ")."
	},
	Held:    func(roles string) string { return "Available to: " + roles + "." },
	Ask:     func(names, place string) string { return "In " + place + ", ask " + names + "." },
	AskMore: func(role string) string { return "Ask " + indefinite(role) + "." },
	NoRole:  "You have no role yet. Ask an administrator to assign you a role.",
}

// Team are the texts of the team's pages.
type Team struct {
	Title, Text                         string
	Invite, InviteText                  string
	Member, Role, Where, Since          string
	Email, EmailHint, RoleLabel, Send   string
	Open, OpenText, Until, By, Withdraw string
	Change, ChangeText, Save            string
	Remove                              string
	RemoveText                          func(name, place string) string
	RemoveButton                        string
	You                                 string
	EmptyTitle, EmptyText               string
	InvitedTitle                        string
	InvitedText                         func(email, until string) string
	LinkLabel, Done                     string
	Mailed                              func(email string) string
	Changed, Removed, Withdrawn         string
	Organization                        string
	Shown, ShownOffers                  func(n int) string
	AllOffers                           string
	NoOffers, NoOffersText              string
	RoleIn                              func(role, place string) string
	InviteMissing                       string
	Everywhere                          string
	Actions                             string
}

var teamEnglish = Team{
	Title: "Team", Text: "People with access and their roles",
	Invite: "Invite member", InviteText: "We’ll email them an invitation that expires in 7 days.",
	Member: "Person", Role: "Role", Where: "Access to", Since: "Since",
	Email: "Email address", EmailHint: "Only this address can accept the invitation.", RoleLabel: "Role",
	Send: "Invite", Open: "Invited", OpenText: "Not accepted yet", Until: "Until", By: "Invited by", Withdraw: "Revoke",
	Change: "Change role", ChangeText: "They’ll be signed out and get the new role when they sign back in.",
	Save: "Save role", Remove: "Remove",
	RemoveText: func(name, place string) string {
		return name + " will be signed out and lose this role (" + place + "). Their activity stays in the audit log."
	},
	RemoveButton: "Remove from team",
	You:          "you",
	EmptyTitle:   "No members found", EmptyText: "No one has this role.",
	InvitedTitle: "Invitation created",
	InvitedText: func(email, until string) string {
		return "Send this link to " + email + ". It works once and expires " + until +
			". You won’t be able to see it again."
	},
	LinkLabel: "Invitation link", Done: "Back to team",
	Mailed:  func(email string) string { return "Invitation sent to " + email },
	Changed: "Role updated", Removed: "Removed from the team", Withdrawn: "Invitation revoked",
	Organization: "Organization",
	Shown:        func(n int) string { return onPage(n, "person", "people") },
	ShownOffers:  func(n int) string { return onPage(n, "invitation", "invitations") },
	AllOffers:    "All invitations",
	NoOffers:     "No invitations", NoOffersText: "There are no pending invitations.",
	RoleIn:        func(role, place string) string { return role + ", " + place },
	InviteMissing: "Choose a role.",
	Everywhere:    "all applications",
	Actions:       "Actions",
}

// Invite are the texts of the page that a link of an invitation leads to.
type Invite struct {
	Title              string
	Text               func(by, role, place string) string
	Name, NameHint     string
	Password           string
	PasswordHint       string
	Accept             string
	SignIn, SignInText string
	Other, OtherText   string
	AcceptAs           func(name string) string
}

var inviteEnglish = Invite{
	Title: "Invitation",
	Text:  func(by, role, place string) string { return by + " invited you to join " + place + " as " + role + "." },
	Name:  "Your name", NameHint: "Shown to your team and in the audit log",
	Password: "Password", PasswordHint: "At least 15 characters. A passphrase of a few words works best.",
	Accept: "Accept",
	SignIn: "Sign in", SignInText: "You already have an account with this email. Sign in to accept.",
	Other: "Sign out", OtherText: "This invitation was sent to a different email. Sign out, then open the link again.",
	AcceptAs: func(name string) string { return "Accept as " + name },
}

// Policy are the texts of the page about roles.
type Policy struct {
	Title, Text, Yours, Permission, Allowed, Denied string
	Caption                                         string
	Note                                            string
}

var policyEnglish = Policy{
	Title: "Roles", Text: "What each role can do",
	Yours: "your role", Permission: "Permission", Allowed: "Yes", Denied: "No", Caption: "Permissions by role",
	Note: "You can’t grant a role broader than your own, and every account keeps at least one administrator.",
}

// Audit are the texts of the audit log's pages.
type Audit struct {
	Title, Text                           string
	Who, What, On, Outcome, When          string
	Done, Denied                          string
	Search                                string
	Chain, ChainText, Whole, Broken, Look string
	WholeText                             func(entries int64) string
	Altered, Missing, CutOff              func(position string) string
	// Through is the role of who looks through another's.
	Through                          func(own, through string) string
	Head, HeadText, NoChain          string
	Changed, ChangedText             string
	Entry, Permission, Role, Address string
	Request, Position, Unknown       string
	EmptyTitle, EmptyText            string
	Nothing, NothingText             string
	MoreEntries                      string // of card rules
	Command, Key                     string
	CommandBy                        func(operator string) string
	ChainOf, Deployment              string
	Shown                            func(n int) string
	Accepted, AccountChanged         string
	Acts                             map[string]string     // what someone did, by act
	Security                         map[string]string     // what a program was refused, by kind of security event
	Things                           map[string]AuditThing // with what, by kind
	Used, NotAllowed                 func(right string) string
	See                              string
}

var auditEnglish = Audit{
	Title: "Audit log", Text: "Every action and denied attempt. Entries can’t be edited or deleted.",
	Who: "Who", What: "What", On: "Object", Outcome: "Outcome", When: "When",
	Done: "Succeeded", Denied: "Denied", Search: "Name, ID, or request",
	Chain: "Log integrity", ChainText: "Entries are hash-chained, so any change or deletion is detectable.",
	Whole: "Log integrity verified", Broken: "Log integrity check failed", Look: "Verify integrity",
	WholeText: func(n int64) string {
		if n == 1 {
			return "1 entry verified"
		}
		return group(n, formatEnglish.Group) + " entries verified"
	},
	Through: func(own, through string) string { return own + ", viewing as " + through },
	Altered: func(at string) string {
		return "Entry " + at + " was changed or moved. Entries after it can’t be verified."
	},
	Missing: func(at string) string { return "Entry " + at + " is missing. Entries after it can’t be verified." },
	CutOff:  func(at string) string { return "Entries are missing from the end of the log, starting at " + at + "." },
	Head:    "Head", HeadText: "Store this hash somewhere safe to prove later that earlier entries weren’t changed.",
	NoChain: "No entries yet",
	Changed: "What changed", ChangedText: "Previous and new values",
	Entry: "Entry", Permission: "Permission", Role: "Role", Address: "IP address", Request: "Request",
	Position: "Chain position", Unknown: "Unknown",
	EmptyTitle: "Nothing yet", EmptyText: "Changes and denied attempts show up here.",
	Nothing: "No details", NothingText: "No object was changed.", MoreEntries: "More list entries",
	Command: "Operator (CLI)", Key: "API key",
	CommandBy: func(operator string) string { return "Operator " + operator },
	ChainOf:   "Audit log of", Deployment: "SvcPay",
	Shown:    func(n int) string { return onPage(n, "entry", "entries") },
	Accepted: "accept an invitation", AccountChanged: "sign in, or change how they sign in", Acts: auditActs,
	Security:   securityActs,
	Things:     auditThings,
	Used:       func(right string) string { return "used the permission to " + right },
	NotAllowed: func(right string) string { return "was not allowed to " + right },
	See:        "View object",
}

// permissionsEnglish say what each permission of people lets them do: "the right to …".
var permissionsEnglish = map[string]string{
	"application:manage": "add and change applications", "system_user:manage": "manage system users",
	"system:read": "see the system page", "view_as:start": "view the portal as another role",
	"merchant:read": "see merchants", "merchant:create": "add merchants", "merchant:update": "edit merchants",
	"merchant:set_features": "turn Wallet A and DAF Pay on and off",
	"merchant:set_domains":  "change Wallet A domains",
	"merchant:set_status":   "suspend, reactivate, and close merchants", "domain:read": "see domains",
	"domain:verify":           "verify domains",
	"association_file:manage": "install the association file",
	"daf_provider:manage":     "connect the DAF provider",
	"merchant_bank:manage":    "change bank accounts for payouts",
	"daf_enrollment:manage":   "enroll merchants in DAF Pay", "donation:read": "see donations",
	"donation:update": "change the status of donations",
	"fee:read":        "see fees", "fee:manage": "change merchants’ fees",
	"fee:write_daf":      "change the DAF donation fee",
	"fee:manage_service": "see and change service rates", "fee_default:read": "see default fees",
	"fee_default:manage": "change default fees",
	"card_rule:read":     "see card rules", "card_rule:manage": "change card rules",
	"processing:read": "see processor accounts", "processing:manage": "connect and change processor accounts",
	"key:read": "see API keys", "key:manage": "create, roll, and revoke API keys", "webhook:read": "see webhooks",
	"webhook:manage": "manage webhooks",
	"event:read":     "see events", "event:redeliver": "resend events", "request_log:read": "see request logs",
	"idempotency_key:read": "see idempotency keys", "content:read": "see request and delivery payloads",
	"charge:read": "see charges", "charge:void": "void charges", "charge:capture": "capture charges",
	"search:read": "search",
	"refund:read": "see refunds", "refund:create": "refund charges", "refund:cancel": "cancel refunds",
	"receipt:send": "send receipts",
	"token:read":   "see payment methods", "mandate:read": "see mandates",
	"dispute:read": "see disputes", "dispute:answer": "respond to disputes", "file:create": "upload evidence",
	"file:read":   "see uploaded evidence",
	"payout:read": "see payouts", "payout:resume": "resume payouts", "balance:read": "see balances",
	"statement:read": "see statements",
	"team:read":      "see the team", "team:manage": "manage the team", "role:read": "see role permissions",
	"audit:read": "see the audit log", "payer:erase": "erase payers",
	"deployment:manage": "run maintenance commands",
	"export:create":     "create exports", "export:read": "download exports",
}
