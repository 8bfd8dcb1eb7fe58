-- +goose NO TRANSACTION
-- +goose Up
-- Reversals that were given up, each of which is made again once when nobody looks for it any more.
DROP INDEX CONCURRENTLY IF EXISTS processor_operations_reversals_given_up;
CREATE INDEX CONCURRENTLY processor_operations_reversals_given_up ON processor_operations (created_at)
    WHERE kind = 'reverse' AND state = 'not_submitted';
