package daf

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"

	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
)

// Bounds of the texts of a request, in characters.
const (
	maxName  = 255
	maxEmail = 254
	maxNote  = 500
	maxID    = 128 // of a session or a grant
)

// CreateInput is the body of a donation's creation: what the event dafAuthorized told, and what the
// application adds. A nil member was not sent. Amount is US cents.
type CreateInput struct {
	MerchantID        *int64            `json:"merchant_id"`
	WorkflowSessionID *string           `json:"workflowSessionId"`
	GrantID           *string           `json:"grantId"`
	Amount            *money.Amount     `json:"amount"`
	User              *UserInput        `json:"user" default:"{}"`
	Anonymous         *bool             `json:"anonymous" default:"false"`
	ExternalID        *string           `json:"external_id"`
	Metadata          map[string]string `json:"metadata" default:"{}"`
}

// UserInput is the donor as a request names them.
type UserInput struct {
	FirstName *string `json:"firstName,omitempty" default:""`
	LastName  *string `json:"lastName,omitempty" default:""`
	Email     *string `json:"email,omitempty" default:""`
	Note      *string `json:"note,omitempty" default:""`
}

// Validate returns every mistake that can be seen without looking anything up.
func (in CreateInput) Validate() fault.Fields {
	var fs fault.Fields
	check.Required(&fs, "merchant_id", in.MerchantID != nil)
	check.Merchant(&fs, in.MerchantID)
	in.checkIDs(&fs)
	check.Required(&fs, "amount", in.Amount != nil)
	check.Amount(&fs, "amount", in.Amount)
	if in.User != nil {
		in.User.validate(&fs)
	}
	if !deref(in.Anonymous) {
		in.checkDonor(&fs)
	}
	check.ExternalID(&fs, in.ExternalID)
	check.Metadata(&fs, in.Metadata)
	return fs
}

// checkIDs wants exactly one of the two ids.
func (in CreateInput) checkIDs(fs *fault.Fields) {
	check.Word(fs, "workflowSessionId", in.WorkflowSessionID, 1, maxID)
	before := len(*fs)
	check.Word(fs, "grantId", in.GrantID, 1, maxID)
	switch {
	case len(*fs) > before: // one mistake of it is enough
	case in.WorkflowSessionID != nil && in.GrantID != nil:
		fs.Add("grantId", "parameters_exclusive",
			"Send the workflowSessionId or grantId from the donor's authorization, not both.")
	case in.WorkflowSessionID == nil && in.GrantID == nil:
		fs.Add("workflowSessionId", "parameter_missing",
			"Send the workflowSessionId or grantId from the donor's authorization.")
	}
}

// checkDonor wants the members that say who gives, as the event dafAuthorized always has them. Their texts may be
// empty: a donor who authorized a grant without a name gives all the same.
func (in CreateInput) checkDonor(fs *fault.Fields) {
	u := in.User
	if u == nil {
		u = new(UserInput)
	}
	for _, m := range []struct {
		name  string
		value *string
	}{{"firstName", u.FirstName}, {"lastName", u.LastName}, {"email", u.Email}} {
		if m.value == nil {
			fs.Add("user."+m.name, "parameter_missing", "Send the donor as dafAuthorized gave it, or anonymous: true.")
		}
	}
}

func (u UserInput) validate(fs *fault.Fields) {
	check.Text(fs, "user.firstName", u.FirstName, 0, maxName)
	check.Text(fs, "user.lastName", u.LastName, 0, maxName)
	before := len(*fs)
	check.Text(fs, "user.email", u.Email, 0, maxEmail)
	if e := deref(u.Email); e != "" && len(*fs) == before { // one mistake of it is enough
		if !mailbox.Valid(e) {
			fs.Add("user.email", "parameter_invalid", "An email address such as donor@example.org.")
		}
	}
	if n := deref(u.Note); n != "" {
		check.Prose(fs, "user.note", n, maxNote)
	}
}

// normal is u as it is kept.
func (u User) normal() User {
	u.Email = mailbox.Normal(u.Email)
	return u
}

// user is the donor as the request has them: what [CreateInput.hash] digests does not change with how an address is
// kept.
func (in CreateInput) user() User {
	if in.User == nil {
		return User{}
	}
	return User{deref(in.User.FirstName), deref(in.User.LastName), deref(in.User.Email), deref(in.User.Note)}
}

// idParam names the parameter that says what was authorized.
func (in CreateInput) idParam() string {
	if in.GrantID != nil {
		return "grantId"
	}
	return "workflowSessionId"
}

// hash digests what the request says of the donation, so that the same request is known again: what is
// left out counts as what it stands for.
func (in CreateInput) hash() ([]byte, error) {
	text, err := json.Marshal(struct {
		Amount     money.Amount
		User       User
		Anonymous  bool
		ExternalID string
		Metadata   map[string]string
	}{*in.Amount, in.user(), deref(in.Anonymous), deref(in.ExternalID), orEmpty(in.Metadata)})
	sum := sha256.Sum256(text)
	return sum[:], err
}

// WholeDollars refuses an amount that no grant can have, and names the nearest that one can.
func WholeDollars(a money.Amount) error {
	if a%WholeDollar == 0 {
		return nil
	}
	nearest := min(max((a+WholeDollar/2)/WholeDollar*WholeDollar, WholeDollar), MaxDonation)
	return fault.Refused("daf_amount_not_whole_dollar",
		fmt.Sprintf("Grants are whole dollars: the amount is a multiple of %d. The nearest is %d.", WholeDollar,
			nearest)).
		On("amount").With("nearest_amount", nearest)
}

// deref is what a pointer points at, or the zero value.
func deref[T comparable](p *T) T {
	var zero T
	return *cmp.Or(p, &zero)
}

func orEmpty(m map[string]string) map[string]string {
	if m == nil {
		return map[string]string{}
	}
	return m
}
