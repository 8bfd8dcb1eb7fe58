package text

// ViewAs are the texts of looking at the portal through another role.
type ViewAs struct {
	Title, Text        string
	Role, RoleHint     string
	Reason, ReasonHint string
	Start, End         string
	Bar                func(role, place, until string) string
	Began              func(role string) string
	Ended              string
}

var viewAsEnglish = ViewAs{
	Title: "View as",
	Text:  "See the portal as this role for 30 minutes, read-only. Your session and reason are recorded in the audit log.",
	Role:  "Role", RoleHint: "You’ll only see data your own role can access.",
	Reason: "Reason", ReasonHint: "For example, a ticket number",
	Start: "View as this role", End: "Exit",
	Bar: func(role, place, until string) string {
		return "Viewing as " + role + ", " + place + ". Read-only until " + until + "."
	},
	Began: func(role string) string { return "Now viewing as " + role },
	Ended: "You’re back in your own view.",
}
