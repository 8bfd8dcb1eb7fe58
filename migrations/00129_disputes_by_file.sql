-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS disputes_by_file;
CREATE INDEX CONCURRENTLY disputes_by_file ON disputes USING gin (evidence_files);
