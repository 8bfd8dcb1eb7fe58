-- +goose Up
-- What one request of a person made of donations is found by its id, to be taken back.
CREATE INDEX daf_donation_statuses_by_request ON daf_donation_statuses (application_id, request_id) WHERE source = 'portal';

-- Disputes that need a response, by when.
CREATE INDEX disputes_due ON disputes (application_id, respond_by, id) WHERE status = 'needs_response';
