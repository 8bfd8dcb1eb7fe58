package apikey

import (
	"context"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// APIVersion is the version that a new application is pinned to.
const APIVersion = "2026-12-01"

// Application is a program that uses the service.
type Application struct {
	ID         int64        `db:"id" json:"id"` // X-App-ID
	Name       string       `db:"name" json:"name"`
	APIVersion string       `db:"api_version" json:"api_version"`
	CreatedAt  instant.Time `db:"created_at" json:"created_at"`
	Merchants  int64        `db:"merchants" json:"-"`
	// Keys are its secret keys that work.
	Keys int64 `db:"keys" json:"-"`
}

const applicationColumns = `a.id, a.name, a.api_version, a.created_at,
	(SELECT count(*) FROM merchants m WHERE m.application_id = a.id) AS merchants,
	(SELECT count(*) FROM api_keys k WHERE k.application_id = a.id AND k.kind = 'secret' AND k.revoked_at IS NULL
		AND (k.expires_at IS NULL OR k.expires_at > @now)) AS keys`

// Applications returns one page of the applications, the first first.
func (s *Service) Applications(ctx context.Context, actor authz.Actor,
	in page.Input[int64]) (page.Of[Application], error) {
	if err := s.check.Check(actor, authz.ApplicationManage); err != nil {
		return page.Of[Application]{}, err
	}
	return pg.Page(ctx, s.pool, in, `SELECT id, name, api_version, created_at, merchants, keys
		FROM (SELECT `+applicationColumns+` FROM applications a) a WHERE true`,
		pg.Args{"now": s.now()}, func(a Application) Application { return a })
}

// AddApplication registers a program under a name, once per claim. It has no keys yet. Faults: permission_denied, the
// mistake of the name.
func (s *Service) AddApplication(ctx context.Context, actor authz.Actor, name string,
	claim *idempotency.Claim) (out idempotency.Result[Application], err error) {
	about := audit.Subject{Kind: "application", Chain: new(int64)}
	if err := s.audit.Allow(ctx, actor, authz.ApplicationManage, about); err != nil {
		return out, err
	}
	name = strings.TrimSpace(name)
	var fs fault.Fields
	if name == "" {
		check.Required(&fs, "name", false)
	} else {
		check.Text(&fs, "name", &name, 1, maxName)
	}
	if err := fs.Err(); err != nil {
		return out, err
	}
	if actor.ApplicationID == 0 { // a key is an application's, and this is the first
		claim = nil
	}
	now := s.now()
	return idempotency.Once(ctx, s.pool, claim, now, [16]byte{}, func(tx *pg.Tx) (made Application, err error) {
		made = Application{Name: name, APIVersion: APIVersion, CreatedAt: instant.Of(now)}
		if made.ID, err = s.insertApplicationTx(ctx, tx, name, made.CreatedAt.Time); err != nil {
			return made, err
		}
		about.ID = strconv.FormatInt(made.ID, 10)
		return made, s.audit.DoneTx(tx, actor, authz.ApplicationManage, about, nil, made)
	})
}

// CreateApplication adds an application and returns its id, the X-App-ID of its requests.
func (s *Service) CreateApplication(ctx context.Context, name string) (id int64, err error) {
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		id, err = s.insertApplicationTx(ctx, tx, name, s.now())
		return err
	})
	return id, err
}

func (s *Service) insertApplicationTx(ctx context.Context, tx *pg.Tx, name string, now time.Time) (int64, error) {
	id, err := pg.Value[int64](ctx, tx, `
		INSERT INTO applications (name, api_version, created_at) VALUES (@name, @version, @now) RETURNING id`,
		pg.Args{"name": name, "version": APIVersion, "now": now})
	if err == nil && s.begin != nil {
		s.begin(tx, id, now)
	}
	return id, err
}

// BeginWith says what else a new application begins with, queued in the transaction that creates it. It is called while
// the service is wired.
func (s *Service) BeginWith(begin func(tx *pg.Tx, applicationID int64, now time.Time)) {
	s.begin = begin
}
