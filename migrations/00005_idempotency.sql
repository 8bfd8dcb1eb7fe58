-- +goose Up
-- One row a key. state claimed: the work is under way, object_id is where to resume it;
-- accepted: its caller was told to wait; done: result (a success) or refusal (a fault) is the answer for good.
CREATE TABLE idempotency_keys (
    application_id bigint NOT NULL REFERENCES applications (id),
    key text NOT NULL,
    method text NOT NULL,
    path text NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    param_hashes jsonb NOT NULL,
    state text NOT NULL CHECK (state IN ('claimed', 'accepted', 'done')),
    object_id uuid,
    result bytea,
    refusal bytea,
    request_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, key),
    CHECK ((state = 'done') = (result IS NOT NULL OR refusal IS NOT NULL)),
    CHECK (result IS NULL OR refusal IS NULL)
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
