-- +goose Up
-- Money given back of a charge. What is pending is reserved on the charge, whose own CHECK keeps
-- refunds within what was captured. A refund with a pending_reason has not been sent.
CREATE TABLE refunds (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid NOT NULL,
    version integer NOT NULL DEFAULT 1,
    status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
    pending_reason text CHECK (pending_reason IN ('charge_pending')),
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 99999999),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    reason text CHECK (reason IN ('duplicate', 'fraudulent', 'requested_by_payer', 'other')),
    note text CHECK (length(note) BETWEEN 1 AND 500),
    external_id text CHECK (length(external_id) BETWEEN 1 AND 64),
    metadata jsonb NOT NULL,
    initiated_by jsonb NOT NULL CHECK (initiated_by->>'kind' IN ('api', 'portal')),
    failure jsonb,
    processor_name text NOT NULL,
    processor_reference text NOT NULL,
    request_id uuid,
    created_at timestamptz NOT NULL,
    succeeded_at timestamptz,
    failed_at timestamptz,
    canceled_at timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, external_id),
    UNIQUE (processor_name, processor_reference),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id),
    CHECK (pending_reason IS NULL OR status = 'pending'),
    CHECK ((status = 'succeeded') = (succeeded_at IS NOT NULL)),
    CHECK ((status = 'failed') = (failed_at IS NOT NULL)),
    CHECK ((status = 'failed') = (failure IS NOT NULL)),
    CHECK ((status = 'canceled') = (canceled_at IS NOT NULL))
);
CREATE INDEX refunds_by_charge ON refunds (application_id, charge_id, id DESC);
CREATE INDEX refunds_by_merchant ON refunds (application_id, merchant_id, id DESC);
CREATE INDEX refunds_by_status ON refunds (application_id, status, id DESC);
CREATE INDEX refunds_by_metadata ON refunds USING gin (metadata jsonb_path_ops) WHERE metadata <> '{}';
CREATE INDEX refunds_waiting ON refunds (application_id, id) WHERE pending_reason IS NOT NULL;
