-- +goose Up
-- A receipt that was sent to a payer, and again, by whom.
CREATE TABLE receipts (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    charge_id uuid NOT NULL,
    email text NOT NULL CHECK (length(email) BETWEEN 3 AND 255),
    sent_by text NOT NULL,
    request_id uuid NOT NULL,
    created_at timestamptz NOT NULL,
    FOREIGN KEY (application_id, charge_id) REFERENCES charges (application_id, id)
);
CREATE INDEX receipts_by_charge ON receipts (application_id, charge_id, id DESC);
