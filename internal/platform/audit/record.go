package audit

import (
	"cmp"
	"context"
	"encoding/json"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
)

// Allow authorizes an actor who wants to change something: nil, or the fault permission_denied, which is
// then written down at once, whatever becomes of the caller. Programs are refused without a trace here:
// the request log has theirs.
func (l *Log) Allow(ctx context.Context, a authz.Actor, p authz.Permission, s Subject) error {
	err := l.Check(a, p)
	if !fault.HasCode(err, "permission_denied") || isProgram(a) {
		return err
	}
	return l.Refuse(ctx, a, p, s, err)
}

// Refuse writes down that an actor was refused what the permission alone would allow, at once and whatever becomes of
// the caller, and returns the refusal. Programs are refused without a trace here.
func (l *Log) Refuse(ctx context.Context, a authz.Actor, p authz.Permission, s Subject, refusal error) error {
	if isProgram(a) {
		return refusal
	}
	failed := pg.InTx(context.WithoutCancel(ctx), l.pool, func(tx *pg.Tx) error {
		return l.recordTx(tx, l.entry(a, p, s, Denied, empty, empty))
	})
	if failed != nil { // a refusal that no one hears of is none
		return failed
	}
	return refusal
}

// Failed writes down, at once and whatever becomes of the caller, that something of ours kept an actor from what the
// permission allows. It is written of programs, too: an operator must look.
func (l *Log) Failed(ctx context.Context, a authz.Actor, p authz.Permission, s Subject, what any) error {
	return pg.InTx(context.WithoutCancel(ctx), l.pool, func(tx *pg.Tx) error { return l.FailedTx(tx, a, p, s, what) })
}

// FailedTx is Failed in a transaction.
func (l *Log) FailedTx(tx *pg.Tx, a authz.Actor, p authz.Permission, s Subject, what any) error {
	_, is, err := difference(nil, what)
	if err != nil {
		return err
	}
	return l.recordTx(tx, l.entry(a, p, s, Denied, empty, is))
}

// AllowAll is Allow of several permissions, each of which is needed.
func (l *Log) AllowAll(ctx context.Context, a authz.Actor, needed []authz.Permission, s Subject) error {
	for _, p := range needed {
		if err := l.Allow(ctx, a, p, s); err != nil {
			return err
		}
	}
	return nil
}

// DoneTx queues that an actor used a permission, in the transaction that does it, as its last lock. Of
// before and after, which are the same kind of object or nil, what differs is kept; a change that changed
// nothing is none. Both nil is something that leaves no trace in an object of ours.
func (l *Log) DoneTx(tx *pg.Tx, a authz.Actor, p authz.Permission, s Subject, before, after any) error {
	if !kept(a, p) {
		return nil
	}
	was, is, err := difference(before, after)
	if err != nil || before != nil && after != nil && was == empty && is == empty {
		return err
	}
	return l.recordTx(tx, l.entry(a, p, s, Done, was, is))
}

// Done writes down, in a transaction of its own, that an actor used a permission whose use changes nothing.
func (l *Log) Done(ctx context.Context, a authz.Actor, p authz.Permission, s Subject, what any) error {
	return pg.InTx(ctx, l.pool, func(tx *pg.Tx) error { return l.DoneTx(tx, a, p, s, nil, what) })
}

// entry is what is written of an actor and a subject.
func (l *Log) entry(a authz.Actor, p authz.Permission, s Subject, o Outcome, before, after string) Entry {
	now := l.now()
	e := Entry{ID: ids.NewAuditEntry(now), ApplicationID: a.ApplicationID,
		OrganizationID: optional(cmp.Or(s.OrganizationID, a.OrganizationID)),
		MerchantID:     optional(s.MerchantID), ActorKind: Command, ActorName: a.Operator,
		PersonID: optional(a.PersonID), KeyID: optional(a.KeyID), RequestID: optional(a.RequestID),
		Address: optional(a.Address.Unmap().WithZone("")), Role: a.Role, Viewer: a.Viewer, Domain: a.Domain().String(),
		Permission: p, SubjectKind: s.Kind, SubjectID: s.ID, Outcome: o, Before: json.RawMessage(before),
		After:     json.RawMessage(after),
		CreatedAt: instant.Of(now)}
	if s.Chain != nil {
		e.ApplicationID = *s.Chain
	}
	if !named.MatchString(s.ID) {
		e.SubjectID = ""
	}
	switch {
	case a.IsPerson():
		e.ActorKind, e.ActorName = Person, a.PersonName
	case isProgram(a):
		e.ActorKind, e.ActorName = Key, a.KeyName
	}
	return e
}

// optional is a value; nil of a zero one.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// recordTx queues an entry at the end of its chain. The chain's row is held until the transaction ends:
// so the entries' order is that of the commits, and there are no gaps.
func (l *Log) recordTx(tx *pg.Tx, e Entry) error {
	content, err := e.content()
	if err != nil {
		return err
	}
	args := pg.Args{"start": start[:], "content": content, "id": e.ID, "application_id": e.ApplicationID,
		"organization_id": e.OrganizationID, "merchant_id": e.MerchantID, "actor_kind": e.ActorKind,
		"person_id": e.PersonID, "key_id": e.KeyID, "actor_name": e.ActorName, "role": e.Role, "viewer": e.Viewer,
		"domain": e.Domain, "permission": e.Permission, "subject_kind": e.SubjectKind, "subject_id": e.SubjectID,
		"outcome": e.Outcome, "before": e.Before, "after": e.After, "request_id": e.RequestID, "address": e.Address,
		"now": e.CreatedAt}
	if l.mac == nil {
		args["mac_key"] = nil
		tx.Later(`WITH chain AS (
			INSERT INTO audit_chains AS c (application_id, position, hash)
			VALUES (@application_id, 1, sha256(@start::bytea || @content::bytea))
			ON CONFLICT (application_id) DO UPDATE SET position = c.position + 1, hash = sha256(c.hash || @content)
			RETURNING application_id, position, hash)`+insertEntry, args)
		return nil
	}
	key := int64(l.mac.Key())
	e.MACKey = &key
	secret, err := l.entryKey(e)
	if err != nil {
		return err
	}
	args["mac_key"] = key
	args["inner"], args["outer"] = pads(secret)
	tx.Later(`WITH chain AS (
		INSERT INTO audit_chains AS c (application_id, position, hash)
		VALUES (@application_id, 1, sha256(@outer::bytea || sha256(@inner::bytea || @start::bytea || @content::bytea)))
		ON CONFLICT (application_id) DO UPDATE SET position = c.position + 1,
			hash = sha256(@outer || sha256(@inner || c.hash || @content))
		RETURNING application_id, position, hash)`+insertEntry, args)
	return nil
}

// insertEntry writes an entry at the end of the chain that the statement before it moved.
const insertEntry = `
	INSERT INTO audit_entries (id, application_id, organization_id, merchant_id, actor_kind, person_id, key_id,
		actor_name, role, viewer, domain, permission, subject_kind, subject_id, outcome, before, after, request_id,
		address, created_at, position, hash, mac_key)
	SELECT @id, chain.application_id, @organization_id, @merchant_id, @actor_kind, @person_id, @key_id, @actor_name,
		@role, @viewer, @domain, @permission, @subject_kind, @subject_id, @outcome, @before, @after, @request_id,
		@address, @now, chain.position, chain.hash, @mac_key
	FROM chain`
