-- +goose Up
-- Donors who confirmed to the DAF provider Chariot that they make a grant themselves. A session is the provider's
-- workflow session, as the donor's browser reported it, and belongs to one visit; grant_id, amount and fund_id are what
-- the provider has of it, once it was found there.
CREATE TABLE chariot_confirmations (
    visit_id   text PRIMARY KEY,
    session    text NOT NULL UNIQUE,
    grant_id   text UNIQUE,
    amount     bigint CHECK (amount > 0 AND amount % 100 = 0),
    fund_id    text,
    created_at timestamptz NOT NULL,
    CHECK ((grant_id IS NULL) = (amount IS NULL) AND (grant_id IS NULL) = (fund_id IS NULL))
);
