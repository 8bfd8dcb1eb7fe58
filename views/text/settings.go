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
	Title: "Settings", Text: "Manage your sign-in, security, and preferences",
	Security: "Security", SecurityText: "Passwords, two-step verification, and passkeys",
	Password: "Password", PasswordText: "At least 15 characters. A passphrase works well.",
	ChangePassword: "Change password", NewPassword: "New password", SavePassword: "Save password",
	PasswordChanged: "Password updated. You’ve been signed out of other sessions.",
	App:             "Authenticator app", AppOn: "On. You’ll enter a code from your app when you sign in.",
	AppOff: "Require a code from your phone when you sign in.",
	AddApp: "Set up", RemoveApp: "Remove", RemoveAppTitle: "Remove the authenticator app",
	RemoveAppText: "You won’t be asked for a code when you sign in. Other sessions will be signed out.",
	AppRemoved:    "Authenticator app removed",
	Passkeys:      "Passkeys", PasskeysText: "Sign in with your fingerprint, face, or device instead of a password.",
	AddPasskey:  "Add a passkey",
	PasskeyName: "Name", PasskeyHint: "For example, “Work laptop”", PasskeyAdded: "Passkey added",
	PasskeyRemoved: "Passkey removed", RemovePasskey: "Remove", RemovePasskeyTitle: func(name string) string {
		return "Remove the passkey " + name
	},
	RemovePasskeyText: "You won’t be able to sign in with this passkey. Other sessions will be signed out.",
	PasskeyUsed:       "last used",
	PasskeyScript:     "Turn on JavaScript to add a passkey.", PasskeyMade: "added", NewKeyName: "My device",
	Codes: "Recovery codes", MakeCodes: "Generate new codes",
	MakeCodesText: "Your current codes stop working immediately, and other sessions are signed out.",
	CodesLeft: func(n int) string {
		return plural(n, "code", "codes") + " left. Each one lets you sign in once without your phone."
	},
	On: "On", Off: "Off",
	None:         "Turn on two-step verification",
	NoneText:     "Add an authenticator app or passkey so a stolen password isn’t enough to sign in.",
	Required:     "Set up two-step verification to continue",
	RequiredText: "This account requires two-step verification. Choose an authenticator app or a passkey.",
	SetUp:        "Set up an authenticator app",
	SetUpText:    "Works with any authenticator app, such as Google Authenticator or 1Password.",
	Scan:         "1. Scan this with the app", Type: "Can’t scan it? Enter this key:", Secret: "App secret",
	QR:   "QR code with the key shown below",
	Code: "2. Enter the code from the app", CodeHint: "6 digits. It changes every 30 seconds.", Confirm: "Turn on",
	AppAdded: "Authenticator app added", CodesTitle: "Save your recovery codes",
	CodesText:  "Use a code to sign in if you lose your phone. We won’t show these again, so print them or save them in your password manager.",
	CodesLabel: "Recovery codes", Kept: "I’ve saved these codes",
	Sessions: "Active sessions", SessionsText: "You’re signed out after 15 minutes of inactivity or 12 hours, whichever comes first.",
	This: "current session", End: "Sign out", EndAll: "Sign out of all other sessions",
	Ended: "Session signed out", EndedAll: "Signed out of all other sessions",
	Browser: "Browser", Address: "IP address", Since: "Signed in", Seen: "Last used", Unknown: "Unknown", Act: "Actions",
	Looks: "Preferences", Theme: "Theme", Light: "Light", Dark: "Dark", Device: "Use system setting",
	Zone: "Time zone", ZoneHint: "Dates and times appear in this time zone.", Save: "Save", Saved: "Settings saved",
	UTC: "UTC", Mails: "Email notifications", MailsText: "Choose which emails you receive.",
	MailKinds: map[string]string{"new_sign_in": "New sign-ins", "dispute_opened": "New disputes",
		"dispute_due":   "Disputes due soon",
		"payout_failed": "Failed payouts", "refund_failed": "Failed refunds", "endpoint_paused": "Paused webhooks",
		"fees_changed": "Fee changes", "card_testing": "Card testing"},
	MailKindTexts: map[string]string{
		"new_sign_in":     "Someone signs in to your account from a new browser.",
		"dispute_opened":  "A payer’s bank opens a chargeback or retrieval request.",
		"dispute_due":     "A dispute is due in 3 days and has no response.",
		"payout_failed":   "A payout fails or is returned, and payouts are paused.",
		"refund_failed":   "A refund fails after we sent it. The money goes back to the merchant’s balance.",
		"endpoint_paused": "We stop sending events to a failing endpoint.",
		"fees_changed":    "Someone changes a merchant’s fees or cancels a scheduled change.",
		"card_testing":    "Nearly all cards at a merchant are declined. Someone may be testing stolen cards.",
	},
	Always: "We always email you about sign-in changes, API keys, and bank accounts.",
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
