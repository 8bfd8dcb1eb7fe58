// Package returncode lists the return codes of bank debits and credits, Nacha's for the United States and Payments
// Canada's for Canada, and what each means for the account.
package returncode

import "fmt"

// Scheme is whose rules a code belongs to.
type Scheme string

// The schemes.
const (
	Nacha  Scheme = "nacha"
	Canada Scheme = "payments_canada"
)

// Class says what a return tells about the account and the payer.
type Class string

// The classes.
const (
	Retryable      Class = "retryable"       // the money was not there this time
	AccountInvalid Class = "account_invalid" // no debit of this account will do
	Unauthorized   Class = "unauthorized"    // the payer says that he did not agree to it
	Stopped        Class = "stopped"         // the payer told the bank not to pay
	Deceased       Class = "deceased"        // who owned the account, or acted for the owner, died
	Administrative Class = "administrative"  // something between the banks, or in the entry itself
)

// Window is how long after settlement a bank may still send an entry back.
type Window struct {
	Days    int
	Banking bool // the days are banking days of the scheme's country, else days of the calendar
}

// String prints a window as documents do.
func (w Window) String() string {
	if w.Banking {
		return fmt.Sprintf("%d banking days", w.Days)
	}
	return fmt.Sprintf("%d days", w.Days)
}

// Code is one reason for a return.
type Code struct {
	Code   string
	Title  string // for people, beginning as inside a sentence
	Class  Class
	Scheme Scheme
	Window Window
}

// Disables reports whether another debit of the same account must not be tried.
func (c Code) Disables() bool {
	switch c.Class {
	case AccountInvalid, Unauthorized, Stopped, Deceased:
		return true
	}
	return false
}

var byCode = func() map[string]Code {
	m := make(map[string]Code, len(table))
	for _, c := range table {
		m[c.Code] = c
	}
	return m
}()

// Find looks a code up. One that is not in the table tells nothing about the account: it comes as
// administrative, and false.
func Find(code string) (Code, bool) {
	if c, ok := byCode[code]; ok {
		return c, true
	}
	return Code{Code: code, Title: "no reason known to us was given", Class: Administrative}, false
}

// All returns every code, in the order of the documents.
func All() []Code { return append([]Code(nil), table...) }
