-- +goose NO TRANSACTION
-- +goose Up
-- A donation is found by what its provider calls the grant, among those of one application.
DROP INDEX CONCURRENTLY IF EXISTS daf_donations_by_tracking_id;
CREATE INDEX CONCURRENTLY daf_donations_by_tracking_id ON daf_donations (application_id, tracking_id) WHERE tracking_id IS NOT NULL;
