-- +goose Up
-- What happened, written in the transaction that made it happen. The object is the API's object as
-- it was then; position orders the events of one object.
CREATE TABLE events (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    merchant_id bigint NOT NULL,
    type text NOT NULL,
    object_id uuid NOT NULL,
    position bigint NOT NULL,
    object jsonb NOT NULL,
    previous_attributes jsonb NOT NULL,
    request_id uuid,
    source text NOT NULL CHECK (source IN ('api', 'job')),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, id),
    UNIQUE (application_id, object_id, position),
    FOREIGN KEY (application_id, merchant_id) REFERENCES merchants (application_id, id)
);
