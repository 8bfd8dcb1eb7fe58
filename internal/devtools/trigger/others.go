package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"time"

	"svcpay/api/client"
)

// dispute has the payer of a charge dispute it, and returns the dispute.
func dispute(how client.SimulateChargeOutcome) func(context.Context, *run, string) (string, error) {
	return func(ctx context.Context, r *run, charge string) (string, error) {
		body := client.SimulateCharge{Outcome: how}
		if err := fill(r, "dispute", &body); err != nil {
			return "", err
		}
		body.Outcome = how
		if _, err := r.API.Sandbox.SimulateCharge(ctx, charge, body); err != nil {
			return "", err
		}
		return r.disputeOf(ctx, charge)
	}
}

// disputeOf waits for the dispute of a charge, which another process may be writing down.
func (r *run) disputeOf(ctx context.Context, charge string) (string, error) {
	ctx, stop := context.WithTimeout(ctx, patience)
	defer stop()
	p, err := client.Until(ctx,
		func(ctx context.Context) (*client.Page[client.Dispute], error) {
			return r.API.Disputes.ListPage(ctx, client.ListDisputesParams{Limit: new(1), ChargeID: charge})
		},
		func(p *client.Page[client.Dispute]) bool { return len(p.Data) > 0 })
	if err != nil {
		return "", fmt.Errorf("the dispute of %s: %w", charge, err)
	}
	return p.Data[0].ID, nil
}

// disputed makes a charge that is disputed, and returns the dispute.
func disputed(how client.SimulateChargeOutcome) func(context.Context, *run) (string, error) {
	return func(ctx context.Context, r *run) (string, error) {
		id, err := charge(approved)(ctx, r)
		if err != nil {
			return "", err
		}
		return dispute(how)(ctx, r, id)
	}
}

func answer(ctx context.Context, r *run, id string) (string, error) {
	_, err := r.API.Disputes.SubmitEvidence(ctx, id,
		client.SubmitEvidence{Evidence: client.Evidence{ProductDescription: madeBy}})
	return id, err
}

func accept(ctx context.Context, r *run, id string) (string, error) {
	_, err := r.API.Disputes.Accept(ctx, id)
	return id, err
}

// win answers a dispute, if no one has, and has it won.
func win(ctx context.Context, r *run, id string) (string, error) {
	d, err := r.API.Disputes.Get(ctx, id, client.GetDisputeParams{})
	if err == nil && d.Status == client.DisputeStatusNeedsResponse {
		_, err = answer(ctx, r, id)
	}
	if err != nil {
		return "", err
	}
	return simulateDispute(client.SimulateDisputeOutcomeWon)(ctx, r, id)
}

func simulateDispute(outcome client.SimulateDisputeOutcome) func(context.Context, *run, string) (string, error) {
	return func(ctx context.Context, r *run, id string) (string, error) {
		_, err := r.API.Sandbox.SimulateDispute(ctx, id, client.SimulateDispute{Outcome: outcome})
		return id, err
	}
}

// payoutDays is how long the next payout of a schedule is away at most, with a holiday before and after.
var payoutDays = map[client.MerchantPayoutSchedule]int{client.MerchantPayoutScheduleDaily: 7,
	client.MerchantPayoutScheduleWeekly: 14, client.MerchantPayoutScheduleMonthly: 38}

// payout makes money available to a merchant and moves the clock until it is paid out.
func payout(ctx context.Context, r *run) (string, error) {
	id, err := charge(approved)(ctx, r)
	if err != nil {
		return "", err
	}
	m, err := r.API.Merchants.Get(ctx, r.Merchant)
	if err != nil {
		return "", err
	}
	if m.PayoutsPausedReason != nil {
		return "", fmt.Errorf("payouts of merchant %d are paused: resume them, or choose another merchant", m.ID)
	}
	if _, err := simulateCharge(client.SimulateChargeOutcomeSettled)(ctx, r, id); err != nil {
		return "", err
	}
	before, err := r.lastPayout(ctx)
	if err != nil {
		return "", err
	}
	for range payoutDays[m.PayoutSchedule] {
		if err := r.advance(ctx, 24*time.Hour); err != nil {
			return "", err
		}
		last, err := r.lastPayout(ctx)
		if err != nil || last != before {
			return last, err
		}
	}
	return "", fmt.Errorf("merchant %d was paid nothing: it needs a verified bank account and a balance above zero",
		m.ID)
}

// lastPayout is the merchant's newest; "" if there is none.
func (r *run) lastPayout(ctx context.Context) (string, error) {
	p, err := r.API.Payouts.ListPage(ctx, client.ListPayoutsParams{Limit: new(1), MerchantID: []int64{r.Merchant}})
	if err != nil || len(p.Data) == 0 {
		return "", err
	}
	return p.Data[0].ID, nil
}

func paidPayout(ctx context.Context, r *run) (string, error) {
	id, err := payout(ctx, r)
	if err != nil {
		return "", err
	}
	return simulatePayout(client.SimulatePayoutOutcomePaid)(ctx, r, id)
}

func simulatePayout(outcome client.SimulatePayoutOutcome) func(context.Context, *run, string) (string, error) {
	return func(ctx context.Context, r *run, id string) (string, error) {
		p, err := r.API.Payouts.Get(ctx, id, client.GetPayoutParams{})
		if err != nil {
			return "", err
		}
		body := client.SimulatePayout{Outcome: outcome}
		if outcome != client.SimulatePayoutOutcomePaid {
			if body.ReturnCode, err = r.returnCode(ctx, p.MerchantID, "R03", "912"); err != nil {
				return "", err
			}
			r.Told(fmt.Sprintf("Payouts of merchant %d are paused now, until a person resumes them.", p.MerchantID))
		}
		_, err = r.API.Sandbox.SimulatePayout(ctx, id, body)
		return id, err
	}
}

func merchant(ctx context.Context, r *run) (string, error) {
	body := client.CreateMerchant{Name: madeBy, Country: client.MerchantCountryUS}
	if err := fill(r, "merchant", &body); err != nil {
		return "", err
	}
	if body.OrganizationID == nil && body.Organization == nil {
		body.Organization = &client.CreateMerchantOrganization{Name: body.Name}
	}
	m, err := r.API.Merchants.Create(ctx, body)
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(m.ID, 10), nil
}

// touchMerchant changes the merchant's metadata.
func touchMerchant(ctx context.Context, r *run, id string) (string, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return "", errors.New("the id of a merchant is a number")
	}
	m, err := r.API.Merchants.Get(ctx, n)
	if err != nil {
		return "", err
	}
	metadata := maps.Clone(m.Metadata)
	if metadata == nil {
		metadata = map[string]string{}
	}
	metadata["svcpay_trigger"] = fmt.Sprintf("version %d", m.Version+1)
	_, err = r.API.Merchants.Update(ctx, n, client.UpdateMerchant{Metadata: client.Set(metadata)})
	return id, err
}

// changeCardRules adds an email address that is not in use to the block list, so that the merchant's rules stay as they
// are.
func changeCardRules(ctx context.Context, r *run, id string) (string, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return "", errors.New("the id of a merchant is a number")
	}
	rules, err := r.API.CardRules.Get(ctx, n)
	if err != nil {
		return "", err
	}
	_, err = r.API.CardRules.AddEntries(ctx, n, client.AddCardRuleEntries{List: "block", Kind: "email",
		Values: []string{fmt.Sprintf("version-%d@trigger.example", rules.Version+1)}})
	return id, err
}

// changeFees changes the merchant's daf_percentage, and returns the change of fees.
func changeFees(ctx context.Context, r *run, id string) (string, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return "", errors.New("the id of a merchant is a number")
	}
	fees, err := r.API.Fees.Get(ctx, n)
	if err != nil {
		return "", err
	}
	other := 2.0
	if fees.DAFPercentage == other {
		other = 2.5
	}
	newest, err := r.newest(ctx)
	if err != nil {
		return "", err
	}
	changed, err := r.API.Fees.Change(ctx, n, client.ChangeFees{DAFPercentage: other})
	if err != nil {
		return "", err
	}
	wait := int(patience / time.Second)
	for {
		p, err := r.API.Events.ListPage(ctx,
			client.ListEventsParams{Limit: new(1), Type: []string{"fees.updated"}, MerchantID: []int64{n},
				AfterSequence: &newest, Wait: &wait})
		if err != nil {
			return "", err
		}
		if len(p.Data) == 0 {
			return "", fmt.Errorf("fees.updated of merchant %d did not come within %s", n, patience)
		}
		var change client.FeeChange
		if err := json.Unmarshal(p.Data[0].Data.Object, &change); err != nil {
			return "", err
		}
		if change.Schedule.ID == changed.ID {
			return change.ID, nil
		}
		newest = *p.Data[0].Sequence
	}
}

func token(ctx context.Context, r *run) (string, error) {
	merchant, err := r.ours(ctx)
	if err != nil {
		return "", err
	}
	body := client.CreateTestToken{TestCase: "approved", MerchantID: merchant}
	if err := fill(r, "token", &body); err != nil {
		return "", err
	}
	t, err := r.API.Tokens.CreateTestToken(ctx, body)
	if err != nil {
		return "", err
	}
	return t.ID, nil
}

// touchToken changes the payer's address.
func touchToken(ctx context.Context, r *run, id string) (string, error) {
	t, err := r.API.Tokens.Get(ctx, id, client.GetTokenParams{})
	if err != nil {
		return "", err
	}
	_, err = r.API.Tokens.Update(ctx, id,
		client.UpdateToken{
			Billing: &client.UpdateTokenBilling{AddressLine2: client.Set(fmt.Sprintf("Version %d", t.Version+1))}})
	return id, err
}

// ping sends an endpoint a test event, and returns the event's id.
func ping(ctx context.Context, r *run, id string) (string, error) {
	var body client.TestWebhookEndpoint
	if r.Members != nil {
		body.Data = client.Set(json.RawMessage(r.Members))
	}
	d, err := r.API.WebhookEndpoints.Test(ctx, id, body)
	if err != nil {
		return "", err
	}
	return d.EventID, nil
}
