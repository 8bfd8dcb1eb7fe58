-- +goose Up
-- What holds of a charge's amounts and of its course. They are functions because a server reads the text of a table's
-- checks anew for every statement that writes there, but a function once.
-- +goose StatementBegin
CREATE FUNCTION charge_amounts_agree(type text, capture boolean, amount bigint, authorized bigint, captured bigint, refunded bigint,
    refund_pending bigint, disputed bigint, contested bigint, fee_total bigint) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN (type = 'cc' OR capture)
        AND authorized BETWEEN 0 AND amount
        AND captured BETWEEN 0 AND authorized
        AND refunded >= 0 AND refund_pending >= 0
        AND disputed BETWEEN 0 AND contested
        AND refunded + refund_pending + disputed <= captured
        AND fee_total >= 0;
END $$;
CREATE FUNCTION charge_course_agrees(status text, authorized bigint, captured bigint, failed boolean, return_code text, available_on date,
    next_step_at timestamptz, authorized_at timestamptz, captured_at timestamptz, settled_at timestamptz, voided_at timestamptz,
    expired_at timestamptz, failed_at timestamptz, returned_at timestamptz) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN CASE status WHEN 'processing' THEN authorized = 0 WHEN 'failed' THEN true ELSE authorized > 0 END
        AND (authorized > 0) = (authorized_at IS NOT NULL)
        AND (status IN ('captured', 'pending', 'settled', 'returned')) = (captured > 0)
        AND (captured = 0 OR (captured_at IS NOT NULL AND available_on IS NOT NULL))
        AND (next_step_at IS NOT NULL) = (status IN ('authorized', 'captured', 'pending'))
        AND (status IN ('settled', 'returned')) = (settled_at IS NOT NULL)
        AND (status = 'returned') = (returned_at IS NOT NULL)
        AND (status <> 'returned' OR return_code IS NOT NULL)
        AND (status = 'voided') = (voided_at IS NOT NULL)
        AND (status = 'expired') = (expired_at IS NOT NULL)
        AND (status = 'failed') = (failed_at IS NOT NULL)
        AND (status = 'failed') = failed;
END $$;
-- +goose StatementEnd

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
    CONSTRAINT charges_amounts CHECK (charge_amounts_agree(type, capture, amount, amount_authorized, amount_captured, amount_refunded,
        amount_refund_pending, amount_disputed, amount_contested, fee_total)),
    CONSTRAINT charges_course CHECK (charge_course_agrees(status, amount_authorized, amount_captured, failure IS NOT NULL, return_code, available_on,
        next_step_at, authorized_at, captured_at, settled_at, voided_at, expired_at, failed_at, returned_at))
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
