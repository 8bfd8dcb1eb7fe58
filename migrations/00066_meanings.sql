-- +goose Up
-- What a request means, its defaults applied, digested with the fingerprint of what was sent: a server of before writes the fingerprint
-- alone, so that a meaning that it left from another request of an expired key agrees with none.
ALTER TABLE idempotency_keys ADD COLUMN meaning bytea;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_meaning_check CHECK (length(meaning) = 32) NOT VALID;
CREATE TYPE new_claim AS (
    application_id bigint, key text, method text, path text, fingerprint bytea, meaning bytea, params jsonb, object_id uuid,
    request_id uuid, now timestamptz, until timestamptz
);
