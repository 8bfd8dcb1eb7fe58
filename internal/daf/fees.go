package daf

import (
	"context"
	"fmt"
	"slices"
	"time"

	"svcpay/internal/fee"
	"svcpay/internal/instant"
	"svcpay/internal/ledger"
	"svcpay/internal/money"
	"svcpay/internal/platform/pg"
)

// feesTx are the lines of an integrated donation by the merchant's rates that are in effect, each rounded
// half up on its own. A fee of zero makes no line.
func feesTx(ctx context.Context, tx *pg.Tx, m instant.Moment, d Donation) ([]fee.Line, error) {
	merchant := fee.Merchant{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID}
	terms, err := fee.EffectiveTx(ctx, tx, map[fee.Merchant]time.Time{merchant: m.At})
	if err != nil {
		return nil, err
	}
	schedule, ok := terms[merchant]
	if !ok {
		return nil, fmt.Errorf("daf: merchant %d has no fee schedule", d.MerchantID)
	}
	service := feeLine(serviceFee, d.Amount, schedule.Merchant.DAFPercentage)
	service.ScheduleID = schedule.Merchant.ID
	lines := []fee.Line{service, feeLine(providerFee, d.Amount, ProviderPercentage)}
	return slices.DeleteFunc(lines, func(l fee.Line) bool { return l.Amount <= 0 }), nil
}

func feeLine(name string, basis money.Amount, rate money.Percent) fee.Line {
	return fee.Line{Fee: name, Basis: &basis, Rate: &rate, Amount: rate.Of(basis)}
}

// feeAccounts are where the ledger keeps what a fee adds up to: debit is who owes it, credit whose it is.
var feeAccounts = map[string]ledger.Pair{
	serviceFee:  {Debit: ledger.DAFInvoice, Credit: ledger.DAFServiceFees},
	providerFee: {Debit: ledger.DAFWithheld, Credit: ledger.DAFProviderFees},
}

// accrueTx posts what a donation costs that has just become completed, or takes it back of one that has
// just ceased to be. The version that did it is in the key: each change is booked once.
func accrueTx(tx *pg.Tx, m instant.Moment, d Donation) {
	for _, l := range d.Fees {
		kind, pair := l.Fee, feeAccounts[l.Fee]
		if d.Status != Completed {
			kind, pair = ledger.ReversedKind(kind), ledger.Pair{Debit: pair.Credit, Credit: pair.Debit}
		}
		ledger.PostTx(tx, m, ledger.Posting{ApplicationID: d.ApplicationID, MerchantID: d.MerchantID,
			BusinessKey: fmt.Sprintf("%s:%s:%d", d.ID, kind, d.Version), Kind: kind, Debit: pair.Debit,
			Credit: pair.Credit, Amount: l.Amount, Currency: d.Currency, SourceID: d.ID.Bytes()})
	}
}
