package text

import "fmt"

// Notices are the texts of mails about what people have to look at, or should know of.
type Notices struct {
	Hello           func(name string) string
	DisputeOpened   func(d DisputeFacts) Mail
	DisputeDue      func(d DisputeFacts) Mail
	PayoutFailed    func(merchant, amount, why string) Mail
	PayoutDelayed   func(merchant, amount, why string) Mail
	PayoutReturned  func(merchant, amount, why string) Mail
	RefundFailed    func(f RefundFacts) Mail
	EndpointPaused  func(host string) Mail
	EndpointGone    func(host string) Mail
	KeyMade         func(f KeyFacts) Mail
	KeyRolled       func(f KeyFacts) Mail
	KeyRevoked      func(f KeyFacts) Mail
	FeesChanged     func(f FeeFacts) Mail
	FeesTakenBack   func(f FeeFacts) Mail
	BankAdded       func(f BankFacts) Mail
	BankReplaced    func(f BankFacts) Mail
	CardTesting     func(f CardTestingFacts) Mail
	Edit            func(what, old, now string) string
	Operator, ByKey string // who did something, if it was no person
}

// DisputeFacts are what a mail says about a dispute.
type DisputeFacts struct {
	Retrieval                       bool
	Merchant, Amount, Reason, Until string
}

// RefundFacts are what a mail says about a refund that failed after it had succeeded.
type RefundFacts struct {
	Merchant, Amount, Why string
	Disputed              bool // the payer gets the money through a dispute
	Refundable            bool // the charge can be refunded again
}

// refundDisputed is what to do about a refund that failed since its charge is disputed.
const refundDisputed = "The payer gets the money through the dispute. Don’t refund the charge again."

// KeyFacts are what a mail says about an API key, never its text.
type KeyFacts struct {
	Name, Ending, By, At string
	Until                string // when a key that was rolled ends; "" if it has
}

// FeeFacts are what a mail says about fees.
type FeeFacts struct {
	Merchant, By, From, Reason string
	Edits                      []string // what is another then
}

// BankFacts are what a mail says about a bank account, never its number.
type BankFacts struct {
	Merchant, Bank, Ending, By, At string
	HeldUntil                      string // until when payouts wait; "" if they do not
}

// CardTestingFacts are the numbers of an attack with stolen cards, of the last hour.
type CardTestingFacts struct {
	Merchant, At                       string
	Tokens, Cards, Addresses, Declined int
}

const (
	noteAnswer = "You’re receiving this because you manage disputes. Change email preferences in Settings."
	noteRefund = "You’re receiving this because you can refund charges. Change email preferences in Settings."
	notePayout = "You’re receiving this because you can resume payouts. Change email preferences in Settings."
	noteHook   = "You’re receiving this because you manage webhooks. Change email preferences in Settings."
	noteFees   = "You’re receiving this because you set or pay these fees. Change email preferences in Settings."
	noteKeys   = "We always notify people who manage API keys. If you weren’t expecting this, revoke any key you don’t recognize and contact support."
	noteBank   = "We always notify people who manage bank accounts. If you weren’t expecting this, replace the account and contact support."
)

var noticesEnglish = Notices{
	Hello:         func(name string) string { return "Hello " + name + "," },
	DisputeOpened: disputeOpenedEnglish,
	DisputeDue: func(d DisputeFacts) Mail {
		m := Mail{Subject: "Respond by " + d.Until + ": " + d.Amount + " dispute", Button: "Respond to dispute",
			Note: noteAnswer,
			Lines: []string{"A dispute of " + d.Amount + " against " + d.Merchant + " still needs a response.",
				"Respond by " + d.Until + " or you’ll lose the dispute."}}
		if d.Retrieval {
			m.Subject, m.Button = "Respond by "+d.Until+": "+d.Amount+
				" retrieval request", "Respond to retrieval request"
			m.Lines = []string{"A retrieval request about a payment of " + d.Amount + " to " + d.Merchant +
				" still needs a response.",
				"The payer’s bank is waiting for documents until " + d.Until +
					". Without them, it may open a chargeback."}
		}
		return m
	},
	PayoutFailed: func(merchant, amount, why string) Mail {
		return Mail{Subject: "Payout of " + amount + " failed", Button: "View payout", Note: notePayout,
			Lines: []string{"A payout of " + amount + " to " + merchant + " failed. " + why,
				"The funds are back in the available balance. Payouts to " + merchant +
					" are paused. Check the bank account, then resume payouts."}}
	},
	PayoutDelayed: func(merchant, amount, why string) Mail {
		return Mail{Subject: "Payout of " + amount + " is delayed", Button: "View payout", Note: notePayout,
			Lines: []string{"A payout of " + amount + " to " + merchant + " wasn’t sent. " + why,
				"The funds are back in the merchant’s available balance, and payouts to " + merchant +
					" continue. If this happens again, check the balance at the processor."}}
	},
	PayoutReturned: func(merchant, amount, why string) Mail {
		return Mail{Subject: "Payout of " + amount + " was returned", Button: "View payout", Note: notePayout,
			Lines: []string{"A payout of " + amount + " to " + merchant + " was returned. " + why,
				"The funds are back in the available balance. Payouts to " + merchant +
					" are paused. Check the bank account, then resume payouts."}}
	},
	RefundFailed: func(f RefundFacts) Mail {
		m := Mail{Subject: "Refund of " + f.Amount + " failed", Button: "View refund", Note: noteRefund,
			Lines: []string{"A refund of " + f.Amount + " from " + f.Merchant + " failed after it was sent. " + f.Why}}
		switch {
		case f.Disputed:
			m.Lines = append(m.Lines, refundDisputed)
		case f.Refundable:
			m.Lines = append(m.Lines,
				"The payer didn’t get the money. Refund the charge again, or repay the payer another way.")
		default:
			m.Lines = append(m.Lines,
				"The charge was returned or disputed, so it can’t be refunded again. Check its timeline before you repay the payer another way.")
		}
		return m
	},
	CardTesting: func(f CardTestingFacts) Mail {
		return Mail{Subject: "Stolen cards may be tested at " + f.Merchant, Button: "View merchant", Note: noteRefund,
			Lines: []string{
				fmt.Sprintf("Nearly all recent cards at %s were declined. In the hour before %s, there were %d payment attempts with %d cards from %d IP addresses; %d were declined.",
					f.Merchant, f.At, f.Tokens, f.Cards, f.Addresses, f.Declined),
				"For now, this merchant accepts only a few new cards an hour. Cards that paid before, wallets, and bank accounts work as usual. The limit ends automatically when cards are approved again.",
				"Refund successful payments that you don’t recognize before the cardholders dispute them."}}
	},
	EndpointPaused: func(host string) Mail {
		return Mail{Subject: "Webhooks to " + host + " are paused", Button: "View endpoint", Note: noteHook,
			Lines: []string{
				"The webhook endpoint at " + host + " has failed for 5 days, so we’ve stopped sending events.",
				"No events are lost. Fix the endpoint, enable it, and replay the events it missed."}}
	},
	EndpointGone: func(host string) Mail {
		return Mail{Subject: "Webhooks to " + host + " are paused", Button: "View endpoint", Note: noteHook,
			Lines: []string{"The webhook endpoint at " + host + " returned 410 Gone, so we’ve stopped sending events.",
				"No events are lost. If this was a mistake, enable the endpoint and replay the events it missed."}}
	},
	KeyMade: func(f KeyFacts) Mail {
		return f.mail("API key created: "+f.Name, f.By+" created the API key “"+f.Name+"”, which ends in "+f.Ending+
			", on "+f.At+".")
	},
	KeyRolled: func(f KeyFacts) Mail {
		m := f.mail("API key rolled: "+f.Name, f.By+" rolled the API key “"+f.Name+"”, which ends in "+f.Ending+
			", on "+f.At+".")
		if f.Until == "" {
			m.Lines = append(m.Lines, "The old key no longer works. Use the new key.")
		} else {
			m.Lines = append(m.Lines, "The old key works until "+f.Until+". Switch to the new key before then.")
		}
		return m
	},
	KeyRevoked: func(f KeyFacts) Mail {
		return f.mail("API key revoked: "+f.Name, f.By+" revoked the API key “"+f.Name+"”, which ends in "+f.Ending+
			", on "+f.At+". It no longer works.")
	},
	FeesChanged: func(f FeeFacts) Mail {
		return f.mail("Fee change for "+f.Merchant, f.By+" changed the fees of "+f.Merchant+", effective "+f.From+".")
	},
	FeesTakenBack: func(f FeeFacts) Mail {
		return f.mail("Fee change canceled for "+f.Merchant, f.By+" canceled a fee change for "+f.Merchant+
			" that was scheduled for "+f.From+".")
	},
	BankAdded: func(f BankFacts) Mail {
		return f.mail("Bank account added: "+f.Merchant, f.By+" added a bank account for "+f.Merchant+"’s payouts on "+
			f.At+": ")
	},
	BankReplaced: func(f BankFacts) Mail {
		return f.mail("Bank account changed: "+f.Merchant, f.By+" changed the bank account for "+f.Merchant+
			"’s payouts on "+f.At+". The new account is ")
	},
	Edit:     func(what, old, now string) string { return what + ": " + old + " → " + now },
	Operator: "SvcPay support", ByKey: "An API key",
}

func disputeOpenedEnglish(d DisputeFacts) Mail {
	if d.Retrieval {
		return Mail{Subject: "New retrieval request: " + d.Amount, Button: "Respond to retrieval request",
			Note: noteAnswer,
			Lines: []string{"A payer’s bank asked for documents about a payment of " + d.Amount + " to " + d.Merchant +
				". Reason: " + d.Reason + ".",
				"Respond by " + d.Until + ". No money moves unless it escalates to a chargeback."}}
	}
	return Mail{Subject: "New chargeback of " + d.Amount, Button: "Respond to dispute", Note: noteAnswer,
		Lines: []string{"A payer’s bank disputed a payment of " + d.Amount + " to " + d.Merchant + ". Reason: " +
			d.Reason + ".",
			"The funds are held until it’s resolved. Respond by " + d.Until + " or you’ll lose the dispute."}}
}

func (f KeyFacts) mail(subject, what string) Mail {
	return Mail{Subject: subject, Lines: []string{what}, Button: "View key", Note: noteKeys}
}

func (f FeeFacts) mail(subject, what string) Mail {
	lines := append([]string{what}, f.Edits...)
	if f.Reason != "" {
		lines = append(lines, "Reason: "+f.Reason)
	}
	return Mail{Subject: subject, Lines: lines, Button: "View fees", Note: noteFees}
}

func (f BankFacts) mail(subject, what string) Mail {
	lines := []string{what + f.Bank + ", ending in " + f.Ending + ". Payouts will go to it once it’s verified."}
	if f.HeldUntil != "" {
		lines = append(lines, "As a security precaution, payouts are on hold until "+f.HeldUntil+
			", even if the account is verified sooner.")
	}
	return Mail{Subject: subject, Lines: lines, Button: "View bank account", Note: noteBank}
}
