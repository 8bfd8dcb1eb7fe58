package identity

import (
	"context"
	"strconv"
	"strings"

	"svcpay/internal/authz"
	"svcpay/internal/check"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/audit"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

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
func (s *Service) Applications(ctx context.Context, actor authz.Actor, in page.Input[int64]) (page.Of[Application], error) {
	if err := s.check.Check(actor, authz.ApplicationManage); err != nil {
		return page.Of[Application]{}, err
	}
	return pg.Page(ctx, s.pool, in, `SELECT id, name, api_version, created_at, merchants, keys FROM (SELECT `+applicationColumns+` FROM applications a) a WHERE true`,
		pg.Args{"now": s.now()}, func(a Application) Application { return a })
}

// mostName is how long an application's name may be, in characters.
const mostName = 100

// AddApplication registers a program under a name, once per claim. It has no keys yet. Faults: permission_denied, the mistake
// of the name.
func (s *Service) AddApplication(ctx context.Context, actor authz.Actor, name string, claim *idempotency.Claim) (out idempotency.Result[Application], err error) {
	about := audit.Subject{Kind: "application", Chain: new(int64)}
	if err := s.audit.Allow(ctx, actor, authz.ApplicationManage, about); err != nil {
		return out, err
	}
	name = strings.TrimSpace(name)
	var fs fault.Fields
	if name == "" {
		check.Required(&fs, "name", false)
	} else {
		check.Text(&fs, "name", &name, 1, mostName)
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
