-- +goose NO TRANSACTION
-- +goose Up
-- Finds everyone who signed in with a browser, whose token changes at each sign-in.
DROP INDEX CONCURRENTLY IF EXISTS known_browsers_by_token;
CREATE INDEX CONCURRENTLY known_browsers_by_token ON known_browsers (token_hash);
