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
    kind text NOT NULL,
    status text NOT NULL,
    last4 text NOT NULL,
    brand text,
    bin text,
    exp_month smallint,
    exp_year smallint,
    funding text,
    country text,
    routing text, -- nine digits of an ABA number; Canada: transit and institution
    bank_name text,
    account_type text,
    fingerprint bytea NOT NULL,
    entry_mode text NOT NULL,
    billing jsonb NOT NULL,
    network_transaction_id text,
    disabled_reason text,
    deposits bytea, -- keyed digest of the two amounts that prove a bank account
    verification_tries smallint NOT NULL DEFAULT 0,
    last_used_at timestamptz,
    expires_at timestamptz NOT NULL,
    version integer NOT NULL DEFAULT 1,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
) WITH (fillfactor = 85); -- room to note a use in place

-- What holds of every token. Here, and of charges and of operations, it is one function of the row, because a server reads
-- the text of a table's checks anew for every statement that writes there, but a function's once a session: eighteen checks made
-- the note of a use twice as dear.
-- +goose StatementBegin
CREATE FUNCTION token_agrees(t tokens) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN t.kind IN ('card', 'wallet_a', 'wallet_b', 'bank_us', 'bank_ca')
        AND t.status IN ('pending_verification', 'active', 'disabled', 'expired', 'deleted')
        AND t.entry_mode IN ('keyed', 'swiped', 'wallet', 'bank', 'payout_account')
        AND length(t.last4) BETWEEN 1 AND 4
        AND length(t.fingerprint) = 32
        AND CASE WHEN t.kind IN ('bank_us', 'bank_ca')
            THEN num_nonnulls(t.brand, t.bin, t.exp_month, t.exp_year, t.funding, t.country) = 0
                AND num_nulls(t.routing, t.bank_name, t.account_type) = 0
                AND t.routing ~ CASE t.kind WHEN 'bank_us' THEN '^[0-9]{9}$' ELSE '^[0-9]{8}$' END
                AND t.account_type IN ('checking', 'savings')
            ELSE num_nonnulls(t.routing, t.bank_name, t.account_type) = 0
                AND num_nulls(t.brand, t.bin, t.exp_month, t.exp_year, t.funding, t.country) = 0
                AND length(t.bin) = 6
                AND t.exp_month BETWEEN 1 AND 12
                AND t.funding IN ('credit', 'debit', 'prepaid', 'unknown') END
        AND (t.status <> 'pending_verification' OR t.kind IN ('bank_us', 'bank_ca') AND t.deposits IS NOT NULL)
        AND (t.deposits IS NULL OR length(t.deposits) = 32)
        AND t.verification_tries BETWEEN 0 AND 10
        AND CASE t.status WHEN 'disabled' THEN t.disabled_reason IS NOT NULL
            WHEN 'pending_verification' THEN t.disabled_reason IS NULL
            WHEN 'active' THEN t.disabled_reason IS NULL
            ELSE true END;
END $$;
-- +goose StatementEnd
ALTER TABLE tokens ADD CONSTRAINT tokens_agree CHECK (token_agrees(tokens));

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
