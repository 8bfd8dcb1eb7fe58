package calendar

import (
	"fmt"
	"sync"
	"time"
)

var zones sync.Map // name → *time.Location: loading one reads and parses a file

// Zone returns the time zone of that IANA name.
func Zone(name string) (*time.Location, error) {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location), nil
	}
	z, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" {
		return nil, fmt.Errorf("calendar: there is no time zone %q", name)
	}
	zones.Store(name, z)
	return z, nil
}
