package api

import (
	"context"
	"reflect"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/platform/page"
)

const (
	defaultLimit = 20
	maxLimit     = 100
)

// list is the envelope of every list. Next and Previous are the ids to pass as starting_after and
// ending_before; null where the list ends.
type list struct {
	Object   string  `json:"object"`
	Data     any     `json:"data"`
	HasMore  bool    `json:"has_more"`
	Next     *string `json:"next"`
	Previous *string `json:"previous"`
	URL      string  `json:"url"`
}

// lists makes a handler of a use-case that reads a page: read takes the query apart, with
// [pageOf] and the methods of query for the filters. The records can be given with what they refer to.
func lists[In, T any](read func(*query) In, call func(context.Context, authz.Actor, In) (page.Of[T], error),
	refs ...reference) handler {
	return listsOf(read, func(ctx context.Context, actor authz.Actor, _ string, in In) (page.Of[T], error) {
		return call(ctx, actor, in)
	}, refs...)
}

// listsOf is lists for what belongs to the object in the path, as GET /api/x/:id/y has it.
func listsOf[ID idType, In, T any](read func(*query) In,
	call func(context.Context, authz.Actor, ID, In) (page.Of[T], error), refs ...reference) handler {
	run := func(c echo.Context, req *request) (reply, error) {
		q, err := queryOf(c)
		if err != nil {
			return reply{}, err
		}
		in, wanted := read(q), expandable(refs).wanted(q)
		if err := q.err(); err != nil {
			return reply{}, err
		}
		p, err := call(c.Request().Context(), req.actor, objectID[ID](c), in)
		if err != nil {
			return reply{}, err
		}
		l := listOf(q, canonicalPath(c), p)
		if len(wanted) > 0 {
			records := make([]any, len(p.Items))
			for i, item := range p.Items {
				records[i] = item
			}
			l.Data, err = wanted.with(c.Request().Context(), req.actor, records)
		}
		return reply{object: l}, err
	}
	return handler{produces: producesJSON, queries: true, isList: true, run: run}
}

func listOf[T any](q *query, path string, p page.Of[T]) list {
	l := list{Object: "list", Data: p.Items, HasMore: p.HasMore, URL: path}
	if len(p.Items) == 0 {
		return l
	}
	first, last := cursorOf(p.Items[0]), cursorOf(p.Items[len(p.Items)-1])
	// HasMore speaks of the direction that was asked for; in the other lies the cursor.
	backwards := q.values.Has(endingBefore)
	if backwards || p.HasMore {
		l.Next = &last
	}
	if (backwards && p.HasMore) || q.values.Has(startingAfter) {
		l.Previous = &first
	}
	return l
}

// cursorOf is what a page may begin after: a record's own cursor, or its printed id.
func cursorOf(record any) string {
	if r, ok := record.(interface{ Cursor() string }); ok {
		return r.Cursor()
	}
	id, _ := reply{object: reflect.Indirect(reflect.ValueOf(record)).Interface()}.name()
	return id
}
