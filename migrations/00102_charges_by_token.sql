-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_token;
CREATE INDEX CONCURRENTLY charges_by_token ON charges (application_id, token_id, id);
