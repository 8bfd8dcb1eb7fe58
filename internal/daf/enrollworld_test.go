package daf_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"svcpay/internal/daf"
	"svcpay/internal/daf/provider"
	"svcpay/internal/merchant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/testing/fixture"
)

// directory is the sandbox's provider with calls about organizations that a test plays with.
type directory struct {
	provider.Provider

	mu    sync.Mutex
	calls []provider.Enrollment
	// before and after stand around each enrollment; an error of theirs is the call's.
	before, after func(provider.Enrollment) error
	down          bool
	asked         int // how often an organization was asked for
	// looked is called once, when an organization is asked for next.
	looked func()
}

var errDown = errors.New("the provider is down")

func (d *directory) Organization(ctx context.Context, ein string) (provider.Organization, error) {
	d.mu.Lock()
	down, looked := d.down, d.looked
	d.looked = nil
	d.asked++
	d.mu.Unlock()
	if looked != nil {
		looked()
	}
	if down {
		return provider.Organization{}, errDown
	}
	return d.Provider.Organization(ctx, ein)
}

func (d *directory) Enroll(ctx context.Context, e provider.Enrollment) (string, error) {
	d.mu.Lock()
	before, after := d.before, d.after
	d.calls = append(d.calls, e)
	d.mu.Unlock()
	if before != nil {
		if err := before(e); err != nil {
			return "", err
		}
	}
	id, err := d.Provider.Enroll(ctx, e)
	if err == nil && after != nil {
		err = after(e)
	}
	return id, err
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
	d := &directory{Provider: w.Funds}
	deps := w.DAF.Deps()
	deps.Provider = d
	return enrolling{w, d, daf.New(deps)}
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
	o, err := w.Funds.Organization(t.Context(), ein)
	if err != nil {
		o.Name = "Whoever"
	}
	return w.daf.Enroll(t.Context(), w.OrganizationAdmin(), daf.EnrollInput{MerchantID: id, EIN: ein, Name: o.Name})
}

// told are the events of a merchant, by what they say was before.
func (w enrolling) told(t testing.TB, id int64) []map[string]any {
	t.Helper()
	type row struct {
		Previous map[string]any `db:"previous_attributes"`
	}
	rows, err := pg.All[row](t.Context(), w.Pool, `SELECT previous_attributes FROM events
		WHERE object_id = @id AND type = 'merchant.updated' ORDER BY position`,
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

// connection is the id by which the provider knows an organization that it has taken in.
func (w enrolling) connection(t testing.TB, ein string) string {
	t.Helper()
	id, err := pg.Value[string](t.Context(), w.Pool, `SELECT connect_id FROM sandbox_daf_enrollments
		WHERE ein = @ein`, pg.Args{"ein": ein})
	if err != nil {
		t.Fatal(err)
	}
	return id
}
