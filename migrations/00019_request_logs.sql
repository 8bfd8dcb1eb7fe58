-- +goose Up
-- What applications asked for and what they were told, for 30 days. Rows follow their requests within a
-- second and may be missing after a crash or under great load: nothing is decided by them.
CREATE TABLE request_logs (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    client_request_id text,
    key_id uuid NOT NULL,
    key_name text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    query text NOT NULL,
    request_body text CHECK (length(request_body) <= 8193),
    request_bytes integer NOT NULL,
    status integer NOT NULL CHECK (status BETWEEN 100 AND 599),
    error_type text,
    error_code text,
    error_params text[] NOT NULL,
    response_body text CHECK (length(response_body) <= 8193),
    idempotency_key text,
    idempotent_replayed boolean NOT NULL,
    object_id text,
    merchant_id bigint,
    ip text NOT NULL,
    user_agent text NOT NULL,
    took_ms integer NOT NULL,
    api_version text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX request_logs_by_application ON request_logs (application_id, id);
CREATE INDEX request_logs_by_key ON request_logs (application_id, idempotency_key, id) WHERE idempotency_key IS NOT NULL;
CREATE INDEX request_logs_by_client_id ON request_logs (application_id, client_request_id, id) WHERE client_request_id IS NOT NULL;
CREATE INDEX request_logs_by_object ON request_logs (application_id, object_id, id) WHERE object_id IS NOT NULL;
CREATE INDEX request_logs_by_merchant ON request_logs (application_id, merchant_id, id) WHERE merchant_id IS NOT NULL;
CREATE INDEX request_logs_by_age ON request_logs (created_at);
