-- +goose Up
CREATE TABLE applications (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    api_version text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE organizations (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 255),
    created_at timestamptz NOT NULL,
    UNIQUE (application_id, id)
);

-- A secret key is kept as its SHA-256 only; a public key, which every page shows, in clear.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    kind text NOT NULL CHECK (kind IN ('secret', 'public')),
    name text NOT NULL,
    secret_hash bytea UNIQUE CHECK (length(secret_hash) = 32),
    public_value text UNIQUE,
    allowed_origins text[] NOT NULL DEFAULT '{}',
    expires_at timestamptz,
    revoked_at timestamptz,
    created_at timestamptz NOT NULL,
    CHECK ((kind = 'secret') = (secret_hash IS NOT NULL)),
    CHECK ((kind = 'public') = (public_value IS NOT NULL))
);
CREATE INDEX api_keys_by_application ON api_keys (application_id, id);
