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
	Promise:     "Card, bank and donor-advised fund payments for the applications that nonprofits run on.",
	Skip:        "Skip to content",
	Environment: "Environment", Sandbox: "Sandbox: test data only, no real money moves.",
	Navigation: "Portal", Menu: "Menu", NoMenu: "Close the menu",
	Documentation: "Documentation",
	Contract:      "API contract", ErrorCodes: "Error codes",
	Account: "Your account", Settings: "Settings", SignOut: "Sign out",
	Theme: "Theme", Light: "Light theme", Dark: "Dark theme", Device: "Theme of this device",
	Offline: "The service could not be reached. Look at your connection, then try again.",
}

// Session are the texts of the dialogs about the end of a session. The script opens the first two that long before.
type Session struct {
	Soon, SoonText, Stay   string
	Last, LastText, GoOn   string
	Over, OverText, SignIn string
}

var sessionEnglish = Session{
	Soon: "You will be signed out in 2 minutes", SoonText: "Nothing was asked for here in a while. Stay signed in to keep what you typed.", Stay: "Stay signed in",
	Last: "Your session ends in 2 minutes", LastText: "It has lasted as long as a session may. Save what you typed; after that you have to sign in again.", GoOn: "Go on until then",
	Over: "You are signed out", OverText: "What you typed is still on this page. Sign in again in another tab, then come back and go on here.", SignIn: "Sign in in another tab",
}

// Nav are the names of the pages in the navigation, and of their groups.
type Nav struct {
	Payments, Receiving, Building, Control                                string
	Home, Charges, Refunds, Disputes, Payouts, Donations, Merchants, Fees string
	Developers, Team, Roles, Audit, Settings, System                      string
}

var navEnglish = Nav{
	Payments: "Payments", Receiving: "Merchants", Building: "Build", Control: "Control",
	Home: "Home", Charges: "Charges", Refunds: "Refunds", Disputes: "Disputes", Payouts: "Payouts", Donations: "Donations",
	Merchants: "Merchants", Fees: "Fees", Developers: "Developers",
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
	Title: "Keyboard shortcuts", Text: "Everything can be reached with Tab, Enter and Space. These are quicker.",
	Everywhere: "Everywhere", Lists: "In a list", GoTo: "Go to",
	Palette: "Search, from anywhere", Find: "Search", Sheet: "This sheet",
	Next: "Next row", Before: "Row before", Pick: "Select the row", Leave: "Close what is open",
	On: "Shortcuts of one key are on.", Off: "Shortcuts of one key are off.",
	TurnOn: "Turn them on", TurnOff: "Turn them off",
}
