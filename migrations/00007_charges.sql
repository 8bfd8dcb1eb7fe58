-- +goose Up
CREATE TABLE charges (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('processing', 'authorized', 'captured', 'pending', 'settled', 'voided', 'expired', 'failed', 'returned')),
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 99999999),
    amount_authorized bigint NOT NULL DEFAULT 0,
    amount_captured bigint NOT NULL DEFAULT 0,
    amount_refunded bigint NOT NULL DEFAULT 0,
    amount_refund_pending bigint NOT NULL DEFAULT 0,
    amount_disputed bigint NOT NULL DEFAULT 0,
    amount_contested bigint NOT NULL DEFAULT 0, -- by all disputes together, whatever is left
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    funding_currency text NOT NULL CHECK (funding_currency = currency),
    type text NOT NULL CHECK (type IN ('cc', 'ach', 'acss')),
    origin text NOT NULL CHECK (origin IN ('ecommerce', 'moto', 'terminal')),
    recurring boolean NOT NULL,
    stored_credential text NOT NULL CHECK (stored_credential IN ('none', 'initial', 'recurring', 'unscheduled')),
    capture boolean NOT NULL,
    payment_method jsonb NOT NULL,
    billing jsonb NOT NULL,
    description text CHECK (length(description) <= 255),
    external_id text CHECK (length(external_id) <= 64),
    statement_suffix text CHECK (length(statement_suffix) <= 12),
    metadata jsonb NOT NULL,
    fees jsonb NOT NULL DEFAULT '[]',
    fee_total bigint NOT NULL DEFAULT 0,
    failure jsonb,
    processor_name text NOT NULL,
    processor_reference text NOT NULL,
    network_transaction_id text,
    request_id uuid,
    created_at timestamptz NOT NULL,
    authorized_at timestamptz,
    captured_at timestamptz,
    settled_at timestamptz,
    voided_at timestamptz,
    expired_at timestamptz,
    failed_at timestamptz,
    returned_at timestamptz,
    authorization_expires_at timestamptz,
    available_on date,
    next_step_at timestamptz, -- when the charge expires or settles by itself
    void_reason text CHECK (length(void_reason) <= 255),
    return_code text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (application_id, external_id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id), -- whose merchant is one
    CHECK (amount_authorized BETWEEN 0 AND amount),
    CHECK (amount_captured BETWEEN 0 AND amount_authorized),
    CHECK (amount_refunded >= 0 AND amount_refund_pending >= 0),
    CHECK (amount_refunded + amount_refund_pending <= amount_captured),
    CHECK (type = 'cc' OR capture),
    CHECK ((status = 'failed') = (failure IS NOT NULL)),
    CHECK (amount_disputed BETWEEN 0 AND amount_contested AND fee_total >= 0),
    CHECK (amount_refunded + amount_refund_pending + amount_disputed <= amount_captured),
    CHECK (CASE status WHEN 'processing' THEN amount_authorized = 0 WHEN 'failed' THEN true ELSE amount_authorized > 0 END),
    CHECK ((status IN ('captured', 'pending', 'settled', 'returned')) = (amount_captured > 0)),
    CHECK ((amount_authorized > 0) = (authorized_at IS NOT NULL)),
    CHECK (amount_captured = 0 OR (captured_at IS NOT NULL AND available_on IS NOT NULL)),
    CHECK (next_step_at IS NULL = (status NOT IN ('authorized', 'captured', 'pending'))),
    CHECK ((status = 'voided') = (voided_at IS NOT NULL)),
    CHECK ((status = 'expired') = (expired_at IS NOT NULL)),
    CHECK ((status IN ('settled', 'returned')) = (settled_at IS NOT NULL)),
    CHECK ((status = 'returned') = (returned_at IS NOT NULL)),
    CHECK (status <> 'returned' OR return_code IS NOT NULL),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL))
);
CREATE INDEX charges_by_status ON charges (application_id, status, id DESC);
-- What lists are searched by. The most frequent values of charges_by_traits are found along the ids as
-- quickly; it is for the others.
CREATE INDEX charges_by_traits ON charges (application_id, type, currency, recurring, id);
CREATE INDEX charges_by_amount ON charges (application_id, amount, id);
CREATE INDEX charges_by_last4 ON charges (application_id, (payment_method->>'last4'), id);
CREATE INDEX charges_by_email ON charges (application_id, lower(billing->>'email'), id) WHERE billing->>'email' IS NOT NULL;
CREATE INDEX charges_by_metadata ON charges USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';
CREATE INDEX charges_by_next_step ON charges (next_step_at) WHERE next_step_at IS NOT NULL;
