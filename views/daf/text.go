package daf

import (
	"fmt"
	"strings"

	"github.com/a-h/templ"

	"svcpay/views/text"
)

// Text is what the modal's pages and the page of a visit say in one language. A text with %s names a merchant, a fund
// or an amount, one with %d a number; each language has them in the same order, or numbers them.
type Text struct {
	Language text.Language
	Frame    FrameText
	Gift     GiftText
	Funds    FundsText
	Offline  OfflineText
	Visit    VisitText
	Ends     EndsText
	Notices  NoticesText
	// Mistakes are what is wrong with the first page's form, by code.
	Mistakes map[string]string
	// Reports are the refusals of what a visit's component reported, by code.
	Reports map[string]string
}

// FrameText is around every page.
type FrameText struct {
	Donation, Nonprofit, DonationTo, Amount string
	StepsAre                                string
	Steps                                   [3]string // what a donor does
	StepDone, Cancel, Sandbox               string
	Error                                   string // before a mistake, for screen readers
	Check                                   string // above the list of mistakes
	Back, Close, TryAgain                   string
}

// GiftText is of the page that asks for amount and donor.
type GiftText struct {
	Title, Lead, Amount, WholeDollars                string
	About, Optional                                  string
	FirstName, LastName, Email, Note                 string
	More, Phone, Street, Apartment, City, State, ZIP string
	Anonymous, Continue                              string
}

// FundsText is of the page that lists funds.
type FundsText struct {
	Title, Lead, Search, Submit         string
	FoundNone, FoundOne, FoundMany, All string
	Integrated, Nonintegrated           string
	Nothing, NothingText                string
}

// OfflineText is of the page about a grant that the donor makes himself.
type OfflineText struct {
	Name, Title, Instructions               string
	Organization, EIN, Note                 string
	Open, NewWindow, WhenConfirmed, Confirm string
}

// VisitText is of the page with a provider's component.
type VisitText struct {
	Name, Title, Lead, Script, Loading, Another string
	// What the page's script says.
	Unreached, Unsaved, Unrepeated, Unloaded string
}

// EndsText is of pages that end a visit or the modal, or are shown instead of another.
type EndsText struct {
	Unfinished, UnfinishedTitle, UnfinishedText, ContinueAt, AnotherFund string
	Thanks, Authorized, Confirmed, Fund                                  string
	Canceled, CanceledText                                               string
	Busy, BusyText, BusyVisits                                           string
	Foreign, ForeignText, Missing, MissingPage, MissingText              string
	Expired, ExpiredText, Failed, FailedTitle, FailedText                string
	Waiting, WaitingTitle, WaitingText, CheckAgain                       string
}

// NoticesText is above the list of funds. Each has a title and a text.
type NoticesText struct {
	Choose, Down, Minimum                [2]string
	SignIn, FundDown, NoAccount          [2]string
	NotIntegrated, Organization, Monthly [2]string
	Late, CouldNot, CameBack             [2]string
}

// TextOf is what the pages say in a language.
func TextOf(l text.Language) *Text {
	switch l {
	case text.LanguageSpanish:
		return &spanish
	case text.LanguageFrench:
		return &french
	case text.LanguageCanadianFrench:
		return &canadianFrench
	}
	return &english
}

// Found says how many funds a search found.
func (t *Text) Found(query string, n int) string {
	switch {
	case n == 0:
		return t.Funds.FoundNone
	case query == "":
		return fmt.Sprintf(t.Funds.All, n)
	case n == 1:
		return t.Funds.FoundOne
	}
	return fmt.Sprintf(t.Funds.FoundMany, n)
}

// Say fills in a text's names and numbers.
func Say(words string, values ...any) string {
	if !strings.Contains(words, "%") {
		return words
	}
	return fmt.Sprintf(words, values...)
}

// checkEntries heads the list of what is wrong with a form of a fund of the sandbox.
const checkEntries = "Please check what you entered"

// For is the page of a step of the visit: sign_in, code, account, review, or over in some state.
func (v Visit) For(step, state string) templ.Component {
	switch step {
	case "sign_in":
		v.Title = "Sign in"
		return SignInPage(v)
	case "code":
		v.Title = "Enter your code"
		return CodePage(v)
	case "account":
		v.Title = "Choose an account"
		return AccountPage(v)
	case "review":
		v.Title = "Review your grant"
		return ReviewPage(v)
	}
	v.Title = "Finished"
	switch state {
	case "authorized":
		return OverPage(v, "Your grant is authorized", "Go back to finish your donation.")
	case "failed":
		return OverPage(v, "Something went wrong",
			"Your sign-in was declined or timed out. No grant was authorized.")
	}
	return OverPage(v, "Grant canceled", "No grant was authorized.")
}
