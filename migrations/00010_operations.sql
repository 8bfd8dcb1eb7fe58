-- +goose Up
-- Every call to a processor, or to a provider of donor-advised funds, written before it is made. A row whose next_check_at has come is asked
-- about by our reference: an open one until its outcome is known, one that was given up for a day.
CREATE TABLE processor_operations (
    id uuid PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid,
    subject_id uuid NOT NULL,
    kind text NOT NULL,
    processor text NOT NULL,
    reference text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    state text NOT NULL,
    checks integer NOT NULL DEFAULT 0,
    note text, -- what the outcome's writer needs beside the answer
    idempotency_key text,
    request_id uuid,
    source text NOT NULL, -- who wanted it
    next_check_at timestamptz,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    UNIQUE (processor, reference),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    FOREIGN KEY (application_id, merchant_id, charge_id) REFERENCES charges (application_id, merchant_id, id)
);

-- What holds of every operation.
-- +goose StatementBegin
CREATE FUNCTION operation_agrees(o processor_operations) RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN o.kind IN ('authorize', 'debit', 'capture', 'void', 'refund', 'payout', 'respond', 'reverse', 'grant')
        AND (o.charge_id IS NULL) = (o.kind IN ('payout', 'grant'))
        AND o.amount > 0
        AND o.currency IN ('usd', 'cad')
        AND o.source IN ('api', 'portal', 'job')
        AND o.state IN ('open', 'approved', 'declined', 'not_submitted')
        AND (o.state = 'open') = (o.finished_at IS NULL)
        AND CASE o.state WHEN 'open' THEN o.next_check_at IS NOT NULL WHEN 'not_submitted' THEN true ELSE o.next_check_at IS NULL END;
END $$;
-- +goose StatementEnd
ALTER TABLE processor_operations ADD CONSTRAINT processor_operations_agree CHECK (operation_agrees(processor_operations));

CREATE INDEX processor_operations_by_charge ON processor_operations (application_id, charge_id);
CREATE INDEX processor_operations_by_subject ON processor_operations (application_id, subject_id);
CREATE UNIQUE INDEX processor_operations_one_open ON processor_operations (application_id, charge_id)
    WHERE state = 'open' AND kind IN ('authorize', 'debit', 'capture', 'void');
CREATE INDEX processor_operations_due ON processor_operations (next_check_at) WHERE next_check_at IS NOT NULL;
