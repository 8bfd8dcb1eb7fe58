-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_released_external_id;
CREATE INDEX CONCURRENTLY charges_by_released_external_id ON charges (application_id, released_external_id, id)
    WHERE released_external_id IS NOT NULL;
