-- +goose NO TRANSACTION
-- +goose Up
-- Finds out, during an attack, whether a card has paid before.
DROP INDEX CONCURRENTLY IF EXISTS tokens_by_fingerprint;
CREATE INDEX CONCURRENTLY tokens_by_fingerprint ON tokens (application_id, fingerprint) WHERE kind = 'card';
