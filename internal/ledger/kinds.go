package ledger

import (
	"slices"

	"svcpay/internal/ids"
)

// The kinds of postings next to those of fees.
const (
	KindCapture        = "capture"         // a card payment was captured
	KindDebit          = "debit"           // a bank debit was accepted for submission
	KindDebitReversed  = "debit_reversed"  // a bank debit failed or was voided before it settled
	KindReturn         = "return"          // a bank debit came back after it had settled
	KindRefund         = "refund"          // money went back to the payer
	KindRefundFailed   = "refund_failed"   // a refund that had succeeded failed: its money is the merchant's again
	KindChargeback     = "chargeback"      // a payer's bank claims money back: it is held
	KindChargebackWon  = "chargeback_won"  // what was held is the merchant's again
	KindChargebackLost = "chargeback_lost" // what was held is the payer's
	KindPayout         = "payout"          // money leaves for the merchant's bank
	KindPayoutPaid     = "payout_paid"     // it arrived
	KindPayoutFailed   = "payout_failed"   // it did not leave
	KindPayoutReturned = "payout_returned" // it came back after it had arrived
	// KindPayoutCorrected takes back what was returned of a payout that had left after all, and gives it
	// back if that one returns.
	KindPayoutCorrected = "payout_corrected"
)

// ServiceKind is the kind of what the application pays the service for an event that costs the
// merchant a fee of that name.
func ServiceKind(fee string) string { return "service_" + fee }

// ReversedKind is the kind of a donation's fee that is taken back.
func ReversedKind(fee string) string { return fee + "_reversed" }

// SourceKind says what object postings of a kind come from, by the prefix of its ids.
type SourceKind string

// The objects that move money.
const (
	FromCharge   SourceKind = "ch"
	FromRefund   SourceKind = "re"
	FromDispute  SourceKind = "dp"
	FromPayout   SourceKind = "po"
	FromDonation SourceKind = "daf" // only what is invoiced for it
)

// print gives the id of a source as the API shows it.
func (k SourceKind) print(id [16]byte) string {
	switch k {
	case FromRefund:
		return ids.RefundFrom(id).String()
	case FromDispute:
		return ids.DisputeFrom(id).String()
	case FromPayout:
		return ids.PayoutFrom(id).String()
	case FromDonation:
		return ids.DonationFrom(id).String()
	case FromCharge:
	}
	return ids.ChargeFrom(id).String()
}

// Pair is the two accounts of a posting, which moves its amount from Credit to Debit.
type Pair struct{ Debit, Credit Account }

// released is the pair that moves what p left in merchant_pending to merchant_available, on
// whichever side it stands; false if p does not touch merchant_pending or is itself a release.
func (p Pair) released() (Pair, bool) {
	switch {
	case p.Debit == MerchantAvailable || p.Credit == MerchantAvailable:
		return Pair{}, false
	case p.Credit == MerchantPending:
		return Pair{Debit: MerchantPending, Credit: MerchantAvailable}, true
	case p.Debit == MerchantPending:
		return Pair{Debit: MerchantAvailable, Credit: MerchantPending}, true
	}
	return Pair{}, false
}

// Rule says what the postings of one kind can be. The database's CHECK says the same.
type Rule struct {
	Kind   string
	Source SourceKind
	Pairs  []Pair // without releases, which follow from them
}

// Allowed lists every pair of the kind, releases included.
func (r Rule) Allowed() []Pair {
	out := slices.Clone(r.Pairs)
	for _, p := range r.Pairs {
		if release, ok := p.released(); ok && !slices.Contains(out, release) {
			out = append(out, release)
		}
	}
	return out
}

// fees are the kinds of fee lines, with the objects that they come from.
var fees = []struct {
	name   string
	source SourceKind
}{
	{"authorization_fee", FromCharge},
	{"capture_fee", FromCharge},
	{"amex_surcharge_percentage", FromCharge},
	{"ach_transfer_flat_fee", FromCharge},
	{"ach_transfer_percentage", FromCharge},
	{"ach_transfer_failed_fee", FromCharge},
	{"ach_return_fee", FromCharge},
	{"chargeback_fee", FromDispute},
	{"retrieval_fee", FromDispute},
	{"platform_flat_fee", FromCharge},
	{"platform_percentage", FromCharge},
}

// donationFees are the kinds of fee lines of donations. A donation's money never passes the merchant's
// accounts, and neither do its fees: what is owed for them is next to, with who earned it.
var donationFees = []struct {
	name         string
	owed, earned Account
}{
	{"daf_percentage", DAFInvoice, DAFServiceFees},
	{"daf_provider_percentage", DAFWithheld, DAFProviderFees},
}

// rules is the table of kinds.
var rules = func() []Rule {
	all := []Rule{
		{KindCapture, FromCharge, []Pair{{ProcessorReceivable, MerchantPending}}},
		{KindDebit, FromCharge, []Pair{{ProcessorReceivable, MerchantPending}}},
		{KindDebitReversed, FromCharge, []Pair{{MerchantPending, ProcessorReceivable}}},
		{KindReturn, FromCharge, []Pair{{MerchantAvailable, ProcessorReceivable}}},
		{KindRefund, FromRefund, []Pair{{MerchantPending, ProcessorReceivable}, {MerchantAvailable, ProcessorReceivable}}},
		{KindRefundFailed, FromRefund, []Pair{{ProcessorReceivable, MerchantPending}, {ProcessorReceivable, MerchantAvailable}}},
		{KindChargeback, FromDispute, []Pair{{MerchantAvailable, MerchantReserved}}},
		{KindChargebackWon, FromDispute, []Pair{{MerchantReserved, MerchantAvailable}, {ProcessorReceivable, MerchantAvailable}}},
		{KindChargebackLost, FromDispute, []Pair{{MerchantReserved, ProcessorReceivable}}},
		{KindPayout, FromPayout, []Pair{{MerchantAvailable, MerchantInTransit}}},
		{KindPayoutPaid, FromPayout, []Pair{{MerchantInTransit, ProcessorReceivable}}},
		{KindPayoutFailed, FromPayout, []Pair{{MerchantInTransit, MerchantAvailable}}},
		{KindPayoutReturned, FromPayout, []Pair{{ProcessorReceivable, MerchantAvailable}}},
		{KindPayoutCorrected, FromPayout, []Pair{{MerchantAvailable, ProcessorReceivable}, {ProcessorReceivable, MerchantAvailable}}},
	}
	for _, f := range fees {
		all = append(all,
			Rule{f.name, f.source, []Pair{{MerchantPending, ApplicationFees}, {MerchantAvailable, ApplicationFees}}})
	}
	for _, f := range fees {
		all = append(all, Rule{ServiceKind(f.name), f.source, []Pair{{ApplicationFees, ServiceFees}}})
	}
	for _, f := range donationFees {
		all = append(all, Rule{f.name, FromDonation, []Pair{{f.owed, f.earned}}},
			Rule{ReversedKind(f.name), FromDonation, []Pair{{f.earned, f.owed}}})
	}
	return all
}()

// Rules lists the kinds in the order in which they are documented.
func Rules() []Rule { return slices.Clone(rules) }

// MerchantKinds lists the kinds that change what a merchant is owed.
func MerchantKinds() (out []string) {
	for _, r := range rules {
		if slices.ContainsFunc(r.Pairs, func(p Pair) bool { return p.Debit.ofMerchant() || p.Credit.ofMerchant() }) {
			out = append(out, r.Kind)
		}
	}
	return out
}

// sourceOf says what object postings of a kind come from.
var sourceOf = func() map[string]SourceKind {
	out := make(map[string]SourceKind)
	for _, r := range rules {
		out[r.Kind] = r.Source
	}
	return out
}()

// kindsFrom lists the kinds whose postings come from such an object.
func kindsFrom(source SourceKind) (out []string) {
	for _, r := range rules {
		if r.Source == source {
			out = append(out, r.Kind)
		}
	}
	return out
}
