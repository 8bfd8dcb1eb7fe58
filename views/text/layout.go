package text

// Layout are the texts of the frame around every page.
type Layout struct {
	Promise                    string
	Skip                       string
	Environment, Sandbox       string
	Navigation, Menu, NoMenu   string
	Documentation              string
	Contract, ErrorCodes       string
	Account, Settings, SignOut string
	Theme, Light, Dark, Device string
	Offline                    string
}

var layoutEnglish = Layout{
	Promise:     "Card, bank, and donor-advised fund payments for the applications nonprofits run on.",
	Skip:        "Skip to content",
	Environment: "Environment", Sandbox: "Sandbox: test data only. No real money moves.",
	Navigation: "Portal", Menu: "Menu", NoMenu: "Close menu",
	Documentation: "Documentation",
	Contract:      "API reference", ErrorCodes: "Error codes",
	Account: "Your account", Settings: "Settings", SignOut: "Sign out",
	Theme: "Theme", Light: "Light theme", Dark: "Dark theme", Device: "System theme",
	Offline: "We couldn’t reach SvcPay. Check your connection and try again.",
}

// Session are the texts of the dialogs about the end of a session. The script opens the first two that long before.
type Session struct {
	Soon, SoonText, Stay   string
	Last, LastText, GoOn   string
	Over, OverText, SignIn string
}

var sessionEnglish = Session{
	Soon:     "You’ll be signed out in 2 minutes",
	SoonText: "You’ve been inactive for a while. Stay signed in to keep your work.", Stay: "Stay signed in",
	Last:     "Your session ends in 2 minutes",
	LastText: "Sessions last up to 12 hours. Save your work; you’ll need to sign in again.", GoOn: "Continue",
	Over:     "You’re signed out",
	OverText: "Your work is still on this page. Sign in in another tab, then come back to continue.",
	SignIn:   "Sign in in another tab",
}

// Nav are the names of the pages in the navigation, and of their groups.
type Nav struct {
	Payments, Receiving, Building, Control                                string
	Home, Charges, Refunds, Disputes, Payouts, Donations, Merchants, Fees string
	Processing                                                            string
	Developers, Team, Roles, Audit, Settings, System                      string
}

var navEnglish = Nav{
	Payments: "Payments", Receiving: "Merchants", Building: "Integration", Control: "Administration",
	Home: "Home", Charges: "Charges", Refunds: "Refunds", Disputes: "Disputes", Payouts: "Payouts",
	Donations: "Donations", Merchants: "Merchants", Fees: "Fees", Processing: "Processing", Developers: "Developers",
	Team: "Team", Roles: "Roles", Audit: "Audit log", Settings: "Settings", System: "System",
}

// Shortcuts are the texts of the sheet about the keyboard.
type Shortcuts struct {
	Title, Text                                     string
	Everywhere, Lists, GoTo                         string
	Palette, Find, Sheet, Next, Before, Pick, Leave string
	On, Off, TurnOn, TurnOff                        string
}

var shortcutsEnglish = Shortcuts{
	Title: "Keyboard shortcuts", Text: "Get around faster from your keyboard",
	Everywhere: "Everywhere", Lists: "In a list", GoTo: "Go to",
	Palette: "Search, from anywhere", Find: "Search", Sheet: "This sheet",
	Next: "Next row", Before: "Previous row", Pick: "Select row", Leave: "Close dialog or menu",
	On: "Single-key shortcuts are on.", Off: "Single-key shortcuts are off.",
	TurnOn: "Turn them on", TurnOff: "Turn them off",
}
