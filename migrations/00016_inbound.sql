-- +goose Up
-- How far the feed of each counterparty has been read: processor/sandbox, daf/sandbox.
CREATE TABLE inbound_feeds (
    feed text PRIMARY KEY,
    cursor text NOT NULL
);

-- What counterparties told us, written down before anything is made of it. A row without handled_at is
-- tried again at next_attempt_at: what it speaks of may not be known yet.
CREATE TABLE inbound_events (
    feed text NOT NULL,
    id text NOT NULL,
    number bigint GENERATED ALWAYS AS IDENTITY,
    kind text NOT NULL,
    account text NOT NULL,
    body jsonb NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    next_attempt_at timestamptz NOT NULL,
    received_at timestamptz NOT NULL,
    handled_at timestamptz,
    PRIMARY KEY (feed, id)
);
CREATE INDEX inbound_events_due ON inbound_events (next_attempt_at, number) WHERE handled_at IS NULL;
