package money

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Percent is an exact percentage counted in thousandths of a percent: 2 % is 2000.
// It is written in JSON as a plain number (2, 1.5, 0.125) and in the database as numeric(6,3).
type Percent int64

const (
	percentOne = 1000
	// PercentMax is 100 %.
	PercentMax Percent = 100 * percentOne
)

// ErrPercent is returned for text that is not a number from 0 to 100 with at most three places.
var ErrPercent = errors.New("money: a percentage is a number from 0 to 100 with at most 3 decimal places")

// ParsePercent reads a decimal such as "2", "1.5" or "0.125".
func ParsePercent(s string) (Percent, error) {
	whole, frac, dotted := strings.Cut(s, ".")
	if !digits(whole) || len(whole) > 3 || (dotted && !digits(frac)) || len(strings.TrimRight(frac, "0")) > 3 {
		return 0, ErrPercent
	}
	w, _ := strconv.ParseInt(whole, 10, 64)
	f, _ := strconv.ParseInt((frac + "000")[:3], 10, 64)
	p := Percent(w*percentOne + f)
	if p > PercentMax {
		return 0, ErrPercent
	}
	return p, nil
}

func digits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// Of returns p percent of a, rounded half up to a whole minor unit.
func (p Percent) Of(a Amount) Amount {
	const scale = 100 * percentOne
	return Amount((int64(a)*int64(p) + scale/2) / scale)
}

// String prints the shortest exact decimal: 2, 1.5, 0.125.
func (p Percent) String() string {
	s := fmt.Sprintf("%d.%03d", int64(p)/percentOne, int64(p)%percentOne)
	return strings.TrimRight(strings.TrimRight(s, "0"), ".")
}

// MarshalJSON writes the number without quotes.
func (p Percent) MarshalJSON() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalJSON accepts a plain decimal number and nothing else.
func (p *Percent) UnmarshalJSON(b []byte) error {
	v, err := ParsePercent(string(b))
	if err != nil {
		return err
	}
	*p = v
	return nil
}

// Scan reads a numeric column.
func (p *Percent) Scan(src any) error {
	s, ok := src.(string)
	if !ok {
		return fmt.Errorf("money: cannot scan %T into a percentage", src)
	}
	return p.UnmarshalJSON([]byte(s))
}

// Value writes a numeric column.
func (p Percent) Value() (driver.Value, error) { return p.String(), nil }
