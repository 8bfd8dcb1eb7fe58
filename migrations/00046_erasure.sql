-- +goose Up
-- By what an erasure finds the payer in what has no index by the address yet.
CREATE INDEX daf_workflows_by_email ON daf_workflows (application_id, lower(donor->>'email')) WHERE donor->>'email' <> '';
CREATE INDEX receipts_by_email ON receipts (application_id, lower(email));
