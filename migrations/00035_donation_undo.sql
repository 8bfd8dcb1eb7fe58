-- +goose Up
-- What one request of a person made of donations is found by its id, to be taken back.
CREATE INDEX daf_donation_statuses_by_request ON daf_donation_statuses (application_id, request_id) WHERE source = 'portal';
