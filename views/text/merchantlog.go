package text

// MerchantLog are the texts of a merchant's tabs about its people and about what was done.
type MerchantLog struct {
	Team                              func(organization string) string
	TeamText, Invite, Nobody          string
	NobodyText                        string
	Activity, ActivityText            string
	NothingTitle, NothingText, Search string
}

var merchantLogEnglish = MerchantLog{
	Team:     func(organization string) string { return "People of " + organization },
	TeamText: "They see all merchants of their organization. Administrators of the application see them, too.",
	Invite:   "Invite somebody", Nobody: "Nobody yet", NobodyText: "No one of the organization has a role here.",
	Activity: "Activity", ActivityText: "What people and programs changed of this merchant, and what they were refused.",
	NothingTitle: "Nothing yet", NothingText: "What is changed of this merchant is written here.", Search: "The whole audit log",
}
