package web

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/daf"
	"svcpay/internal/fault"
	"svcpay/views/text"
	"svcpay/views/ui"
)

// IfAllowed drops the error of a part of a page that the visitor may not see: the page is shown without it.
func IfAllowed(err error) error {
	if f, ok := fault.As(err); ok && (f.Kind == fault.KindForbidden || f.Kind == fault.KindNotFound) {
		return nil
	}
	return err
}

// Options are values that a filter or a form offers, in their order, with their names.
func Options[T ~string](values []T, names map[string]string) (out []ui.Option) {
	for _, v := range values {
		out = append(out, ui.Option{Value: string(v), Label: cmp.Or(names[string(v)], string(v))})
	}
	return out
}

// Exported is the address of a list as CSV; "" for a visitor who may not export.
func Exported(c *Request, path string) string {
	if !c.May(authz.ExportCreate) {
		return ""
	}
	return path
}

// soon is how many days before the end a dispute is urgent.
const soon = 3

// DueIn says by when a dispute is to be answered, and how urgent that is.
func DueIn(c *Request, by, now time.Time) (string, ui.Tone) {
	t, zone := c.Text().Disputes, c.Viewer().Zone
	if !now.Before(by) {
		return t.Over, ui.Neutral
	}
	midnight := func(at time.Time) time.Time {
		y, m, d := at.In(zone).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	}
	left := int(midnight(by).Sub(midnight(now)).Hours() / 24)
	if left <= soon {
		return t.DueIn(left), ui.Danger
	}
	return t.DueIn(left), ui.Warning
}

// Donor names who gave.
func Donor(t *text.Catalogue, d daf.Donation) string {
	return cmp.Or(strings.TrimSpace(d.User.FirstName+" "+d.User.LastName), t.Donations.Nobody)
}

// Joined puts details of one line after each other; empty ones are left out.
func Joined(details ...string) string {
	return strings.Join(slices.DeleteFunc(details, func(d string) bool { return d == "" }), " · ")
}

// EndpointHost is the host that an address names; all of it if that cannot be told.
func EndpointHost(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	return u.Host
}
