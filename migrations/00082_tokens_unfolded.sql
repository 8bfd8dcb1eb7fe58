-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS tokens_unfolded;
CREATE INDEX CONCURRENTLY tokens_unfolded ON tokens (application_id, id)
    WHERE words_version = 0 AND beyond_ascii(coalesce(billing::text, ''));
