package statement

import (
	"context"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/merchant"
	"svcpay/internal/money"
	"svcpay/internal/platform/calendar"
)

// Period is what a statement or an invoice is about: a month of a merchant, by the merchant's time zone and
// the application's clock.
type Period struct {
	Livemode     bool                  `json:"livemode"`
	MerchantID   int64                 `json:"merchant_id"`
	MerchantName string                `json:"merchant_name"`
	Organization merchant.Organization `json:"organization"`
	Month        string                `json:"month"` // 2026-11
	TimeZone     string                `json:"time_zone"`
	Currency     money.Currency        `json:"currency"`
	From         instant.Time          `json:"from"`
	Until        instant.Time          `json:"until"`    // not included
	Complete     bool                  `json:"complete"` // the month is over
	CreatedAt    instant.Time          `json:"created_at"`
}

// monthForm is how a month is written.
const monthForm = "2006-01"

// errMonth refuses what is no month, or one that has not begun.
func errMonth(message string) error {
	return fault.Invalid("parameter_invalid", message).On("month")
}

// MonthInput asks for a month such as 2026-11 of a merchant.
type MonthInput struct {
	MerchantID int64
	Month      string
}

// period finds out whose month it is, and of which time.
func (s *Service) period(ctx context.Context, actor authz.Actor, in MonthInput) (Period, error) {
	m, err := s.deps.Merchants.Find(ctx, actor.ApplicationID, in.MerchantID)
	if m, err = authz.Seen(actor, m, m.ID, err); err != nil {
		return Period{}, err
	}
	zone, err := calendar.Zone(m.TimeZone)
	if err != nil {
		return Period{}, err
	}
	first, err := time.ParseInLocation(monthForm, in.Month, zone)
	if err != nil || first.Year() < 2000 {
		return Period{}, errMonth("A month such as 2026-11.")
	}
	now, err := s.deps.Clock.Moment(ctx, actor.ApplicationID)
	if err != nil {
		return Period{}, err
	}
	if first.After(now.At) {
		return Period{}, errMonth("This month has not begun.")
	}
	until := first.AddDate(0, 1, 0)
	return Period{Livemode: m.Livemode, MerchantID: m.ID, MerchantName: m.Name, Organization: m.Organization,
		Month: in.Month, TimeZone: m.TimeZone, Currency: m.Currency, From: instant.Of(first), Until: instant.Of(until),
		Complete: !now.At.Before(until), CreatedAt: instant.Of(now.At)}, nil
}

// end is up to when the period is told: its end, or the present while it is not over.
func (p Period) end() instant.Time {
	if p.Complete {
		return p.Until
	}
	return p.CreatedAt
}
