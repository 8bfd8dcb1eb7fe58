package trigger

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svcpay/api/client"
)

// kind says what a charge is to become.
type kind int

const (
	approved kind = iota
	held          // approved, and not captured
	declined
	debited // a bank account's
	refundsDeclined
)

// amount is what charges are made of, in minor units.
const amount = 2500

// madeBy is in every text that was not given.
const madeBy = "Made by svcpay trigger"

// testCase is the sandbox's name of what a payment method does.
func (r *run) testCase(ctx context.Context, k kind) (string, error) {
	switch k {
	case declined:
		return "declined_insufficient_funds", nil
	case refundsDeclined:
		return "refund_declined", nil
	case debited:
		canadian, err := r.canadian(ctx, r.Merchant)
		return map[bool]string{false: "ach_settles", true: "acss_settles"}[canadian], err
	}
	return "approved", nil
}

func (r *run) canadian(ctx context.Context, merchant int64) (bool, error) {
	m, err := r.API.Merchants.Get(ctx, merchant)
	return err == nil && m.Country == client.MerchantCountryCA, err
}

// charge makes a charge of a kind.
func charge(k kind) step {
	return func(ctx context.Context, r *run) error {
		merchant, err := r.ours(ctx)
		if err != nil {
			return err
		}
		capture := k != held
		body := client.CreateCharge{MerchantID: merchant, Amount: amount, Capture: &capture, Description: madeBy}
		if err := fill(r, "charge", &body); err != nil {
			return err
		}
		r.Merchant = body.MerchantID
		if body.Token == "" {
			name, err := r.testCase(ctx, k)
			if err != nil {
				return err
			}
			t, err := r.API.Tokens.CreateTestToken(ctx,
				client.CreateTestToken{TestCase: client.TokenTestCase(name), MerchantID: body.MerchantID})
			if err != nil {
				return err
			}
			body.Token = t.ID
		}
		c, err := r.API.Charges.Create(ctx, body, client.UntilKnown())
		if e, ok := errors.AsType[*client.Error](err); ok && e.ChargeID != "" && k == declined {
			r.id = e.ChargeID
			return nil
		}
		if err == nil {
			r.id = c.ID
		}
		return err
	}
}

func capture(ctx context.Context, r *run) error {
	_, err := r.API.Charges.Capture(ctx, r.id, client.CaptureCharge{}, client.UntilKnown())
	return err
}

func void(ctx context.Context, r *run) error {
	_, err := r.API.Charges.Void(ctx, r.id, client.VoidCharge{}, client.UntilKnown())
	return err
}

// describe gives the charge a description that it does not have.
func describe(ctx context.Context, r *run) error {
	c, err := r.API.Charges.Get(ctx, r.id, client.GetChargeParams{})
	if err != nil {
		return err
	}
	_, err = r.API.Charges.Update(ctx, r.id,
		client.UpdateCharge{Description: client.Set(fmt.Sprintf("Changed by svcpay trigger, version %d", c.Version+1))})
	return err
}

// simulateCharge has the processor report an outcome. A debit comes back for a reason of its country.
func simulateCharge(outcome client.SimulateChargeOutcome) step {
	return func(ctx context.Context, r *run) error {
		body := client.SimulateCharge{Outcome: outcome}
		if outcome == client.SimulateChargeOutcomeReturned {
			c, err := r.API.Charges.Get(ctx, r.id, client.GetChargeParams{})
			if err != nil {
				return err
			}
			if body.ReturnCode, err = r.returnCode(ctx, c.MerchantID, "R10", "915"); err != nil {
				return err
			}
		}
		_, err := r.API.Sandbox.SimulateCharge(ctx, r.id, body)
		return err
	}
}

// returnCode is that of the merchant's country.
func (r *run) returnCode(ctx context.Context, merchant int64, us, canada string) (string, error) {
	canadian, err := r.canadian(ctx, merchant)
	return map[bool]string{false: us, true: canada}[canadian], err
}

// refund gives a charge back, and goes on with the refund.
func refund(ctx context.Context, r *run) error {
	body := client.CreateRefund{ChargeID: r.id}
	if err := fill(r, "refund", &body); err != nil {
		return err
	}
	made, err := r.API.Refunds.Create(ctx, body, client.UntilKnown())
	if e, ok := errors.AsType[*client.Error](err); ok && e.RefundID != "" && r.Type == "refund.failed" {
		r.id = e.RefundID
		return nil
	}
	if err == nil {
		r.id = made.ID
	}
	return err
}

// refundOf gives a charge back, and stays with the charge.
func refundOf(ctx context.Context, r *run) error {
	charge := r.id
	err := refund(ctx, r)
	r.id = charge
	return err
}

func cancelRefund(ctx context.Context, r *run) error {
	_, err := r.API.Refunds.Cancel(ctx, r.id)
	return err
}

// settleUnder settles the charge that a refund waits for.
func settleUnder(ctx context.Context, r *run) error {
	waiting, err := r.API.Refunds.Get(ctx, r.id, client.GetRefundParams{})
	if err != nil {
		return err
	}
	_, err = r.API.Sandbox.SimulateCharge(ctx, waiting.ChargeID,
		client.SimulateCharge{Outcome: client.SimulateChargeOutcomeSettled})
	return err
}

// week is longer than an amount is held.
const week = 200 * time.Hour

// advance moves the clock.
func advance(by time.Duration) step {
	return func(ctx context.Context, r *run) error { return r.advance(ctx, by) }
}

func (r *run) advance(ctx context.Context, by time.Duration) error {
	c, err := r.API.Sandbox.AdvanceClock(ctx, client.AdvanceClock{Advance: by.String()})
	if err == nil {
		r.Told(fmt.Sprintf("The application's clock was moved by %s: it is %s.", by, c.Now.UTC().Format(time.RFC3339)))
	}
	return err
}
