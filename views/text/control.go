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
	Deployment: "The whole service", Applications: "Applications", Organizations: "Organizations",
	Changed: "This page is of another place",
	ChangedText: func(here, drawn string) string {
		if drawn == "" {
			return "You switched to " + here + " in another tab. This page was opened before; nothing was changed."
		}
		return "You switched to " + here + " in another tab. This page is still of " + drawn + "; nothing was changed."
	},
	GoOn:   func(place string) string { return "Go on in " + place },
	GoBack: func(place string) string { return "Switch back to " + place },
}

// Rights say what somebody lacks, and whom to ask.
type Rights struct {
	Needs   func(right, permission string) string // what a page or form takes
	Held    func(roles string) string             // which roles have it
	Ask     func(names, place string) string      // who can give one of these roles
	AskMore func(role string) string              // whom to ask when nobody here can
	NoRole  string
}

var rightsEnglish = Rights{
	Needs: func(right, permission string) string {
		return "This takes the right to " + right + " (" + permission + ")."
	},
	Held:    func(roles string) string { return "These roles have it: " + roles + "." },
	Ask:     func(names, place string) string { return "In " + place + ", ask " + names + "." },
	AskMore: func(role string) string { return "Ask " + indefinite(role) + "." },
	NoRole:  "You have no role yet. Ask whoever added you here to give you one.",
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
	Title: "Team", Text: "Who may do what here. Everybody has one role in a place.",
	Invite: "Invite somebody", InviteText: "They get a link that works once, for seven days.",
	Member: "Person", Role: "Role", Where: "In", Since: "Since",
	Email: "E-mail address", EmailHint: "The link is for this address alone.", RoleLabel: "Role", Send: "Invite",
	Open: "Invited", OpenText: "They have not accepted yet.", Until: "Until", By: "Invited by", Withdraw: "Take back",
	Change: "Change role", ChangeText: "They are signed out, and have the new role when they sign in again.", Save: "Save role",
	Remove: "Remove",
	RemoveText: func(name, place string) string {
		return name + " is signed out, and may do nothing any more in " + place + ". What they did stays in the audit log."
	},
	RemoveButton: "Remove from the team",
	You:          "you",
	EmptyTitle:   "Nobody is here", EmptyText: "No one has such a role here.",
	InvitedTitle: "Invitation made",
	InvitedText: func(email, until string) string {
		return "Send this link to " + email + ". It works once, until " + until + ", and is not shown again."
	},
	LinkLabel: "Link of the invitation", Done: "Back to the team",
	Mailed:  func(email string) string { return "The invitation is on its way to " + email + "." },
	Changed: "The role is changed.", Removed: "They are removed from the team.", Withdrawn: "The invitation is taken back.",
	Organization: "Organization",
	Shown:        func(n int) string { return onPage(n, "person", "people") },
	ShownOffers:  func(n int) string { return onPage(n, "invitation", "invitations") },
	AllOffers:    "All invitations",
	NoOffers:     "Nobody is invited", NoOffersText: "Everybody who was invited has answered, or their invitation has ended.",
	RoleIn:        func(role, place string) string { return role + ", " + place },
	InviteMissing: "Choose a role.",
	Everywhere:    "the whole service",
	Actions:       "What can be done",
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
	Text:  func(by, role, place string) string { return by + " invites you: " + role + ", " + place + "." },
	Name:  "Your name", NameHint: "As your colleagues know you; it stands beside what you do here.",
	Password: "Password", PasswordHint: "At least 15 characters. A few words are better than one with signs in it.",
	Accept: "Accept",
	SignIn: "Sign in", SignInText: "Somebody signs in with this address already. Sign in, then accept.",
	Other: "Sign out", OtherText: "This invitation is for another address than yours. Sign out, then open the link again.",
	AcceptAs: func(name string) string { return "Accept as " + name },
}

// Policy are the texts of the page about roles.
type Policy struct {
	Title, Text, Yours, Permission, Allowed, Denied string
	Caption                                         string
	Note                                            string
}

var policyEnglish = Policy{
	Title: "Roles", Text: "This is the very policy that every page and form asks.",
	Yours: "Yours, here", Permission: "Right", Allowed: "Yes", Denied: "No", Caption: "Rights of every role",
	Note: "Nobody gives a wider role than their own, and the last administrator of a place stays.",
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
	Before, After                    string
	Entry, Permission, Role, Address string
	Request, Position, Unknown       string
	EmptyTitle, EmptyText            string
	Nothing, NothingText             string
	Command, Key                     string
	ChainOf, Deployment              string
	Shown                            func(n int) string
	Accepted, AccountChanged         string
	Acts                             map[string]string     // what somebody did, by act
	Things                           map[string]AuditThing // with what, by kind
	Used, NotAllowed                 func(right string) string
	See                              string
}

var auditEnglish = Audit{
	Title: "Audit log", Text: "Who did what, and who was refused. Nothing here can be changed.",
	Who: "Who", What: "What", On: "On", Outcome: "Outcome", When: "When",
	Done: "Done", Denied: "Refused", Search: "Name, id or request",
	Chain: "Chain", ChainText: "Each entry's hash is made of the one before: what is changed or taken away shows.",
	Whole: "The chain is whole", Broken: "The chain is broken", Look: "Check it now",
	WholeText: func(n int64) string {
		if n == 1 {
			return "1 entry was computed anew and is as it was written."
		}
		return group(n, formatEnglish.Group) + " entries were computed anew and are as they were written."
	},
	Through: func(own, through string) string { return own + ", viewing as " + through },
	Altered: func(at string) string {
		return "Entry " + at + " was changed, or is not where it was. Nothing after it is proven."
	},
	Missing: func(at string) string { return "Entry " + at + " is missing. Nothing after it is proven." },
	CutOff:  func(at string) string { return "The chain does not end as it did: look from entry " + at + " on." },
	Head:    "Head", HeadText: "Keep this elsewhere: as long as the chain leads through it, nothing before was rewritten.",
	NoChain: "Nothing was written here yet.",
	Before:  "Before", After: "After",
	Entry: "Entry", Permission: "Right", Role: "Role", Address: "Address", Request: "Request", Position: "Place in the chain", Unknown: "Unknown",
	EmptyTitle: "Nothing yet", EmptyText: "What people change, and what they are refused, is written here.",
	Nothing: "Nothing else to see", NothingText: "This left no trace in an object, or was refused.",
	Command: "Operator (command line)", Key: "API key",
	ChainOf: "Log of", Deployment: "The service itself",
	Shown:    func(n int) string { return onPage(n, "entry", "entries") },
	Accepted: "accept an invitation", AccountChanged: "sign in, or change how they sign in", Acts: auditActs, Things: auditThings,
	Used:       func(right string) string { return "used the permission to " + right },
	NotAllowed: func(right string) string { return "was not allowed to " + right },
	See:        "See what it tells of",
}

// permissionsEnglish say what each permission of people lets them do: "the right to …".
var permissionsEnglish = map[string]string{
	"application:manage": "add and change applications", "system_user:manage": "manage the people of the service itself",
	"system:read": "see the system page", "view_as:start": "view the portal as somebody else",
	"merchant:read": "see merchants", "merchant:create": "add merchants", "merchant:update": "edit merchants",
	"merchant:set_features": "turn wallet A and DAF Pay on and off", "merchant:set_domains": "change the domains of wallet A",
	"merchant:set_status": "suspend, reactivate and close merchants", "domain:read": "see domains", "domain:verify": "verify domains",
	"association_file:manage": "install the association file", "merchant_bank:manage": "change bank accounts for payouts",
	"daf_enrollment:manage": "enroll merchants in DAF Pay", "donation:read": "see donations", "donation:update": "change the status of donations",
	"fee:read": "see fees", "fee:manage": "change merchants' fees", "fee:write_daf": "change the fee of donations",
	"fee:manage_service": "see and change the service's own rates", "fee_default:read": "see the fees of new merchants",
	"fee_default:manage": "change the fees of new merchants",
	"key:read":           "see API keys", "key:manage": "make, roll and revoke API keys", "webhook:read": "see webhooks", "webhook:manage": "manage webhooks",
	"event:read": "see events", "event:redeliver": "send events again", "request_log:read": "see request logs",
	"idempotency_key:read": "see idempotency keys", "content:read": "see bodies and addresses of requests and deliveries",
	"charge:read": "see charges", "charge:void": "void charges", "charge:capture": "capture charges", "search:read": "search",
	"refund:read": "see refunds", "refund:create": "refund charges", "refund:cancel": "cancel refunds", "receipt:send": "send receipts",
	"token:read": "see payment methods", "mandate:read": "see mandates",
	"dispute:read": "see disputes", "dispute:answer": "answer disputes", "file:create": "upload evidence", "file:read": "see uploaded evidence",
	"payout:read": "see payouts", "payout:resume": "resume payouts", "balance:read": "see balances", "statement:read": "see statements",
	"team:read": "see the team", "team:manage": "manage the team", "role:read": "see what roles may do", "audit:read": "see the audit log", "payer:erase": "erase payers",
	"export:create": "export what they may see", "export:read": "download exports",
}
