-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS daf_donations_unfolded;
CREATE INDEX CONCURRENTLY daf_donations_unfolded ON daf_donations (application_id, id)
    WHERE words_version = 0 AND beyond_ascii(donor::text || fund_name || coalesce(tracking_id, '') || coalesce(external_grant_id, '') || coalesce(external_id, '') || coalesce(note, ''));
