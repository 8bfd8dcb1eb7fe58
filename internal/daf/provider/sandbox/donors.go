package sandbox

import (
	"strings"

	"svcpay/internal/money"
)

// Password is that of every donor, and Code the second factor of the one who has it.
const (
	Password = "sandbox-donor-advised"
	Code     = "246813"
)

// maxTries is how many wrong passwords or codes end a visit.
const maxTries = 5

// Account is one of a donor's accounts at his fund.
type Account struct {
	Key     string
	Name    string
	Balance money.Amount
}

// Persona is a donor who can sign in at any integrated fund.
type Persona struct {
	Username string
	What     string // what happens with him, for people
	First    string
	Last     string
	Accounts []Account

	secondFactor bool
	locked       bool
	decline      string // why the grant is declined when it is submitted
	lost         bool   // the answer to the submission is lost
	canceled     bool   // the fund cancels the grant later
}

// Donor is the username of the good one, whom the demo names.
const Donor = "donor@fund.example"

// Personas lists every donor, the good one first.
func Personas() []Persona {
	family := Account{"family", "Family Giving Account", 48_250_00}
	return []Persona{
		{Username: Donor, First: "Dana", Last: "Reed", What: "authorizes; the grant is completed after 5 business days",
			Accounts: []Account{family, {"rainy", "Rainy Day Fund", 640_00}}},
		{Username: "single@fund.example", First: "Sam", Last: "Ortiz", What: "as the first, with one account: nothing to choose",
			Accounts: []Account{family}},
		{Username: "code@fund.example", First: "Robin", Last: "Hale",
			What:     "is asked for a second factor, which is " + Code,
			Accounts: []Account{family}, secondFactor: true},
		{Username: "low@fund.example", First: "Lee", Last: "Park", What: "has 20 dollars left, and can lower the amount to that",
			Accounts: []Account{{"small", "Small Change Fund", 20_00}}},
		{Username: "empty@fund.example", First: "Morgan", Last: "Bly", What: "has nothing left",
			Accounts: []Account{{"empty", "Legacy Account", 0}}},
		{Username: "locked@fund.example", First: "Kim", Last: "Ash", What: "is locked out: the visit fails", locked: true},
		{Username: "declined@fund.example", First: "Jules", Last: "Ferro", What: "authorizes, but the grant is declined when it is submitted: insufficient_funds",
			Accounts: []Account{family}, decline: "insufficient_funds"},
		{Username: "timeout@fund.example", First: "Alex", Last: "Moss", What: "authorizes; the answer to the grant is lost, and found 3 seconds later",
			Accounts: []Account{family}, lost: true},
		{Username: "canceled@fund.example", First: "Chris", Last: "Vane", What: "authorizes; the fund cancels the grant after 2 business days",
			Accounts: []Account{family}, canceled: true},
	}
}

// personaOf finds a donor by his username, whatever its case.
func personaOf(username string) (Persona, bool) {
	for _, p := range Personas() {
		if strings.EqualFold(p.Username, strings.TrimSpace(username)) {
			return p, true
		}
	}
	return Persona{}, false
}

// account finds one of his accounts.
func (p Persona) account(key string) (Account, bool) {
	for _, a := range p.Accounts {
		if a.Key == key {
			return a, true
		}
	}
	return Account{}, false
}
