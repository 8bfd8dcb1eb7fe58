-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS refunds_unfolded;
CREATE INDEX CONCURRENTLY refunds_unfolded ON refunds (application_id, id)
    WHERE words_version = 0 AND beyond_ascii(coalesce(note, '') || coalesce(external_id, ''));
