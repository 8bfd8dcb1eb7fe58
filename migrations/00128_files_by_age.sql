-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS files_by_age;
CREATE INDEX CONCURRENTLY files_by_age ON files (id);
