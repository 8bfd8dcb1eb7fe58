// Package instant holds points in time as the API prints them: RFC 3339, UTC, milliseconds.
package instant

import (
	"database/sql/driver"
	"fmt"
	"time"
)

// Layout is the printed form.
const Layout = "2006-01-02T15:04:05.000Z"

// Time is a point in time.
type Time struct{ time.Time }

// Of cuts t to the milliseconds that are kept and printed.
func Of(t time.Time) Time { return Time{t.UTC().Truncate(time.Millisecond)} }

// Ptr is Of for the optional times of a record.
func Ptr(t time.Time) *Time { v := Of(t); return &v }

// MarshalJSON prints three decimals always, so that equal instants have equal texts.
func (t Time) MarshalJSON() ([]byte, error) {
	return []byte(`"` + t.UTC().Format(Layout) + `"`), nil
}

// UnmarshalJSON reads what MarshalJSON prints.
func (t *Time) UnmarshalJSON(b []byte) error {
	v, err := time.Parse(`"`+Layout+`"`, string(b))
	if err != nil {
		return fmt.Errorf("instant: %w", err)
	}
	t.Time = v
	return nil
}

// Scan reads a timestamptz column.
func (t *Time) Scan(src any) error {
	v, ok := src.(time.Time)
	if !ok {
		return fmt.Errorf("instant: cannot scan %T", src)
	}
	*t = Of(v)
	return nil
}

// Value writes a timestamptz column.
func (t Time) Value() (driver.Value, error) { return t.Time, nil }
