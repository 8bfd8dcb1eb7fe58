-- +goose NO TRANSACTION
-- +goose Up
-- Reversals that were refused: of a debit that the bank had already, each is made as a refund when the debit has settled.
DROP INDEX CONCURRENTLY IF EXISTS processor_operations_reversals_refused;
CREATE INDEX CONCURRENTLY processor_operations_reversals_refused ON processor_operations (created_at)
    WHERE kind = 'reverse' AND state = 'declined';
