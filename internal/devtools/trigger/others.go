package trigger

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"time"

	"svcpay/api/client"
)

// dispute has the payer of a charge dispute it, and goes on with the dispute, which another process may be writing
// down.
func dispute(how client.SimulateChargeOutcome) step {
	return func(ctx context.Context, r *run) error {
		body, charge := client.SimulateCharge{Outcome: how}, r.id
		if err := fill(r, "dispute", &body); err != nil {
			return err
		}
		body.Outcome = how
		if _, err := r.API.Sandbox.SimulateCharge(ctx, charge, body); err != nil {
			return err
		}
		ctx, stop := context.WithTimeout(ctx, patience)
		defer stop()
		p, err := client.Until(ctx,
			func(ctx context.Context) (*client.Page[client.Dispute], error) {
				return r.API.Disputes.ListPage(ctx, client.ListDisputesParams{Limit: new(1), ChargeID: charge})
			},
			func(p *client.Page[client.Dispute]) bool { return len(p.Data) > 0 })
		if err != nil {
			return fmt.Errorf("the dispute of %s: %w", charge, err)
		}
		r.id = p.Data[0].ID
		return nil
	}
}

func answer(ctx context.Context, r *run) error {
	_, err := r.API.Disputes.SubmitEvidence(ctx, r.id,
		client.SubmitEvidence{Evidence: client.Evidence{ProductDescription: madeBy}})
	return err
}

func accept(ctx context.Context, r *run) error {
	_, err := r.API.Disputes.Accept(ctx, r.id)
	return err
}

// win answers a dispute, if no one has, and has it won.
func win(ctx context.Context, r *run) error {
	d, err := r.API.Disputes.Get(ctx, r.id, client.GetDisputeParams{})
	if err == nil && d.Status == client.DisputeStatusNeedsResponse {
		err = answer(ctx, r)
	}
	if err != nil {
		return err
	}
	return simulateDispute(client.SimulateDisputeOutcomeWon)(ctx, r)
}

func simulateDispute(outcome client.SimulateDisputeOutcome) step {
	return func(ctx context.Context, r *run) error {
		_, err := r.API.Sandbox.SimulateDispute(ctx, r.id, client.SimulateDispute{Outcome: outcome})
		return err
	}
}

// payoutDays is how long the next payout of a schedule is away at most, with a holiday before and after.
var payoutDays = map[client.MerchantPayoutSchedule]int{client.MerchantPayoutScheduleDaily: 7,
	client.MerchantPayoutScheduleWeekly: 14, client.MerchantPayoutScheduleMonthly: 38}

// payout settles a charge and moves the clock until the merchant is paid, and goes on with the payout.
func payout(ctx context.Context, r *run) error {
	m, err := r.API.Merchants.Get(ctx, r.Merchant)
	if err != nil {
		return err
	}
	if m.PayoutsPausedReason != nil {
		return fmt.Errorf("payouts of merchant %d are paused: resume them, or choose another merchant", m.ID)
	}
	if err := simulateCharge(client.SimulateChargeOutcomeSettled)(ctx, r); err != nil {
		return err
	}
	before, err := r.lastPayout(ctx)
	if err != nil {
		return err
	}
	for range payoutDays[m.PayoutSchedule] {
		if err := r.advance(ctx, 24*time.Hour); err != nil {
			return err
		}
		last, err := r.lastPayout(ctx)
		if err != nil || last != before {
			r.id = last
			return err
		}
	}
	return fmt.Errorf("merchant %d was paid nothing: it needs a verified bank account and a balance above zero", m.ID)
}

// lastPayout is the merchant's newest; "" if there is none.
func (r *run) lastPayout(ctx context.Context) (string, error) {
	p, err := r.API.Payouts.ListPage(ctx, client.ListPayoutsParams{Limit: new(1), MerchantID: []int64{r.Merchant}})
	if err != nil || len(p.Data) == 0 {
		return "", err
	}
	return p.Data[0].ID, nil
}

func simulatePayout(outcome client.SimulatePayoutOutcome) step {
	return func(ctx context.Context, r *run) error {
		p, err := r.API.Payouts.Get(ctx, r.id, client.GetPayoutParams{})
		if err != nil {
			return err
		}
		body := client.SimulatePayout{Outcome: outcome}
		if outcome != client.SimulatePayoutOutcomePaid {
			if body.ReturnCode, err = r.returnCode(ctx, p.MerchantID, "R03", "912"); err != nil {
				return err
			}
			r.Told(fmt.Sprintf("Payouts of merchant %d are paused now, until a person resumes them.", p.MerchantID))
		}
		_, err = r.API.Sandbox.SimulatePayout(ctx, r.id, body)
		return err
	}
}

func merchant(ctx context.Context, r *run) error {
	body := client.CreateMerchant{Name: madeBy, Country: client.MerchantCountryUS}
	if err := fill(r, "merchant", &body); err != nil {
		return err
	}
	if body.OrganizationID == nil && body.Organization == nil {
		body.Organization = &client.CreateMerchantOrganization{Name: body.Name}
	}
	m, err := r.API.Merchants.Create(ctx, body)
	if err == nil {
		r.id = strconv.FormatInt(m.ID, 10)
	}
	return err
}

// touchMerchant changes the merchant's metadata.
func touchMerchant(ctx context.Context, r *run) error {
	n, err := r.merchantID()
	if err != nil {
		return err
	}
	m, err := r.API.Merchants.Get(ctx, n)
	if err != nil {
		return err
	}
	metadata := maps.Clone(m.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata["svcpay_trigger"] = fmt.Sprintf("version %d", m.Version+1)
	_, err = r.API.Merchants.Update(ctx, n, client.UpdateMerchant{Metadata: client.Set(metadata)})
	return err
}

// changeCardRules adds an email address that is not in use to the block list, so that the merchant's rules stay as they
// are.
func changeCardRules(ctx context.Context, r *run) error {
	n, err := r.merchantID()
	if err != nil {
		return err
	}
	rules, err := r.API.CardRules.Get(ctx, n)
	if err != nil {
		return err
	}
	_, err = r.API.CardRules.AddEntries(ctx, n, client.AddCardRuleEntries{List: "block", Kind: "email",
		Values: []string{fmt.Sprintf("version-%d@trigger.example", rules.Version+1)}})
	return err
}

// changeFees changes the merchant's daf_percentage, and goes on with the change of fees.
func changeFees(ctx context.Context, r *run) error {
	n, err := r.merchantID()
	if err != nil {
		return err
	}
	fees, err := r.API.Fees.Get(ctx, n)
	if err != nil {
		return err
	}
	other := 2.0
	if fees.DAFPercentage == other {
		other = 2.5
	}
	newest, err := r.newest(ctx)
	if err != nil {
		return err
	}
	changed, err := r.API.Fees.Change(ctx, n, client.ChangeFees{DAFPercentage: other})
	if err != nil {
		return err
	}
	wait := int(patience / time.Second)
	for {
		p, err := r.API.Events.ListPage(ctx,
			client.ListEventsParams{Limit: new(1), Type: []string{"fees.updated"}, MerchantID: []int64{n},
				AfterSequence: &newest, Wait: &wait})
		if err != nil {
			return err
		}
		if len(p.Data) == 0 {
			return fmt.Errorf("fees.updated of merchant %d did not come within %s", n, patience)
		}
		var change client.FeeChange
		if err := json.Unmarshal(p.Data[0].Data.Object, &change); err != nil {
			return err
		}
		if change.Schedule.ID == changed.ID {
			r.id = change.ID
			return nil
		}
		newest = *p.Data[0].Sequence
	}
}

func token(ctx context.Context, r *run) error {
	merchant, err := r.ours(ctx)
	if err != nil {
		return err
	}
	body := client.CreateTestToken{TestCase: "approved", MerchantID: merchant}
	if err := fill(r, "token", &body); err != nil {
		return err
	}
	t, err := r.API.Tokens.CreateTestToken(ctx, body)
	if err == nil {
		r.id = t.ID
	}
	return err
}

// touchToken changes the payer's address.
func touchToken(ctx context.Context, r *run) error {
	t, err := r.API.Tokens.Get(ctx, r.id, client.GetTokenParams{})
	if err != nil {
		return err
	}
	_, err = r.API.Tokens.Update(ctx, r.id,
		client.UpdateToken{
			Billing: &client.UpdateTokenBilling{AddressLine2: client.Set(fmt.Sprintf("Version %d", t.Version+1))}})
	return err
}

// ping sends an endpoint a test event, and goes on with the event.
func ping(ctx context.Context, r *run) error {
	var body client.TestWebhookEndpoint
	if r.Members != nil {
		body.Data = client.Set(json.RawMessage(r.Members))
	}
	d, err := r.API.WebhookEndpoints.Test(ctx, r.id, body)
	if err == nil {
		r.id = d.EventID
	}
	return err
}
