package search

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/charge"
	"svcpay/internal/daf"
	"svcpay/internal/dispute"
	"svcpay/internal/fault"
	"svcpay/internal/merchant"
	"svcpay/internal/payout"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
	"svcpay/internal/refund"
	"svcpay/internal/token"
)

// Deps are what the service works with.
type Deps struct {
	Pool      *pgxpool.Pool
	Merchants *merchant.Service
	Tokens    *token.Service
	Charges   *charge.Service
	Refunds   *refund.Service
	Disputes  *dispute.Service
	Payouts   *payout.Service
	Donations *daf.Service
	Check     authz.Checker
}

// Service finds objects.
type Service struct{ deps Deps }

// New makes the service.
func New(d Deps) *Service { return &Service{d} }

// Input asks for a page of what a query finds.
type Input struct {
	Query Query
	Page  page.Input[Ref]
}

// Found is an object of any kind as the API shows it.
type Found struct {
	ID string
	// Object is the record of its own package: a charge.Charge, a refund.Refund, …
	Object any
	record json.RawMessage
}

// MarshalJSON gives the object.
func (f Found) MarshalJSON() ([]byte, error) { return f.record, nil }

// Find finds objects of several kinds, newest first unless the page ascends; merchants, whose ids tell no
// time, stand above all others. What was written before is found. Kinds that the actor may not read are
// left out; if that leaves none, the first is reported as denied.
func (s *Service) Find(ctx context.Context, actor authz.Actor, in Input) (page.Of[Found], error) {
	none := page.Of[Found]{Items: []Found{}}
	if err := s.deps.Check.Check(actor, authz.SearchRead); err != nil {
		return none, err
	}
	kinds, err := authz.Readable(s.deps.Check, actor, in.Query.kinds)
	if len(kinds) == 0 {
		return none, err
	}
	refs, err := s.refs(ctx, actor, kinds, in)
	if err != nil {
		if pg.IsSlow(err) {
			err = errTooBroad
		}
		return none, err
	}
	out := page.Of[Found]{Items: make([]Found, len(refs.Items)), HasMore: refs.HasMore}
	for i, r := range refs.Items {
		if out.Items[i], err = objects[r.kind].show(ctx, s.deps, actor, r.id); err != nil {
			return none, err
		}
	}
	return out, nil
}

// errTooBroad refuses what would take too long to find.
var errTooBroad = fault.Refused("search_too_broad",
	"Too many objects had to be looked at. Add a term that fewer objects have, such as last4, external_id or a rarer word.").On("q")

// refs finds the ids of one page, over all kinds.
func (s *Service) refs(ctx context.Context, actor authz.Actor, kinds []string, in Input) (out page.Of[Ref], err error) {
	query, err := s.withUnfolded(ctx, actor.ApplicationID, in.Query)
	if err != nil {
		return out, err
	}
	f := finder{Query: query, q: s.deps.Pool, applicationID: actor.ApplicationID, seen: actor.Within(nil),
		in: page.Input[[16]byte]{Limit: in.Page.Limit, Ascending: in.Page.Ascending, After: in.Page.After.id,
			Before: in.Page.Before.id}}
	var rows []Ref
	more := false
	for _, kind := range kinds {
		p, err := objects[kind].find(f, ctx)
		if err != nil {
			return out, err
		}
		for _, h := range p.Items {
			rows = append(rows, Ref{kind, h.ID})
		}
		more = more || p.HasMore
	}
	slices.SortFunc(rows, func(a, b Ref) int {
		if !f.in.Up() {
			a, b = b, a
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
	out = page.Cut(in.Page, rows)
	out.HasMore = out.HasMore || more
	return out, nil
}

// show reads an object as its own flow shows it.
func show[T any](ctx context.Context, actor authz.Actor, id string, get getter[T]) (Found, error) {
	object, err := get(ctx, actor, id)
	if err != nil {
		return Found{}, err
	}
	record, err := json.Marshal(object)
	return Found{ID: id, Object: object, record: record}, err
}
