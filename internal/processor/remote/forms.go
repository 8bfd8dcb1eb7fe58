package remote

import (
	"net/http"

	"svcpay/internal/processor"
	"svcpay/internal/sensitive"
)

// card is a card in clear; the port's own refuses to be written down.
type card struct {
	Number, Code, Cryptogram string
	ExpMonth, ExpYear        int
	Line1, Zip               string
}

func cardOf(c processor.Card) card {
	return card{c.PAN.Reveal(), c.CVC.Reveal(), c.Cryptogram.Reveal(), c.ExpMonth, c.ExpYear, c.Line1, c.Zip}
}

func (c card) reveal() processor.Card {
	return processor.Card{PAN: sensitive.NewPAN(c.Number), CVC: sensitive.NewCVC(c.Code),
		Cryptogram: sensitive.NewCryptogram(c.Cryptogram), ExpMonth: c.ExpMonth, ExpYear: c.ExpYear, Line1: c.Line1,
		Zip: c.Zip}
}

// bank is a bank account in clear.
type bank struct {
	Scheme                  processor.Scheme
	Routing, Number, Holder string
	Savings                 bool
}

func bankOf(b processor.Bank) bank {
	return bank{b.Scheme, b.Routing, b.Number.Reveal(), b.Holder, b.Savings}
}

func (b bank) reveal() processor.Bank {
	return processor.Bank{Scheme: b.Scheme, Routing: b.Routing, Number: sensitive.NewAccountNumber(b.Number),
		Holder: b.Holder, Savings: b.Savings}
}

// What calls are written as: the port's own forms, but for what is sensitive in them, and for the calls
// that have none.
type (
	authorization struct {
		processor.Authorization
		Card card
	}
	debit struct {
		processor.Debit
		Bank bank
	}
	payout struct {
		processor.Payout
		Bank bank
	}
	verification struct {
		processor.VerificationRequest
		Bank bank
	}
	lookedUp struct {
		Account   processor.Account
		Reference string
	}
	messagesAfter struct {
		After string
		Limit int
	}
	noticed struct {
		Account processor.Account
		Header  http.Header
		Body    []byte
	}
	linesAfter struct {
		After int64
		Limit int
	}
	bankNamed struct {
		Scheme  processor.Scheme
		Routing string
	}
)
