package token

import (
	"context"
	"reflect"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/outbox"
	"svcpay/internal/platform/pg"
)

// UpdateInput is the body of an update; members that are not given stay as they are.
type UpdateInput struct {
	ExpMonth *int64         `json:"exp_month"` // 1 to 12
	ExpYear  *int64         `json:"exp_year"`  // four digits
	Billing  *BillingChange `json:"billing"`
	// IfVersion is the version of which the token must still be; nil is any.
	IfVersion *int `json:"-"`
}

// BillingChange holds the members of a token's billing that change; nil leaves one as it is, "" clears it.
type BillingChange struct {
	FirstName      *string `json:"first_name"`
	MiddleName     *string `json:"middle_name"`
	LastName       *string `json:"last_name"`
	AddressLine1   *string `json:"address_line_1"`
	AddressLine2   *string `json:"address_line_2"`
	AddressCity    *string `json:"address_city"`
	AddressState   *string `json:"address_state"`
	AddressZip     *string `json:"address_zip"`
	AddressCountry *string `json:"address_country"` // ISO 3166-1 alpha-2
	Email          *string `json:"email"`
	Phone          *string `json:"phone"`
}

// on merges the change into a billing.
func (c BillingChange) on(b Billing) Billing {
	for _, member := range []struct{ change, of *string }{
		{c.FirstName, &b.FirstName}, {c.MiddleName, &b.MiddleName}, {c.LastName, &b.LastName},
		{c.AddressLine1, &b.AddressLine1},
		{c.AddressLine2, &b.AddressLine2}, {c.AddressCity, &b.AddressCity}, {c.AddressState, &b.AddressState},
		{c.AddressZip, &b.AddressZip}, {c.AddressCountry, &b.AddressCountry}, {c.Email, &b.Email}, {c.Phone, &b.Phone},
	} {
		switch {
		case member.change == nil:
		case member.of == &b.AddressCountry:
			*member.of = *member.change
		case member.of == &b.Email:
			*member.of = mailbox.Normal(tidy(*member.change))
		default:
			*member.of = tidy(*member.change)
		}
	}
	return b
}

// Validate returns every mistake that can be seen without looking anything up.
func (in UpdateInput) Validate() fault.Fields {
	var fs fault.Fields
	if m := in.ExpMonth; m != nil && (*m < 1 || *m > 12) {
		fs.Add("exp_month", "parameter_invalid", "The month is from 1 to 12.")
	}
	if y := in.ExpYear; y != nil && (*y < 1000 || *y > 9999) {
		fs.Add("exp_year", "parameter_invalid", "The year has four digits.")
	}
	if in.Billing != nil {
		fs = append(fs, in.Billing.Validate()...)
	}
	return fs
}

// Validate returns every mistake that can be seen without looking anything up, as of members of billing.
func (c BillingChange) Validate() (out fault.Fields) {
	var fs fault.Fields
	c.on(Billing{}).validate(&fs)
	for _, f := range fs { // the library has its own words for these mistakes
		out.Add(f.Param, "parameter_invalid", f.Message)
	}
	return out
}

// Update changes a card's expiry or a token's billing. One that changes nothing makes no version.
func (s *Service) Update(ctx context.Context, actor authz.Actor, id string, in UpdateInput,
	claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.deps.Check.Check(actor, authz.TokenUpdate); err != nil {
		return idempotency.Result[Token]{}, err
	}
	if err := in.Validate().Err(); err != nil {
		return idempotency.Result[Token]{}, err
	}
	return s.change(ctx, actor, id, in.IfVersion, claim, func(before Token, m instant.Moment) (Token, error) {
		switch {
		case before.Status == Deleted:
			return before, errDeleted
		case before.Status == Expired:
			return before, errExpired
		case before.Card == nil && (in.ExpMonth != nil || in.ExpYear != nil):
			return before, fault.Refused("token_type_mismatch", "Only cards have an expiry date.").On(in.expiryParam())
		}
		after, err := in.expiryOn(before, m.At)
		if in.Billing != nil {
			after.Billing = in.Billing.on(before.Billing)
		}
		return after, err
	})
}

var (
	errDeleted = fault.Refused("token_not_found", "This token was deleted.")
	errExpired = fault.New(fault.KindGone, "token_expired", "This token has expired.")
)

// expiryOn puts the given parts of the expiry date into the token.
func (in UpdateInput) expiryOn(t Token, now time.Time) (Token, error) {
	if in.ExpMonth == nil && in.ExpYear == nil {
		return t, nil
	}
	card := *t.Card // others hold the card of before
	t.Card = &card
	if in.ExpMonth != nil {
		card.ExpMonth = int(*in.ExpMonth)
	}
	if in.ExpYear != nil {
		card.ExpYear = int(*in.ExpYear)
	}
	var fs fault.Fields
	CardInput{ExpMonth: card.ExpMonth, ExpYear: card.ExpYear}.validateExpiry(&fs, now)
	if len(fs) > 0 {
		return t, fault.Invalid("parameter_invalid", fs[0].Message).On(in.expiryParam())
	}
	return t, nil
}

// expiryParam names the part of the expiry date to blame: the year, unless it was not given.
func (in UpdateInput) expiryParam() string {
	if in.ExpYear == nil {
		return "exp_month"
	}
	return "exp_year"
}

// DeleteInput is what a deletion may be bound to.
type DeleteInput struct {
	IfVersion *int // the version of which the token must still be; nil is any
}

// Delete ends a token for good and shreds what the vault has of it. Again, it changes nothing.
func (s *Service) Delete(ctx context.Context, actor authz.Actor, id string, in DeleteInput,
	claim *idempotency.Claim) (idempotency.Result[Token], error) {
	if err := s.deps.Check.Check(actor, authz.TokenDelete); err != nil {
		return idempotency.Result[Token]{}, err
	}
	return s.change(ctx, actor, id, in.IfVersion, claim, func(t Token, _ instant.Moment) (Token, error) {
		t.Status = Deleted
		return t, nil
	})
}

// change locks a token, which must be of ifVersion if that is set, has decide say the outcome of it,
// and writes that if it is different.
func (s *Service) change(ctx context.Context, actor authz.Actor, id string, ifVersion *int, claim *idempotency.Claim,
	decide func(Token, instant.Moment) (Token, error),
) (idempotency.Result[Token], error) {
	tokenID, err := s.reach(ctx, actor, id)
	if err != nil {
		return idempotency.Result[Token]{}, err
	}
	return once(ctx, s, claim, actor.ApplicationID, tokenID.Bytes(), func(tx *pg.Tx, m instant.Moment) (Token, error) {
		before, err := lockTx(ctx, tx, actor.ApplicationID, tokenID)
		if err != nil {
			return before, err
		}
		if err := check.Version(ifVersion, before.Version); err != nil {
			return before, err
		}
		after, err := decide(before, m)
		if err != nil {
			return before, err
		}
		by := cause{s.livemode(), actor.RequestID, outbox.SourceOf(actor)}
		if reflect.DeepEqual(before, after) {
			return before.derive(by.livemode), nil
		}
		return changeTx(tx, m, before, after, by)
	})
}
