// Package merchant keeps the accounts that are paid: what they are called, what their status lets
// them do, and on which days they are paid out.
//
// Invariants: a status changes only as [Moves] lists; each version of a merchant has one event;
// whoever changes a merchant holds its row, with a lock that lets others refer to it meanwhile.
package merchant

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/calendar"
	"svcpay/internal/clock"
	"svcpay/internal/fault"
	"svcpay/internal/fee"
	"svcpay/internal/identity"
	"svcpay/internal/instant"
	"svcpay/internal/money"
	"svcpay/internal/outbox"
	"svcpay/internal/pg"
)

// Merchant is an account that is paid: the record, the API's object and the event's data.object. It
// belongs to one organization of one application.
type Merchant struct {
	ID                  int64             `db:"id" json:"id"`
	Object              string            `db:"-" json:"object"`
	Version             int               `db:"version" json:"version"`
	Livemode            bool              `db:"-" json:"livemode"`
	ApplicationID       int64             `db:"application_id" json:"application_id"`
	OrganizationID      int64             `db:"organization_id" json:"-"`
	Organization        Organization      `db:"organization" json:"organization"`
	Name                string            `db:"name" json:"name"`
	Status              Status            `db:"status" json:"status"`
	StatusReason        *string           `db:"status_reason" json:"status_reason"`
	Country             string            `db:"country" json:"country"` // ISO 3166-1 alpha-2
	Currency            money.Currency    `db:"currency" json:"currency"`
	BankProcessor       string            `db:"bank_processor" json:"bank_processor"` // p or q
	TimeZone            string            `db:"time_zone" json:"time_zone"`           // IANA name
	PayoutSchedule      Schedule          `db:"payout_schedule" json:"payout_schedule"`
	PayoutWeekday       *int              `db:"payout_weekday" json:"payout_weekday"`           // 1 is Monday, 5 Friday; weekly only
	PayoutDayOfMonth    *int              `db:"payout_day_of_month" json:"payout_day_of_month"` // 1 to 31, the last day of shorter months; monthly only
	PayoutsPausedReason *PauseReason      `db:"payouts_paused_reason" json:"payouts_paused_reason"`
	StatementDescriptor string            `db:"statement_descriptor" json:"statement_descriptor"`
	ExternalID          *string           `db:"external_id" json:"external_id"`
	Metadata            map[string]string `db:"metadata" json:"metadata"`
	NextPayoutAt        instant.Time      `db:"next_payout_at" json:"-"`
	CreatedAt           instant.Time      `db:"created_at" json:"created_at"`
	UpdatedAt           instant.Time      `db:"updated_at" json:"updated_at"`
}

// Organization is the customer that a merchant belongs to.
type Organization struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// CanProcess tells which kinds of payment the merchant accepts, by the API's names.
func (m Merchant) CanProcess() map[string]bool {
	return map[string]bool{
		"cc": Allows(m.Status, TakeCharge), "ach": false, "acss": false,
		"wallet_a": false, "wallet_b": false, "daf": false,
	}
}

// Deps are what the service works with.
type Deps struct {
	Pool        *pgxpool.Pool
	Check       authz.Checker
	Environment identity.Environment
	Clock       *clock.Clock
}

// Service holds the use-cases of merchants.
type Service struct{ Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// derive fills the members that follow from others.
func (s *Service) derive(m Merchant) Merchant {
	m.Object = "merchant"
	m.Livemode = s.Environment == identity.Production
	return m
}

// ErrNotAssociated is the one answer for a merchant_id that is unknown or another application's.
var ErrNotAssociated = fault.New(fault.KindForbidden, "merchant_not_associated",
	"This merchant is not associated with your application.").On("merchant_id")

// Create adds an active merchant with its first fee schedule, in force at once, and returns its id.
// Its first payout runs on the next day of its payout schedule, which is daily if m has none. Members
// of m that are not given by a caller, such as ID and Status, are ignored.
func (s *Service) Create(ctx context.Context, m Merchant, rates fee.Rates) (int64, error) {
	if m.PayoutSchedule == "" {
		m.PayoutSchedule = Daily
	}
	if err := m.validate().Err(); err != nil {
		return 0, err
	}
	now, err := s.Clock.Moment(ctx, m.ApplicationID)
	if err != nil {
		return 0, err
	}
	next, err := m.NextPayout(now.At)
	if err != nil {
		return 0, err
	}
	var id int64
	err = pg.InTx(ctx, s.Pool, func(tx *pg.Tx) (err error) {
		if id, err = insertTx(ctx, tx, m, next, now.At); err != nil {
			return err
		}
		fee.CreateTx(tx, m.ApplicationID, id, rates, now.At, now.At)
		created, err := s.LockTx(ctx, tx, m.ApplicationID, id)
		if err != nil {
			return err
		}
		return emitTx(tx, now, "merchant.created", created, nil, Cause{Source: outbox.API})
	})
	return id, err
}

// validate returns every mistake of a merchant that is about to be written.
func (m Merchant) validate() fault.Fields {
	var fs fault.Fields
	if _, err := calendar.Zone(m.TimeZone); err != nil {
		fs.Add("time_zone", "parameter_invalid", "This is not the name of a time zone.")
	}
	switch weekly, monthly := m.PayoutSchedule == Weekly, m.PayoutSchedule == Monthly; {
	case !weekly && !monthly && m.PayoutSchedule != Daily:
		fs.Add("payout_schedule", "parameter_invalid", "Payouts are daily, weekly or monthly.")
	case weekly != (m.PayoutWeekday != nil) || weekly && (*m.PayoutWeekday < 1 || *m.PayoutWeekday > 5):
		fs.Add("payout_weekday", "parameter_invalid", "Weekly payouts, and only they, have a weekday from 1 (Monday) to 5 (Friday).")
	case monthly != (m.PayoutDayOfMonth != nil) || monthly && (*m.PayoutDayOfMonth < 1 || *m.PayoutDayOfMonth > 31):
		fs.Add("payout_day_of_month", "parameter_invalid", "Monthly payouts, and only they, have a day of the month from 1 to 31.")
	}
	return fs
}

// Get returns a merchant of the application, or the fault that says it is missing.
func (s *Service) Get(ctx context.Context, applicationID, id int64) (Merchant, error) {
	m, err := find(ctx, s.Pool, applicationID, id)
	return s.derive(m), err
}
