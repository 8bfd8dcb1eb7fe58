package history

import (
	"context"
	"fmt"
	"time"

	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	dafsandbox "svcpay/internal/daf/provider/sandbox"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/money"
	"svcpay/internal/requestlog"
)

// grant is what a donor recommends to the fund that holds his account.
type grant struct {
	day    int
	fund   string
	as     string // who signs in at the fund; "" at one that is not integrated
	amount money.Amount
	then   func(daf.Donation)
}

func (s *story) grants() []grant {
	status := func(after time.Duration, to daf.Status, note, number string) func(daf.Donation) {
		return func(d daf.Donation) { s.after(after, s.tell(d, to, note, number)) }
	}
	return []grant{
		{2, "fund_evergreen", "single@fund.example", 500_00, nil},
		{5, "fund_juniper", "", 1_200_00, status(11*day, daf.Completed, "Check received and deposited.", "48213")},
		{8, "fund_keystone", "single@fund.example", 2_500_00, nil},
		{11, "fund_hillcrest", "", 300_00, status(8*day, daf.Canceled, "The fund says that the donor withdrew it.", "")},
		{15, "fund_cedar_stone", "canceled@fund.example", 750_00, nil},
		{18, "fund_evergreen", "declined@fund.example", 400_00, nil},
		{21, "fund_lakeshore", "single@fund.example", 150_00, nil},
		{25, "fund_seabright", "", 5_000_00, status(2*day, daf.Initiated, "The fund confirmed by telephone.", "")},
		{29, "fund_northfield", "single@fund.example", 1_000_00, nil},
		{33, "fund_aldergrove", "single@fund.example", 225_00, nil},
		{37, "fund_prairie_sky", "", 800_00, nil},
		{40, "fund_bright_harbor", "single@fund.example", 3_000_00, nil},
		{42, "fund_juniper", "", 600_00, nil},
		{43, "fund_evergreen", "single@fund.example", 350_00, nil},
	}
}

// donations plans the donations from funds.
func (s *story) donations() {
	for i, g := range s.grants() {
		s.at(s.on(g.day, 19, 5+i),
			func(ctx context.Context) error { return s.donate(ctx, g, payers[i*3%len(payers)], i) })
	}
}

// authorize leads a donor through the modal and returns the way at its end.
func (s *story) authorize(ctx context.Context, g grant, who payer) (workflow.Workflow, error) {
	session, err := s.session(ctx, &s.river, s.river.Merchants.US)
	if err != nil {
		return workflow.Workflow{}, err
	}
	begun, err := s.Workflows.Begin(ctx, workflow.BeginInput{SessionID: session})
	if err != nil {
		return workflow.Workflow{}, err
	}
	donor := provider.Donor{FirstName: who.first, LastName: who.last, Email: who.email(), Note: "In memory of Ellen"}
	if err := s.Workflows.Save(ctx, begun.Secret, workflow.Form{Amount: g.amount.Dollars(), Donor: donor}); err != nil {
		return workflow.Workflow{}, err
	}
	way, err := s.Workflows.Choose(ctx, begun.Secret, g.fund, s.Origin)
	switch {
	case err != nil:
		return way, err
	case g.as == "":
		err = s.Workflows.Confirm(ctx, begun.Secret)
	default:
		if err = s.Funds.SignIn(ctx, way.VisitID, g.as, dafsandbox.Password); err == nil {
			err = s.Funds.Authorize(ctx, way.VisitID, g.amount.Dollars())
		}
		if err == nil {
			_, _, err = s.Workflows.Returned(ctx, begun.Secret)
		}
	}
	if err != nil {
		return way, err
	}
	return s.Workflows.Get(ctx, begun.Secret)
}

func (s *story) donate(ctx context.Context, g grant, who payer, n int) error {
	way, err := s.authorize(ctx, g, who)
	if err != nil {
		return err
	}
	external := fmt.Sprintf("grant-%03d", 200+n)
	in := daf.CreateInput{MerchantID: &s.river.Merchants.US, Amount: &g.amount, ExternalID: &external,
		Metadata: map[string]string{"campaign": "winter-meals"},
		User: &daf.UserInput{FirstName: &who.first, LastName: &who.last, Email: new(who.email()),
			Note: new("In memory of Ellen")}}
	if way.SessionID != "" {
		in.WorkflowSessionID = &way.SessionID
	} else {
		in.GrantID = &way.GrantID
	}
	actor := s.now(s.river.server)
	body, claim, err := claimOf(actor, "/api/dafDonations", external, in)
	if err != nil {
		return err
	}
	out, err := s.DAF.Create(ctx, actor, in, claim)
	if err == nil {
		s.log(s.river, requestlog.Entry{Actor: actor, Method: "POST", Path: "/api/dafDonations", Body: body,
			Status: 201, IdempotencyKey: external, MerchantID: *in.MerchantID, ObjectID: out.Object.ID.String()})
		if g.then != nil {
			g.then(out.Object)
		}
	}
	if g.as == "declined@fund.example" { // it is canceled at once, which the application is told
		return nil
	}
	return err
}

// tell has someone of the organization write the outcome of a grant that no one tells us of.
func (s *story) tell(d daf.Donation, to daf.Status, note, number string) func(context.Context) error {
	return func(ctx context.Context) error {
		in := daf.UpdateInput{Status: patch.Set(string(to)), Note: patch.Set(note)}
		if number != "" {
			in.ExternalGrantID = patch.Set(number)
		}
		_, err := s.DAF.Update(ctx, s.now(s.remy), d.ID.String(), in, nil)
		return err
	}
}
