-- +goose Up
CREATE TABLE charges (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    token_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL,
    amount bigint NOT NULL,
    amount_authorized bigint NOT NULL DEFAULT 0,
    amount_captured bigint NOT NULL DEFAULT 0,
    amount_refunded bigint NOT NULL DEFAULT 0,
    amount_refund_pending bigint NOT NULL DEFAULT 0,
    amount_disputed bigint NOT NULL DEFAULT 0,
    amount_contested bigint NOT NULL DEFAULT 0, -- by all disputes together, whatever is left
    currency text NOT NULL,
    funding_currency text NOT NULL,
    type text NOT NULL,
    origin text NOT NULL,
    recurring boolean NOT NULL,
    stored_credential text NOT NULL,
    capture boolean NOT NULL,
    payment_method jsonb NOT NULL,
    billing jsonb NOT NULL,
    description text,
    external_id text,
    statement_suffix text,
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
    void_reason text,
    return_code text,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, merchant_id, id),
    FOREIGN KEY (application_id, merchant_id, token_id) REFERENCES tokens (application_id, merchant_id, id) -- whose merchant is one
);

-- What holds of every charge: of what it was made with, of its amounts, and of its course.
-- +goose StatementBegin
CREATE FUNCTION charge_agrees(c charges) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN c.type IN ('cc', 'ach', 'acss')
        AND c.currency IN ('usd', 'cad')
        AND c.funding_currency = c.currency
        AND c.origin IN ('ecommerce', 'moto', 'terminal')
        AND c.stored_credential IN ('none', 'initial', 'recurring', 'unscheduled')
        AND (c.description IS NULL OR length(c.description) <= 255)
        AND (c.external_id IS NULL OR length(c.external_id) <= 64)
        AND (c.statement_suffix IS NULL OR length(c.statement_suffix) <= 12)
        AND (c.void_reason IS NULL OR length(c.void_reason) <= 255)

        AND (c.type = 'cc' OR c.capture)
        AND c.amount BETWEEN 1 AND 99999999
        AND c.amount_authorized BETWEEN 0 AND c.amount
        AND c.amount_captured BETWEEN 0 AND c.amount_authorized
        AND c.amount_refunded >= 0 AND c.amount_refund_pending >= 0
        AND c.amount_disputed BETWEEN 0 AND c.amount_contested
        AND c.amount_refunded + c.amount_refund_pending + c.amount_disputed <= c.amount_captured
        AND c.fee_total >= 0

        AND c.status IN ('processing', 'authorized', 'captured', 'pending', 'settled', 'voided', 'expired', 'failed', 'returned')
        AND CASE c.status WHEN 'processing' THEN c.amount_authorized = 0 WHEN 'failed' THEN true ELSE c.amount_authorized > 0 END
        AND (c.amount_authorized > 0) = (c.authorized_at IS NOT NULL)
        AND (c.status IN ('captured', 'pending', 'settled', 'returned')) = (c.amount_captured > 0)
        AND (c.amount_captured = 0 OR (c.captured_at IS NOT NULL AND c.available_on IS NOT NULL))
        AND (c.next_step_at IS NOT NULL) = (c.status IN ('authorized', 'captured', 'pending'))
        AND (c.status IN ('settled', 'returned')) = (c.settled_at IS NOT NULL)
        AND (c.status = 'returned') = (c.returned_at IS NOT NULL)
        AND (c.status <> 'returned' OR c.return_code IS NOT NULL)
        AND (c.status = 'voided') = (c.voided_at IS NOT NULL)
        AND (c.status = 'expired') = (c.expired_at IS NOT NULL)
        AND (c.status = 'failed') = (c.failed_at IS NOT NULL)
        AND (c.status = 'failed') = (c.failure IS NOT NULL);
END $$;
-- +goose StatementEnd
ALTER TABLE charges ADD CONSTRAINT charges_agree CHECK (charge_agrees(charges));

CREATE UNIQUE INDEX charges_application_id_external_id_key ON charges (external_id, application_id) WHERE external_id IS NOT NULL;
CREATE INDEX charges_by_status ON charges (application_id, status, id DESC);
-- What lists are searched by. The most frequent values of charges_by_traits are found along the ids as
-- quickly; it is for the others.
CREATE INDEX charges_by_traits ON charges (application_id, type, currency, recurring, id);
CREATE INDEX charges_by_amount ON charges (application_id, amount, id);
CREATE INDEX charges_by_last4 ON charges (application_id, (payment_method->>'last4'), id);
CREATE INDEX charges_by_email ON charges (application_id, lower(billing->>'email'), id) WHERE billing->>'email' IS NOT NULL;
CREATE INDEX charges_by_metadata ON charges USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';
CREATE INDEX charges_by_next_step ON charges (next_step_at) WHERE next_step_at IS NOT NULL;
