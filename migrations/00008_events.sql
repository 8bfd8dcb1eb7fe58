-- +goose Up
-- What happened, written in the transaction that made it happen. The object is the API's object as
-- it was then, as the text that is sent, which is hardly ever looked into; position orders the events of
-- one object. The serial is taken while the object's row is locked, so that it orders them too; sequence is
-- the number that applications know, given after the commit, without gaps. A test event is sent to one
-- endpoint and numbered never.
CREATE TABLE events (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint,
    type text NOT NULL,
    object_id uuid NOT NULL,
    position bigint NOT NULL,
    object json NOT NULL,
    previous_attributes json NOT NULL,
    request_id uuid,
    source text NOT NULL CHECK (source IN ('api', 'portal', 'job')),
    test boolean NOT NULL DEFAULT false,
    serial bigint GENERATED ALWAYS AS IDENTITY,
    sequence bigint CHECK (sequence > 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, object_id, position),
    UNIQUE (application_id, sequence),
    FOREIGN KEY (application_id) REFERENCES applications (id),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id),
    CHECK (NOT test OR sequence IS NULL)
);
CREATE INDEX events_unnumbered ON events (application_id, serial) WHERE sequence IS NULL AND NOT test;

-- The last number that was given to an event of an application. Who numbers holds the row.
CREATE TABLE event_streams (
    application_id bigint PRIMARY KEY REFERENCES applications (id),
    last_sequence bigint NOT NULL DEFAULT 0 CHECK (last_sequence >= 0)
);
