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

-- Secret and restricted keys are kept as their SHA-256 only; a public key, which every page shows, in clear.
CREATE TABLE api_keys (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL REFERENCES applications (id),
    kind text NOT NULL CHECK (kind IN ('secret', 'restricted', 'public')),
    name text NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
    last4 text NOT NULL CHECK (length(last4) = 4),
    secret_hash bytea UNIQUE CHECK (length(secret_hash) = 32),
    public_value text UNIQUE,
    rights text[] NOT NULL DEFAULT '{}' CHECK (array_to_string(rights, ' ', '?') ~ '^([a-z_]+:(read|write)( |$))*$'),
    -- Of this application; none is all of them.
    merchants bigint[] NOT NULL DEFAULT '{}' CHECK (array_position(merchants, NULL) IS NULL),
    allowed_ips cidr[] NOT NULL DEFAULT '{}' CHECK (array_position(allowed_ips, NULL) IS NULL),
    allowed_origins text[] NOT NULL DEFAULT '{}' CHECK (array_position(allowed_origins, NULL) IS NULL),
    expires_at timestamptz,
    revoked_at timestamptz,
    -- The key that it was rolled to.
    replaced_by uuid UNIQUE,
    version integer NOT NULL DEFAULT 1,
    last_used_at timestamptz,
    last_used_ip inet,
    created_at timestamptz NOT NULL,
    UNIQUE (application_id, id),
    FOREIGN KEY (application_id, replaced_by) REFERENCES api_keys (application_id, id),
    CHECK ((kind = 'public') = (public_value IS NOT NULL)),
    CHECK ((kind = 'public') = (secret_hash IS NULL)),
    CHECK ((kind = 'restricted') = (cardinality(rights) > 0)),
    CHECK (kind = 'restricted' OR cardinality(merchants) = 0),
    CHECK (kind = 'public' OR cardinality(allowed_origins) = 0),
    -- A public key is used by payers, whose addresses are nobody's business here.
    CHECK (kind <> 'public' OR cardinality(allowed_ips) = 0 AND last_used_ip IS NULL),
    CHECK (last_used_ip IS NULL OR last_used_at IS NOT NULL),
    CHECK (replaced_by IS NULL OR expires_at IS NOT NULL AND replaced_by <> id)
);
