-- +goose NO TRANSACTION
-- +goose Up
-- Domains of e-mail addresses are kept in ASCII (package mailbox). Servers of before write them as people do; the program rewrites
-- those rows, which it finds by these indexes. Payments and donations of such servers are found by their words (fold_words).
DROP INDEX CONCURRENTLY IF EXISTS people_beyond_ascii;
CREATE INDEX CONCURRENTLY people_beyond_ascii ON people (email) WHERE beyond_ascii(split_part(email, '@', -1));
DROP INDEX CONCURRENTLY IF EXISTS invitations_beyond_ascii;
CREATE INDEX CONCURRENTLY invitations_beyond_ascii ON invitations (email) WHERE beyond_ascii(split_part(email, '@', -1));
DROP INDEX CONCURRENTLY IF EXISTS receipts_beyond_ascii;
CREATE INDEX CONCURRENTLY receipts_beyond_ascii ON receipts (email) WHERE beyond_ascii(split_part(email, '@', -1));
DROP INDEX CONCURRENTLY IF EXISTS bank_links_beyond_ascii;
CREATE INDEX CONCURRENTLY bank_links_beyond_ascii ON bank_links (email) WHERE beyond_ascii(split_part(email, '@', -1));
DROP INDEX CONCURRENTLY IF EXISTS daf_workflows_beyond_ascii;
CREATE INDEX CONCURRENTLY daf_workflows_beyond_ascii ON daf_workflows ((donor->>'email')) WHERE beyond_ascii(split_part(donor->>'email', '@', -1));
