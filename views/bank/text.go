// Package bank renders the pages of the bank account modal, in four languages, from plain values, and those of the
// sandbox's banks, which look like other companies'. They need no JavaScript.
package bank

import (
	"fmt"

	"svcpay/views/text"
)

// Text is what the modal's pages say in one language. A text with %s names a bank or a merchant.
type Text struct {
	Lang                                                  text.Language
	PayTo, Step1, Step2, Step3, Cancel, Sandbox, Done     string
	Where, WhereLead, SearchBank, Search                  string
	FoundNone, FoundOne, FoundMany, Nothing, NothingText  string
	TypeInstead, ChooseAccount, Showed, AnotherBank       string
	AuthorizeDebits, Bank, AccountFact                    string
	FormTitle, FormLead, Holder, Account                  string
	First, Last, Email, Type, Choose, Checking, Savings   string
	Routing, RoutingHint, Institution, InstitutionHint    string
	Transit, TransitHint, Number, NumberHint, NumberHint2 string
	Agreement, Agree, Authorize, Back, Check, Error       string
	Authorized, AuthorizedText, Pending                   string
	Canceled, CanceledText, Close                         string
	Missing, MissingText, Expired, ExpiredText            string
	Broken, BrokenText, Foreign, ForeignText, Again       string
	Busy, BusyText                                        string
	ChooseBank, NotFinished, CouldNotShow, CameBack       [2]string         // titles and texts of notices
	Mistakes                                              map[string]string // by error code
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

// Found says how many banks a search found.
func (t *Text) Found(n int) string {
	switch n {
	case 0:
		return t.FoundNone
	case 1:
		return t.FoundOne
	}
	return fmt.Sprintf(t.FoundMany, n)
}
