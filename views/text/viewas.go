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
	Title: "View as", Text: "You see what that role sees, for 30 minutes, and can change nothing. That you looked, and why, is in the audit log.",
	Role: "Role", RoleHint: "What your own role may not see stays hidden.",
	Reason: "Reason", ReasonHint: "Such as the number of a ticket.",
	Start: "View as this role", End: "End the view",
	Bar: func(role, place, until string) string {
		return "You view as: " + role + ", " + place + ". Read only, until " + until + "."
	},
	Began: func(role string) string { return "You view as " + role + " now." },
	Ended: "You are yourself again.",
}
