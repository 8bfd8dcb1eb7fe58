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
	Team:     func(organization string) string { return organization + " team" },
	TeamText: "They can see all of the organization’s merchants. Application administrators can too.",
	Invite:   "Invite member", Nobody: "No members yet", NobodyText: "No one in the organization has a role here.",
	Activity: "Activity", ActivityText: "Changes to this merchant, including denied attempts",
	NothingTitle: "Nothing yet", NothingText: "Changes to this merchant show up here.", Search: "View full audit log",
}
