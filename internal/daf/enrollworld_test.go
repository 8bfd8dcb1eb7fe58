package daf_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/fault"
	"svcpay/internal/fixture"
	"svcpay/internal/merchant"
	"svcpay/internal/pg"
)

func ptr[T any](v T) *T { return &v }

// directory is a provider of whom only organizations are asked for.
type directory struct {
	provider.Provider

	mu      sync.Mutex
	entries map[string]provider.Organization
	taken   map[string]string // connection by EIN
	calls   []provider.Enrollment
	// before and after stand around each enrollment; an error of theirs is the call's.
	before, after func(provider.Enrollment) error
	down          bool
}

var errDown = errors.New("the provider is down")

func (d *directory) Name() string { return "directory" }

func (d *directory) Organization(_ context.Context, ein string) (provider.Organization, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.down {
		return provider.Organization{}, errDown
	}
	o, ok := d.entries[ein]
	if !ok {
		return o, provider.ErrNotFound
	}
	return o, nil
}

func (d *directory) Enroll(_ context.Context, e provider.Enrollment) (string, error) {
	d.mu.Lock()
	before, after := d.before, d.after
	d.calls = append(d.calls, e)
	d.mu.Unlock()
	if before != nil {
		if err := before(e); err != nil {
			return "", err
		}
	}
	d.mu.Lock()
	if _, ok := d.entries[e.EIN]; !ok {
		d.mu.Unlock()
		return "", provider.ErrNotFound
	}
	d.taken[e.EIN] = "conn_" + e.EIN
	d.mu.Unlock()
	if after != nil {
		if err := after(e); err != nil {
			return "", err
		}
	}
	return "conn_" + e.EIN, nil
}

func (d *directory) plan(before, after func(provider.Enrollment) error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.before, d.after = before, after
}

const (
	foodBank = "04-3567500"
	lapsed   = "13-1313130"
	league   = "52-6000400"
	foreign  = "98-0123456"
	good     = "20-2000000"
)

// enrolling is a world whose merchants can be enrolled.
type enrolling struct {
	*fixture.World
	directory *directory
	daf       *daf.Service
}

func enrollWorld(t *testing.T) enrolling {
	t.Helper()
	w := fixture.New(t)
	d := &directory{entries: map[string]provider.Organization{}, taken: map[string]string{}}
	add := func(ein, name, country, subsection string, standing bool) {
		d.entries[ein] = provider.Organization{EIN: ein, Name: name, Country: country, Subsection: subsection, GoodStanding: standing}
	}
	add(foodBank, "Riverside Food Bank Inc", "US", "3", true)
	add(lapsed, "Lapsed Lantern Society", "US", "3", false)
	add(league, "Civic League of Marlow", "US", "4", true)
	add(foreign, "Maple Relief Foundation", "CA", "3", true)
	add(good, "Neighborhood Fund No. 00", "US", "3", true)
	service := *w.DAF
	service.Provider = d
	return enrolling{w, d, &service}
}

// charityOf makes a nonprofit merchant in the US; ein "" is none.
func (w enrolling) charityOf(ein string) merchant.Merchant {
	in := merchant.CreateInput{Nonprofit: ptr(true)}
	if ein != "" {
		in.EIN = &ein
	}
	return w.Merchant(in)
}

func (w enrolling) get(t testing.TB, id int64) merchant.Merchant {
	t.Helper()
	m, err := w.Merchants.Find(t.Context(), w.App.AppID, id)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// enroll looks an EIN up and confirms what is found.
func (w enrolling) enroll(t testing.TB, id int64, ein string) (daf.Enrollment, error) {
	t.Helper()
	name := w.directory.entries[ein].Name
	if name == "" {
		name = "Whoever"
	}
	return w.daf.Enroll(t.Context(), w.OrganizationAdmin(), daf.EnrollInput{MerchantID: id, EIN: ein, Name: name})
}

// told are the events of a merchant, by what they say was before.
func (w enrolling) told(t testing.TB, id int64) []map[string]any {
	t.Helper()
	type row struct {
		Previous map[string]any `db:"previous_attributes"`
	}
	rows, err := pg.All[row](t.Context(), w.Pool, `SELECT previous_attributes FROM events WHERE object_id = @id AND type = 'merchant.updated' ORDER BY position`,
		pg.Args{"id": merchant.ObjectID(id)})
	if err != nil {
		t.Fatal(err)
	}
	out := []map[string]any{}
	for _, r := range rows {
		out = append(out, r.Previous)
	}
	return out
}

func code(err error) string {
	f, ok := fault.As(err)
	if !ok {
		return ""
	}
	return f.Code
}
