-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_captured;
CREATE INDEX CONCURRENTLY charges_by_captured ON charges (application_id, captured_at, id) WHERE captured_at IS NOT NULL;
