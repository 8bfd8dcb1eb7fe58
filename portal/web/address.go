package web

import (
	"net/url"
	"path"
	"strconv"
	"strings"

	"svcpay/internal/fault"
)

// LocalPath returns the address if it is one of the portal's own pages, else the home page. An address that a
// browser could read as another host, or as more than it seems, is not one of them.
func LocalPath(address string) string {
	u, err := url.Parse(address)
	switch {
	case err != nil, u.IsAbs(), u.Host != "", u.Opaque != "", strings.ContainsAny(address, "\\\t\r\n"):
		return Home
	case u.Path != Home && !strings.HasPrefix(u.Path, Home+"/"), path.Clean(u.Path) != u.Path:
		return Home
	}
	return u.RequestURI()
}

// WithQuery is an address with a query; without one, the path alone.
func WithQuery(path string, values url.Values) string {
	if len(values) == 0 {
		return path
	}
	return path + "?" + values.Encode()
}

// Number reads a numeric id of the address; anything else is the fault of an object that is missing.
func Number(text string) (int64, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
		return 0, fault.Missing()
	}
	return n, nil
}
