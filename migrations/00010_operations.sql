-- +goose Up
-- Every call to a processor, or to a provider of donor-advised funds, written before it is made. A row whose next_check_at has come is asked
-- about by our reference: an open one until its outcome is known, one that was given up for a day.
CREATE TABLE processor_operations (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid,
    subject_id uuid NOT NULL,
    kind text NOT NULL CHECK (kind IN ('authorize', 'debit', 'capture', 'void', 'refund', 'payout', 'respond', 'reverse', 'grant')),
    processor text NOT NULL,
    reference text NOT NULL,
    amount bigint NOT NULL CHECK (amount > 0),
    currency text NOT NULL CHECK (currency IN ('usd', 'cad')),
    state text NOT NULL CHECK (state IN ('open', 'approved', 'declined', 'not_submitted')),
    checks integer NOT NULL DEFAULT 0,
    note text, -- what the outcome's writer needs beside the answer
    idempotency_key text,
    request_id uuid,
    source text NOT NULL CHECK (source IN ('api', 'portal', 'job')), -- who wanted it
    next_check_at timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    UNIQUE (processor, reference),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id),
    CHECK ((charge_id IS NULL) = (kind IN ('payout', 'grant'))),
    CHECK ((state = 'open') = (finished_at IS NULL)),
    CHECK (state <> 'open' OR next_check_at IS NOT NULL),
    CHECK (state IN ('open', 'not_submitted') OR next_check_at IS NULL)
);
CREATE INDEX processor_operations_by_charge ON processor_operations (application_id, charge_id);
CREATE INDEX processor_operations_by_subject ON processor_operations (application_id, subject_id);
CREATE UNIQUE INDEX processor_operations_one_open ON processor_operations (application_id, charge_id)
    WHERE state = 'open' AND kind IN ('authorize', 'debit', 'capture', 'void');
CREATE INDEX processor_operations_due ON processor_operations (next_check_at) WHERE next_check_at IS NOT NULL;
