package audit

import (
	"context"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// ListInput selects a page of the log; what is not set selects all that the actor may see.
type ListInput struct {
	Page        page.Input[ids.AuditEntry]
	Created     page.Times
	People      []int64
	Who         *string // part of the actor's name, in letters of either case
	Permissions []string
	Outcomes    []string
	SubjectID   *string
	MerchantID  *int64 // what was done with that merchant, or with something of it
	RequestID   *ids.Request
	// Chains are applications, 0 for the deployment itself. Only people of the deployment see other chains
	// than that of their application.
	Chains []int64
}

// Get returns an entry that the actor may see. A malformed id, an unknown one and one that is not for the
// actor get the same fault.
func (l *Log) Get(ctx context.Context, a authz.Actor, id string) (Entry, error) {
	if err := l.Check(a, authz.AuditRead); err != nil {
		return Entry{}, err
	}
	entryID, err := ids.ParseAuditEntry(id)
	if err != nil {
		return Entry{}, fault.Missing()
	}
	var chains []int64
	if a.Domain().Scope != authz.ScopeSystem {
		chains = []int64{a.ApplicationID}
	}
	e, err := pg.Find[Entry](ctx, l.pool, `SELECT `+columns+` FROM audit_entries WHERE id = @id AND `+seen,
		pg.Args{"id": entryID, "chains": chains, "organization": optional(a.OrganizationID), "mine": a.Within(nil)})
	return e.shownTo(a), err
}

// seesOperators reports whether an actor sees which operator ran a command. Names of the deployment's accounts and
// machines are not for tenants.
func seesOperators(a authz.Actor) bool { return a.Domain().Scope == authz.ScopeSystem }

// shownTo leaves out what an actor doesn't see of an entry.
func (e Entry) shownTo(a authz.Actor) Entry {
	if e.ActorKind == Command && !seesOperators(a) {
		e.ActorName = ""
	}
	return e
}

// List returns one page of the log: to people of the deployment everything, to those of an application
// what concerns it, to those of an organization what its people did or were refused, and what others did
// with its merchants.
func (l *Log) List(ctx context.Context, a authz.Actor, in ListInput) (page.Of[Entry], error) {
	if err := l.Check(a, authz.AuditRead); err != nil {
		return page.Of[Entry]{}, err
	}
	if a.Domain().Scope != authz.ScopeSystem {
		in.Chains = []int64{a.ApplicationID}
	}
	found, err := pg.Page(ctx, l.pool, in.Page, selectPage,
		pg.Args{"chains": in.Chains, "organization": optional(a.OrganizationID),
			"mine": a.Within(nil), "people": in.People, "who": in.Who, "operators": seesOperators(a), "permissions": in.Permissions,
			"outcomes": in.Outcomes, "subject": in.SubjectID,
			"merchant": in.MerchantID, "request": in.RequestID, "from": in.Created.From, "until": in.Created.Until},
		func(e Entry) Entry { return e.shownTo(a) })
	return found, pg.TooMany(err)
}

// seen selects what an actor may see of some chains; nil are all.
const seen = `(@chains::bigint[] IS NULL OR application_id = ANY (@chains))
		AND (@organization::bigint IS NULL OR organization_id = @organization OR outcome = 'done'
			AND merchant_id = ANY (@mine::bigint[]))`

const selectPage = `SELECT ` + columns + ` FROM audit_entries
	WHERE ` + seen + `
		AND (@people::bigint[] IS NULL OR person_id = ANY (@people))
		AND (@who::text IS NULL OR strpos(lower(actor_name), lower(@who)) > 0
			AND (@operators OR actor_kind <> 'command'))
		AND (@permissions::text[] IS NULL OR permission = ANY (@permissions))
		AND (@outcomes::text[] IS NULL OR outcome = ANY (@outcomes))
		AND (@subject::text IS NULL OR subject_id = @subject)
		AND (@merchant::bigint IS NULL OR merchant_id = @merchant)
		AND (@request::uuid IS NULL OR request_id = @request)
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)`
