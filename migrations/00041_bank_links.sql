-- +goose Up
-- A payer's way through the modal in which a bank account is given, known by the SHA-256 of its secret, begun in one
-- session of a payer's browser. What the payer authorizes becomes one token of this merchant and no other; until then the
-- account is sealed here. Every time here is the machine's. Until the payer authorizes, expires_at is the end of the way;
-- then it is the last moment at which a token can be made.
CREATE TABLE bank_links (
    secret_hash bytea PRIMARY KEY CHECK (length(secret_hash) = 32),
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    key_id uuid NOT NULL REFERENCES api_keys (id),
    page_origin text NOT NULL,
    scheme text NOT NULL CHECK (scheme IN ('ach', 'acss')),
    language text NOT NULL CHECK (language IN ('en', 'fr')),
    color_scheme text NOT NULL CHECK (color_scheme IN ('light', 'dark', 'system')),
    state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'authorized', 'canceled')),
    institution_id text,
    institution_name text,
    visit_id text,
    visit_address text,
    account_key text,
    authorization_id text UNIQUE,
    sealed bytea,
    used boolean NOT NULL DEFAULT false, -- a token was made of it
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK ((institution_id IS NULL) = (institution_name IS NULL) AND (institution_id IS NULL) = (visit_id IS NULL) AND (visit_id IS NULL) = (visit_address IS NULL)),
    CHECK (account_key IS NULL OR visit_id IS NOT NULL),
    CHECK ((state = 'authorized') = (authorization_id IS NOT NULL)),
    CHECK (state = 'authorized' OR sealed IS NULL AND NOT used)
);
CREATE INDEX bank_links_by_expiry ON bank_links (expires_at);

-- Visits of the sandbox's banks, which are a counterparty: they know nothing of ours.
CREATE TABLE sandbox_bank_visits (
    id text PRIMARY KEY,
    reference text NOT NULL UNIQUE,
    institution_id text NOT NULL,
    return_address text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'shown', 'canceled', 'failed')),
    step text NOT NULL CHECK (step IN ('sign_in', 'code', 'consent', 'over')),
    username text NOT NULL DEFAULT '',
    tries integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL
);
CREATE INDEX sandbox_bank_visits_by_time ON sandbox_bank_visits (created_at);
