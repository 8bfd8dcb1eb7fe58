package web

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/instant"
	"svcpay/internal/money"
)

// Numeral is a number that may be missing, as a cell has it.
func Numeral(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}

// Named is something that may be missing, as a cell has it.
func Named[T fmt.Stringer](of *T) string {
	if of == nil {
		return ""
	}
	return (*of).String()
}

// Said is a value as people read it: a text without its quotes, nothing for null.
func Said(value json.RawMessage) string {
	var words string
	if json.Unmarshal(value, &words) == nil {
		return words
	}
	return string(value)
}

// Indented is an object as the API says it, to be read.
func Indented(of any) string {
	out, err := json.MarshalIndent(of, "", "  ")
	if err != nil {
		return "" // what the API says can be written
	}
	return string(out)
}

// Units writes an amount for a spreadsheet: 1234.56.
func Units(a money.Amount) string { return strings.ReplaceAll(a.Decimal(), ",", "") }

// Stamp writes a moment for a spreadsheet, in UTC.
func Stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// StampAt is a moment that may not be there, as a sheet has it.
func StampAt(at *instant.Time) string {
	if at == nil {
		return ""
	}
	return Stamp(at.Time)
}

// Whole writes a number without grouping.
func Whole(n int64) string { return strconv.FormatInt(n, 10) }

// Deref is what a pointer points at, or the zero value.
func Deref[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
