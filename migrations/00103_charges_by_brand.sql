-- +goose NO TRANSACTION
-- +goose Up
DROP INDEX CONCURRENTLY IF EXISTS charges_by_brand;
CREATE INDEX CONCURRENTLY charges_by_brand ON charges (application_id, (payment_method->>'brand'), id);
