package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/platform/idempotency"
)

// handler serves one operation. The functions of this file and of lists.go make handlers of
// use-cases.
type handler struct {
	run func(echo.Context, *request) (reply, error)
	// produces are the content types of a success, best first. Errors are always JSON.
	produces []string
	// sandbox: there is no such route in production.
	sandbox bool
	// queries: run reads the query itself; of all others any parameter there is refused.
	queries bool
	// public: anyone who asks is answered, without credentials.
	public bool
	// isList: the response is a page of a list.
	isList bool
	// takes is how many bytes of a body run reads at most; 0 for none.
	takes int
	// versioned: run passes req.ifVersion on; of all others If-Match is refused.
	versioned bool
}

// public is a handler that asks for no credentials.
func public(h handler) handler {
	h.public = true
	return h
}

// versioned is a handler of a change that may be bound to the version that the caller read, by If-Match.
func versioned(h handler) handler {
	h.versioned = true
	return h
}

// sandboxOnly is a handler that production does not have.
func sandboxOnly(h handler) handler {
	h.sandbox = true
	return h
}

const (
	mediaJSON      = "application/json"
	idempotencyKey = "Idempotency-Key" // the header
)

var producesJSON = []string{mediaJSON}

// idType is what use-cases take as the id in the path: a text, or the integer of a merchant.
type idType interface{ string | int64 }

// Shapes of the calls that handlers are made of.
type (
	createCall[In, T any] func(context.Context, authz.Actor, In,
		*idempotency.Claim) (idempotency.Result[T], error)
	changeCall[ID idType, In, T any] func(context.Context, authz.Actor, ID, In,
		*idempotency.Claim) (idempotency.Result[T], error)
	bodyCall[In any] func(echo.Context, *request, In, *idempotency.Claim) (reply, error)
	uploadCall       func(context.Context, *request, *query, upload, *idempotency.Claim) (reply, error)
	documentCall     func(context.Context, *request, string, *query) (reply, error)
)

// input is a pointer to the body's struct that can tell its own mistakes.
type input[In any] interface {
	*In
	validator
}

// nothing is the body of an action that takes no parameters.
type nothing struct{}

// Validate finds no mistakes.
func (nothing) Validate() fault.Fields { return nil }

// bare is a use-case without parameters as one whose parameters are nothing.
func bare[ID idType, T any](call func(context.Context, authz.Actor, ID,
	*idempotency.Claim) (idempotency.Result[T], error)) changeCall[ID, nothing, T] {
	return func(ctx context.Context, actor authz.Actor, id ID, _ nothing,
		claim *idempotency.Claim) (idempotency.Result[T], error) {
		return call(ctx, actor, id, claim)
	}
}

// creates makes a handler of a use-case that makes an object in the collection with that path.
func creates[In, T any, P input[In]](path string, call createCall[In, T]) handler {
	return withBody[In, P](body{},
		func(c echo.Context, req *request, in In, claim *idempotency.Claim) (reply, error) {
			out, err := call(c.Request().Context(), req.actor, in, claim)
			return made(http.StatusCreated, path, out), err
		})
}

// handleID makes a handler of a use-case about the object in the path, as PUT /api/x/:id has it.
func handleID[ID idType, In, T any, P input[In]](call changeCall[ID, In, T]) handler {
	return changing[ID, In, T, P](body{}, call)
}

// updates is handleID for a merge update of a record T. A member of T that In does not take is refused
// as one that cannot be changed, and the update may be bound to a version.
func updates[ID idType, In, T any, P input[In]](call changeCall[ID, In, T]) handler {
	var record T
	var in In
	readOnly := fieldsOf(reflect.ValueOf(record))
	for name := range fieldsOf(reflect.ValueOf(in)) {
		delete(readOnly, name)
	}
	return versioned(changing[ID, In, T, P](body{readOnly: slices.Sorted(maps.Keys(readOnly))}, call))
}

// act is handleID for actions whose body may be left out: no bytes at all count as {}.
func act[ID idType, In, T any, P input[In]](call changeCall[ID, In, T]) handler {
	return changing[ID, In, T, P](body{optional: true}, call)
}

// erase makes a handler of a use-case that deletes the object in the path. It has no body, and does
// not look at one.
func erase[ID idType, In, T any](call changeCall[ID, In, T]) handler {
	return handler{produces: producesJSON, run: func(c echo.Context, req *request) (reply, error) {
		claim, err := claimWith(c, req, map[string]string{}, "", "")
		if err != nil {
			return reply{}, err
		}
		var in In
		return makeChange(c, req, call, in, claim)
	}}
}

// asks makes a handler of a question about the object in the path that is put in a body. It takes no
// idempotency key.
func asks[ID idType, In any, P input[In], T any](call func(context.Context, authz.Actor, ID, In) (T, error)) handler {
	return handler{produces: producesJSON, takes: maxBody, run: func(c echo.Context, req *request) (reply, error) {
		in, err := readInput[In, P](c, req, body{})
		if err != nil {
			return reply{}, err
		}
		object, err := call(c.Request().Context(), req.actor, objectID[ID](c), in.in)
		return reply{object: object}, err
	}}
}

// changing makes a handler of a use-case that changes the object in the path, with a body of that form.
func changing[ID idType, In, T any, P input[In]](form body, call changeCall[ID, In, T]) handler {
	return withBody[In, P](form,
		func(c echo.Context, req *request, in In, claim *idempotency.Claim) (reply, error) {
			return makeChange(c, req, call, in, claim)
		})
}

// makeChange calls a use-case that changes the object in the path. If-Match, of a handler that is [versioned], becomes
// the field IfVersion of its input.
func makeChange[ID idType, In, T any](c echo.Context, req *request, call changeCall[ID, In, T], in In,
	claim *idempotency.Claim) (reply, error) {
	if req.ifVersion != nil {
		reflect.ValueOf(&in).Elem().FieldByName("IfVersion").Set(reflect.ValueOf(req.ifVersion))
	}
	out, err := call(c.Request().Context(), req.actor, objectID[ID](c), in, claim)
	return made(http.StatusOK, "", out), err
}

// withBody makes a handler with a body: strict decoding, all mistakes at once, then the claim of the idempotency key,
// so that a bad request never burns a key.
func withBody[In any, P input[In]](form body, call bodyCall[In]) handler {
	return handler{produces: producesJSON, takes: maxBody, run: func(c echo.Context, req *request) (reply, error) {
		in, err := readInput[In, P](c, req, form)
		if err != nil {
			return reply{}, err
		}
		claim, err := claimOf(c, req, in.raw, in.body, reflect.TypeFor[In]())
		if err != nil {
			return reply{}, err
		}
		return call(c, req, in.in, claim)
	}}
}

// body says what is special about a JSON body.
type body struct {
	optional bool // no bytes at all count as {}
	// readOnly are members that are known, but cannot be sent.
	readOnly []string
}

// bodyOf is a body that was read without a mistake, with what it was read from.
type bodyOf[In any] struct {
	in   In
	raw  map[string]jsontext.Value
	body []byte
}

func readInput[In any, P input[In]](c echo.Context, req *request, form body) (out bodyOf[In], err error) {
	if out.body, err = readJSON(c.Request(), form.optional); err != nil {
		return out, err
	}
	req.body = out.body
	if out.raw, err = members(out.body); err != nil {
		return out, err
	}
	in := P(&out.in)
	if s, ok := any(in).(screener); ok {
		if err := s.Screen(slices.Sorted(maps.Keys(out.raw))); err != nil {
			return out, err
		}
	}
	var fs fault.Fields
	rest := withoutFixed(&fs, out.raw, form.readOnly)
	return out, append(mistakes(rest, in), fs...).Err()
}

// upload is a body that is no JSON.
type upload struct {
	media   string // one of those that the operation takes
	content []byte
}

// uploads makes a handler of a use-case that takes a file of at most limit bytes and one of some
// content types. Further parameters stand in the query; call ends reading them with q.err.
func uploads(limit int, types []string, call uploadCall) handler {
	run := func(c echo.Context, req *request) (reply, error) {
		file, err := readFile(c.Request(), limit, types)
		if err != nil {
			return reply{}, err
		}
		q, err := queryOf(c)
		if err != nil {
			return reply{}, err
		}
		sum := sha256.Sum256(file.content)
		params := map[string]string{"file": hex.EncodeToString(sum[:8])}
		of := func(query string) string { return query + "\n" + file.media + "\n" + string(sum[:]) }
		claim, err := claimWith(c, req, params, of(c.Request().URL.RawQuery), of(q.values.Encode()))
		if err != nil {
			return reply{}, err
		}
		return call(c.Request().Context(), req, q, file, claim)
	}
	return handler{produces: producesJSON, queries: true, takes: limit, run: run}
}

// documents makes a handler of a use-case whose answer is a file in one of some content types;
// req.media is the one that the caller prefers.
func documents(types []string, call documentCall) handler {
	return handler{produces: types, queries: true, run: func(c echo.Context, req *request) (reply, error) {
		q, err := queryOf(c)
		if err != nil {
			return reply{}, err
		}
		return call(c.Request().Context(), req, pathID(c), q)
	}}
}

// get makes a handler of a use-case that reads the object in the path.
// It can be given with what it refers to.
func get[ID idType, T any](call func(context.Context, authz.Actor, ID) (T, error), refs ...reference) handler {
	return handler{produces: producesJSON, queries: len(refs) > 0,
		run: func(c echo.Context, req *request) (reply, error) {
			wanted, err := expandable(refs).wantedIn(c)
			if err != nil {
				return reply{}, err
			}
			object, err := call(c.Request().Context(), req.actor, objectID[ID](c))
			if err != nil {
				return reply{}, err
			}
			out, err := wanted.with(c.Request().Context(), req.actor, []any{object})
			if err != nil {
				return reply{}, err
			}
			return reply{object: out[0]}, nil
		}}
}

// getOnly makes a handler of a use-case that reads the one object of its kind.
func getOnly[T any](call func(context.Context, authz.Actor) (T, error)) handler {
	return get(func(ctx context.Context, actor authz.Actor, _ string) (T, error) { return call(ctx, actor) })
}

// getBy makes a handler of a use-case that answers a question put in the query.
func getBy[In, T any](read func(*query) In, call func(context.Context, authz.Actor, In) (T, error)) handler {
	return getWith(read, func(ctx context.Context, actor authz.Actor, _ string, in In) (T, error) {
		return call(ctx, actor, in)
	})
}

// getWith makes a handler of a use-case that reads the object in the path as the query asks for it.
func getWith[In, T any](read func(*query) In, call func(context.Context, authz.Actor, string, In) (T, error)) handler {
	return handler{produces: producesJSON, queries: true, run: func(c echo.Context, req *request) (reply, error) {
		q, err := queryOf(c)
		if err != nil {
			return reply{}, err
		}
		in := read(q)
		if err := q.err(); err != nil {
			return reply{}, err
		}
		object, err := call(c.Request().Context(), req.actor, pathID(c), in)
		return reply{object: object}, err
	}}
}

var errKey = fault.Invalid("idempotency_key_invalid", "An Idempotency-Key is 1 to 255 visible ASCII characters.")

// claimOf makes the claim of a request with a JSON body that carries an Idempotency-Key; nil
// without one. in is the type of the input that the body was read into.
func claimOf(c echo.Context, req *request, raw map[string]jsontext.Value, body []byte,
	in reflect.Type) (*idempotency.Claim, error) {
	if len(c.Request().Header.Values(idempotencyKey)) == 0 {
		return nil, nil
	}
	sent := jsontext.Value(body).Clone()
	if err := sent.Canonicalize(); err != nil {
		return nil, errBody
	}
	means := normal(raw, in)
	params := make(map[string]string, len(means))
	for name, value := range means {
		sum := sha256.Sum256(value)
		params[name] = hex.EncodeToString(sum[:8])
	}
	return claimWith(c, req, params, string(sent), string(joinedMembers(means)))
}

// claimWith makes a claim of the digests of parameters and of everything, in addition to method, path and version, by
// which requests differ: in the bytes that were sent, and in what they mean.
func claimWith(c echo.Context, req *request, params map[string]string, sent, means string) (*idempotency.Claim, error) {
	keys := c.Request().Header.Values(idempotencyKey)
	if len(keys) == 0 {
		return nil, nil
	}
	if len(keys) > 1 || !validKey(keys[0]) {
		return nil, errKey
	}
	req.key = keys[0]
	method, path, more := c.Request().Method, canonicalPath(c), ""
	if wanted := joined(c.Request().Header, "If-Match"); wanted != "" {
		params["If-Match"], more = wanted, "\nIf-Match: "+wanted
	}
	// what a key does for some merchants is not what another does for all
	if limits := req.actor.Within(nil); limits != nil {
		more += fmt.Sprint("\nmerchants: ", slices.Sorted(slices.Values(limits)))
	}
	digest := func(body string) [sha256.Size]byte {
		return sha256.Sum256([]byte(method + "\n" + path + "\n" + req.version + "\n" + body + more))
	}
	return &idempotency.Claim{
		ApplicationID: req.actor.ApplicationID, Key: keys[0], Method: method, Path: path,
		Fingerprint: digest(sent), Meaning: digest(means), Params: params, RequestID: req.id,
	}, nil
}

func validKey(key string) bool {
	return key != "" && len(key) <= maxKeySize &&
		!strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' })
}
