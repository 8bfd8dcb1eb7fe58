package trigger

import "svcpay/api/client"

// recipes has one for every type of events.
var recipes = map[string]recipe{
	"charge.created":    {make: charge(approved), members: inMake},
	"charge.authorized": {make: charge(held), members: inMake},
	"charge.captured":   {on: "charge", make: charge(held), do: capture, members: inMake},
	"charge.pending":    {make: charge(debited), members: inMake},
	"charge.settled":    {on: "charge", make: charge(approved), do: simulateCharge(client.SimulateChargeOutcomeSettled), members: inMake},
	"charge.failed":     {make: charge(declined), members: inMake},
	"charge.voided":     {on: "charge", make: charge(held), do: void, members: inMake},
	"charge.expired":    {on: "charge", make: charge(held), do: advance(week), members: inMake, clock: inDo},
	"charge.returned":   {on: "charge", make: settledDebit, do: simulateCharge(client.SimulateChargeOutcomeReturned), members: inMake},
	"charge.refunded":   {on: "charge", make: charge(approved), do: refundOf, members: inMake},
	"charge.updated":    {on: "charge", make: charge(approved), do: describe, members: inMake},

	"refund.created":   {on: "charge", make: charge(approved), do: refund, members: inDo},
	"refund.updated":   {on: "refund", make: waitingRefund, do: settleUnder, members: inMake},
	"refund.succeeded": {on: "charge", make: charge(approved), do: refund, members: inDo},
	"refund.failed":    {make: charge(refundsDeclined), do: refund, members: inDo},
	"refund.canceled":  {on: "refund", make: waitingRefund, do: cancelRefund, members: inMake},

	"dispute.created":  {on: "charge", make: charge(approved), do: dispute(client.SimulateChargeOutcomeChargeback), members: inDo},
	"dispute.updated":  {on: "dispute", make: disputed(client.SimulateChargeOutcomeChargeback), do: answer, members: inMake},
	"dispute.accepted": {on: "dispute", make: disputed(client.SimulateChargeOutcomeChargeback), do: accept, members: inMake},
	"dispute.won":      {on: "dispute", make: disputed(client.SimulateChargeOutcomeChargeback), do: win, members: inMake},
	"dispute.lost":     {on: "dispute", make: disputed(client.SimulateChargeOutcomeChargeback), do: simulateDispute(client.SimulateDisputeOutcomeLost), members: inMake},
	"dispute.closed":   {on: "dispute", make: disputed(client.SimulateChargeOutcomeRetrieval), do: simulateDispute(client.SimulateDisputeOutcomeClosed), members: inMake},

	"payout.created":  {make: payout, clock: inMake},
	"payout.paid":     {on: "payout", make: payout, do: simulatePayout(client.SimulatePayoutOutcomePaid), clock: inMake},
	"payout.failed":   {on: "payout", make: payout, do: simulatePayout(client.SimulatePayoutOutcomeFailed), clock: inMake},
	"payout.returned": {on: "payout", make: paidPayout, do: simulatePayout(client.SimulatePayoutOutcomeReturned), clock: inMake},

	"merchant.created": {make: merchant, members: inMake},
	"merchant.updated": {on: "merchant", make: merchant, do: touchMerchant, members: inMake},

	"card_rules.updated": {on: "merchant", make: merchant, do: changeCardRules, members: inMake, ofMerchant: true},

	"fees.updated": {on: "merchant", make: merchant, do: changeFees, members: inMake},

	"daf_donation.created":   {why: noDonations},
	"daf_donation_updated":   {why: noDonations},
	"daf_donation.completed": {why: noDonations},
	"daf_donation.canceled":  {why: noDonations},

	"token.updated": {on: "token", make: token, do: touchToken, members: inMake},

	"webhook_endpoint.paused":    {make: pausedEndpoint},
	"webhook_endpoint.recovered": {make: recoveredEndpoint},

	"ping": {on: "webhook_endpoint", do: ping, members: inDo, unnumbered: true},
}

// noDonations is why events of donations cannot be made to happen.
const noDonations = "a donation needs a donor's authorization: use POST /api/sandbox/daf_sessions"
