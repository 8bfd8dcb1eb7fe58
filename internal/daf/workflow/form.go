package workflow

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"svcpay/internal/check"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/money"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/pg"
)

// Form is what a donor writes: an amount in dollars as people write it, and who he is. Only the amount is required.
type Form struct {
	Amount string
	Donor  provider.Donor
}

// Read checks a form and returns the amount and the donor as they are kept. Mistakes are told at once, each under
// the name of its input, in words for donors.
func (f Form) Read() (money.Amount, provider.Donor, fault.Fields) {
	var fs fault.Fields
	a, err := money.ParseDecimal(f.Amount)
	switch {
	case err != nil:
		fs.Add("amount", "amount_invalid", "Enter an amount in dollars, such as 125.")
	case a%money.Dollar != 0:
		fs.Add("amount", "amount_not_whole", "Funds grant whole dollars only. The nearest amount is "+
			Nearest(a).Dollars()+".")
	case a < MinAmount:
		fs.Add("amount", "amount_too_small", "The smallest grant is "+MinAmount.Dollars()+".")
	case a > MaxAmount:
		fs.Add("amount", "amount_too_large", "The largest grant is "+MaxAmount.Dollars()+".")
	}
	d := f.Donor
	for _, of := range []map[string]textOf{texts, addressTexts} {
		for _, name := range slices.Sorted(maps.Keys(of)) {
			t := of[name]
			value := t.at(&d)
			*value = t.clean(*value)
			checkText(&fs, name, *value, t)
		}
	}
	return a, d, fs
}

// Nearest is the amount of a grant that is nearest to a.
func Nearest(a money.Amount) money.Amount { return min(a.NearestDollar(), MaxAmount) }

// MostOf is how many characters a text of the form may have; 0 for an input that is no text.
func MostOf(input string) int { return max(texts[input].most, addressTexts[input].most) }

func checkText(fs *fault.Fields, name, value string, t textOf) {
	var wrong fault.Fields
	if value != "" {
		check.Prose(&wrong, name, value, t.most)
	}
	switch {
	case len(wrong) > 0 && len([]rune(value)) > t.most:
		fs.Add(name, "text_too_long", fmt.Sprintf("This is too long: at most %d characters.", t.most))
	case len(wrong) > 0:
		fs.Add(name, "text_invalid", "This looks like a card number. Please remove it.")
	case name == "email" && value != "":
		if !mailbox.Valid(value) {
			fs.Add(name, "email_invalid", "Enter an email address such as dana@example.org.")
		}
	}
}

// Save keeps a form of a way that is open. Faults: its mistakes, daf_session_expired, daf_session_ended.
func (s *Service) Save(ctx context.Context, secret string, f Form) error {
	if _, err := s.open(ctx, secret); err != nil {
		return err
	}
	amount, donor, fs := f.Read()
	if err := fs.Err(); err != nil {
		return err
	}
	return ended(pg.Exec(ctx, s.deps.Pool, `
		UPDATE daf_workflows SET amount = @amount, donor = @donor, kind = NULL, fund_id = NULL, fund_name = NULL,
			visit_reference = NULL, visit_id = NULL, visit_address = NULL
		WHERE secret_hash = @hash AND state = 'open'`,
		pg.Args{"hash": hashOf(secret), "amount": amount, "donor": donor}))
}
