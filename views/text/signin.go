package text

// SecondStep are the texts of the page that asks for the second factor.
type SecondStep struct {
	Title, Text, RecoveryText, PasskeyText string
	Code, Recovery, RecoveryHint           string
	Go, ByRecovery, ByApp, Again           string
	Missing, Late                          string
}

var secondStepEnglish = SecondStep{
	Title: "Two-step verification", Text: "Enter the 6-digit code from your authenticator app.",
	RecoveryText: "Enter one of the recovery codes you saved. Each code works once.",
	PasskeyText:  "Use your passkey to continue.",
	Code:         "6-digit code", Recovery: "Recovery code", RecoveryHint: "For example, ABCD-EFGH-IJKL-MNOP",
	Go: "Continue", ByRecovery: "Use a recovery code", ByApp: "Use your authenticator app", Again: "Start over",
	Missing: "Enter the code.", Late: "Two-step verification timed out. Sign in again.",
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
	Title: "Forgot your password?", Text: "Enter your email and we’ll send you a reset link.", Send: "Send reset link",
	Off:       "Email isn’t set up here. Ask your administrator for a reset link.",
	SentTitle: "Check your email",
	SentText: func(email string) string {
		return "If there’s an account for " + email + ", we’ve sent a reset link. It expires in 1 hour."
	},
	SentHint: "Didn’t get it? Check your spam folder and the address you entered.",
	ToLogin:  "Back to sign in",
	NewTitle: "Choose a new password", New: "New password", Save: "Save password",
	Ends: "This signs you out of all devices.",
	Done: "Password updated. Sign in with your new password.",
}

// Proof are the texts of the page that asks someone to prove again who they are.
type Proof struct {
	Title, Text    string
	Code, CodeHint string
	Passkey        string
	Go             string
	Wrong          string
	Lost, LostText string
	// FileReady and FileFetch report a file that a proof, or a sign-in, was asked for.
	FileReady, FileFetch string
}

var proofEnglish = Proof{
	Title: "Confirm it’s you",
	Text:  "For your security, confirm your identity to continue. You won’t be asked again for 10 minutes.",
	Code:  "Code", CodeHint: "From your authenticator app, or a recovery code",
	Passkey: "Use a passkey",
	Go:      "Continue", Wrong: "Couldn’t confirm your identity",
	Lost: "Re-enter your details", LostText: "To protect sensitive data, we didn’t keep what you entered.",
	FileReady: "Your file is ready.", FileFetch: "Download",
}
