-- +goose Up
-- How far the feed of each processor has been read.
CREATE TABLE processor_feeds (
    processor text PRIMARY KEY,
    cursor text NOT NULL
);

-- What processors told us, written down before anything is made of it. A row without handled_at is
-- tried again at next_attempt_at: what it speaks of may not be known yet.
CREATE TABLE processor_events (
    processor text NOT NULL,
    id text NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    account text NOT NULL,
    body jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    handled_at timestamptz,
    PRIMARY KEY (processor, id)
);
CREATE INDEX processor_events_due ON processor_events (next_attempt_at, number) WHERE handled_at IS NULL;
