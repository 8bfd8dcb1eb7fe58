-- +goose Up
-- Where events are sent. A secret is sealed; the previous one signs beside it until its time is over.
-- failing_since is the first failure since the last success.
CREATE TABLE webhook_endpoints (
    id uuid NOT NULL,
    application_id bigint NOT NULL REFERENCES applications (id),
    version integer NOT NULL DEFAULT 1,
    url text NOT NULL CHECK (length(url) BETWEEN 1 AND 2048),
    description text CHECK (length(description) <= 255),
    events text[] NOT NULL CHECK (cardinality(events) BETWEEN 1 AND 50),
    status text NOT NULL CHECK (status IN ('enabled', 'disabled', 'paused')),
    paused_reason text CHECK (paused_reason IN ('failing', 'gone')),
    secret bytea NOT NULL,
    previous_secret bytea,
    previous_until timestamptz,
    failing_since timestamptz,
    recovering boolean NOT NULL DEFAULT false, -- was paused, and no success since
    last_success_at timestamptz,
    metadata jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    deleted_at timestamptz,
    PRIMARY KEY (application_id, id),
    CHECK ((status = 'paused') = (paused_reason IS NOT NULL)),
    CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);

-- One event on its way to one endpoint. What becomes of it is in no index, so that its end changes none: pages have
-- the room that this needs.
CREATE TABLE webhook_deliveries (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_type text NOT NULL,
    event_sequence bigint,
    cause text NOT NULL CHECK (cause IN ('event', 'redelivery', 'replay', 'test')),
    status text NOT NULL CHECK (status IN ('pending', 'succeeded', 'failed', 'canceled')),
    last_status_code integer,
    last_error text,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (application_id, id),
    FOREIGN KEY (application_id, endpoint_id) REFERENCES webhook_endpoints (application_id, id),
    FOREIGN KEY (application_id, event_id) REFERENCES events (application_id, id),
    CHECK ((status = 'pending') = (finished_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (application_id, endpoint_id, id DESC);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (application_id, event_id);

-- What is to be attempted: a row of each delivery that is pending, from the transaction that makes it to the one that ends
-- it. next_attempt_at is when it is due; while an attempt is under way, leased_until is when the attempt is taken for
-- lost. It is in no index, so that a claim changes none. A foreign key would lock each delivery once more. An empty
-- table keeps its pages: it is empty again and again.
CREATE TABLE webhook_due (
    application_id bigint NOT NULL,
    delivery_id uuid NOT NULL,
    endpoint_id uuid NOT NULL,
    event_id uuid NOT NULL,
    event_sequence bigint,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_attempt_at timestamptz NOT NULL,
    leased_until timestamptz,
    created_at timestamptz NOT NULL, -- of the delivery
    PRIMARY KEY (application_id, delivery_id)
) WITH (fillfactor = 50, vacuum_truncate = off);
CREATE INDEX webhook_due_next ON webhook_due (endpoint_id, next_attempt_at, event_sequence);

-- What was said at each attempt. It is written where its delivery is closed, and goes where that goes: a foreign key
-- would lock each delivery once more, and cost as much as all the rest.
CREATE TABLE webhook_attempts (
    application_id bigint NOT NULL,
    delivery_id uuid NOT NULL,
    number integer NOT NULL CHECK (number > 0),
    url text NOT NULL,
    status_code integer,
    error text,
    request_headers json NOT NULL,
    response_headers json NOT NULL,
    response_body text CHECK (octet_length(response_body) <= 2048),
    took_ms integer NOT NULL CHECK (took_ms >= 0),
    created_at timestamptz NOT NULL,
    PRIMARY KEY (application_id, delivery_id, number)
);

-- A span of past events that is sent once more, a batch at a time: done counts the events behind cursor.
CREATE TABLE webhook_replays (
    id uuid NOT NULL,
    application_id bigint NOT NULL,
    endpoint_id uuid NOT NULL,
    which text NOT NULL CHECK (which IN ('all', 'failed')),
    since timestamptz NOT NULL,
    until timestamptz NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'done', 'canceled')),
    cursor bigint NOT NULL DEFAULT 0,
    last bigint NOT NULL,
    total bigint NOT NULL,
    done bigint NOT NULL DEFAULT 0,
    queued bigint NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (application_id, id),
    FOREIGN KEY (application_id, endpoint_id) REFERENCES webhook_endpoints (application_id, id),
    CHECK (since <= until),
    CHECK ((status = 'running') = (finished_at IS NULL))
);
CREATE INDEX webhook_replays_running ON webhook_replays (created_at) WHERE status = 'running';
