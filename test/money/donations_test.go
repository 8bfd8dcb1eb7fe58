package money

import (
	"svcpay/internal/check/patch"
	"svcpay/internal/daf"
	"svcpay/internal/daf/workflow"
	"svcpay/internal/ids"
	"svcpay/internal/money"
	"svcpay/internal/sandbox/simulate"
)

// donors are those of the sandbox who authorize, the usual one often.
var donors = []string{"single@fund.example", "single@fund.example", "single@fund.example", "declined@fund.example"}

// donate makes a donation of either kind.
func (l *life) donate() error {
	us := l.app.Merchants.US
	m, err := l.Merchants.Get(l.ctx(), l.server(), us)
	l.must(err)
	if m.DAFProviderConnectID == nil {
		l.Enrolled(l.app, us)
	}
	kind := []daf.Kind{daf.Integrated, daf.Integrated, daf.Nonintegrated}[l.number(3)]
	amount := daf.WholeDollar * money.Amount(1+l.number(400))
	id := l.AuthorizedBy(donors[l.number(len(donors))], l.app, us, kind, amount)
	in := daf.CreateInput{MerchantID: &us, Amount: &amount, Anonymous: new(true), WorkflowSessionID: &id}
	if kind == workflow.Nonintegrated {
		in.WorkflowSessionID, in.GrantID = nil, &id
	}
	return l.request(func(key string) error {
		_, err := l.DAF.Create(l.ctx(), l.server(), in, l.claim("/api/dafDonations", key))
		return err
	})
}

// donation picks one of the latest.
func (l *life) donation() (string, bool) {
	type row struct {
		ID ids.Donation `db:"id"`
	}
	r, ok := pick(rows[row](l.site, `SELECT id FROM daf_donations WHERE application_id = @app
		ORDER BY id DESC LIMIT 5`), l.number(5))
	return r.ID.String(), ok
}

// mark gives a donation a status by hand.
func (l *life) mark() error {
	id, ok := l.donation()
	if !ok {
		return nil
	}
	statuses := daf.Statuses()
	in := daf.UpdateInput{Status: patch.Set(statuses[l.number(len(statuses))])}
	return l.request(func(key string) error {
		_, err := l.DAF.Update(l.ctx(), l.server(), id, in, l.claim("/api/dafDonations/"+id, key))
		return err
	})
}

// grant has something happen to a grant at its provider.
func (l *life) grant() error {
	id, ok := l.donation()
	if !ok {
		return nil
	}
	outcomes := simulate.DonationOutcomes()
	_, err := l.Simulate.Donation(l.ctx(), l.server(), id,
		simulate.DonationInput{Outcome: ptr(outcomes[l.number(len(outcomes))])}, nil)
	return err
}
