package text

// Mail is the words of one mail.
type Mail struct {
	Subject string
	Lines   []string // its paragraphs
	Button  string   // what its link does; "" if it has none
	Note    string   // why someone gets it
}

// Mails are the texts of what people are told by mail.
type Mails struct {
	Invitation func(by, role, place, until string) Mail
	ResetLink  func(name, until string) Mail
	NewSignIn  func(name, browser, address, at string) Mail
	WrongCodes func(name, address, at string) Mail
	Changed    func(name, what, at string) Mail
	Changes    map[string]string
}

var mailsEnglish = Mails{
	Invitation: func(by, role, place, until string) Mail {
		return Mail{
			Subject: by + " invited you to join " + place + " on SvcPay",
			Lines: []string{by + " invited you to join " + place + " as " + role + ".",
				"This link works once and expires " + until + "."},
			Button: "Accept invitation",
			Note:   "If you weren’t expecting this, you can ignore this email.",
		}
	},
	ResetLink: func(name, until string) Mail {
		return Mail{
			Subject: "Reset your password",
			Lines: []string{"Hello " + name + ",",
				"We received a request to reset your password. This link expires " + until + "."},
			Button: "Reset password",
			Note:   "If you didn’t request this, ignore this email. Your password won’t change.",
		}
	},
	NewSignIn: func(name, browser, address, at string) Mail {
		with := "We noticed a new sign-in to your account on " + at
		if browser != "" {
			with += ": " + browser
		}
		if address != "" {
			with += ", from IP address " + address
		}
		return Mail{
			Subject: "New sign-in to your account",
			Lines:   []string{"Hello " + name + ",", with + "."},
			Button:  "Review active sessions",
			Note:    "If this was you, no action is needed. If not, sign out that session and change your password right away.",
		}
	},
	WrongCodes: func(name, address, at string) Mail {
		what := "Five wrong two-step verification codes in a row were entered for your account, the last one on " + at
		if address != "" {
			what += " from IP address " + address
		}
		return Mail{
			Subject: "Wrong verification codes for your account",
			Lines: []string{"Hello " + name + ",", what + ".",
				"Codes for your account are blocked for 15 minutes."},
			Button: "Review your settings",
			Note: "If this was you, no action is needed. If not, someone may know your password: change it right away " +
				"and contact support.",
		}
	},
	Changed: func(name, what, at string) Mail {
		return Mail{
			Subject: what,
			Lines:   []string{"Hello " + name + ",", what + " on " + at + "."},
			Button:  "Review your settings",
			Note:    "If this wasn’t you, reset your password right away and contact support.",
		}
	},
	Changes: map[string]string{
		"password_changed":      "Your password was changed",
		"authenticator_added":   "An authenticator app was added to your account",
		"authenticator_removed": "The authenticator app was removed from your account",
		"passkey_added":         "A passkey was added to your account",
		"passkey_removed":       "A passkey was removed from your account",
		"recovery_codes_made":   "Your recovery codes were replaced",
		"recovery_code_used":    "A recovery code was used to sign in to your account",
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
	Title: "Inbox", Text: "Emails sent by this sandbox, newest first. Nothing is delivered.", Reload: "Refresh",
	Empty: "No emails yet", EmptyText: "Invite a teammate or reset a password to see an email here.",
	To:   func(address string) string { return "To " + address },
	With: func(files string) string { return "With " + files },
}
