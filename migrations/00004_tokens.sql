-- +goose Up
-- A payer's browser, known by the SHA-256 of its session id, bound to one key, merchant and page origin.
CREATE TABLE client_sessions (
    id_hash bytea PRIMARY KEY CHECK (length(id_hash) = 32),
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    key_id uuid NOT NULL REFERENCES api_keys (id),
    page_origin text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    merchant_sessions integer NOT NULL DEFAULT 0, -- asked for of wallet A's provider
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL,
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX client_sessions_by_expiry ON client_sessions (expires_at);

-- A saved payment method: a card or wallet, or a bank account. A merchant's own bank account, to which it
-- is paid out, is one too, by its entry mode; it is never charged.
CREATE TABLE tokens (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    kind text NOT NULL CHECK (kind IN ('card', 'wallet_a', 'wallet_b', 'bank_us', 'bank_ca')),
    status text NOT NULL CHECK (status IN ('pending_verification', 'active', 'disabled', 'expired', 'deleted')),
    last4 text NOT NULL CHECK (length(last4) BETWEEN 1 AND 4),
    brand text,
    bin text CHECK (length(bin) = 6),
    exp_month smallint CHECK (exp_month BETWEEN 1 AND 12),
    exp_year smallint,
    funding text CHECK (funding IN ('credit', 'debit', 'prepaid', 'unknown')),
    country text,
    routing text CHECK (routing ~ '^[0-9]{8,9}$'), -- nine digits of an ABA number; Canada: transit and institution
    bank_name text,
    account_type text CHECK (account_type IN ('checking', 'savings')),
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    entry_mode text NOT NULL CHECK (entry_mode IN ('keyed', 'swiped', 'wallet', 'bank', 'payout_account')),
    billing jsonb NOT NULL,
    network_transaction_id text,
    disabled_reason text,
    deposits bytea CHECK (length(deposits) = 32), -- keyed digest of the two amounts that prove a bank account
    verification_tries smallint NOT NULL DEFAULT 0 CHECK (verification_tries BETWEEN 0 AND 10),
    last_used_at timestamptz,
    expires_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK (CASE WHEN kind IN ('bank_us', 'bank_ca')
        THEN num_nonnulls(brand, bin, exp_month, exp_year, funding, country) = 0 AND num_nulls(routing, bank_name, account_type) = 0
        ELSE num_nulls(brand, bin, exp_month, exp_year, funding, country) = 0 AND num_nonnulls(routing, bank_name, account_type) = 0 END),
    CHECK (length(routing) = CASE kind WHEN 'bank_us' THEN 9 ELSE 8 END),
    CHECK (kind IN ('bank_us', 'bank_ca') OR status <> 'pending_verification'),
    CHECK (status <> 'pending_verification' OR deposits IS NOT NULL),
    CHECK (status <> 'disabled' OR disabled_reason IS NOT NULL),
    CHECK (status NOT IN ('pending_verification', 'active') OR disabled_reason IS NULL)
) WITH (fillfactor = 85); -- room to note a use in place
CREATE INDEX tokens_by_application ON tokens (application_id, id);
CREATE INDEX tokens_by_last4 ON tokens (application_id, last4, id);
CREATE INDEX tokens_by_email ON tokens (application_id, lower(billing->>'email'), id) WHERE billing->>'email' IS NOT NULL;
CREATE INDEX tokens_by_expiry ON tokens (expires_at)
    WHERE status IN ('pending_verification', 'active', 'disabled') AND entry_mode <> 'payout_account';

-- The words by which a payer allowed debits of a bank account, and how they were accepted.
CREATE TABLE mandates (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL UNIQUE,
    version integer NOT NULL DEFAULT 1,
    scheme text NOT NULL CHECK (scheme IN ('ach', 'acss')),
    status text NOT NULL CHECK (status IN ('active', 'revoked')),
    text text NOT NULL,
    text_version text NOT NULL,
    ip text NOT NULL,
    user_agent text NOT NULL,
    accepted_at timestamptz NOT NULL,
    revoked_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id),
    CHECK ((status = 'revoked') = (revoked_at IS NOT NULL))
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
    field text NOT NULL CHECK (field IN ('pan', 'account_number')),
    sealed bytea NOT NULL,
    PRIMARY KEY (token_id, field)
);

-- What is good for one authorization, a card's verification code or a wallet's cryptogram, lives until the first
-- one or 15 minutes, whichever is sooner.
CREATE TABLE vault_cvcs (
    token_id uuid PRIMARY KEY REFERENCES vault_keys (token_id) ON DELETE CASCADE,
    field text NOT NULL CHECK (field IN ('cvc', 'cryptogram')),
    sealed bytea NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX vault_cvcs_by_expiry ON vault_cvcs (expires_at);

-- How many tokens an application's pages made of a card within an hour, by the card's keyed fingerprint.
CREATE TABLE card_velocity (
    application_id bigint NOT NULL,
    fingerprint bytea NOT NULL CHECK (length(fingerprint) = 32),
    began_at timestamptz NOT NULL,
    tokens integer NOT NULL CHECK (tokens > 0),
    PRIMARY KEY (application_id, fingerprint)
);
CREATE INDEX card_velocity_by_time ON card_velocity (began_at);

-- Payloads of wallets that became tokens, by the SHA-256 of kind and id: each does once. They are kept for longer than
-- any payload is good.
CREATE TABLE wallet_payloads (
    id_hash bytea PRIMARY KEY CHECK (length(id_hash) = 32),
    seen_at timestamptz NOT NULL
);
CREATE INDEX wallet_payloads_by_time ON wallet_payloads (seen_at);
