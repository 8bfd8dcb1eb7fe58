package text

// Login are the texts of the sign-in page.
type Login struct {
	Title, Email, Password string
	Demo                   string
	MissingEmail           string
	MissingPassword        string
	Missing, NotIn         string // titles above the form's mistakes
	Ended, Out, Accepted   string // why someone finds themselves here
	Forgot                 string
	Passkey, PasskeyFailed string
}

var loginEnglish = Login{
	Title: "Sign in", Email: "Email address", Password: "Password",
	Demo:            "Demo logins are printed in the terminal and saved in credentials.json.",
	MissingEmail:    "Enter your full email address.",
	MissingPassword: "Enter your password.",
	Missing:         "Check the highlighted fields", NotIn: "Couldn’t sign you in",
	Ended: "Your session expired. Sign in again to continue.", Out: "You’re signed out.",
	Accepted: "Invitation accepted. Sign in to get started.",
	Forgot:   "Forgot your password?",
	Passkey:  "Use a passkey", PasskeyFailed: "We couldn’t use that passkey. Try again, or sign in another way.",
}

// Home are the texts of the page that people find after signing in.
type Home struct {
	Title                         string
	Hello                         func(name string) string
	Account, AccountText          string
	Name, Email, Role             string
	NoRole, NoRoleText            string
	InSystem                      string
	InApplication, InOrganization func(name string) string
	Developers, DevelopersText    string
	Address                       string
	ContractText, ErrorsText      string
}

var homeEnglish = Home{
	Title:   "Home",
	Hello:   func(name string) string { return "Hello, " + name },
	Account: "Your account", AccountText: "Your role and where it applies",
	Name: "Name", Email: "Email address", Role: "Role",
	NoRole: "None yet", NoRoleText: "Ask an administrator to assign you a role.",
	InSystem:       "All applications",
	InApplication:  func(name string) string { return "Application " + name },
	InOrganization: func(name string) string { return "Organization " + name },
	Developers:     "For developers", DevelopersText: "Endpoints for taking payments",
	Address:      "API base URL",
	ContractText: "Every endpoint, request, and response (OpenAPI)",
	ErrorsText:   "What each code means and how to fix it",
}

// rolesEnglish are the roles as people read them.
var rolesEnglish = map[string]string{
	"system_admin":       "System administrator",
	"support_staff":      "Support staff",
	"application_admin":  "Application administrator",
	"organization_admin": "Organization administrator",
	"organization_staff": "Organization staff",
}

// Failures are the texts of pages about what did not work.
type Failures struct {
	Forbidden                    string
	Missing, MissingText         string
	Method, MethodText           string
	Large, LargeText             string
	LargeFile, LargeFileText     string
	Unavailable, UnavailableText string
	Broken, BrokenText           string
	Other                        string // the title of all others, whose fault says what it is
	Correct                      string // the title above the mistakes of a form
	Request, AskRequest          string
	ToPortal                     string
	// the title of the page about an address that cannot be read, and the way on
	BadQuery, WithoutQuery string
	TitleError             func(title string) string // of a page that shows a form again because of its mistakes
}

var failuresEnglish = Failures{
	Forbidden: "You don’t have access",
	Missing:   "Page not found", MissingText: "Check the address. The page may have moved or been removed.",
	Method: "This action isn’t supported here", MethodText: "Go back and try again from the page.",
	Large: "This form is too large", LargeText: "Forms can be up to 32 KB. Shorten your text and submit again.",
	LargeFile:     "This file is too large",
	LargeFileText: "Files can be up to 5 MB. Go back and choose a smaller file, or split it into several files.",
	Unavailable:   "SvcPay is temporarily unavailable", UnavailableText: "Wait a moment, then reload the page.",
	Broken:     "Something went wrong on our side",
	BrokenText: "We’ve logged the error. Try again, and contact support if it keeps happening.",
	Other:      "Something didn’t work", Correct: "Check the highlighted fields",
	Request: "Request ID", AskRequest: "If you contact support, include this request ID:",
	ToPortal: "Back to Home",
	BadQuery: "These filters aren’t valid", WithoutQuery: "Clear filters",
	TitleError: func(title string) string { return "Error: " + title },
}
