package receipt

import (
	"strings"

	"svcpay/internal/charge"
	"svcpay/internal/money"
	"svcpay/views/text"
)

func (r Receipt) money(a money.Amount) string { return text.English.Money(a, r.Charge.Currency) }

// total is what the payer has paid, less what was returned.
func (r Receipt) total() string { return r.money(r.Charge.AmountCaptured - r.Charge.AmountRefunded) }

// facts are names and values, without those that are not known.
func (r Receipt) facts() (out [][2]string) {
	t, c := text.English, r.Charge
	add := func(name, value string) {
		if value != "" {
			out = append(out, [2]string{name, value})
		}
	}
	add(t.Receipt.Date, r.Day().Format("January 2, 2006"))
	add(t.Receipt.Method, r.method())
	add(t.Receipt.Payer,
		strings.Join(strings.Fields(c.Billing.FirstName+" "+c.Billing.MiddleName+" "+c.Billing.LastName), " "))
	if c.Description != nil {
		add(t.Charge.Description, *c.Description)
	}
	add(t.Receipt.Number, c.ID.String())
	return out
}

// method is what was paid with.
func (r Receipt) method() string {
	m := r.Charge.PaymentMethod
	name := text.English.Charges.Brands["none"]
	switch {
	case m.CardMethod != nil && text.English.Charges.Brands[m.Brand] != "":
		name = text.English.Charges.Brands[m.Brand]
	case m.BankMethod != nil:
		name = m.BankName
	}
	return text.English.Charges.Digits(name, m.Last4)
}

// foot is what else a payer may want to know.
func (r Receipt) foot() (out []string) {
	t := text.English.Receipt
	out = append(out, t.Statement(r.Merchant.StatementDescriptor))
	if r.Merchant.Nonprofit && r.Merchant.EIN != nil {
		out = append(out, t.Nonprofit(r.Merchant.Name, *r.Merchant.EIN))
	}
	if r.Charge.Status == charge.Pending {
		out = append(out, t.Waits)
	}
	if !r.Livemode {
		out = append(out, t.Sandbox)
	}
	return out
}
