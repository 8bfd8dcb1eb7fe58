package instant

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Date is a day as the API prints it: 2026-11-24, the day somewhere rather than a point in time.
type Date string

// DateOf is the day that t shows in its own location.
func DateOf(t time.Time) Date { return Date(t.Format(time.DateOnly)) }

// Value implements driver.Valuer.
func (d Date) Value() (driver.Value, error) { return time.Parse(time.DateOnly, string(d)) }

// Scan reads a date column.
func (d *Date) Scan(src any) error {
	t, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("instant: cannot scan %T into a date", src)
	}
	*d = DateOf(t)
	return nil
}
