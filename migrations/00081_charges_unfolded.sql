-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_unfolded;
CREATE INDEX CONCURRENTLY charges_unfolded ON charges (application_id, id)
    WHERE words_version = 0 AND beyond_ascii(coalesce(billing::text, '') || coalesce(description, '') || coalesce(external_id, released_external_id, ''));
