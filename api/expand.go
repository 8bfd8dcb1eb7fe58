package api

import (
	"context"
	"encoding/json"
	"reflect"

	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
)

// reference is an object that records refer to and can be given with them: merchant, next to merchant_id.
type reference struct {
	name string
	// objects reads those of several records at once, one for each; nil where there is none.
	objects func(ctx context.Context, actor authz.Actor, records []any) ([]any, error)
}

// referenceOf makes a reference of the field of records that holds the id, and of a use-case that reads
// the objects of several ids.
func referenceOf[ID comparable, T any](name, field string,
	several func(context.Context, authz.Actor, []ID) (map[ID]T, error)) reference {
	idOf := func(record any) ID { return reflect.ValueOf(record).FieldByName(field).Interface().(ID) }
	return reference{name: name, objects: func(ctx context.Context, actor authz.Actor, records []any) ([]any, error) {
		wanted := make([]ID, len(records))
		for i, r := range records {
			wanted[i] = idOf(r)
		}
		found, err := several(ctx, actor, wanted)
		out := make([]any, len(records))
		for i, id := range wanted {
			if object, ok := found[id]; ok {
				out[i] = object
			}
		}
		return out, err
	}}
}

func (a *API) merchantOf() reference {
	return referenceOf("merchant", "MerchantID", a.Merchants.Several)
}
func (a *API) chargeOf() reference { return referenceOf("charge", "ChargeID", a.Charges.Several) }

// expandable is what an operation can give with its records.
type expandable []reference

// wanted reads which of them the query asks for.
func (rs expandable) wanted(q *query) (out expandable) {
	if len(rs) == 0 {
		return nil
	}
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.name
	}
	for _, name := range q.expand(names...) {
		for _, r := range rs {
			if r.name == name {
				out = append(out, r)
			}
		}
	}
	return out
}

// wantedIn is wanted for an operation whose query holds nothing else.
func (rs expandable) wantedIn(c echo.Context) (expandable, error) {
	if len(rs) == 0 {
		return nil, nil
	}
	q, err := queryOf(c)
	if err != nil {
		return nil, err
	}
	out := rs.wanted(q)
	return out, q.err()
}

// with gives records with the objects that they refer to.
func (rs expandable) with(ctx context.Context, actor authz.Actor, records []any) ([]any, error) {
	if len(rs) == 0 {
		return records, nil
	}
	out := make([]any, len(records))
	for i, r := range records {
		out[i] = expanded{record: r}
	}
	for _, r := range rs {
		objects, err := r.objects(ctx, actor, records)
		if err != nil {
			return nil, err
		}
		for i, object := range objects {
			e := out[i].(expanded)
			e.names, e.objects = append(e.names, r.name), append(e.objects, object)
			out[i] = e
		}
	}
	return out, nil
}

// expanded is a record with objects that it refers to, as further members.
type expanded struct {
	record  any
	names   []string
	objects []any
}

// MarshalJSON puts the objects after the record's own members.
func (e expanded) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(e.record)
	if err != nil {
		return nil, err
	}
	text = text[:len(text)-1]
	for i, name := range e.names {
		object, err := json.Marshal(e.objects[i])
		if err != nil {
			return nil, err
		}
		text = append(append(append(append(text, `,"`...), name...), `":`...), object...)
	}
	return append(text, '}'), nil
}
