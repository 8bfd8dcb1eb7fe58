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
