-- +goose Up
-- The sandbox processor's own book. It belongs to the counterparty: nothing of the service joins it.
-- Every submission is a row, a repeated reference too, so that a double submission is seen.
CREATE TABLE sandbox_processor_book (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    kind text NOT NULL,
    reference text NOT NULL,
    original text NOT NULL DEFAULT '',
    account text NOT NULL,
    amount bigint NOT NULL,
    currency text NOT NULL,
    captured boolean NOT NULL,
    last4 text NOT NULL,
    answer jsonb NOT NULL,
    visible_at timestamptz NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX sandbox_processor_book_by_reference ON sandbox_processor_book (reference, id);
