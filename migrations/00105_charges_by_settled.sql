-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_settled;
CREATE INDEX CONCURRENTLY charges_by_settled ON charges (application_id, settled_at, id) WHERE settled_at IS NOT NULL;
