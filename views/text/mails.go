package text

// Mail is the words of one mail.
type Mail struct {
	Subject string
	Lines   []string // its paragraphs
	Button  string   // what its link does; "" if it has none
	Note    string   // why somebody gets it
}

// Mails are the texts of what people are told by mail.
type Mails struct {
	Invitation func(by, role, place, until string) Mail
	ResetLink  func(name, until string) Mail
	NewSignIn  func(name, browser, address, at string) Mail
	Changed    func(name, what, at string) Mail
	Changes    map[string]string
}

var mailsEnglish = Mails{
	Invitation: func(by, role, place, until string) Mail {
		return Mail{
			Subject: by + " invites you to " + place,
			Lines: []string{by + " invites you to the payment portal of " + place + ", as " + role + ".",
				"The link works once, until " + until + "."},
			Button: "Accept the invitation",
			Note:   "If you do not know what this is about, do nothing: without the link nobody gets in.",
		}
	},
	ResetLink: func(name, until string) Mail {
		return Mail{
			Subject: "Choose a new password",
			Lines:   []string{"Hello " + name + ",", "you, or somebody who typed your address, asked for a new password. The link works once, until " + until + "."},
			Button:  "Choose a new password",
			Note:    "If it was not you, do nothing: your password stays as it is.",
		}
	},
	NewSignIn: func(name, browser, address, at string) Mail {
		with := "Somebody signed in as you, in a browser that you had not used before"
		if browser != "" {
			with += ": " + browser
		}
		if address != "" {
			with += ", from the address " + address
		}
		return Mail{
			Subject: "New sign-in to your account",
			Lines:   []string{"Hello " + name + ",", with + ". It was on " + at + "."},
			Button:  "See where you are signed in",
			Note:    "If it was you, there is nothing to do. If not, sign that session out and change your password at once.",
		}
	},
	Changed: func(name, what, at string) Mail {
		return Mail{
			Subject: what,
			Lines:   []string{"Hello " + name + ",", what + ". It was on " + at + "."},
			Button:  "Look at your settings",
			Note:    "If it was not you, ask for a new password at once, and tell whoever runs this service.",
		}
	},
	Changes: map[string]string{
		"password_changed": "Your password was changed", "authenticator_added": "An authenticator app was added to your account",
		"authenticator_removed": "The authenticator app was removed from your account", "passkey_added": "A passkey was added to your account",
		"passkey_removed": "A passkey was removed from your account", "recovery_codes_made": "Your recovery codes were replaced",
		"recovery_code_used": "A recovery code was used to sign in as you",
	},
}

// Inbox are the texts of the page that shows a sandbox's mails.
type Inbox struct {
	Title, Text, Reload string
	Empty, EmptyText    string
	To                  func(address string) string
	With                func(files string) string
}

var inboxEnglish = Inbox{
	Title: "Inbox", Text: "The mails of this sandbox, the newest first. They go nowhere else.", Reload: "Look again",
	Empty: "No mails yet", EmptyText: "Invite somebody to the team, or ask for a new password: the mail shows here.",
	To:   func(address string) string { return "To " + address },
	With: func(files string) string { return "With " + files },
}
