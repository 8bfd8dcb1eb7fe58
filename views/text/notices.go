package text

// Notices are the texts of mails about what people have to look at, or should know of.
type Notices struct {
	Hello           func(name string) string
	DisputeOpened   func(d DisputeFacts) Mail
	DisputeDue      func(d DisputeFacts) Mail
	PayoutFailed    func(merchant, amount, why string) Mail
	PayoutReturned  func(merchant, amount, why string) Mail
	EndpointPaused  func(host string) Mail
	EndpointGone    func(host string) Mail
	KeyMade         func(f KeyFacts) Mail
	KeyRolled       func(f KeyFacts) Mail
	KeyRevoked      func(f KeyFacts) Mail
	FeesChanged     func(f FeeFacts) Mail
	FeesTakenBack   func(f FeeFacts) Mail
	BankAdded       func(f BankFacts) Mail
	BankReplaced    func(f BankFacts) Mail
	Edit            func(what, old, now string) string
	Operator, ByKey string // who did something, if it was no person
}

// DisputeFacts are what a mail tells of a dispute.
type DisputeFacts struct {
	Retrieval                       bool
	Merchant, Amount, Reason, Until string
}

// KeyFacts are what a mail tells of an API key, never its text.
type KeyFacts struct {
	Name, Ending, By, At string
	Until                string // when a key that was rolled ends; "" if it has
}

// FeeFacts are what a mail tells of fees.
type FeeFacts struct {
	Merchant, By, From, Reason string
	Edits                      []string // what is another then
}

// BankFacts are what a mail tells of a bank account, never its number.
type BankFacts struct {
	Merchant, Bank, Ending, By, At string
	HeldUntil                      string // until when payouts wait; "" if they do not
}

const (
	noteAnswer = "You get this because you may answer disputes. You can turn these mails off in your settings."
	notePayout = "You get this because you may resume payouts. You can turn these mails off in your settings."
	noteHook   = "You get this because you may change webhook endpoints. You can turn these mails off in your settings."
	noteFees   = "You get this because these fees are yours to set or to pay. You can turn these mails off in your settings."
	noteKeys   = "Whoever may make API keys always hears of this. If nobody should have done it, revoke the key and sign out whoever did."
	noteBank   = "Whoever may change bank accounts always hears of this. If nobody should have done it, change the account back and tell whoever runs this service."
)

var noticesEnglish = Notices{
	Hello:         func(name string) string { return "Hello " + name + "," },
	DisputeOpened: disputeOpenedEnglish,
	DisputeDue: func(d DisputeFacts) Mail {
		m := Mail{Subject: "Answer by " + d.Until + ": dispute of " + d.Amount, Button: "Answer the dispute", Note: noteAnswer,
			Lines: []string{"A dispute of " + d.Amount + " against " + d.Merchant + " is not answered yet.", "Answer by " + d.Until + ". After that, a chargeback is lost."}}
		if d.Retrieval {
			m.Lines[1] = "The payer's bank waits for documents until " + d.Until + ". Without them, it may become a chargeback."
		}
		return m
	},
	PayoutFailed: func(merchant, amount, why string) Mail {
		return Mail{Subject: "Payout of " + amount + " failed", Button: "Look at the payout", Note: notePayout,
			Lines: []string{"A payout of " + amount + " to " + merchant + " did not arrive. " + why,
				"The money is available again. Payouts of " + merchant + " wait until somebody resumes them: check the bank account first."}}
	},
	PayoutReturned: func(merchant, amount, why string) Mail {
		return Mail{Subject: "Payout of " + amount + " came back", Button: "Look at the payout", Note: notePayout,
			Lines: []string{"A payout of " + amount + " to " + merchant + " had arrived and came back. " + why,
				"The money is available again. Payouts of " + merchant + " wait until somebody resumes them: check the bank account first."}}
	},
	EndpointPaused: func(host string) Mail {
		return Mail{Subject: "Webhooks to " + host + " are paused", Button: "Look at the endpoint", Note: noteHook,
			Lines: []string{"The webhook endpoint at " + host + " has taken no event for five days. Nothing is sent to it any more.",
				"No event is lost: correct the endpoint, turn it on again, and replay what it missed."}}
	},
	EndpointGone: func(host string) Mail {
		return Mail{Subject: "Webhooks to " + host + " are paused", Button: "Look at the endpoint", Note: noteHook,
			Lines: []string{"The webhook endpoint at " + host + " answered 410: it wants no more events. Nothing is sent to it any more.",
				"No event is lost: if that was a mistake, turn the endpoint on again, and replay what it missed."}}
	},
	KeyMade: func(f KeyFacts) Mail {
		return f.mail("API key made: "+f.Name, f.By+" made the API key “"+f.Name+"”, which ends in "+f.Ending+", on "+f.At+".")
	},
	KeyRolled: func(f KeyFacts) Mail {
		m := f.mail("API key rolled: "+f.Name, f.By+" rolled the API key “"+f.Name+"”, which ends in "+f.Ending+", on "+f.At+".")
		if f.Until == "" {
			m.Lines = append(m.Lines, "It stopped working at once. Use the new key.")
		} else {
			m.Lines = append(m.Lines, "It works until "+f.Until+". Use the new key before then.")
		}
		return m
	},
	KeyRevoked: func(f KeyFacts) Mail {
		return f.mail("API key revoked: "+f.Name, f.By+" revoked the API key “"+f.Name+"”, which ends in "+f.Ending+", on "+f.At+". It does not work any more.")
	},
	FeesChanged: func(f FeeFacts) Mail {
		return f.mail("Fees of "+f.Merchant+" change", f.By+" changed the fees of "+f.Merchant+", from "+f.From+" on.")
	},
	FeesTakenBack: func(f FeeFacts) Mail {
		return f.mail("Fees of "+f.Merchant+" stay", f.By+" took a change of the fees of "+f.Merchant+" back, which was to begin on "+f.From+".")
	},
	BankAdded: func(f BankFacts) Mail {
		return f.mail("Bank account added: "+f.Merchant, f.By+" added a bank account for the payouts of "+f.Merchant+", on "+f.At+": ")
	},
	BankReplaced: func(f BankFacts) Mail {
		return f.mail("Bank account changed: "+f.Merchant, f.By+" changed the bank account for the payouts of "+f.Merchant+", on "+f.At+". The new one is ")
	},
	Edit:     func(what, old, now string) string { return what + ": " + old + " → " + now },
	Operator: "Whoever runs this service", ByKey: "An API key",
}

func disputeOpenedEnglish(d DisputeFacts) Mail {
	if d.Retrieval {
		return Mail{Subject: "A payer's bank asks about " + d.Amount, Button: "Answer it", Note: noteAnswer,
			Lines: []string{"A payer's bank asks for documents about " + d.Amount + " that " + d.Merchant + " charged. The reason: " + d.Reason + ".",
				"Answer by " + d.Until + ". No money moves unless it becomes a chargeback."}}
	}
	return Mail{Subject: "New chargeback of " + d.Amount, Button: "Answer the dispute", Note: noteAnswer,
		Lines: []string{"A payer's bank disputes " + d.Amount + " that " + d.Merchant + " charged. The reason: " + d.Reason + ".",
			"The money is held until it is decided. Answer by " + d.Until + ": an unanswered chargeback is lost."}}
}

func (f KeyFacts) mail(subject, what string) Mail {
	return Mail{Subject: subject, Lines: []string{what}, Button: "Look at the key", Note: noteKeys}
}

func (f FeeFacts) mail(subject, what string) Mail {
	lines := append([]string{what}, f.Edits...)
	if f.Reason != "" {
		lines = append(lines, "Why: "+f.Reason)
	}
	return Mail{Subject: subject, Lines: lines, Button: "Look at the fees", Note: noteFees}
}

func (f BankFacts) mail(subject, what string) Mail {
	lines := []string{what + f.Bank + ", ending in " + f.Ending + ". Payouts go there once it is verified."}
	if f.HeldUntil != "" {
		lines = append(lines, "Until "+f.HeldUntil+" payouts wait, so that there is time to object.")
	}
	return Mail{Subject: subject, Lines: lines, Button: "Look at the bank account", Note: noteBank}
}
