// Package sandbox is the test-mode provider of bank sign-in: it knows a few banks and customers, and shows their
// accounts. The customer who signs in determines the outcome. It sees only what the port passes to it and shares no
// transaction with the service.
package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/banklink/institution"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive"
)

// visitLife is how long a customer may take, and how long his accounts can be asked for.
const visitLife = 45 * time.Minute

// PagesPath is where the pages of visits are, below the host of the deployment.
const PagesPath = "/sandbox/bank/visits/"

// Banks are the sandbox's banks.
type Banks struct {
	pool    *pgxpool.Pool
	machine func() time.Time
}

var _ institution.Institutions = (*Banks)(nil)

// New makes the banks over their own table.
func New(pool *pgxpool.Pool, machine func() time.Time) *Banks { return &Banks{pool, machine} }

// PagesOrigin implements institution.Institutions: the pages are of our own host.
func (b *Banks) PagesOrigin() string { return "" }

// directory has the banks by name. None of them exists.
var directory = []institution.Institution{
	{ID: "bank_alder", Name: "Alder Mutual Bank", Website: "alder-mutual.example"},
	{ID: "bank_bluewater", Name: "Bluewater Savings", Website: "bluewater.example"},
	{ID: "bank_cascade", Name: "Cascade Credit Union", Website: "cascade-cu.example"},
	{ID: "bank_dogwood", Name: "Dogwood Federal", Website: "dogwood.example"},
	{ID: "bank_evenfall", Name: "Evenfall Trust", Website: "evenfall.example"},
	{ID: "bank_foxglove", Name: "Foxglove Bank", Website: "foxglove.example"},
	{ID: "bank_harbor", Name: "Harbor Light Credit Union", Website: "harbor-light.example"},
	{ID: "bank_juniper", Name: "Juniper National", Website: "juniper.example"},
	{ID: "bank_prairie", Name: "Prairie State Bank", Website: "prairie-state.example"},
	{ID: "bank_stonebridge", Name: "Stonebridge Savings & Loan", Website: "stonebridge.example"},
}

// Search implements institution.Institutions.
func (b *Banks) Search(_ context.Context, query string, most int) ([]institution.Institution, error) {
	query = strings.ToLower(strings.TrimSpace(query))
	found := []institution.Institution{}
	for _, i := range directory {
		if len(found) < most && strings.Contains(strings.ToLower(i.Name+" "+i.Website), query) {
			found = append(found, i)
		}
	}
	return found, nil
}

// Find implements institution.Institutions.
func (b *Banks) Find(_ context.Context, id string) (institution.Institution, error) {
	i := slices.IndexFunc(directory, func(one institution.Institution) bool { return one.ID == id })
	if i < 0 {
		return institution.Institution{}, institution.ErrNotFound
	}
	return directory[i], nil
}

// Visit implements institution.Institutions.
func (b *Banks) Visit(ctx context.Context, v institution.Visit) (institution.Pages, error) {
	if _, err := b.Find(ctx, v.InstitutionID); err != nil {
		return institution.Pages{}, err
	}
	id, err := pg.Value[string](ctx, b.pool, `
		INSERT INTO sandbox_bank_visits AS v (id, reference, institution_id, return_address, state, step, created_at)
		VALUES (@id, @reference, @institution, @return, 'open', 'sign_in', @now)
		ON CONFLICT (reference) DO UPDATE SET reference = v.reference RETURNING id`,
		pg.Args{"id": strings.ToLower(rand.Text()), "reference": v.Reference, "institution": v.InstitutionID,
			"return": v.Return, "now": b.machine()})
	if err != nil {
		return institution.Pages{}, wrapped(err)
	}
	return institution.Pages{VisitID: id, Address: PagesPath + id}, nil
}

// Result implements institution.Institutions.
func (b *Banks) Result(ctx context.Context, visitID string) (institution.Result, error) {
	v, err := b.visit(ctx, visitID)
	if err != nil {
		return institution.Result{}, err
	}
	out := institution.Result{State: v.State}
	if v.State == institution.VisitShown {
		for _, a := range v.persona().accounts {
			out.Accounts = append(out.Accounts,
				institution.Account{Key: a.key, Name: a.name, Type: a.kind, Last4: a.number[len(a.number)-4:]})
		}
	}
	return out, nil
}

// Details implements institution.Institutions.
func (b *Banks) Details(ctx context.Context, visitID, key string) (institution.Details, error) {
	v, err := b.visit(ctx, visitID)
	if err != nil {
		return institution.Details{}, err
	}
	who := v.persona()
	i := slices.IndexFunc(who.accounts, func(a bankAccount) bool { return a.key == key })
	if v.State != institution.VisitShown || i < 0 {
		return institution.Details{}, institution.ErrNotFound
	}
	a := who.accounts[i]
	return institution.Details{Routing: routing, Number: sensitive.NewAccountNumber(a.number), Type: a.kind,
		FirstName: who.first, LastName: who.last, Email: who.Username}, nil
}

// visit is a row; a visit whose time is over has failed if it was open.
type visit struct {
	ID            string                 `db:"id"`
	InstitutionID string                 `db:"institution_id"`
	ReturnAddress string                 `db:"return_address"`
	State         institution.VisitState `db:"state"`
	Step          Step                   `db:"step"`
	Username      string                 `db:"username"`
	Tries         int                    `db:"tries"`
	CreatedAt     time.Time              `db:"created_at"`
}

func (v visit) persona() Persona {
	p, _ := personaOf(v.Username)
	return p
}

func (b *Banks) visit(ctx context.Context, id string) (visit, error) {
	v, err := pg.One[visit](ctx, b.pool, `
		SELECT id, institution_id, return_address, state, step, username, tries, created_at FROM sandbox_bank_visits
			WHERE id = @id`, pg.Args{"id": id})
	switch {
	case errors.Is(err, pg.ErrNone):
		return v, institution.ErrNotFound
	case err != nil:
		return v, wrapped(err)
	}
	if !b.machine().Before(v.CreatedAt.Add(visitLife)) {
		v.State, v.Step = institution.VisitFailed, Over
	}
	return v, nil
}

func wrapped(err error) error { return fmt.Errorf("sandbox bank: %w", err) }
