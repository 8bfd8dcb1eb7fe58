-- +goose Up
-- A payer's browser, known by the SHA-256 of its session id, bound to one key, merchant and page origin.
CREATE TABLE client_sessions (
    id_hash bytea PRIMARY KEY CHECK (length(id_hash) = 32),
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    key_id uuid NOT NULL REFERENCES api_keys (id),
    page_origin text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX client_sessions_by_expiry ON client_sessions (expires_at);

CREATE TABLE tokens (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('card')),
    status text NOT NULL CHECK (status IN ('active', 'disabled', 'expired', 'deleted')),
    brand text NOT NULL,
    bin text NOT NULL CHECK (length(bin) = 6),
    last4 text NOT NULL CHECK (length(last4) = 4),
    exp_month smallint NOT NULL CHECK (exp_month BETWEEN 1 AND 12),
    exp_year smallint NOT NULL,
    funding text NOT NULL CHECK (funding IN ('credit', 'debit', 'prepaid', 'unknown')),
    country text NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    entry_mode text NOT NULL CHECK (entry_mode IN ('keyed')),
    billing jsonb NOT NULL,
    bank_name text, account_type text, routing text,
    network_transaction_id text,
    expires_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);

-- The vault. A data key is wrapped by a key that is not in this database; deleting the row shreds
-- everything that it sealed.
CREATE TABLE vault_keys (
    token_id uuid PRIMARY KEY,
    wrapped_key bytea NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE vault_values (
    token_id uuid NOT NULL REFERENCES vault_keys (token_id) ON DELETE CASCADE,
    field text NOT NULL CHECK (field IN ('pan')),
    sealed bytea NOT NULL,
    PRIMARY KEY (token_id, field)
);

-- A verification code lives until the first authorization or 15 minutes, whichever is sooner.
CREATE TABLE vault_cvcs (
    token_id uuid PRIMARY KEY REFERENCES vault_keys (token_id) ON DELETE CASCADE,
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX vault_cvcs_by_expiry ON vault_cvcs (expires_at);
