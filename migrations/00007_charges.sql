-- +goose Up
CREATE TABLE charges (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('processing', 'authorized', 'captured', 'failed')),
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 99999999),
    amount_authorized bigint NOT NULL DEFAULT 0,
    amount_captured bigint NOT NULL DEFAULT 0,
    amount_refunded bigint NOT NULL DEFAULT 0,
    amount_refund_pending bigint NOT NULL DEFAULT 0,
    amount_disputed bigint NOT NULL DEFAULT 0,
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    funding_currency text NOT NULL CHECK (funding_currency = currency),
    type text NOT NULL CHECK (type IN ('cc')),
    origin text NOT NULL CHECK (origin IN ('ecommerce', 'moto')),
    recurring boolean NOT NULL,
    stored_credential text NOT NULL CHECK (stored_credential IN ('none', 'initial', 'recurring', 'unscheduled')),
    capture boolean NOT NULL,
    payment_method jsonb NOT NULL,
    billing jsonb NOT NULL,
    last4 text NOT NULL,
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
    idempotency_key text,
    request_id uuid,
    created_at timestamptz NOT NULL,
    authorized_at timestamptz,
    captured_at timestamptz,
    failed_at timestamptz,
    authorization_expires_at timestamptz,
    updated_at timestamptz NOT NULL,
    UNIQUE (application_id, merchant_id, id),
    UNIQUE (application_id, external_id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id),
    CHECK (amount_authorized BETWEEN 0 AND amount),
    CHECK (amount_captured BETWEEN 0 AND amount_authorized),
    CHECK (amount_refunded >= 0 AND amount_refund_pending >= 0),
    CHECK (amount_refunded + amount_refund_pending <= amount_captured),
    CHECK ((status = 'failed') = (failure IS NOT NULL)),
    CHECK (status <> 'processing' OR amount_authorized = 0),
    CHECK (status <> 'captured' OR amount_captured > 0)
);
CREATE INDEX charges_by_application ON charges (application_id, id DESC);
CREATE INDEX charges_by_merchant ON charges (application_id, merchant_id, id DESC);
CREATE INDEX charges_by_status ON charges (application_id, status, id DESC);
CREATE INDEX charges_by_last4 ON charges (application_id, last4, id DESC);

-- Every call to a processor, written before it is made. An open row whose next_check_at has come
-- is asked about by our reference until its outcome is known.
CREATE TABLE processor_operations (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('authorize')),
    processor text NOT NULL,
    reference text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL,
    state text NOT NULL CHECK (state IN ('open', 'approved', 'declined', 'not_submitted')),
    checks integer NOT NULL DEFAULT 0,
    next_check_at timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    UNIQUE (processor, reference),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id),
    CHECK ((state = 'open') = (finished_at IS NULL))
);
CREATE INDEX processor_operations_by_charge ON processor_operations (application_id, charge_id);
CREATE INDEX processor_operations_due ON processor_operations (next_check_at) WHERE state = 'open';
