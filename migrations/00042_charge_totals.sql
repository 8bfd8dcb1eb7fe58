-- +goose Up
-- Up to where an application's charges are in its totals: those made before until, as they were when the event
-- with this sequence was the last. One job moves both and the totals together; until it has taken in the charges
-- that were there before it first ran, until is before them.
CREATE TABLE charge_cutoffs (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
    sequence bigint NOT NULL CHECK (sequence >= 0),
    until timestamptz NOT NULL
);
-- What the charges of a merchant, or of all of the application's (null), come to that were made within a quarter of an
-- hour: days begin with one in every time zone. Payments never touch them.
CREATE TABLE charge_totals (
    application_id bigint NOT NULL REFERENCES charge_cutoffs (application_id),
    merchant_id bigint,
    quarter timestamptz NOT NULL,
    currency text NOT NULL,
    count bigint NOT NULL,
    failed bigint NOT NULL,
    decided bigint NOT NULL,
    captured bigint NOT NULL,
    refunded bigint NOT NULL,
    returned bigint NOT NULL,
    disputed bigint NOT NULL,
    fees bigint NOT NULL,
    UNIQUE NULLS NOT DISTINCT (application_id, merchant_id, quarter, currency),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
CREATE INDEX charge_totals_by_quarter ON charge_totals (application_id, quarter);
