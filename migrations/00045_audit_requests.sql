-- +goose Up
-- What one request did, or was refused, is found by its id.
CREATE INDEX audit_entries_by_request ON audit_entries (request_id, id) WHERE request_id IS NOT NULL;
