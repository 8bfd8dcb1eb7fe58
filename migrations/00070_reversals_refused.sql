-- +goose Up
-- Reversals that were refused: of a debit that the bank had already, each is made as a refund when the debit has settled.
CREATE INDEX processor_operations_reversals_refused ON processor_operations (created_at)
    WHERE kind = 'reverse' AND state = 'declined';
