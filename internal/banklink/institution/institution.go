// Package institution is the port to a provider that lets payers share a bank account by signing in at their bank. The
// payer's bank credentials never reach this service.
package institution

import (
	"context"
	"errors"
	"time"

	"svcpay/internal/sensitive"
)

// CallTimeout bounds one call, retries included.
const CallTimeout = 15 * time.Second

// ErrNotFound is of an institution, a visit or an account that is not there.
var ErrNotFound = errors.New("institution: not found")

// Institution is a bank whose customers can sign in.
type Institution struct {
	ID      string
	Name    string
	Website string
}

// Visit asks for the pages of an institution.
type Visit struct {
	Reference     string // ours; the same again is the same visit
	InstitutionID string
	Return        string // address to which the payer comes back
}

// Pages are where a payer signs in.
type Pages struct {
	VisitID string
	Address string
}

// VisitState is how far a visit got.
type VisitState string

// The states.
const (
	VisitOpen     VisitState = "open"
	VisitShown    VisitState = "shown" // the payer let us see the accounts
	VisitCanceled VisitState = "canceled"
	VisitFailed   VisitState = "failed" // signing in was refused for good, or there is no account to debit
)

// Account is one of a payer's that can be debited.
type Account struct {
	Key   string // within the visit
	Name  string
	Type  string // checking or savings
	Last4 string
}

// Result is the outcome of a visit; accounts are of one that is shown.
type Result struct {
	State    VisitState
	Accounts []Account
}

// Details are what a debit needs of an account, and who holds it.
type Details struct {
	Routing             string // nine digits
	Number              sensitive.AccountNumber
	Type                string
	FirstName, LastName string
	Email               string
}

// Institutions is the port.
type Institutions interface {
	// Search finds institutions by a part of their names, at most so many.
	Search(ctx context.Context, query string, most int) ([]Institution, error)
	// Find returns an institution, or ErrNotFound.
	Find(ctx context.Context, id string) (Institution, error)
	// Visit begins a visit, or ErrNotFound.
	Visit(ctx context.Context, v Visit) (Pages, error)
	// Result says the outcome of a visit, or ErrNotFound.
	Result(ctx context.Context, visitID string) (Result, error)
	// Details tells an account of a visit that is shown, or ErrNotFound.
	Details(ctx context.Context, visitID, key string) (Details, error)
	// PagesOrigin is where the pages are, "" for our own host.
	PagesOrigin() string
}
