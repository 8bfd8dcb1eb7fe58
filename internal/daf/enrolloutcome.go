package daf

import (
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
)

// Outcome is what is found when a merchant is to be enrolled in DAF Pay.
type Outcome string

// The outcomes. The last three come from [Service.EnrollEligible] alone, which enrolls no one who has opted out.
const (
	Eligible             Outcome = "eligible"
	MerchantNotUS        Outcome = "merchant_not_us"
	MerchantNotNonprofit Outcome = "merchant_not_nonprofit"
	MerchantNotActive    Outcome = "merchant_not_active"
	AlreadyEnrolled      Outcome = "already_enrolled"
	InProgress           Outcome = "in_progress"
	EINDiffers           Outcome = "ein_differs"
	EINTaken             Outcome = "ein_taken"
	NotFound             Outcome = "not_found"
	OrganizationNotUS    Outcome = "organization_not_us"
	NotCharity           Outcome = "not_501c3"
	NotInGoodStanding    Outcome = "not_in_good_standing"
	ContactRefused       Outcome = "contact_refused"
	Unanswered           Outcome = "unanswered"
	NoEIN                Outcome = "no_ein"
	OptedOut             Outcome = "opted_out"
	Failed               Outcome = "failed"
)

// Meaning says in words what an outcome stands for.
type Meaning struct {
	Outcome Outcome
	Text    string
	kind    fault.Kind
}

// Meanings lists every outcome, in the order in which they are looked for. docs/daf.md has the same list.
func Meanings() []Meaning {
	return []Meaning{
		{MerchantNotUS, "The merchant is not in the US, and only organizations in the US can accept DAF donations.", fault.KindRefused},
		{MerchantNotNonprofit, "The merchant is not a nonprofit organization, and only nonprofits can accept DAF donations.", fault.KindRefused},
		{MerchantNotActive, "The merchant is suspended or closed.", fault.KindRefused},
		{AlreadyEnrolled, "The merchant is enrolled already.", fault.KindConflict},
		{InProgress, "The merchant is being enrolled.", fault.KindConflict},
		{EINDiffers, "The merchant has another EIN. If that one is wrong, correct it first.", fault.KindRefused},
		{EINTaken, "Another merchant uses this EIN. Each merchant needs its own EIN.", fault.KindRefused},
		{NoEIN, "The merchant has no EIN.", fault.KindRefused},
		{OptedOut, "The merchant has opted out. Its organization can enroll it again.", fault.KindRefused},
		{NotFound, "There is no organization with this EIN.", fault.KindRefused},
		{OrganizationNotUS, "The organization is not in the US.", fault.KindRefused},
		{NotCharity, "The organization is not registered as a 501(c)(3).", fault.KindRefused},
		{NotInGoodStanding, "The organization is not in good standing with the IRS.", fault.KindRefused},
		{ContactRefused, "The provider does not accept the contact's email address: it must be at the organization's own domain.", fault.KindRefused},
		{Unanswered, "The provider is not responding. Nothing was changed. Try again later.", fault.KindUnavailable},
		{Failed, "The enrollment failed because of an error on our side. The log has the reason; run this again.", fault.KindInternal},
		{Eligible, "The organization can be enrolled.", fault.KindConflict},
	}
}

// Text says in a sentence what the outcome stands for.
func (o Outcome) Text() string { return o.meaning().Text }

func (o Outcome) meaning() Meaning {
	for _, m := range Meanings() {
		if m.Outcome == o {
			return m
		}
	}
	return Meaning{Outcome: o}
}

// refusal is the fault of an outcome that is in the way; its code is the outcome's after daf_.
func (o Outcome) refusal() *fault.Error {
	m := o.meaning()
	return fault.New(m.kind, "daf_"+string(o), m.Text)
}

// standing is what is known of a merchant that is to be enrolled by an EIN.
type standing struct {
	ID             int64           `db:"id"`
	ApplicationID  int64           `db:"application_id"`
	OrganizationID int64           `db:"organization_id"`
	Name           string          `db:"name"`
	Country        string          `db:"country"`
	Nonprofit      bool            `db:"nonprofit"`
	Status         merchant.Status `db:"status"`
	EIN            *string         `db:"ein"`        // the merchant's
	Enrolled       bool            `db:"enrolled"`   //
	Processing     bool            `db:"processing"` // by another attempt
	Left           bool            `db:"has_left"`   // and was not enrolled since
	Taken          bool            `db:"taken"`      // the EIN is another merchant's
}

// judge looks at everything but the organization.
func (m standing) judge(ein string) Outcome {
	switch {
	case m.Country != countryUS:
		return MerchantNotUS
	case !m.Nonprofit:
		return MerchantNotNonprofit
	case !merchant.Allows(m.Status, merchant.TakeDonation):
		return MerchantNotActive
	case m.Enrolled:
		return AlreadyEnrolled
	case m.Processing:
		return InProgress
	case m.EIN != nil && *m.EIN != ein:
		return EINDiffers
	case m.Taken:
		return EINTaken
	}
	return Eligible
}

const (
	countryUS = "US"
	// charity is the subsection of section 501(c) whose organizations can accept donations.
	charity = "3"
)

// judgeOrganization looks at what the directory has of an organization.
func judgeOrganization(o provider.Organization) Outcome {
	switch {
	case o.Country != countryUS:
		return OrganizationNotUS
	case o.Subsection != charity:
		return NotCharity
	case !o.GoodStanding:
		return NotInGoodStanding
	}
	return Eligible
}
