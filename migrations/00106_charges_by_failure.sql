-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_failure;
CREATE INDEX CONCURRENTLY charges_by_failure ON charges (application_id, (failure->>'code'), id) WHERE failure IS NOT NULL;
