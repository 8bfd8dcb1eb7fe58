package text

// SecondStep are the texts of the page that asks for the second factor.
type SecondStep struct {
	Title, Text, RecoveryText, PasskeyText string
	Code, Recovery, RecoveryHint           string
	Go, ByRecovery, ByApp, Again           string
	Missing, Late                          string
}

var secondStepEnglish = SecondStep{
	Title: "One more step", Text: "Open your authenticator app and type the code that it shows for SvcPay.",
	RecoveryText: "Type one of the codes that you kept when you set up your second factor. Each works once.",
	PasskeyText:  "Use the passkey that you set up.",
	Code:         "Code of six digits", Recovery: "Recovery code", RecoveryHint: "Such as ABCD-EFGH-IJKL-MNOP",
	Go: "Continue", ByRecovery: "Use a recovery code", ByApp: "Use the app's code", Again: "Start over",
	Missing: "Enter the code.", Late: "The second step took too long. Sign in again.",
}

// Reset are the texts of the pages for who has forgotten a password.
type Reset struct {
	Title, Text, Send, Off string
	SentTitle, SentHint    string
	SentText               func(email string) string
	ToLogin                string
	NewTitle, New, Save    string
	Ends                   string
	Done                   string
}

var resetEnglish = Reset{
	Title: "Forgot your password?", Text: "We mail you a link to choose a new one.", Send: "Send the link",
	Off:       "This service sends no mails. Ask whoever runs it for a link.",
	SentTitle: "Look at your mails",
	SentText: func(email string) string {
		return "If somebody signs in with " + email + ", a link is on its way there. It works once, for an hour."
	},
	SentHint: "Nothing came? Look into the spam folder, and whether the address is right.",
	ToLogin:  "Back to the sign-in",
	NewTitle: "Choose a new password", New: "New password", Save: "Save the password",
	Ends: "You are signed out everywhere.",
	Done: "Your password is changed. Sign in with the new one.",
}

// Proof are the texts of the page that asks somebody to prove again who they are.
type Proof struct {
	Title, Text    string
	Code, CodeHint string
	Passkey        string
	Go             string
	Wrong          string
	Lost, LostText string
	// FileReady and FileFetch tell of a file that a proof, or a sign-in, was asked for.
	FileReady, FileFetch string
}

var proofEnglish = Proof{
	Title: "Is it you?", Text: "This changes something that matters. Prove once more who you are; it counts for ten minutes.",
	Code: "Code", CodeHint: "Of your authenticator app, or a recovery code.",
	Passkey: "Use a passkey",
	Go:      "Continue", Wrong: "Nothing was done yet",
	Lost: "What you typed was not kept", LostText: "It is too secret to pass through this page. You are led back to an empty form.",
	FileReady: "Your file is ready.", FileFetch: "Download",
}
