package requestlog

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"svcpay/internal/instant"
	"svcpay/internal/platform/pg"
	"svcpay/internal/sensitive/redact"
)

// Bounds of what is kept: bodies in bytes, other texts in characters.
const (
	maxRawBody = 64 << 10 // of a body that is looked at
	maxBody    = 8 << 10
	maxPath    = 1024
	maxQuery   = 2048
	maxShort   = 255
	cut        = "…" // ends a text that was cut
)

const insertLogs = `
	INSERT INTO request_logs (id, application_id, client_request_id, key_id, key_name, method, path, query,
		request_body, request_bytes,
		status, error_type, error_code, error_params, response_body, idempotency_key, idempotent_replayed, object_id,
			merchant_id,
		ip, user_agent, took_ms, api_version, created_at)
	SELECT l.id, l.application_id, l.client_request_id, l.key_id, l.key_name, l.method, l.path, l.query, l.request_body,
		l.request_bytes,
		l.status, l.error_type, l.error_code, ARRAY(SELECT jsonb_array_elements_text(l.error_params)), l.response_body,
			l.idempotency_key,
		l.idempotent_replayed, l.object_id, l.merchant_id, l.ip, l.user_agent, l.took_ms, l.api_version, l.created_at
	FROM unnest(@rows::new_request_log[]) AS l
	ON CONFLICT (id) DO NOTHING`

// write inserts entries in one transaction. It need not wait for the disk: an entry may be lost in a crash.
func (s *Service) write(ctx context.Context, batch []Entry) error {
	rows := make([]pg.Args, len(batch))
	for i, e := range batch {
		rows[i] = argsOf(e)
	}
	return pg.InTx(ctx, s.deps.Pool, func(tx *pg.Tx) error {
		if _, err := tx.Exec(ctx, `SELECT set_config('synchronous_commit', 'off', true)`, pg.Args{}); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, insertLogs, pg.Rows(rows))
		return err
	})
}

func argsOf(e Entry) pg.Args {
	l := e.log()
	return pg.Args{
		"id": l.ID, "application_id": e.Actor.ApplicationID, "client_request_id": l.ClientRequestID, "key_id": l.KeyID,
		"key_name": l.KeyName, "method": l.Method, "path": l.Path, "query": l.Query, "request_body": l.RequestBody,
		"request_bytes": l.RequestBytes, "status": l.Status,
		"error_type": l.ErrorType, "error_code": l.ErrorCode, "error_params": l.ErrorParams,
		"response_body":   l.ResponseBody,
		"idempotency_key": l.IdempotencyKey, "idempotent_replayed": l.IdempotentReplayed, "object_id": l.ObjectID,
		"merchant_id": l.MerchantID,
		"ip":          l.IP, "user_agent": l.UserAgent, "took_ms": l.TookMS, "api_version": l.APIVersion,
		"created_at": l.CreatedAt,
	}
}

// log is what is kept of an entry.
func (e Entry) log() Log {
	l := Log{ID: e.Actor.RequestID, ClientRequestID: optional(e.ClientRequestID), KeyID: e.Actor.KeyID,
		KeyName: clean(e.Actor.KeyName, maxShort),
		Method:  clean(e.Method, maxShort), Path: clean(e.Path, maxPath), Query: clean(redact.Query(e.Query), maxQuery),
		RequestBody: body(e.Body), RequestBytes: e.BodyBytes, Status: e.Status, ErrorParams: []string{},
		ResponseBody:   body(e.Answer),
		IdempotencyKey: optional(e.IdempotencyKey), IdempotentReplayed: e.Replayed, ObjectID: optional(e.ObjectID),
		IP: clean(e.IP, maxShort), UserAgent: clean(e.UserAgent, maxShort), TookMS: int(e.Took.Milliseconds()),
		APIVersion: e.APIVersion,
		CreatedAt:  instant.Of(e.At)}
	if f := e.Refusal; f != nil {
		l.ErrorType, l.ErrorCode = optional(e.Type), optional(f.Code)
		for _, field := range f.Fields {
			l.ErrorParams = append(l.ErrorParams, clean(field.Param, maxShort))
		}
		if f.Param != "" && len(f.Fields) == 0 {
			l.ErrorParams = append(l.ErrorParams, clean(f.Param, maxShort))
		}
	}
	if e.MerchantID == 0 {
		e.MerchantID = merchantIn(e.Body)
	}
	// no card number in its place
	if text := strconv.FormatInt(e.MerchantID, 10); e.MerchantID != 0 && redact.Text(text) == text {
		l.MerchantID = &e.MerchantID
	}
	return l
}

// merchantIn is the merchant that a body names, 0 for none.
func merchantIn(text []byte) int64 {
	var named struct {
		MerchantID int64 `json:"merchant_id"`
	}
	if json.Unmarshal(text, &named) != nil || named.MerchantID < 0 {
		return 0
	}
	return named.MerchantID
}

// body is what is kept of a JSON text; nil of anything else.
func body(text []byte) *string {
	shown, ok := redact.JSON(text)
	if !ok {
		return nil
	}
	if len(shown) > maxBody {
		end := maxBody
		for !utf8.RuneStart(shown[end]) {
			end--
		}
		shown = shown[:end] + cut
	}
	return &shown
}

func optional(text string) *string {
	if text == "" {
		return nil
	}
	text = clean(text, maxShort)
	return &text
}

// clean takes out of a short text what no one may see or what cannot be printed, and cuts it.
func clean(text string, most int) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(redact.Text(text), "\uFFFD"))
	if utf8.RuneCountInString(text) > most {
		return string([]rune(text)[:most-1]) + cut
	}
	return text
}
