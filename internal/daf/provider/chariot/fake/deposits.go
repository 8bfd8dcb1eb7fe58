package fake

import (
	"strings"
	"time"
)

// deposit is the money of a grant that arrived in the organization's account. Each has one donation.
type deposit struct {
	ID, Donation, Tracking string
	status                 string
	gross, fee             int64
	settledAt, updatedAt   time.Time
	returnedAt             *time.Time
	foreign                bool // of a donation that was not initiated here
	reference              string
	unsettled              bool // the donation has no deposit any more
}

// ofDeposits reports whether an endpoint is about money that arrived.
func ofDeposits(name string) bool {
	return strings.HasPrefix(name, "GET /v1/deposits") || name == "GET /v1/donations"
}

// deposit has the money of a grant arrive, after the fees.
func (f *Fake) deposit(g *grant) {
	d := &deposit{ID: f.id("deposit_"), Donation: f.id("donation_"), Tracking: g.Tracking, status: "complete",
		gross: g.amount, fee: g.fee, settledAt: f.now, updatedAt: f.now, reference: g.session.Reference}
	f.deposits = append(f.deposits, d)
	f.event("deposit.created", "deposit", d.ID)
}

// Deposit changes the deposit of the grant with a tracking id: what was deducted, and whether it was returned.
func (f *Fake) Deposit(tracking string, fee int64, returned bool) {
	defer f.locked()()
	for _, d := range f.deposits {
		if d.Tracking == tracking {
			d.fee, d.updatedAt, d.returnedAt = fee, f.now, nil
			if now := f.now; returned {
				d.returnedAt = &now
			}
			f.event("deposit.updated", "deposit", d.ID)
		}
	}
}

// Unsettle returns the deposit of the grant with a tracking id, and takes its donation from it.
func (f *Fake) Unsettle(tracking string) {
	defer f.locked()()
	for _, d := range f.deposits {
		if d.Tracking == tracking {
			d.unsettled, d.status, d.updatedAt = true, "failed", f.now
			f.event("deposit.updated", "deposit", d.ID)
		}
	}
}

// DepositForeign has money arrive that no grant of this server brought.
func (f *Fake) DepositForeign(amount int64) {
	defer f.locked()()
	d := &deposit{ID: f.id("deposit_"), Donation: f.id("donation_"), status: "complete", gross: amount, foreign: true,
		settledAt: f.now, updatedAt: f.now}
	f.deposits = append(f.deposits, d)
	f.event("deposit.created", "deposit", d.ID)
}

// shown is a deposit as the API shows it.
func (d *deposit) shown() object {
	out := object{"id": d.ID, "payment_source_id": "payment_source_1", "status": d.status, "settled_at": d.settledAt,
		"created_at": d.settledAt, "updated_at": d.updatedAt, "transfer": object{"amount": d.gross - d.fee,
			"currency": "USD", "financial_account_id": "account_1"}}
	if d.returnedAt != nil {
		out["returned_at"] = *d.returnedAt
	}
	return out
}

// donation is the donation of a deposit as the API shows it.
func (d *deposit) donation() object {
	out := object{"id": d.Donation, "payment_source_id": "payment_source_1", "amount_gross": d.gross,
		"amount_net": d.gross - d.fee, "amount_fee": d.fee, "currency": "USD", "purpose": "Where needed most",
		"note": Secretive, "created_at": d.settledAt}
	if !d.unsettled {
		out["settlement"] = object{"deposit_id": d.ID, "received_at": d.settledAt, "settled_at": d.settledAt}
	}
	if !d.foreign {
		out["initiation"] = object{"initiated_at": d.settledAt, "frequency": "ONE_TIME",
			"dafpay_tracking_id": d.Tracking, "dafpay_metadata": object{"reference": d.reference}}
	}
	return out
}

func (f *Fake) listDeposits(c call) (int, any) {
	after, err := time.Parse(time.RFC3339, c.query.Get("settled_at.after"))
	found := those(f.deposits, func(d *deposit) bool { return err != nil || d.settledAt.After(after) },
		(*deposit).shown)
	return page(found, c.query, "limit", "page_token", 100)
}

func (f *Fake) readDeposit(c call) (int, any) {
	return read(f.deposits, func(d *deposit) bool { return d.ID == c.id }, (*deposit).shown)
}

func (f *Fake) listDonations(c call) (int, any) {
	id := c.query.Get("deposit_id")
	found := those(f.deposits, func(d *deposit) bool { return id == "" || id == d.ID && !d.unsettled },
		(*deposit).donation)
	return page(found, c.query, "limit", "page_token", 100)
}
