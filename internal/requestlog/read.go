package requestlog

import (
	"context"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"svcpay/internal/authz"
	"svcpay/internal/fault"
	"svcpay/internal/ids"
	"svcpay/internal/platform/clock"
	"svcpay/internal/platform/idempotency"
	"svcpay/internal/platform/page"
	"svcpay/internal/platform/pg"
)

// columns lists what a Log is read from.
const columns = `id, client_request_id, key_id, key_name, method, path, query, request_body, request_bytes, status,
	error_type, error_code, error_params, response_body, idempotency_key, idempotent_replayed, object_id, merchant_id,
	ip, user_agent, took_ms, api_version, created_at`

// Get returns an entry of the actor's application by its request's id. It follows the request within a
// second. A malformed id, an unknown one and another application's get the same fault.
func (s *Service) Get(ctx context.Context, actor authz.Actor, id string) (Log, error) {
	if err := s.deps.Check.Check(actor, authz.RequestLogRead); err != nil {
		return Log{}, err
	}
	requestID, err := ids.ParseRequest(id)
	if err != nil {
		return Log{}, fault.Missing()
	}
	l, err := pg.Find[Log](ctx, s.deps.Pool, `SELECT `+columns+` FROM request_logs
		WHERE application_id = @application_id AND id = @id`,
		pg.Args{"application_id": actor.ApplicationID, "id": requestID})
	if err != nil {
		return Log{}, err
	}
	merchantID := int64(0) // no merchant's: such entries are for keys that see all
	if l.MerchantID != nil {
		merchantID = *l.MerchantID
	}
	if !actor.Sees(merchantID) {
		return Log{}, fault.Missing()
	}
	return s.shown(actor)(l), nil
}

// shown makes what the actor sees of an entry. Anyone who helps others sees that there was a request and what
// became of it, not what was in it; programs see their own. What was in it is also hidden from those who may not read
// the objects that it was about.
func (s *Service) shown(actor authz.Actor) func(Log) Log {
	content := actor.Role.IsServer() || s.deps.Check.Check(actor, authz.ContentRead) == nil
	return func(l Log) Log {
		if !content {
			l.IP, l.UserAgent = "", ""
		}
		if !content || !s.readsContent(actor, l.Path) {
			l.Query, l.RequestBody, l.ResponseBody = "", nil, nil
		}
		return s.derive(l)
	}
}

// ListInput selects a page of entries; what is not set selects all.
type ListInput struct {
	Page            page.Input[ids.Request]
	Created         page.Times
	Statuses        []int64 // over HTTP
	Methods         []string
	Path            *string // canonical
	Code            *string
	KeyID           *ids.Key
	IdempotencyKey  *string
	ClientRequestID *string
	ObjectID        *string
	Merchants       []int64
}

// List returns one page of the application's entries.
func (s *Service) List(ctx context.Context, actor authz.Actor, in ListInput) (page.Of[Log], error) {
	if err := s.deps.Check.Check(actor, authz.RequestLogRead); err != nil {
		return page.Of[Log]{}, err
	}
	oldest, newest, err := spans.Within(ctx, clock.Unmoved, actor.ApplicationID, in.Created)
	if err != nil {
		return page.Of[Log]{}, err
	}
	return pg.Page(ctx, s.deps.Pool, in.Page, selectPage,
		pg.Args{"application_id": actor.ApplicationID, "from": in.Created.From,
			"until": in.Created.Until, "oldest": oldest, "newest": newest, "statuses": in.Statuses,
			"methods": in.Methods, "path": in.Path, "code": in.Code, "key_id": in.KeyID,
			"idempotency_key": in.IdempotencyKey, "client_request_id": in.ClientRequestID, "object_id": in.ObjectID,
			"merchants": actor.Within(in.Merchants)}, s.shown(actor))
}

// spans are of the ids of requests, which have the same time.
var spans = clock.Spans[ids.Request]{First: ids.FirstRequest, Apart: time.Second}

const selectPage = `SELECT ` + columns + ` FROM request_logs
	WHERE application_id = @application_id
		AND (@statuses::bigint[] IS NULL OR status = ANY (@statuses))
		AND (@methods::text[] IS NULL OR method = ANY (@methods))
		AND (@path::text IS NULL OR path = @path)
		AND (@code::text IS NULL OR error_code = @code)
		AND (@key_id::uuid IS NULL OR key_id = @key_id)
		AND (@idempotency_key::text IS NULL OR idempotency_key = @idempotency_key)
		AND (@client_request_id::text IS NULL OR client_request_id = @client_request_id)
		AND (@object_id::text IS NULL OR object_id = @object_id)
		AND (@merchants::bigint[] IS NULL OR merchant_id = ANY (@merchants))
		AND (@from::timestamptz IS NULL OR created_at >= @from)
		AND (@until::timestamptz IS NULL OR created_at < @until)
		AND (@oldest::uuid IS NULL OR id >= @oldest)
		AND (@newest::uuid IS NULL OR id < @newest)`

// Key returns the outcome of an idempotency key of the actor's application.
func (s *Service) Key(ctx context.Context, actor authz.Actor, key string) (idempotency.Story, error) {
	if err := s.deps.Check.Check(actor, authz.IdempotencyKeyRead); err != nil {
		return idempotency.Story{}, err
	}
	if strings.ContainsFunc(key, func(r rune) bool { return r < '!' || r > '~' }) { // no key is written so
		return idempotency.Story{}, fault.Missing()
	}
	return idempotency.Look(ctx, s.deps.Pool, actor.ApplicationID, key, s.deps.Now())
}

// Purge deletes a batch of the entries whose life is over and says how many those were.
func Purge(ctx context.Context, pool *pgxpool.Pool, now time.Time) (int64, error) {
	return pg.Exec(ctx, pool, `
		DELETE FROM request_logs WHERE id IN (SELECT id FROM request_logs WHERE created_at <= @before
			ORDER BY created_at LIMIT @batch)`,
		pg.Args{"before": now.Add(-Life), "batch": pg.PurgeBatch})
}
