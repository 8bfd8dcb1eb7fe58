package text

// Settings are the texts of a person's own settings.
type Settings struct {
	Title, Text                                 string
	Security, SecurityText                      string
	Password, PasswordText, ChangePassword      string
	NewPassword, SavePassword, PasswordChanged  string
	App, AppOn, AppOff, AddApp, RemoveApp       string
	AppRemoved                                  string
	Passkeys, PasskeysText, AddPasskey          string
	PasskeyName, PasskeyHint, PasskeyAdded      string
	PasskeyRemoved, RemovePasskey, PasskeyUsed  string
	PasskeyScript, PasskeyMade, NewKeyName      string
	Codes, MakeCodes, MakeCodesText             string
	RemoveAppTitle, RemoveAppText               string
	RemovePasskeyTitle                          func(name string) string
	RemovePasskeyText                           string
	CodesLeft                                   func(n int) string
	On, Off                                     string
	None, NoneText, Required, RequiredText      string
	SetUp, SetUpText, Scan, Type, Secret        string
	QR                                          string
	Code, CodeHint, Confirm, AppAdded           string
	CodesTitle, CodesText, CodesLabel, Kept     string
	Sessions, SessionsText, This, End, EndAll   string
	Ended, EndedAll                             string
	Browser, Address, Since, Seen, Unknown, Act string
	Looks, Theme, Light, Dark, Device           string
	Zone, ZoneHint, Save, Saved, UTC            string
	Mails, MailsText                            string
	MailKinds                                   map[string]string
	MailKindTexts                               map[string]string
	Always                                      string
	BrowserOn                                   func(browser, system string) string
}

var settingsEnglish = Settings{
	Title: "Settings", Text: "Your own account: how you sign in, and how the portal is for you.",
	Security: "Signing in", SecurityText: "What lets you in, and nobody else.",
	Password: "Password", PasswordText: "15 characters or more. A few words that you can remember are good.", ChangePassword: "Change password",
	NewPassword: "New password", SavePassword: "Save password", PasswordChanged: "Your password is changed. Your other sessions have ended.",
	App: "Authenticator app", AppOn: "Asks for a code of your app when you sign in.", AppOff: "Asks for a code of your phone when you sign in.",
	AddApp: "Set up", RemoveApp: "Remove", RemoveAppTitle: "Remove the authenticator app",
	RemoveAppText: "It is not asked for any more when you sign in, and your other sessions are signed out.", AppRemoved: "The authenticator app is removed.",
	Passkeys: "Passkeys", PasskeysText: "Sign in with your fingerprint, face or device, without a password.", AddPasskey: "Add a passkey",
	PasskeyName: "Name", PasskeyHint: "To tell it from others, such as the device's name.", PasskeyAdded: "The passkey is added.",
	PasskeyRemoved: "The passkey is removed.", RemovePasskey: "Remove", RemovePasskeyTitle: func(name string) string { return "Remove the passkey " + name },
	RemovePasskeyText: "It signs nobody in any more, and your other sessions are signed out.", PasskeyUsed: "last used",
	PasskeyScript: "A passkey is added with a script, which this browser does not run.", PasskeyMade: "added", NewKeyName: "My device",
	Codes: "Recovery codes", MakeCodes: "Make new codes", MakeCodesText: "The codes that you have stop working at once, and your other sessions are signed out.",
	CodesLeft: func(n int) string {
		return plural(n, "code is", "codes are") + " left. Each lets you in once without your phone."
	},
	On: "On", Off: "Off",
	None: "A password alone protects your account", NoneText: "Set up an authenticator app or a passkey: who learns your password still cannot get in.",
	Required: "Set up a second factor first", RequiredText: "A password alone does not let anybody work here. Choose an authenticator app or a passkey.",
	SetUp: "Set up an authenticator app", SetUpText: "Any app will do that shows codes of six digits.",
	Scan: "1. Scan this with the app", Type: "Or type this into it:", Secret: "Secret of the app", QR: "QR code with the secret that stands below",
	Code: "2. Type the code that it shows", CodeHint: "Six digits, another one every 30 seconds.", Confirm: "Turn on", AppAdded: "The authenticator app is on.",
	CodesTitle: "Keep these codes", CodesText: "Each lets you in once if you lose your phone. They are not shown again: print them, or put them into your password store.",
	CodesLabel: "Recovery codes", Kept: "I have kept them",
	Sessions: "Where you are signed in", SessionsText: "Sessions end after 15 minutes without use, and after 12 hours.", This: "this one", End: "Sign out", EndAll: "Sign out all others",
	Ended: "That session is signed out.", EndedAll: "All your other sessions are signed out.",
	Browser: "Browser", Address: "Address", Since: "Since", Seen: "Last used", Unknown: "Unknown", Act: "Actions",
	Looks: "How the portal is for you", Theme: "Theme", Light: "Light", Dark: "Dark", Device: "As this device",
	Zone: "Time zone", ZoneHint: "All times are shown in it.", Save: "Save", Saved: "Your settings are saved.", UTC: "UTC",
	Mails: "Mails", MailsText: "What you want to be told of by mail.",
	MailKinds: map[string]string{"new_sign_in": "New sign-ins", "dispute_opened": "New disputes", "dispute_due": "Disputes due soon",
		"payout_failed": "Failed payouts", "endpoint_paused": "Paused webhooks", "fees_changed": "Changes of fees"},
	MailKindTexts: map[string]string{
		"new_sign_in":     "Somebody signs in as you in a browser that you had not used before.",
		"dispute_opened":  "A payer's bank questions a charge, or asks for documents.",
		"dispute_due":     "Three days are left, and nobody has answered.",
		"payout_failed":   "A payout failed or came back, and payouts wait.",
		"endpoint_paused": "A webhook endpoint takes no events, and none are sent any more.",
		"fees_changed":    "Somebody changes a merchant's fees, or takes a change back.",
	},
	Always: "Links that you asked for, changes of how you sign in, and what is done with API keys and bank accounts are always mailed.",
	BrowserOn: func(browser, system string) string {
		switch {
		case browser == "":
			return system
		case system == "":
			return browser
		}
		return browser + " on " + system
	},
}
