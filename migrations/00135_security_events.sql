-- +goose Up
-- Outcomes of proofs, denied permissions, limits that were reached and the like. Events of an hour that are alike share
-- a row with their count. Accounts that do not exist are kept as a keyed digest.
CREATE TABLE security_events (
    id bytea PRIMARY KEY CHECK (length(id) = 32), -- SHA-256 of what the events have in common
    hour timestamptz NOT NULL,
    kind text NOT NULL,
    outcome text NOT NULL,
    application_id bigint REFERENCES applications (id),
    person_id bigint,
    key_id uuid,
    account bytea CHECK (length(account) = 16),
    address inet,
    count bigint NOT NULL CHECK (count > 0),
    first_at timestamptz NOT NULL,
    last_at timestamptz NOT NULL,
    request_id uuid -- of the last
);
CREATE INDEX security_events_by_time ON security_events (last_at);
CREATE TYPE new_security_event AS (
    id bytea,
    hour timestamptz,
    kind text,
    outcome text,
    application_id bigint,
    person_id bigint,
    key_id uuid,
    account bytea,
    address inet,
    count bigint,
    first_at timestamptz,
    last_at timestamptz,
    request_id uuid
);
