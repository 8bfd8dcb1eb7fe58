package identity

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/platform/pg"
)

// Concern is what someone should hear of: it asks for a permission, and happened somewhere.
type Concern struct {
	Permission    authz.Permission
	ApplicationID int64
	MerchantID    int64  // 0 if it is no merchant's
	Mail          string // the kind of its mail: who turned it off is left out
}

// Reader is someone whom a mail is written to.
type Reader struct {
	Email, Name string
	Zone        string // their time zone by its name; "" for none in particular
}

// concerned is someone with a role where something happened, or above.
type concerned struct {
	PersonID int64       `db:"person_id"`
	Email    string      `db:"email"`
	Name     string      `db:"name"`
	Zone     string      `db:"time_zone"`
	Role     authz.Role  `db:"role"`
	Scope    authz.Scope `db:"scope"`
	ScopeID  int64       `db:"scope_id"`
	Muted    bool        `db:"muted"`
}

// ConcernedTx lists who should hear of something: those who hold its permission in the merchant's organization; if
// there is no one in it who does, in the application; and failing that, in the deployment. So people hear of what is
// theirs to do, and nothing stays unheard.
func (s *Service) ConcernedTx(ctx context.Context, tx *pg.Tx, c Concern) ([]Reader, error) {
	rows, err := pg.All[concerned](ctx, tx, `
		SELECT g.person_id, p.email, p.name, p.time_zone, g.role, g.scope, coalesce(g.application_id, g.organization_id,
			0) AS scope_id,
			@mail = ANY (p.muted_mails) AS muted
		FROM grants g JOIN people p ON p.id = g.person_id
		WHERE g.scope = 'system' OR g.application_id = @application_id
			OR g.organization_id = (SELECT m.organization_id FROM merchants m WHERE m.application_id = @application_id
				AND m.id = @merchant_id)
		ORDER BY g.person_id, g.id`,
		pg.Args{"mail": c.Mail, "application_id": c.ApplicationID, "merchant_id": c.MerchantID})
	if err != nil {
		return nil, err
	}
	for _, scope := range []authz.Scope{authz.ScopeOrganization, authz.ScopeApplication, authz.ScopeSystem} {
		if readers, held := s.readersIn(rows, scope, c.Permission); held {
			return readers, nil
		}
	}
	return nil, nil
}

// readersIn are those who hold a permission by a role of one scope, each once; held reports whether someone does, even
// if all of them turned the mails off.
func (s *Service) readersIn(rows []concerned, scope authz.Scope, p authz.Permission) (readers []Reader, held bool) {
	last := int64(0)
	for _, r := range rows {
		acting := authz.Actor{Role: r.Role, PersonID: r.PersonID, Granted: authz.Domain{Scope: r.Scope, ID: r.ScopeID}}
		if r.Scope != scope || s.check.Check(acting, p) != nil {
			continue
		}
		held = true
		if !r.Muted && r.PersonID != last {
			readers = append(readers, Reader{Email: r.Email, Name: r.Name, Zone: r.Zone})
			last = r.PersonID
		}
	}
	return readers, held
}

// ContactOf returns a person, or for 0 the first person with a permission in a merchant's organization. The name and
// the address are empty if there is none.
func (s *Service) ContactOf(ctx context.Context, c Concern, personID int64) (Reader, error) {
	rows, err := pg.All[concerned](ctx, s.pool, `
		SELECT p.id AS person_id, p.email, p.name, p.time_zone, g.role, g.scope, g.organization_id AS scope_id,
			false AS muted
		FROM grants g JOIN people p ON p.id = g.person_id
			JOIN merchants m ON m.organization_id = g.organization_id AND m.application_id = @application_id
				AND m.id = @merchant_id
		WHERE @person::bigint = 0 OR p.id = @person ORDER BY p.id, g.id`,
		pg.Args{"application_id": c.ApplicationID, "merchant_id": c.MerchantID, "person": personID})
	if err != nil {
		return Reader{}, err
	}
	readers, _ := s.readersIn(rows, authz.ScopeOrganization, c.Permission)
	return append(readers, Reader{})[0], nil
}
