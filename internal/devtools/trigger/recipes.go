package trigger

import "svcpay/api/client"

// What several recipes make.
var (
	settledDebit  = []step{charge(debited), simulateCharge(client.SimulateChargeOutcomeSettled)}
	waitingRefund = []step{charge(debited), refund} // it waits for its charge to settle
	chargedBack   = []step{charge(approved), dispute(client.SimulateChargeOutcomeChargeback)}
	paidOut       = []step{charge(approved), payout}
)

// recipes has one for every type of events.
var recipes = map[string]recipe{
	"charge.created":    {make: []step{charge(approved)}, members: inMake},
	"charge.authorized": {make: []step{charge(held)}, members: inMake},
	"charge.captured":   {on: "charge", make: []step{charge(held)}, do: capture, members: inMake},
	"charge.pending":    {make: []step{charge(debited)}, members: inMake},
	"charge.settled":    {on: "charge", make: []step{charge(approved)}, do: simulateCharge(client.SimulateChargeOutcomeSettled), members: inMake},
	"charge.failed":     {make: []step{charge(declined)}, members: inMake},
	"charge.voided":     {on: "charge", make: []step{charge(held)}, do: void, members: inMake},
	"charge.expired":    {on: "charge", make: []step{charge(held)}, do: advance(week), members: inMake, clock: inDo},
	"charge.returned":   {on: "charge", make: settledDebit, do: simulateCharge(client.SimulateChargeOutcomeReturned), members: inMake},
	"charge.refunded":   {on: "charge", make: []step{charge(approved)}, do: refundOf, members: inMake},
	"charge.updated":    {on: "charge", make: []step{charge(approved)}, do: describe, members: inMake},

	"refund.created":   {on: "charge", make: []step{charge(approved)}, do: refund, members: inDo},
	"refund.updated":   {on: "refund", make: waitingRefund, do: settleUnder, members: inMake},
	"refund.succeeded": {on: "charge", make: []step{charge(approved)}, do: refund, members: inDo},
	"refund.failed":    {make: []step{charge(refundsDeclined)}, do: refund, members: inDo},
	"refund.canceled":  {on: "refund", make: waitingRefund, do: cancelRefund, members: inMake},

	"dispute.created":  {on: "charge", make: []step{charge(approved)}, do: dispute(client.SimulateChargeOutcomeChargeback), members: inDo},
	"dispute.updated":  {on: "dispute", make: chargedBack, do: answer, members: inMake},
	"dispute.accepted": {on: "dispute", make: chargedBack, do: accept, members: inMake},
	"dispute.won":      {on: "dispute", make: chargedBack, do: win, members: inMake},
	"dispute.lost":     {on: "dispute", make: chargedBack, do: simulateDispute(client.SimulateDisputeOutcomeLost), members: inMake},
	"dispute.closed":   {on: "dispute", make: []step{charge(approved), dispute(client.SimulateChargeOutcomeRetrieval)}, do: simulateDispute(client.SimulateDisputeOutcomeClosed), members: inMake},

	"payout.created":  {make: paidOut, clock: inMake},
	"payout.paid":     {on: "payout", make: paidOut, do: simulatePayout(client.SimulatePayoutOutcomePaid), clock: inMake},
	"payout.failed":   {on: "payout", make: paidOut, do: simulatePayout(client.SimulatePayoutOutcomeFailed), clock: inMake},
	"payout.returned": {on: "payout", make: []step{charge(approved), payout, simulatePayout(client.SimulatePayoutOutcomePaid)}, do: simulatePayout(client.SimulatePayoutOutcomeReturned), clock: inMake},

	"merchant.created": {make: []step{merchant}, members: inMake},
	"merchant.updated": {on: "merchant", make: []step{merchant}, do: touchMerchant, members: inMake},

	"card_rules.updated": {on: "merchant", make: []step{merchant}, do: changeCardRules, members: inMake, ofMerchant: true},

	"fees.updated": {on: "merchant", make: []step{merchant}, do: changeFees, members: inMake},

	"daf_donation.created":   {why: noDonations},
	"daf_donation_updated":   {why: noDonations},
	"daf_donation.completed": {why: noDonations},
	"daf_donation.canceled":  {why: noDonations},

	"token.updated": {on: "token", make: []step{token}, do: touchToken, members: inMake},

	"webhook_endpoint.paused":    {make: []step{pausedEndpoint}},
	"webhook_endpoint.recovered": {make: []step{recoveredEndpoint}},

	"ping": {on: "webhook_endpoint", do: ping, members: inDo, unnumbered: true},
}

// noDonations is why events of donations cannot be made to happen.
const noDonations = "a donation needs a donor's authorization: use POST /api/sandbox/daf_sessions"
