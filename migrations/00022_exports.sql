-- +goose Up
-- Files of all objects of a kind. A job writes one in chunks, each in the transaction that moves cursor
-- behind it. merchants are the only ones whose objects it has, NULL for all; lease says which worker is at
-- it; digest is the state of the checksum so far.
CREATE TABLE exports (
    id uuid NOT NULL,
    application_id bigint NOT NULL REFERENCES applications (id),
    version integer NOT NULL DEFAULT 1,
    resource text NOT NULL CHECK (resource IN ('charges', 'refunds', 'disputes', 'payouts', 'daf_donations', 'balance_entries', 'merchants', 'tokens')),
    format text NOT NULL CHECK (format IN ('csv', 'jsonl')),
    filters jsonb NOT NULL,
    columns text[],
    merchants bigint[],
    status text NOT NULL CHECK (status IN ('queued', 'running', 'done', 'failed', 'expired')),
    rows bigint NOT NULL DEFAULT 0,
    size bigint NOT NULL DEFAULT 0,
    chunks integer NOT NULL DEFAULT 0,
    cursor text NOT NULL DEFAULT '',
    digest bytea,
    sha256 text,
    failures integer NOT NULL DEFAULT 0,
    error jsonb,
    lease uuid,
    lease_until timestamptz,
    worked_at timestamptz,
    created_at timestamptz NOT NULL,
    started_at timestamptz,
    completed_at timestamptz,
    expires_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    CHECK ((status IN ('done', 'expired')) = (sha256 IS NOT NULL AND completed_at IS NOT NULL AND expires_at IS NOT NULL)),
    CHECK ((status = 'failed') = (error IS NOT NULL))
);
CREATE INDEX exports_open ON exports (worked_at NULLS FIRST) WHERE status IN ('queued', 'running');
CREATE INDEX exports_by_expiry ON exports (expires_at) WHERE status = 'done';

-- The file's parts, compressed.
CREATE TABLE export_chunks (
    application_id bigint NOT NULL,
    export_id uuid NOT NULL,
    number integer NOT NULL,
    content bytea NOT NULL,
    PRIMARY KEY (application_id, export_id, number),
    FOREIGN KEY (application_id, export_id) REFERENCES exports (application_id, id)
);
ALTER TABLE export_chunks ALTER COLUMN content SET STORAGE EXTERNAL;
