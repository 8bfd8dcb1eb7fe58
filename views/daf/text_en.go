package daf

import "svcpay/views/text"

var english = Text{
	Language: text.LanguageEnglish,
	Frame: FrameText{
		Donation: "Donation", Nonprofit: "a nonprofit", DonationTo: "Donation to", Amount: "Amount",
		StepsAre: "Steps", Steps: [3]string{"Your gift", "Your fund", "Authorize"}, StepDone: "done",
		Cancel: "Cancel donation", Sandbox: "Sandbox: no real money moves.", Error: "Error: ",
		Check: "Please check what you entered", Back: "Back", Close: "Close", TryAgain: "Try again",
	},
	Gift: GiftText{
		Title: "Give from your donor-advised fund",
		Lead: "Choose an amount. Next, you’ll sign in at your fund. Nothing is sent until you authorize it " +
			"there.",
		Amount: "Amount in US dollars", WholeDollars: "Whole dollars only.", About: "About you", Optional: "optional",
		FirstName: "First name", LastName: "Last name", Email: "Email", Note: "Note to %s",
		More: "Phone and address for your fund", Phone: "Phone", Street: "Street", Apartment: "Apartment, suite",
		City: "City", State: "State", ZIP: "ZIP code", Anonymous: "Ask my fund to give anonymously",
		Continue: "Continue",
	},
	Funds: FundsText{
		Title: "Where is your account?",
		Lead:  "Choose the fund or foundation that holds your donor-advised fund.", Search: "Search for a fund",
		Submit: "Search", FoundNone: "No funds found.", FoundOne: "1 fund found", FoundMany: "%d funds found",
		All: "%d funds", Integrated: "Sign in and authorize here",
		Nonintegrated: "You make the grant on their website", Nothing: "Nothing found",
		NothingText: "Check the spelling, or search for another part of the name. " +
			"If your fund isn’t listed, it isn’t supported yet.",
	},
	Offline: OfflineText{
		Name: "Make your grant", Title: "Make your grant at %s",
		Instructions: "Sign in to your account with %s and recommend a grant to the organization by its EIN. " +
			"Enter the amount and your note.",
		Organization: "Organization", EIN: "EIN", Note: "Note", Open: "Open %s", NewWindow: "opens in a new window",
		WhenConfirmed: "When you confirm, %s is notified that your grant is on its way. " +
			"Your fund decides when it is paid.",
		Confirm: "Confirm grant of %s",
	},
	Visit: VisitText{
		Name: "Authorize", Title: "Authorize at %s",
		Lead: "Sign in at your fund and authorize the grant. Your sign-in stays with your fund: %s " +
			"never sees it.",
		Script:  "This step needs JavaScript. Turn it on and load the page again.",
		Loading: "Loading the sign-in…", Another: "Choose another fund",
		Unreached: "The service can’t be reached at present. We’re trying again.",
		Unsaved: "You authorized the grant, but we can’t save it at present. Keep this window open: we’re trying " +
			"again.",
		Unrepeated: "The service can’t be reached. Nothing was given. Close this window and start again.",
		Unloaded:   "The sign-in at your fund can’t be loaded. Check your connection and try again.",
	},
	Ends: EndsText{
		Unfinished: "Not finished", UnfinishedTitle: "Your grant at %s isn’t finished",
		UnfinishedText: "You haven’t authorized a grant yet. Pick up where you left off, or choose another fund.",
		ContinueAt:     "Continue at %s", AnotherFund: "Choose another fund",
		Thanks:     "Thank you",
		Authorized: "Your grant is authorized. You can close this window: %s takes it from here.",
		Confirmed:  "%s expects your grant. Remember to make it on the website of your fund.", Fund: "Fund",
		Canceled:     "The donation was canceled",
		CanceledText: "Nothing was authorized and nothing was sent. You can close this window.",
		Busy:         "Too many requests",
		BusyText: "Many people are using your network right now. Nothing is lost. Please try again in a " +
			"moment.",
		BusyVisits: "Too many visits at once",
		Foreign:    "This form was sent from another website", ForeignText: "Close this window and start again.",
		Missing: "This donation form does not exist", MissingPage: "This page does not exist",
		MissingText: "Close this window and start again from the donation page.",
		Expired:     "This form has expired",
		ExpiredText: "For your safety it is open for a limited time only. Nothing was authorized. Close this " +
			"window and start again.",
		Failed: "Something went wrong", FailedTitle: "We can’t continue right now",
		FailedText: "Our service or the fund’s isn’t responding. Nothing was authorized. Please try " +
			"again in a moment.",
		Waiting: "Your confirmation", WaitingTitle: "We are waiting for your confirmation",
		WaitingText: "We haven’t received your confirmation of this grant yet. This can take a minute. Please check " +
			"again.",
		CheckAgain: "Check again",
	},
	Notices: NoticesText{
		Choose: [2]string{"Choose your fund", "Choose the fund that your account is with."},
		Down: [2]string{"This fund can’t be used",
			"%s can’t be reached at present. Try again later, or choose another fund."},
		Minimum: [2]string{"This fund can’t be used",
			"The smallest grant of %s is %s. Go back to raise your gift, or choose another fund."},
		SignIn: [2]string{"The sign-in at %s failed",
			"Nothing was authorized. Check your username, password and code there, or choose another fund."},
		FundDown: [2]string{"%s can’t be reached at present",
			"Nothing was authorized. Try again later, or choose another fund."},
		NoAccount: [2]string{"There is no account to give from",
			"This sign-in has no donor-advised fund at %s. Choose another fund."},
		NotIntegrated: [2]string{"You make this grant yourself",
			"The fund that you chose takes no authorization here. Choose it in this list to see how to make " +
				"the grant."},
		Organization: [2]string{"%s can’t accept this grant at present",
			"Nothing was authorized. Choose a fund on whose website you make the grant yourself, or cancel " +
				"below."},
		Monthly: [2]string{"Only one-time grants can be made here",
			"Nothing was authorized. Choose your fund again and give once."},
		Late: [2]string{"Time is up",
			"An authorization is good for 15 minutes. Nothing was given. Choose your fund to authorize again."},
		CouldNot: [2]string{"%s couldn’t continue", "Nothing was authorized. Try again, or choose another fund."},
		CameBack: [2]string{"You came back without authorizing",
			"Choose a fund to continue, or cancel the donation below."},
	},
	Mistakes: map[string]string{
		"amount_invalid":   "Enter an amount in dollars, such as 125.",
		"amount_not_whole": "Funds grant whole dollars only. The nearest amount is %s.",
		"amount_too_small": "The smallest grant is %s.",
		"amount_too_large": "The largest grant is %s.",
		"text_too_long":    "This is too long: at most %d characters.",
		"text_invalid":     "This looks like a card number. Please remove it.",
		"email_invalid":    "Enter an email address such as dana@example.org.",
	},
	Reports: map[string]string{
		"daf_visit_unreadable": "The answer of your fund’s pages cannot be read. Nothing was given. Please try again.",
		"daf_session_used": "This authorization belongs to another gift and can’t be used again. Please authorize " +
			"this gift.",
		"daf_authorization_expired": "An authorization is good for 15 minutes, and this one is older. Nothing was " +
			"given. Please authorize again.",
		"daf_visit_missing": "This visit no longer exists. Close this window and start again from the " +
			"donation page.",
	},
}
