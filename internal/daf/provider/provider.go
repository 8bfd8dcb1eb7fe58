// Package provider is the port to a provider of donor-advised funds: it knows which organizations can receive grants,
// takes donors to the pages of their fund, and submits the grants that they authorize. An adapter never shares the
// caller's transaction; every submission carries our reference, which was committed before the call.
package provider

import (
	"context"
	"errors"
	"net/http"
	"time"

	"svcpay/internal/money"
	"svcpay/internal/platform/notice"
	"svcpay/internal/sensitive"
)

// Organization is what the provider's directory has of an employer identification number.
type Organization struct {
	EIN          string // NN-NNNNNNN
	Name         string // the legal one
	City         string
	State        string
	Country      string // ISO 3166-1 alpha-2
	Subsection   string // of section 501(c) of the US tax code, such as 3
	GoodStanding bool   // with the IRS
	Account      Account
}

// Account is what an organization has at the provider.
type Account string

// The accounts of organizations. Providers pay what they can to an account that someone at the organization has
// claimed, and mail checks to the others.
const (
	AccountUnknown   Account = "" // the provider has no such accounts, or doesn't report them
	AccountClaimed   Account = "claimed"
	AccountUnclaimed Account = "unclaimed"
)

// Enrollment asks to take an organization in. The same organization again gets the same answer.
type Enrollment struct {
	Reference string // ours
	EIN       string // NN-NNNNNNN
	Name      string
	Contact   Contact
}

// Contact is the person at an organization to whom the provider writes. Some providers require one with an email
// address of the organization's own domain; it may be zero for the others.
type Contact struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
}

// Fund is a donor-advised fund's sponsor. A donor of one that is not integrated makes the grant on
// the fund's own website, by the instructions.
type Fund struct {
	ID           string
	Name         string
	Integrated   bool
	Website      string       // of one that is not integrated; "" if it is unknown
	Instructions string       // of one that is not integrated
	Minimum      money.Amount // of a grant, in US cents; 0 if there is none
	Down         bool         // cannot be reached at present
}

// Donor is what is known of a donor before he signs in at his fund; everything may be empty.
type Donor struct {
	FirstName string  `json:"first_name"`
	LastName  string  `json:"last_name"`
	Email     string  `json:"email"`
	Note      string  `json:"note"` // to the organization
	Phone     string  `json:"phone"`
	Address   Address `json:"address"`
	Anonymous bool    `json:"anonymous"` // wishes that the fund does not name him to the organization
}

// Address is where a donor lives.
type Address struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
}

// Visit asks for the provider's pages on which a donor signs in at an integrated fund and authorizes a
// grant. The provider sends the donor's browser to Return when he is through, however it ended.
type Visit struct {
	Reference string // ours, unique per visit
	Account   string // of the merchant, as [svcpay/internal/processor.MerchantAccount] has it
	ConnectID string // of the organization's enrollment
	FundID    string
	Amount    money.Amount // US cents, whole dollars
	Donor     Donor
	Return    string // absolute address
}

// Pages is where a visit takes place.
type Pages struct {
	VisitID string // the provider's
	Address string // absolute, or a path if the provider's pages are of our own host
}

// VisitState is how far a visit got.
type VisitState string

// The states.
const (
	VisitOpen       VisitState = "open"
	VisitAuthorized VisitState = "authorized" // a grant of the visit's amount may be submitted, once
	VisitCanceled   VisitState = "canceled"   // the donor went back
	VisitFailed     VisitState = "failed"     // the fund refused, or took too long
	// VisitConfirmed is of a donor who makes the grant himself, and confirmed that to the provider.
	VisitConfirmed VisitState = "confirmed"
)

// VisitReason is why a visit ended without an authorization; "" if the provider gives none.
type VisitReason string

// The reasons.
const (
	ReasonSignIn        VisitReason = "sign_in_failed"
	ReasonFundDown      VisitReason = "fund_down"
	ReasonNoAccount     VisitReason = "no_account"            // the donor has no account at the fund
	ReasonNotIntegrated VisitReason = "fund_not_integrated"   // the donor went to a fund that is not integrated
	ReasonOrganization  VisitReason = "organization_refused"  // grants to it can't be authorized at present
	ReasonMonthly       VisitReason = "monthly_not_supported" // the donor asked for a grant each month
	ReasonExpired       VisitReason = "authorization_expired" // the donor took too long
	ReasonUnconfirmed   VisitReason = "confirmation_missing"  // the provider has no trace of the donor's confirmation
)

// VisitResult is the outcome of a visit. Amount is what the donor authorized or confirmed.
type VisitResult struct {
	State  VisitState
	Reason VisitReason
	Amount money.Amount
	Donor  Donor
	// FundID is the fund at which the donor authorized; "" is that of the visit.
	FundID string
	// AuthorizedAt is when the donor authorized, by the machine's time; zero if the provider does not report it.
	AuthorizedAt time.Time
}

// Grant asks for the grant that a visit authorized.
type Grant struct {
	Reference string // ours, unique per grant
	VisitID   string
	Amount    money.Amount
}

// Answer is a final outcome of a grant's submission.
type Answer struct {
	Approved bool `json:"approved"`
	// TrackingID is what donor, fund and nonprofit know the grant by; 10 characters.
	TrackingID string `json:"tracking_id,omitempty"`
	// DeclineCode is the reason in the words of the API, "" when approved.
	DeclineCode string `json:"decline_code,omitempty"`
	// ProviderFee is what the provider and the fund take of an approved grant, as they reported it; 0 if they did not.
	ProviderFee money.Amount `json:"provider_fee,omitempty"`
}

// IsApproved reports whether the grant was taken.
func (a Answer) IsApproved() bool { return a.Approved }

// EventKind is what happened to a grant at the provider.
type EventKind string

// The kinds.
const (
	GrantCompleted EventKind = "grant_completed" // it was paid to the organization
	GrantCanceled  EventKind = "grant_canceled"  // it will not be paid
)

// Event is something that happened to a grant.
type Event struct {
	ID         string    `json:"id"` // of the message that reports it
	Kind       EventKind `json:"kind"`
	Account    string    `json:"account"`   // of the visit
	Reference  string    `json:"reference"` // ours, of the grant
	TrackingID string    `json:"tracking_id"`
	At         time.Time `json:"at"` // by the clock of the account
}

// Line is one grant as the provider's book has it.
type Line struct {
	Number     int64 // ascending
	Reference  string
	TrackingID string
	Account    string // of the visit
	ConnectID  string
	Amount     money.Amount
	State      EventKind // "" while it is on its way
	At         time.Time // by the clock of the account
}

// Arrival is money of a grant that arrived at the organization's account with the provider.
type Arrival struct {
	Number      int64         // ascending; one that changes gets another
	ID          string        // the provider's
	Reference   string        // ours of the grant
	Amount      money.Amount  // that arrived; 0 of money that was returned
	Fee         money.Amount  // that was deducted before
	ReportedFee *money.Amount // that the answer to the grant named; nil if it named none
	At          time.Time     // by the clock of the account
}

// Arrivals is implemented by a provider that knows which money arrived. One whose account may not read it, or whose
// organizations receive the money elsewhere, has none.
type Arrivals interface {
	// Arrivals returns those after that number, oldest first, at most limit.
	Arrivals(ctx context.Context, after int64, limit int) ([]Arrival, error)
}

// ErrNotFound is the answer about what the provider does not have. Any other error of Grant means that the outcome is
// unknown, never that it failed.
var ErrNotFound = errors.New("daf provider: nothing is known of this")

// ErrContact is of an enrollment whose contact the provider does not accept. Nothing was enrolled.
var ErrContact = errors.New("daf provider: the contact is not accepted")

// Provider knows organizations and sends grants.
type Provider interface {
	// Name is how records call it.
	Name() string
	// Organization looks an EIN up in the directory, or answers ErrNotFound.
	Organization(ctx context.Context, ein string) (Organization, error)
	// Enroll takes an organization in and returns the id of its connection. An organization that is
	// in already keeps its id.
	Enroll(ctx context.Context, e Enrollment) (string, error)
	// Funds searches funds by name, at most limit, the best first; all in order for "".
	Funds(ctx context.Context, query string, limit int) ([]Fund, error)
	// Fund returns one, or ErrNotFound.
	Fund(ctx context.Context, id string) (Fund, error)
	// Visit begins a visit. The same reference again returns the same visit.
	Visit(ctx context.Context, v Visit) (Pages, error)
	// PagesOrigin is the origin of the pages of visits, "" if they are of our own host.
	PagesOrigin() string
	// VisitResult says the outcome of a visit, or ErrNotFound.
	VisitResult(ctx context.Context, visitID string) (VisitResult, error)
	// Grant submits the grant of an authorized visit. The same reference again has the same answer.
	Grant(ctx context.Context, g Grant) (Answer, error)
	// Lookup tells the outcome of a reference, or ErrNotFound.
	Lookup(ctx context.Context, reference string) (Answer, error)
	// SettleWindow is how long after the submission a reference may still turn up; one that is
	// not found after it was never received.
	SettleWindow() time.Duration
	// Messages returns what the provider reported after the message of that id ("" for all), oldest first, at most
	// limit. Anyone who goes on from the last id of each answer misses nothing.
	Messages(ctx context.Context, after string, limit int) ([]notice.Message, error)
	// Events returns what a message reports; nothing if it is about something that we do not follow.
	Events(ctx context.Context, m notice.Message) ([]Event, error)
	// Notice verifies a request in which the provider reports something and returns its messages, which Messages
	// has, too. It returns [notice.ErrSignature] or [notice.ErrUnreadable] for one that is refused.
	Notice(ctx context.Context, header http.Header, body []byte) ([]notice.Message, error)
	// Book returns the lines of the provider's book after that number, oldest first, at most limit.
	Book(ctx context.Context, after int64, limit int) ([]Line, error)
}

// ErrCredentials is of credentials that the provider rejects, or that are of another mode than the deployment.
var ErrCredentials = errors.New("daf provider: the credentials are not accepted")

// Need is something that is missing before everything works with a provider.
type Need struct {
	Code string
	Text string // what is missing, and what to do about it
	// Optional says that everything else works without it.
	Optional bool
}

// Connector is a provider that a deployment connects to with credentials.
type Connector interface {
	Provider
	// Check asks the provider whether it accepts credentials, and returns the codes of what is missing. It returns
	// ErrCredentials for those that it rejects; any other error means that the provider could not be asked.
	Check(ctx context.Context, credentials sensitive.Credentials) ([]string, error)
	// NeedOf is the need with a code that Check returned.
	NeedOf(code string) Need
}

// CallTimeout bounds every call to a provider.
const CallTimeout = 20 * time.Second
