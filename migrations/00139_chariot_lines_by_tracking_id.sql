-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS chariot_lines_by_tracking_id;
CREATE INDEX CONCURRENTLY chariot_lines_by_tracking_id ON chariot_lines (tracking_id);
