-- +goose Up
-- The last time that stolen cards were tested at many merchants of an application.
CREATE TABLE card_testing_across_merchants (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
    seen_at timestamptz NOT NULL
);
