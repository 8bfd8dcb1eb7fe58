package text

// Login are the texts of the sign-in page.
type Login struct {
	Title, Email, Password string
	Demo                   string
	MissingEmail           string
	MissingPassword        string
	Missing, NotIn         string // titles above the form's mistakes
	Ended, Out, Accepted   string // why somebody finds themselves here
	Forgot                 string
	Passkey, PasskeyFailed string
}

var loginEnglish = Login{
	Title: "Sign in", Email: "E-mail address", Password: "Password",
	Demo:            "The demo's sign-ins were printed where the service was started, and stand in its credentials file.",
	MissingEmail:    "Enter your whole e-mail address.",
	MissingPassword: "Enter your password.",
	Missing:         "Something is missing", NotIn: "You are not signed in",
	Ended: "Your session has ended. Sign in again to go on.", Out: "You are signed out.",
	Accepted: "You have accepted the invitation. Sign in to begin.",
	Forgot:   "Forgot your password?",
	Passkey:  "Use a passkey", PasskeyFailed: "The passkey was not used. Try again, or sign in another way.",
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
	Account: "Your account", AccountText: "Who you are here, and where your role applies.",
	Name: "Name", Email: "E-mail address", Role: "Role",
	NoRole: "None yet", NoRoleText: "Ask whoever added you here to give you one.",
	InSystem:       "In the whole service",
	InApplication:  func(name string) string { return "In the application " + name },
	InOrganization: func(name string) string { return "In the organization " + name },
	Developers:     "For developers", DevelopersText: "What an application calls to take payments.",
	Address:      "Address of the API",
	ContractText: "Every request and answer, as OpenAPI", ErrorsText: "What each one means and what to do",
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
	BadQuery, WithoutQuery       string                    // the title of the page about an address that cannot be read, and the way on
	TitleError                   func(title string) string // of a page that shows a form again because of its mistakes
}

var failuresEnglish = Failures{
	Forbidden: "This is not allowed",
	Missing:   "There is no such page", MissingText: "The address may be mistyped, or what it showed is gone.",
	Method: "This page cannot be used that way", MethodText: "Go back and open it by a link or its form.",
	Large: "This form is too large", LargeText: "A form may have 32 KiB. Shorten what you wrote and send it again.",
	LargeFile: "This file is too large", LargeFileText: "A file may have 5 MB. Go back, choose a smaller one or send its pages as several files, then add it again.",
	Unavailable: "The service cannot answer right now", UnavailableText: "Wait a moment, then load the page again.",
	Broken: "Something went wrong on our side", BrokenText: "It has been recorded. Try again, and tell us if it stays.",
	Other:   "This did not work",
	Correct: "There is something to correct",
	Request: "Request id", AskRequest: "If you ask us about this, name the request:",
	ToPortal: "Go to the portal",
	BadQuery: "These filters can't be read", WithoutQuery: "Clear filters",
	TitleError: func(title string) string { return "Error: " + title },
}
