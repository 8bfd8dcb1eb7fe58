package text

import (
	"strconv"
	"strings"
	"time"

	"svcpay/internal/money"
)

// Format is how a language writes values.
type Format struct {
	Group, Decimal    string // between thousands, and before cents
	Thousand, Million string // after a number that was shortened
	Money             func(number, symbol string) string
	Percent           func(number string) string
	Date, Clock       func(time.Time) string
	Brief             func(time.Time) string // a day of a year that is known
	Span              func(from, until string) string
}

var formatEnglish = Format{
	Group: ",", Decimal: ".", Thousand: "K", Million: "M",
	Money:   func(number, symbol string) string { return symbol + number },
	Percent: func(number string) string { return number + "%" },
	Date:    func(t time.Time) string { return t.Format("Jan 2, 2006") },
	Clock:   func(t time.Time) string { return t.Format("3:04 PM") },
	Brief:   func(t time.Time) string { return t.Format("Jan 2") },
	Span:    func(from, until string) string { return from + " – " + until },
}

// minus is the sign, as wide as a plus.
const minus = "−"

// symbol of the currencies that the service moves; their codes tell them apart.
const symbol = "$"

// Curly writes a message of the API, which has straight apostrophes, like the other texts of a page or a mail.
func Curly(message string) string { return strings.ReplaceAll(message, "'", "’") }

// Number writes a count: 10,000.
func (c *Catalogue) Number(n int64) string { return group(n, c.Format.Group) }

// group writes a count with a sign between its thousands.
func group(n int64, between string) string {
	digits := strings.TrimPrefix(strconv.FormatInt(n, 10), "-")
	var b strings.Builder
	if n < 0 {
		b.WriteString(minus)
	}
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString(between)
		}
		b.WriteRune(d)
	}
	return b.String()
}

// Amount writes minor units with the symbol and without the currency's code: $1,234.56.
func (c *Catalogue) Amount(a money.Amount) string {
	cents := strings.TrimPrefix(strconv.FormatInt(int64(a%100), 10), "-")
	whole := strings.TrimPrefix(c.Number(int64(a/100)), minus)
	out := c.Format.Money(whole+c.Format.Decimal+strings.Repeat("0", 2-len(cents))+cents, symbol)
	if a < 0 {
		return minus + out
	}
	return out
}

// Money writes an amount with its currency's code: $1,234.56 USD.
func (c *Catalogue) Money(a money.Amount, currency money.Currency) string {
	return c.Amount(a) + " " + Code(currency)
}

// Code is the code of a currency as people read it.
func Code(currency money.Currency) string { return strings.ToUpper(string(currency)) }

// Percent writes a rate: 2.5%.
func (c *Catalogue) Percent(p money.Percent) string {
	return c.Format.Percent(strings.Replace(p.String(), ".", c.Format.Decimal, 1))
}

// Short writes a count in few characters, with one place if that is all it takes: 950, 1.5K, 20K, 3M.
func (c *Catalogue) Short(n int64) string {
	size := n
	if size < 0 {
		size = -size
	}
	switch {
	case size < 1_000:
		return c.Number(n)
	case size < 1_000_000:
		return c.tenths(n, 1_000) + c.Format.Thousand
	}
	return c.tenths(n, 1_000_000) + c.Format.Million
}

// tenths writes n / unit, rounded toward zero to a tenth, which is left out if it is none.
func (c *Catalogue) tenths(n, unit int64) string {
	out := c.Number(n / unit)
	tenth := n % unit * 10 / unit
	if tenth == 0 {
		return out
	}
	return out + c.Format.Decimal + strings.TrimPrefix(strconv.FormatInt(tenth, 10), "-")
}

// ShortAmount writes minor units in few characters, without cents: $1.5K.
func (c *Catalogue) ShortAmount(a money.Amount) string {
	out := c.Format.Money(strings.TrimPrefix(c.Short(int64(a/100)), minus), symbol)
	if a/100 < 0 {
		return minus + out
	}
	return out
}

// Time writes a moment as the viewer's clock shows it.
func (v Viewer) Time(t time.Time) string {
	at := t.In(v.Zone)
	return v.Text.Format.Date(at) + ", " + v.Text.Format.Clock(at)
}

// Date writes the day that a moment falls on for the viewer.
func (v Viewer) Date(t time.Time) string { return v.Text.Format.Date(t.In(v.Zone)) }

// Day writes a day given as 2006-01-02, which is the same in every zone; other texts stay as they are.
func (c *Catalogue) Day(text string) string {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return text
	}
	return c.Format.Date(day)
}
