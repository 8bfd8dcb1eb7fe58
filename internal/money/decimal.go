package money

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// Dollar is one unit of a currency with cents.
const Dollar Amount = 100

// ErrDecimal is returned for text that is not an amount as people write it.
var ErrDecimal = errors.New("money: an amount is a number with at most 2 decimal places, such as 1,250.00")

// decimal is a number with at most nine digits before the point, grouped by commas or not.
var decimal = regexp.MustCompile(`^([0-9]{1,9}|[0-9]{1,3}(?:,[0-9]{3}){1,2})(?:\.([0-9]{1,2}))?$`)

// ParseDecimal reads an amount as people in North America write it: 1250, 1,250.00, $12.5.
func ParseDecimal(s string) (Amount, error) {
	found := decimal.FindStringSubmatch(strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "$")))
	if found == nil {
		return 0, ErrDecimal
	}
	whole, err := strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64)
	if err != nil {
		return 0, ErrDecimal
	}
	cents, err := strconv.ParseInt((found[2] + "00")[:2], 10, 64)
	if err != nil {
		return 0, ErrDecimal
	}
	return Amount(whole)*Dollar + Amount(cents), nil
}

// Decimal writes an amount for people: 1,234.56.
func (a Amount) Decimal() string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	return fmt.Sprintf("%s%s.%02d", sign, grouped(a/Dollar), int64(a%Dollar))
}

// Dollars writes an amount of dollars for people, without cents if there are none: $1,234.56, $1,250.
func (a Amount) Dollars() string {
	switch {
	case a < 0:
		return "-" + (-a).Dollars()
	case a%Dollar != 0:
		return "$" + a.Decimal()
	}
	return "$" + grouped(a/Dollar)
}

func grouped(a Amount) string {
	text := strconv.FormatInt(int64(a), 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// NearestDollar is the amount of whole dollars that is nearest to a, half up, and at least one.
func (a Amount) NearestDollar() Amount { return max((a+Dollar/2)/Dollar*Dollar, Dollar) }
