package identity

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/instant"
	"svcpay/internal/platform/mailbox"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/platform/security"
)

// invitationLife is how long an invitation can be accepted, by the machine's clock.
const invitationLife = 7 * 24 * time.Hour

// invitationAccept is what the audit log calls it when someone takes up a role. It is no permission:
// anyone who has the link may.
const invitationAccept authz.Permission = "invitation:accept"

// Invitation offers someone a role.
type Invitation struct {
	ID    int64       `db:"id" json:"id"`
	Email string      `db:"email" json:"email"`
	Role  authz.Role  `db:"role" json:"role"`
	Scope authz.Scope `db:"scope" json:"scope"`
	// the domain's, or that of its organization
	ApplicationID  *int64        `db:"application_id" json:"application_id"`
	OrganizationID *int64        `db:"organization_id" json:"organization_id"`
	ScopeName      string        `db:"scope_name" json:"scope_name"`
	InvitedBy      string        `db:"invited_by" json:"invited_by"` // a name
	CreatedAt      instant.Time  `db:"created_at" json:"created_at"`
	ExpiresAt      instant.Time  `db:"expires_at" json:"expires_at"`
	AcceptedAt     *instant.Time `db:"accepted_at" json:"accepted_at"`
	WithdrawnAt    *instant.Time `db:"withdrawn_at" json:"withdrawn_at"`
	// Known: someone signs in with this address already, and accepts after they did.
	Known bool `db:"known" json:"-"`
}

// Domain is where the role is offered.
func (i Invitation) Domain() authz.Domain {
	return domainOf(i.Scope, i.ApplicationID, i.OrganizationID)
}

const invitationColumns = `t.id, t.email, t.role, t.scope,
	coalesce(t.application_id, o.application_id) AS application_id, t.organization_id,
	coalesce(o.name, a.name, '') AS scope_name, t.invited_by, t.created_at, t.expires_at, t.accepted_at, t.withdrawn_at,
	EXISTS (SELECT FROM people p WHERE lower(p.email) = lower(t.email)) AS known
	FROM invitations t
	LEFT JOIN organizations o ON o.id = t.organization_id
	LEFT JOIN applications a ON a.id = t.application_id`

// Invited is a new invitation with the text of its link, which no one keeps.
type Invited struct {
	Invitation
	Token string
}

// Inviter sends an invitation on its way, in the transaction that makes it: as a row that is sent later. It
// never calls anybody.
type Inviter func(tx *pg.Tx, i Invited) error

// SendInvitations says how invitations are sent. It is called while the service is wired; without it anyone who
// invites passes the link on.
func (s *Service) SendInvitations(by Inviter) { s.invite = by }

// SendsInvitations reports whether invitations go on their way on their own.
func (s *Service) SendsInvitations() bool { return s.invite != nil }

// NewInvitation describes an offer.
type NewInvitation struct {
	Email  string
	Role   authz.Role
	Domain authz.Domain
}

// Invite offers someone a role in a domain that the actor holds. An offer of before to the same address in
// that domain ends. Faults: the mistakes of the input; permission_denied, role_too_wide; too_many_attempts;
// resource_missing of a domain that is none of the actor's.
func (s *Service) Invite(ctx context.Context, actor authz.Actor, in NewInvitation) (Invited, error) {
	if err := s.mayGrant(ctx, actor, in.Role, in.Domain); err != nil {
		return Invited{}, err
	}
	in.Email = mailbox.Normal(strings.TrimSpace(in.Email))
	var fs fault.Fields
	checkEmail(&fs, in.Email)
	if err := fs.Err(); err != nil {
		return Invited{}, err
	}
	if actor.IsPerson() {
		if err := s.count(ctx, inviteBound, strconv.FormatInt(actor.PersonID, 10)); err != nil {
			return Invited{}, err
		}
		if err := s.count(ctx, invitedBound, strings.ToLower(in.Email)); err != nil {
			return Invited{}, err
		}
	}
	out := Invited{Token: newSecret()}
	now := instant.Of(s.now())
	args := grantArgs(in.Domain)
	args["hash"], args["email"], args["role"], args["by"] = digest(out.Token), in.Email, in.Role,
		cmp.Or(actor.PersonName, "SvcPay support")
	args["now"], args["until"], args["inviter"] = now, now.Add(invitationLife), actor.PersonID
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		if err := heldTx(ctx, tx, actor, in.Domain); err != nil {
			return err
		}
		if err := s.withdrawOpenTx(ctx, tx, actor, args); err != nil {
			return err
		}
		id, err := pg.Value[int64](ctx, tx, `
			INSERT INTO invitations (token_hash, email, role, scope, application_id, organization_id, invited_by,
				inviter_id, created_at, expires_at)
			VALUES (@hash, @email, @role, @scope, @application, @organization, @by, nullif(@inviter::bigint, 0), @now,
				@until) RETURNING id`, args)
		if err != nil {
			return err
		}
		if out.Invitation, err = pg.One[Invitation](ctx, tx, `SELECT `+invitationColumns+` WHERE t.id = @id`,
			pg.Args{"id": id}); err != nil {
			return err
		}
		if s.invite != nil {
			if err := s.invite(tx, out); err != nil {
				return err
			}
		}
		return s.invitedTx(tx, actor, Invitation{}, out.Invitation)
	})
	if pg.Violated(err) == "invitations_open" {
		err = fault.New(fault.KindConflict, "invitation_in_progress", "Someone else is already inviting this person.")
	}
	return out, s.refused(ctx, actor, in.Domain, aboutTeam("team", in.Domain.String(), in.Domain, actor.ApplicationID),
		err)
}

// withdrawOpenTx withdraws the open invitations of the same address to the same place, because a new one replaces them.
func (s *Service) withdrawOpenTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, args pg.Args) error {
	ended, err := pg.All[offerID](ctx, tx, `
		UPDATE invitations SET withdrawn_at = @now
		WHERE lower(email) = lower(@email) AND scope = @scope AND application_id IS NOT DISTINCT FROM @application
			AND organization_id IS NOT DISTINCT FROM @organization AND accepted_at IS NULL AND withdrawn_at IS NULL
		RETURNING id`,
		pg.Args{"now": args["now"], "email": args["email"], "scope": args["scope"], "application": args["application"],
			"organization": args["organization"]})
	if err != nil {
		return err
	}
	return s.endedTx(ctx, tx, actor, ended)
}

// invitedTx queues that someone made or withdrew an invitation.
func (s *Service) invitedTx(tx *pg.Tx, actor authz.Actor, before, after Invitation) error {
	p := authz.TeamManage
	if after.Scope == authz.ScopeSystem {
		p = authz.SystemUserManage
	}
	about := aboutTeam("invitation", strconv.FormatInt(after.ID, 10), after.Domain(), actor.ApplicationID)
	if before.ID == 0 {
		return s.audit.DoneTx(tx, actor, p, about, nil, after)
	}
	return s.audit.DoneTx(tx, actor, p, about, before, after)
}

type offerID struct {
	ID int64 `db:"id"`
}

// endedTx queues that offers which the transaction withdrew ended because of something else that someone did.
func (s *Service) endedTx(ctx context.Context, tx *pg.Tx, actor authz.Actor, ended []offerID) error {
	for _, one := range ended {
		after, err := pg.One[Invitation](ctx, tx, `SELECT `+invitationColumns+` WHERE t.id =
			@id`, pg.Args{"id": one.ID})
		if err != nil {
			return err
		}
		before := after
		before.WithdrawnAt = nil
		if err := s.invitedTx(tx, actor, before, after); err != nil {
			return err
		}
	}
	return nil
}

// Invitations returns one page of the offers that are open in the actor's team.
func (s *Service) Invitations(ctx context.Context, actor authz.Actor,
	in page.Input[int64]) (page.Of[Invitation], error) {
	if err := s.check.Check(actor, authz.TeamRead); err != nil {
		return page.Of[Invitation]{}, err
	}
	args := reach(actor)
	args["now"] = s.now()
	return pg.Page(ctx, s.pool, in, `
		SELECT * FROM (SELECT `+invitationColumns+` WHERE true`+inReach+`) offers
		WHERE accepted_at IS NULL AND withdrawn_at IS NULL
			AND expires_at > @now`, args, func(i Invitation) Invitation { return i })
}

// Withdraw ends an offer of the actor's team. One that was accepted or withdrawn stays as it is.
func (s *Service) Withdraw(ctx context.Context, actor authz.Actor, id int64) (Invitation, error) {
	if err := s.check.Check(actor, authz.TeamRead); err != nil {
		return Invitation{}, err
	}
	args := reach(actor)
	args["id"] = id
	i, err := pg.Find[Invitation](ctx, s.pool, `SELECT `+invitationColumns+` WHERE t.id = @id`+inReach, args)
	if err != nil {
		return Invitation{}, err
	}
	if err := s.mayGrant(ctx, actor, i.Role, i.Domain()); err != nil {
		return Invitation{}, err
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) error {
		if err := heldTx(ctx, tx, actor, i.Domain()); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `
			UPDATE invitations SET withdrawn_at = @now WHERE id = @id AND accepted_at IS NULL AND withdrawn_at IS NULL`,
			pg.Args{"now": s.now(), "id": id})
		if err != nil || n == 0 {
			return err
		}
		before := i
		i.WithdrawnAt = instant.Ptr(s.now())
		return s.invitedTx(tx, actor, before, i)
	})
	return i, s.refused(ctx, actor, i.Domain(), aboutTeam("team", i.Domain().String(), i.Domain(), actor.ApplicationID),
		err)
}

var errInvitation = fault.New(fault.KindGone, "invitation_ended",
	"This invitation has expired, was taken back or has been accepted. Ask for a new one.")

// FindInvitation returns an offer by the text of its link, if it can still be accepted; else the fault
// invitation_ended, which is notified of an unknown text too.
func (s *Service) FindInvitation(ctx context.Context, text string) (Invitation, error) {
	i, err := s.openInvitation(ctx, s.pool, text)
	if err != nil {
		s.events.Outcome(ctx, security.Link, authz.Actor{}, "", err)
	}
	return i, err
}

func (s *Service) openInvitation(ctx context.Context, q pg.Querier, text string) (Invitation, error) {
	i, err := pg.One[Invitation](ctx, q, `SELECT `+invitationColumns+`
		WHERE t.token_hash = @hash AND t.accepted_at IS NULL AND t.withdrawn_at IS NULL AND t.expires_at > @now`,
		pg.Args{"hash": digest(text), "now": s.now()})
	return i, pg.Or(err, errInvitation)
}

// Acceptance is what someone new says of themselves.
type Acceptance struct {
	Name     string
	Password string
}

// Accept takes up an offer to someone new, who can sign in from then on. Faults: the mistakes of the
// input; invitation_ended; sign_in_first for an address that someone signs in with already.
func (s *Service) Accept(ctx context.Context, text string, in Acceptance) (personID int64, err error) {
	i, err := s.FindInvitation(ctx, text)
	if err != nil {
		return 0, err
	}
	if i.Known {
		return 0, errSignInFirst
	}
	hash, err := NewPerson{Email: i.Email, Name: in.Name, Password: in.Password}.check(ctx)
	if err != nil {
		return 0, err
	}
	err = pg.InTx(ctx, s.pool, func(tx *pg.Tx) (err error) {
		personID, err = pg.Value[int64](ctx, tx, `
			INSERT INTO people (email, name, password_hash, created_at) VALUES (@email, @name, @hash, @now)
				RETURNING id`,
			pg.Args{"email": i.Email, "name": in.Name, "hash": hash, "now": s.now()})
		if err != nil {
			return err
		}
		return s.acceptTx(ctx, tx, text, Person{ID: personID, Name: in.Name, Email: i.Email})
	})
	if pg.Violated(err) == "people_by_email" { // they accepted another one in the meantime
		err = errSignInFirst
	}
	s.events.Outcome(ctx, security.Link, authz.Actor{PersonID: personID}, "", err)
	return personID, err
}

var errSignInFirst = fault.New(fault.KindConflict, "sign_in_first",
	"You already have an account with this email address. Sign in, then accept.")

// AcceptAs takes up an offer to someone who is signed in. Their sessions end, as their rights change.
// Faults: invitation_ended, also for an offer to another address.
func (s *Service) AcceptAs(ctx context.Context, text string, p Person) error {
	err := pg.InTx(ctx, s.pool, func(tx *pg.Tx) error { return s.acceptTx(ctx, tx, text, p) })
	s.events.Outcome(ctx, security.Link, p.actor(), "", err)
	return err
}

// acceptTx gives a person what the offer holds, once.
func (s *Service) acceptTx(ctx context.Context, tx *pg.Tx, text string, p Person) error {
	now := instant.Of(s.now())
	n, err := tx.Exec(ctx, `
		UPDATE invitations SET accepted_at = @now
		WHERE token_hash = @hash AND accepted_at IS NULL AND withdrawn_at IS NULL AND expires_at > @now
			AND lower(email) = lower(@email)`,
		pg.Args{"now": now, "hash": digest(text), "email": p.Email})
	if err = pg.Hit(n, err, errInvitation); err != nil {
		return err
	}
	i, err := pg.One[Invitation](ctx, tx, `SELECT `+invitationColumns+` WHERE t.token_hash =
		@hash`, pg.Args{"hash": digest(text)})
	if err != nil {
		return err
	}
	grantID, err := giveTx(ctx, tx, p.ID, i.Role, i.Domain(), now)
	if err != nil {
		return err
	}
	endSessionsTx(tx, p.ID)
	actor := authz.Actor{Role: i.Role, PersonID: p.ID, PersonName: p.Name, Granted: i.Domain()}
	if i.ApplicationID != nil {
		actor.ApplicationID = *i.ApplicationID
	}
	about := aboutTeam("grant", strconv.FormatInt(grantID, 10), i.Domain(), actor.ApplicationID)
	return s.audit.DoneTx(tx, actor, invitationAccept, about, nil, i)
}
